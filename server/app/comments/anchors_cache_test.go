package comments

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestLocationCacheStaysWithinBudget fills the cache with locations of comments and checks that its memory stays within the
// budget.
func TestLocationCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewLocationCache(storetest.Budget)
		for i := range 100_000 {
			c.Put(objects.RecordKey(fmt.Sprintf("s_%060d", i)), content.Location{
				State: content.Moved, Page: fmt.Sprintf("p_%025d", i), Block: fmt.Sprintf("b_%016d", i),
			})
		}
		return c, func() int64 { return c.Size() }
	})
}
