package server

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/spec"
	"docspace.dev/wsd/store"
)

// What a cache says that it holds is the sum of its parts, each counted once, and within the budget, whatever comes.
func TestCacheCountsPartsOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 0))
	c := newSharingCache(1000, func(_ storedKey, parts []int) (all []share) {
		for _, p := range parts {
			all = append(all, share{p, 10 * (1 + p)})
		}
		return all
	})
	for i := range 5000 {
		var parts []int
		for p := range 30 {
			if random.IntN(4) == 0 {
				parts = append(parts, p)
			}
		}
		c.put(recordKey(fmt.Sprint(random.IntN(200))), parts)
		c.get(recordKey(fmt.Sprint(random.IntN(200))))
		sum, seen := 0, map[int]bool{}
		for _, element := range c.values {
			for _, p := range element.Value.(*cachedValue[[]int]).value {
				if !seen[p] {
					seen[p] = true
					sum += 10 * (1 + p)
				}
			}
		}
		if int64(sum) != c.held || c.held > c.budget || len(c.uses) != len(seen) || c.recent.Len() != len(c.values) {
			t.Fatalf("after %d: %d bytes are held, counted as %d, of %d", i, sum, c.held, c.budget)
		}
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	c := newCache(3*(cacheOverhead+101), func(int) int { return 100 })
	for i := range 5 {
		c.put(recordKey(fmt.Sprint(i)), i)
		if _, ok := c.get(recordKey("0")); !ok {
			t.Fatalf("what was used last is gone after %d", i)
		}
	}
	if _, ok := c.get(recordKey("1")); ok {
		t.Error("what was used longest ago is kept")
	}
	large := newCache(100, func(int) int { return 101 })
	if large.put(recordKey("a"), 1); large.held != 0 || len(large.values) != 0 {
		t.Error("what is larger than the budget is kept")
	}
}

// Caches are within their budgets as the process's memory has it, and not by far too little. It is not parallel: it
// counts the memory of the process.
func TestCachesAreWithinTheirBudgets(t *testing.T) { //nolint:paralleltest // counts
	const budget = 8 << 20
	for name, fill := range map[string]func() (kept any, held func() int64){ //nolint:paralleltest // counts
		"trees": func() (any, func() int64) {
			c, at := newTreeCache(budget), manyPages(1000)
			for i := range 100 {
				at = at.next()
				for p := range 20 {
					at.put(cachedPage(i*37%1000 + p))
				}
				c.put(recordKey(fmt.Sprint("tree ", i)), at)
			}
			return c, func() int64 { return c.held }
		},
		"trees of many spaces": func() (any, func() int64) {
			c := newTreeCache(budget)
			for i := range 100 {
				c.put(recordKey(fmt.Sprint("tree ", i)), manyPages(200))
			}
			return c, func() int64 { return c.held }
		},
		"links": func() (any, func() int64) {
			c := newGraphCache(budget)
			for i := range 40 {
				c.put(recordKey(fmt.Sprint("links ", i)), manyLinks(100, 10))
			}
			return c, func() int64 { return c.held }
		},
		"places": func() (any, func() int64) {
			c := (&Server{places: newPlaceCache(budget)}).places
			for i := range 100_000 {
				c.put(recordKey(fmt.Sprintf("s_%060d", i)), content.Location{State: content.Moved, Page: fmt.Sprintf("p_%025d", i), Block: fmt.Sprintf("b_%016d", i)})
			}
			return c, func() int64 { return c.held }
		},
		"PDFs": func() (any, func() int64) {
			c := newPDFCache(budget)
			for i := range 200 {
				c.put(recordKey(fmt.Sprint("PDF ", i)), make([]byte, 100_000))
			}
			return c, func() int64 { return c.held }
		},
		"specifications": func() (any, func() int64) {
			c := newSpecPages(nil, budget).made
			for i := range 400 {
				pages := spec.Pages{Info: []spec.Page{{Markdown: make([]byte, 3000)}}}
				for p := range 50 {
					pages.Operations = append(pages.Operations, spec.Page{Slug: fmt.Sprint("operation-", p), Title: fmt.Sprint("Operation ", p), Markdown: make([]byte, 500)})
				}
				c.put(recordKey(fmt.Sprint("version ", i)), pages)
			}
			return c, func() int64 { return c.held }
		},
		"search": func() (any, func() int64) {
			c := newSearchMemory(budget)
			for i := range 200 {
				space := fmt.Sprint("space ", i)
				m := c.of(space, "1")
				for w := range 200 {
					var scores []store.PageScore
					for p := range 10 {
						scores = append(scores, store.PageScore{Page: fmt.Sprintf("p_%025d", p), Score: 1})
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

func cachedPage(i int) *page {
	id := fmt.Sprintf("p_%025d", i)
	return &page{
		ID: id, Order: fmt.Sprintf("a%06d", i), Type: api.PageDocument, Derived: fmt.Sprint("The title of page ", i), Slug: fmt.Sprint("page-", i),
		Description: strings.Repeat("A description of some words. ", 3), Text: strings.Repeat("t", 32), Blocks: strings.Repeat("b", 32),
		Variables: map[string]string{"name": fmt.Sprint("value ", i)},
	}
}

func manyPages(n int) *tree {
	t := newTree()
	for i := range n {
		t.put(cachedPage(i))
	}
	return t
}

// manyLinks is a graph of so many links on so many pages.
func manyLinks(links, pages int) *linkGraph {
	g := &linkGraph{tree: manyPages(pages), paths: map[string]string{}, texts: map[string]pageLinks{}, pages: map[string][]link{}}
	for _, id := range g.tree.kids("") {
		path := strings.Clone(id) + "/path"
		g.paths[path] = id
		var text pageLinks
		for l := range links {
			to := fmt.Sprintf("https://example.com/%d", l)
			blocks := []string{fmt.Sprintf("b_%016d", l)}
			text.Uses = append(text.Uses, linkUse{To: to, Blocks: blocks})
			g.pages[id] = append(g.pages[id], link{page: id, key: id + to, href: to, blocks: blocks, target: api.ContentRef{Kind: api.RefURL, URL: to}})
		}
		g.texts[id] = text
	}
	return g
}
