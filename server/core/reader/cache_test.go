package reader

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestSpecCacheStaysWithinBudget checks that the cache does not use more memory than its budget if it is filled with pages of
// specifications.
func TestSpecCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewCaches(storetest.Budget).specs
		for i := range 400 {
			pages := openapi.Pages{Info: []openapi.Page{{Markdown: make([]byte, 3000)}}}
			for p := range 50 {
				pages.Operations = append(pages.Operations, openapi.Page{
					Slug: fmt.Sprint("operation-", p), Title: fmt.Sprint("Operation ", p), Markdown: make([]byte, 500),
				})
			}
			c.Put(objects.RecordKey(fmt.Sprint("version ", i)), pages)
		}
		return c, func() int64 { return c.Size() }
	})
}
