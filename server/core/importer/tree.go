package importer

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// maxDepth is the maximum nesting of the result; deeper pages become siblings.
const maxDepth = 30

// topKey is the parent of the top level. Page keys are URLs; keys of groups start with groupMark, which no URL does.
const (
	topKey    = ""
	groupMark = "\x00"
)

// treeBuilder merges the tree information of all pages: a complete sidebar, one that is expanded only around the
// current page, or lists of subpages. The result is deterministic for the same pages in the same order.
type treeBuilder struct {
	start     string // key of the start page, whose lists are the top level
	children  map[string][]string
	labels    map[string]string // of groups and of pages that were not imported
	hasParent map[string]bool   // keys that have a parent
}

func newTreeBuilder(start string) *treeBuilder {
	return &treeBuilder{
		start: start, children: map[string][]string{}, labels: map[string]string{}, hasParent: map[string]bool{},
	}
}

// add merges the navigation of one page.
func (t *treeBuilder) add(page string, n navigation) {
	t.merge(topKey, n.site)
	if page == t.start {
		page = topKey
	}
	t.merge(page, n.subpages)
}

// merge adds the items to the parent. Known items keep their position; each new one is inserted after its predecessor
// in the list.
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
		case at < len(known) && known[at] == key: // the same list again
			at++
		case t.hasParent[key] && slices.Contains(known, key):
			at = slices.Index(known, key) + 1
		default:
			t.children[parent] = slices.Insert(known, at, key)
			at++
		}
		t.hasParent[key] = true
		t.merge(key, item.children)
	}
}

// build adds every page of the site once: in the navigation's order, then by path. pages must be in the order of the
// crawl.
func (t *treeBuilder) build(pages []*webPage) []*Page {
	p := &placement{
		tree: t, nodes: map[string]*Page{}, placed: map[string]*Page{}, depth: map[*Page]int{},
	}
	for _, page := range pages {
		p.nodes[page.key] = page.node
	}
	listed := len(t.children) > 0
	p.placeTop(t.start)
	p.fillLevels([]string{topKey})
	p.placeRoots(pages)
	p.placeUnlisted(pages, listed)
	return dropEmptyGroups(p.pages)
}

// placement is a tree under construction.
type placement struct {
	tree   *treeBuilder
	nodes  map[string]*Page // pages by key
	placed map[string]*Page // placed pages and groups by key
	depth  map[*Page]int
	pages  []*Page
}

// placeTop places a page at the top level unless it was not imported or is already placed.
func (p *placement) placeTop(key string) {
	if node := p.nodes[key]; node != nil && p.placed[key] == nil {
		p.placed[key] = node
		p.pages = append(p.pages, node)
	}
}

// fillLevels places the navigation items below the given keys level by level, so that a page listed twice is placed at the
// higher level.
func (p *placement) fillLevels(level []string) {
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

// attach places one key below its parent. A page that was not imported becomes a group that keeps its children.
func (p *placement) attach(parent, key string) {
	node := p.nodes[key]
	if node == nil {
		node = &Page{Title: titleOrDefault(p.tree.labels[key]), Group: true}
		if u, err := url.Parse(key); err == nil && !strings.HasPrefix(key, groupMark) {
			node.Source, node.Path = key, sitePath(u)
		}
	}
	if node.Group && node.Title == "" {
		node.Title = titleOrDefault(p.tree.labels[key])
	}
	p.placed[key] = node
	p.appendTo(p.placed[parent], node)
}

// appendTo appends a node to its parent's children; nil is the top level.
func (p *placement) appendTo(parent, node *Page) {
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

// placeRoots places pages that list others and are not listed themselves. The entries of a page with the whole table of
// contents become its siblings, as in the site's navigation; those of any other root become its children.
func (p *placement) placeRoots(pages []*webPage) {
	for _, page := range pages {
		key := page.key
		if p.placed[key] != nil || p.tree.hasParent[key] || len(p.tree.children[key]) == 0 {
			continue
		}
		if page.depth > 0 {
			continue // an unlisted page with its own children, placed by path
		}
		p.placeTop(key)
		p.tree.children[topKey] = p.tree.children[key]
		p.fillLevels([]string{topKey})
	}
}

// placeUnlisted places unlisted pages below the page of the nearest ancestor directory, else at the end. If the site has no
// navigation at all, directories without a page become groups.
func (p *placement) placeUnlisted(pages []*webPage, listed bool) {
	var rest []*webPage
	for _, page := range pages {
		if p.placed[page.key] == nil {
			rest = append(rest, page)
		}
	}
	// Pages that no other page lists come first because placing them may place others.
	rank := func(page *webPage) int {
		if p.tree.hasParent[page.key] {
			return maxDepth + page.depth
		}
		return page.depth
	}
	slices.SortStableFunc(rest, func(x, y *webPage) int { return cmp.Compare(rank(x), rank(y)) })
	for _, page := range rest {
		if p.placed[page.key] != nil { // placed below another unlisted page
			continue
		}
		if p.placed[page.key] = page.node; page.node.Group {
			page.node.Title = titleOrDefault(path.Base(page.key))
		}
		p.appendTo(p.directory(page.key, page.base, !listed), page.node)
		p.fillLevels([]string{page.key})
	}
}

// directory returns the page of the nearest ancestor directory of a key, or its group if groups is set. It returns nil for the
// base itself.
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
	p.appendTo(above, group)
	return group
}

// parentDir returns the directory of a resource: its URL up to the last slash or, for a directory, up to the slash before that.
func parentDir(key string) string {
	key = strings.TrimSuffix(key, "/")
	return key[:strings.LastIndex(key, "/")+1]
}

// dropEmptyGroups removes groups without children.
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
