package pages

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/storetest"
)

// TestPDFCacheStaysWithinBudget compares the memory of a filled cache with its budget.
func TestPDFCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewPDFCache(storetest.Budget)
		for i := range 200 {
			c.Put(cache.RecordKey(fmt.Sprint("PDF ", i)), make([]byte, 100_000))
		}
		return c, func() int64 { return c.Size() }
	})
}
