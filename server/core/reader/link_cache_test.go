package reader

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestGraphCacheStaysWithinBudget checks that the cache does not use more memory than its budget if it is filled with graphs of
// many links.
func TestGraphCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewCache(storetest.Budget)
		for i := range 40 {
			c.Put(objects.RecordKey(fmt.Sprint("links ", i)), newLargeGraph(100, 10))
		}
		return c, func() int64 { return c.Size() }
	})
}

// newLargeGraph returns a graph of pages with the given number of links each.
func newLargeGraph(each, pages int) *Graph {
	g := &Graph{Tree: revision.NewTree(), Texts: map[string]revision.PageLinks{}, Pages: map[string][]Link{}}
	for i := range pages {
		id := fmt.Sprintf("p_%025d", i)
		g.Tree.Put(&revision.Page{ID: id, Order: fmt.Sprintf("a%06d", i), Type: api.PageDocument, Slug: fmt.Sprint("page-", i)})
		var text revision.PageLinks
		for l := range each {
			to := fmt.Sprintf("https://example.com/%d", l)
			blocks := []string{fmt.Sprintf("b_%016d", l)}
			text.Uses = append(text.Uses, revision.LinkUse{To: to, Blocks: blocks})
			g.Pages[id] = append(g.Pages[id], Link{
				Page: id, Key: id + to, Href: to, Blocks: blocks, Target: api.ContentRef{Kind: api.RefURL, URL: to},
			})
		}
		g.Texts[id] = text
	}
	g.Resolver = revision.NewResolver("", g.Tree, nil)
	return g
}
