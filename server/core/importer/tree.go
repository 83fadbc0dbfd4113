package importer

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// maxDepth bounds the nesting of the result; what is deeper becomes a sibling.
const maxDepth = 30

// topKey is the parent of the top level. Page keys are URLs; the keys of groups start
// with groupMark, which no URL does.
const (
	topKey    = ""
	groupMark = "\x00"
)

// treeBuilder merges what every page says about the site's tree: a sidebar that shows
// the whole of it, one that unfolds only around the current page, or lists of the pages
// below. It answers the same for the same pages in the same order.
type treeBuilder struct {
	start    string // key of the start page, whose lists are the top level
	children map[string][]string
	labels   map[string]string // of groups and of pages that did not come in
	below    map[string]bool   // keys that have a parent
}

func newTreeBuilder(start string) *treeBuilder {
	return &treeBuilder{
		start: start, children: map[string][]string{}, labels: map[string]string{}, below: map[string]bool{},
	}
}

// add merges the navigation of one page.
func (t *treeBuilder) add(page string, n navigation) {
	t.merge(topKey, n.site)
	if page == t.start {
		page = topKey
	}
	t.merge(page, n.own)
}

// merge puts the items below the parent: those known keep their place, each new one
// comes behind the one that precedes it in the list.
func (t *treeBuilder) merge(parent string, items []navItem) {
	at := 0
	for _, item := range items {
		key := item.key
		if key == "" {
			key = groupMark + parent + groupMark + item.label
		}
		if key == parent { // a section of the parent itself
			t.merge(parent, item.children)
			continue
		}
		if t.labels[key] == "" {
			t.labels[key] = item.label
		}
		known := t.children[parent]
		switch at = min(at, len(known)); {
		case at < len(known) && known[at] == key: // the same list once more
			at++
		case t.below[key] && slices.Contains(known, key):
			at = slices.Index(known, key) + 1
		default:
			t.children[parent] = slices.Insert(known, at, key)
			at++
		}
		t.below[key] = true
		t.merge(key, item.children)
	}
}

// build places every page of the site once: in the navigation's order, then by path.
// pages are in the order of the crawl.
func (t *treeBuilder) build(pages []*webPage) []*Page {
	p := &placement{
		tree: t, nodes: map[string]*Page{}, placed: map[string]*Page{}, depth: map[*Page]int{},
	}
	for _, page := range pages {
		p.nodes[page.key] = page.node
	}
	listed := len(t.children) > 0
	p.top(t.start)
	p.fill([]string{topKey})
	p.roots(pages)
	p.strays(pages, listed)
	return dropEmptyGroups(p.pages)
}

// placement is a tree on its way.
type placement struct {
	tree   *treeBuilder
	nodes  map[string]*Page // pages by key
	placed map[string]*Page // those that have their place, groups too
	depth  map[*Page]int
	pages  []*Page
}

// top places a page at the top level.
func (p *placement) top(key string) {
	if node := p.nodes[key]; node != nil && p.placed[key] == nil {
		p.placed[key] = node
		p.pages = append(p.pages, node)
	}
}

// fill places level by level what the navigation lists below the given keys, so that a
// page listed twice goes to the shallower place.
func (p *placement) fill(level []string) {
	for len(level) > 0 {
		var next []string
		for _, parent := range level {
			for _, key := range p.tree.children[parent] {
				if p.placed[key] == nil {
					p.attach(parent, key)
					next = append(next, key)
				}
			}
		}
		level = next
	}
}

// attach places one key below its parent. What did not come in stays as a group, for
// the sake of those below it.
func (p *placement) attach(parent, key string) {
	node := p.nodes[key]
	if node == nil {
		node = &Page{Title: OrTitle(p.tree.labels[key]), Group: true}
		if u, err := url.Parse(key); err == nil && !strings.HasPrefix(key, groupMark) {
			node.Source, node.Path = key, sitePath(u)
		}
	}
	if node.Group && node.Title == "" {
		node.Title = OrTitle(p.tree.labels[key])
	}
	p.placed[key] = node
	p.under(p.placed[parent], node)
}

// under appends a node to its parent's children, nil being the top level.
func (p *placement) under(parent, node *Page) {
	if parent == nil || parent == p.nodes[p.tree.start] {
		p.pages = append(p.pages, node)
		return
	}
	p.depth[node] = p.depth[parent] + 1
	if p.depth[node] >= maxDepth {
		p.depth[node] = p.depth[parent]
	}
	parent.Children = append(parent.Children, node)
}

// roots places pages that list others and are listed nowhere: the page with a site's
// whole table of contents, whose entries go beside it, for that is where its reader
// finds them; any other root keeps its entries below itself.
func (p *placement) roots(pages []*webPage) {
	for _, page := range pages {
		key := page.key
		if p.placed[key] != nil || p.tree.below[key] || len(p.tree.children[key]) == 0 {
			continue
		}
		if page.depth > 0 {
			continue // a stray with its own children, placed by path
		}
		p.top(key)
		p.tree.children[topKey] = p.tree.children[key]
		p.fill([]string{topKey})
	}
}

// strays places what the navigation does not list below the page of the nearest
// directory above, else at the end. Where a site has no navigation at all a directory
// without a page becomes a group.
func (p *placement) strays(pages []*webPage, listed bool) {
	var rest []*webPage
	for _, page := range pages {
		if p.placed[page.key] == nil {
			rest = append(rest, page)
		}
	}
	// Those that no other lists come first, for they may bring the others in.
	rank := func(page *webPage) int {
		if p.tree.below[page.key] {
			return maxDepth + page.depth
		}
		return page.depth
	}
	slices.SortStableFunc(rest, func(x, y *webPage) int { return cmp.Compare(rank(x), rank(y)) })
	for _, page := range rest {
		if p.placed[page.key] != nil { // came in below another stray
			continue
		}
		if p.placed[page.key] = page.node; page.node.Group {
			page.node.Title = OrTitle(path.Base(page.key))
		}
		p.under(p.directory(page.key, page.base, !listed), page.node)
		p.fill([]string{page.key})
	}
}

// directory is the page, or with groups the group, of the nearest directory above a
// key; nil for the base itself.
func (p *placement) directory(key, base string, groups bool) *Page {
	dir := parentDir(key)
	if len(dir) <= len(base) || !strings.HasPrefix(dir, base) {
		return nil
	}
	if node := p.placed[dir]; node != nil {
		return node
	}
	above := p.directory(dir, base, groups)
	if !groups {
		return above
	}
	group := &Page{Title: path.Base(dir), Slug: path.Base(dir), Group: true, Source: dir, Path: directoryPath(dir)}
	p.placed[dir] = group
	p.under(above, group)
	return group
}

// parentDir is the directory that holds a resource: its URL up to the last slash, that
// of a directory up to the one before.
func parentDir(key string) string {
	key = strings.TrimSuffix(key, "/")
	return key[:strings.LastIndex(key, "/")+1]
}

// dropEmptyGroups removes groups that hold nothing.
func dropEmptyGroups(pages []*Page) []*Page {
	kept := pages[:0]
	for _, page := range pages {
		page.Children = dropEmptyGroups(page.Children)
		if !page.Group || len(page.Children) > 0 {
			kept = append(kept, page)
		}
	}
	return kept
}
