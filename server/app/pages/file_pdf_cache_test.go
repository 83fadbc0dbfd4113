package pages

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestPDFCacheStaysWithinBudget compares the memory of a filled cache with its budget.
func TestPDFCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewPDFCache(storetest.Budget)
		for i := range 200 {
			c.Put(objects.RecordKey(fmt.Sprint("PDF ", i)), make([]byte, 100_000))
		}
		return c, func() int64 { return c.Size() }
	})
}
