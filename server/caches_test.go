package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/links"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/server/spec"
	"docspace.dev/wsd/store/postings"
)

// Caches are within their budgets as the process's memory has it, and not by far too little. It is not parallel: it
// counts the memory of the process.
func TestCachesAreWithinTheirBudgets(t *testing.T) { //nolint:paralleltest // counts
	const budget = 8 << 20
	for name, fill := range map[string]func() (kept any, held func() int64){ //nolint:paralleltest // counts
		"trees": func() (any, func() int64) {
			c, at := revision.NewTreeCache(budget), manyPages(1000)
			for i := range 100 {
				at = at.Next()
				for p := range 20 {
					at.Put(cachedPage(i*37%1000 + p))
				}
				c.Put(cache.RecordKey(fmt.Sprint("tree ", i)), at)
			}
			return c, func() int64 { return c.Holds() }
		},
		"trees of many spaces": func() (any, func() int64) {
			c := revision.NewTreeCache(budget)
			for i := range 100 {
				c.Put(cache.RecordKey(fmt.Sprint("tree ", i)), manyPages(200))
			}
			return c, func() int64 { return c.Holds() }
		},
		"links": func() (any, func() int64) {
			c := links.NewCache(budget)
			for i := range 40 {
				c.Put(cache.RecordKey(fmt.Sprint("links ", i)), manyLinks(100, 10))
			}
			return c, func() int64 { return c.Holds() }
		},
		"places": func() (any, func() int64) {
			c := (&Server{places: newPlaceCache(budget)}).places
			for i := range 100_000 {
				c.Put(cache.RecordKey(fmt.Sprintf("s_%060d", i)), content.Location{State: content.Moved, Page: fmt.Sprintf("p_%025d", i), Block: fmt.Sprintf("b_%016d", i)})
			}
			return c, func() int64 { return c.Holds() }
		},
		"PDFs": func() (any, func() int64) {
			c := newPDFCache(budget)
			for i := range 200 {
				c.Put(cache.RecordKey(fmt.Sprint("PDF ", i)), make([]byte, 100_000))
			}
			return c, func() int64 { return c.Holds() }
		},
		"specifications": func() (any, func() int64) {
			c := newSpecPages(nil, budget).made
			for i := range 400 {
				pages := spec.Pages{Info: []spec.Page{{Markdown: make([]byte, 3000)}}}
				for p := range 50 {
					pages.Operations = append(pages.Operations, spec.Page{Slug: fmt.Sprint("operation-", p), Title: fmt.Sprint("Operation ", p), Markdown: make([]byte, 500)})
				}
				c.Put(cache.RecordKey(fmt.Sprint("version ", i)), pages)
			}
			return c, func() int64 { return c.Holds() }
		},
		"search": func() (any, func() int64) {
			c := newSearchMemory(budget)
			for i := range 200 {
				space := fmt.Sprint("space ", i)
				m := c.of(space, "1")
				for w := range 200 {
					var scores []postings.PageScore
					for p := range 10 {
						scores = append(scores, postings.PageScore{Page: fmt.Sprintf("p_%025d", p), Score: 1})
					}
					m.learnTerm(fmt.Sprintf("word%d", w), m.occurrences(scores))
				}
				c.count(space)
			}
			return c, func() int64 { return c.held }
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := inMemory()
			kept, held := fill()
			after := inMemory()
			runtime.KeepAlive(kept)
			t.Logf("%d bytes in memory, %d are counted, the budget is %d", after-before, held(), budget)
			if held() > budget || held() < budget/2 {
				t.Errorf("%d bytes are counted, the budget is %d", held(), budget)
			}
			if after-before > budget {
				t.Errorf("%d bytes are in memory, the budget is %d", after-before, budget)
			}
			if (after-before)*8 < budget {
				t.Errorf("only %d bytes are in memory when the budget of %d is used up", after-before, budget)
			}
		})
	}
}

// inMemory is how many bytes live.
func inMemory() int64 {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func cachedPage(i int) *revision.Page {
	id := fmt.Sprintf("p_%025d", i)
	return &revision.Page{
		ID: id, Order: fmt.Sprintf("a%06d", i), Type: api.PageDocument, Derived: fmt.Sprint("The title of page ", i), Slug: fmt.Sprint("page-", i),
		Description: strings.Repeat("A description of some words. ", 3), Text: strings.Repeat("t", 32), Blocks: strings.Repeat("b", 32),
		Variables: map[string]string{"name": fmt.Sprint("value ", i)},
	}
}

func manyPages(n int) *revision.Tree {
	t := revision.NewTree()
	for i := range n {
		t.Put(cachedPage(i))
	}
	return t
}

// manyLinks is a graph of pages with so many links each.
func manyLinks(each, pages int) *links.Graph {
	g := &links.Graph{Tree: manyPages(pages), Paths: map[string]string{}, Texts: map[string]revision.PageLinks{}, Pages: map[string][]links.Link{}}
	for _, id := range g.Tree.Children("") {
		path := strings.Clone(id) + "/path"
		g.Paths[path] = id
		var text revision.PageLinks
		for l := range each {
			to := fmt.Sprintf("https://example.com/%d", l)
			blocks := []string{fmt.Sprintf("b_%016d", l)}
			text.Uses = append(text.Uses, revision.LinkUse{To: to, Blocks: blocks})
			g.Pages[id] = append(g.Pages[id], links.Link{Page: id, Key: id + to, Href: to, Blocks: blocks, Target: api.ContentRef{Kind: api.RefURL, URL: to}})
		}
		g.Texts[id] = text
	}
	return g
}
