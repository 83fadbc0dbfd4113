package revision

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestTreeCacheStaysWithinBudget checks that the cache does not use more memory than its budget if it is filled with revisions
// of one space that share pages.
func TestTreeCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c, at := NewTreeCache(storetest.Budget), newLargeTree(1000)
		for i := range 100 {
			at = at.Next()
			for p := range 20 {
				at.Put(newTestPage(i*37%1000 + p))
			}
			c.Put(objects.RecordKey(fmt.Sprint("tree ", i)), at)
		}
		return c, func() int64 { return c.Size() }
	})
}

// TestTreeCacheOfUnrelatedTreesStaysWithinBudget checks that the cache does not use more memory than its budget if it is filled
// with trees that share nothing.
func TestTreeCacheOfUnrelatedTreesStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewTreeCache(storetest.Budget)
		for i := range 100 {
			c.Put(objects.RecordKey(fmt.Sprint("tree ", i)), newLargeTree(200))
		}
		return c, func() int64 { return c.Size() }
	})
}

func newTestPage(i int) *Page {
	id := fmt.Sprintf("p_%025d", i)
	return &Page{
		ID: id, Order: fmt.Sprintf("a%06d", i), Type: api.PageDocument, DerivedTitle: fmt.Sprint("The title of page ",
			i), Slug: fmt.Sprint("page-", i),
		Description: strings.Repeat("A description of some words. ", 3), Text: strings.Repeat("t", 32), Blocks: strings.Repeat("b", 32),
		Variables: map[string]string{"name": fmt.Sprint("value ", i)},
	}
}

func newLargeTree(n int) *Tree {
	t := NewTree()
	for i := range n {
		t.Put(newTestPage(i))
	}
	return t
}
