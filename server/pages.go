package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Limits of a space's content (decisions, Statuses and bodies).
const (
	maxPages     = 20_000
	maxPageDepth = 32
)

// page is what a tree holds of one page: everything but its text.
type page struct {
	ID            string            `json:"-"`
	Parent        string            `json:"parent,omitzero"` // page id, "" at the root
	Order         string            `json:"order"`           // among the siblings; ties by id
	Type          api.PageType      `json:"type"`
	Title         string            `json:"title,omitzero"`   // as set by people
	Derived       string            `json:"derived,omitzero"` // from the text's front matter or first heading
	Slug          string            `json:"slug,omitzero"`
	Emoji         string            `json:"emoji,omitzero"`
	Icon          string            `json:"icon,omitzero"`
	Description   string            `json:"description,omitzero"`
	Hidden        bool              `json:"hidden,omitzero"`
	NoIndex       bool              `json:"noIndex,omitzero"`
	NoRobotsIndex bool              `json:"noRobotsIndex,omitzero"`
	Layout        *api.PageLayout   `json:"layout,omitzero"`
	Cover         *api.PageCover    `json:"cover,omitzero"`
	Variables     map[string]string `json:"variables,omitempty"`
	Target        *api.ContentRef   `json:"target,omitzero"`
	Computed      *api.Computed     `json:"computed,omitzero"`
	Text          string            `json:"text,omitzero"`   // hash of the Markdown
	Blocks        string            `json:"blocks,omitzero"` // hash of the block table
	CreatedAt     api.Time          `json:"createdAt"`
	UpdatedAt     api.Time          `json:"updatedAt"`
}

// name is the title that people see.
func (p *page) name() string { return cmp.Or(p.Title, p.Derived, "Untitled") }

// textID names the page's text together with its block table, "" without one.
func (p *page) textID() string {
	if p.Text == "" {
		return ""
	}
	return p.Text + textSeparator + p.Blocks
}

// entry is the page as an entry of the persistent map.
func (p *page) entry() (objects.Entry, error) {
	value, err := json.Marshal(p)
	if err != nil {
		return objects.Entry{}, fmt.Errorf("page %s: %w", p.ID, err)
	}
	e := objects.Entry{Value: value}
	if p.Text != "" {
		e.Refs = []string{p.Text, p.Blocks}
	}
	return e, nil
}

// tree is an assembled page tree: pages by id, children in sibling order. It may stand on another one and hold only
// what differs, so that the next tree costs what its changes cost, in a space of any size. A tree that is shared is
// never changed: stand a new one on it, and replace pages rather than writing to them.
type tree struct {
	base     *tree               // nil for a tree of its own
	changed  map[string]*page    // by id, over the base; nil = removed
	children map[string][]string // by parent, over the base
	count    int                 // pages in all
}

// A tree is written out whole again when what differs is more than an eighth of it, or after so many bases.
const (
	maxTreeBases  = 16
	wholeTreePart = 8
)

func newTree() *tree { return &tree{changed: map[string]*page{}, children: map[string][]string{}} }

// next returns a tree that stands on this one and may be changed.
func (t *tree) next() *tree {
	bases, differing := 0, 0
	for at := t; at.base != nil; at = at.base {
		bases, differing = bases+1, differing+len(at.changed)
	}
	base := t
	if bases >= maxTreeBases || differing*wholeTreePart > t.count {
		base = t.whole()
	}
	return &tree{base: base, changed: map[string]*page{}, children: map[string][]string{}, count: t.count}
}

// whole is the same tree without a base.
func (t *tree) whole() *tree {
	if t.base == nil {
		return t
	}
	below := t.base.whole()
	w := &tree{changed: maps.Clone(below.changed), children: maps.Clone(below.children), count: t.count}
	for id, p := range t.changed {
		if p == nil {
			delete(w.changed, id)
		} else {
			w.changed[id] = p
		}
	}
	maps.Copy(w.children, t.children)
	return w
}

// page returns a page, or nil.
func (t *tree) page(id string) *page {
	for at := t; at != nil; at = at.base {
		if p, ok := at.changed[id]; ok {
			return p
		}
	}
	return nil
}

// kids are the ids of the children of a page, "" for the root, in their order. They must not be changed.
func (t *tree) kids(parent string) []string {
	for at := t; at != nil; at = at.base {
		if ids, ok := at.children[parent]; ok {
			return ids
		}
	}
	return nil
}

// put adds or replaces a page.
func (t *tree) put(p *page) {
	old := t.page(p.ID)
	if old != nil && old.Parent == p.Parent && old.Order == p.Order {
		t.changed[p.ID] = p
		return
	}
	if old != nil {
		t.remove(p.ID)
	}
	t.changed[p.ID] = p
	t.count++
	siblings := t.kids(p.Parent)
	at, _ := slices.BinarySearchFunc(siblings, p.ID, t.compare)
	t.children[p.Parent] = slices.Insert(slices.Clone(siblings), at, p.ID)
}

// remove takes a page out; its children stay where they are.
func (t *tree) remove(id string) {
	p := t.page(id)
	if p == nil {
		return
	}
	t.children[p.Parent] = slices.DeleteFunc(slices.Clone(t.kids(p.Parent)), func(other string) bool { return other == id })
	t.changed[id] = nil
	t.count--
}

func (t *tree) compare(a, b string) int {
	return cmp.Or(cmp.Compare(t.page(a).Order, t.page(b).Order), cmp.Compare(a, b))
}

// path returns the page's slugs from the root, joined by slashes.
func (t *tree) path(id string) string {
	var slugs []string
	for p, depth := t.page(id), 0; p != nil && depth <= maxPageDepth; p, depth = t.page(p.Parent), depth+1 {
		slugs = append(slugs, p.Slug)
	}
	slices.Reverse(slugs)
	return strings.Join(slugs, "/")
}

// byPath finds the page at a path.
func (t *tree) byPath(path string) (*page, bool) {
	parent := ""
	var found *page
	for slug := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		found = nil
		for _, id := range t.kids(parent) {
			if p := t.page(id); p.Slug == slug && p.Type != api.PageLink {
				found, parent = p, id
				break
			}
		}
		if found == nil {
			return nil, false
		}
	}
	return found, true
}

// under lists a page and everything below it, parents first.
func (t *tree) under(id string) []string {
	ids := []string{id}
	for i := 0; i < len(ids); i++ {
		ids = append(ids, t.kids(ids[i])...)
	}
	return ids
}

// reading lists everything below a page in the order in which it is read, with the page itself; "" is the root.
func (t *tree) reading(id string) (ids []string) {
	if id != "" {
		ids = append(ids, id)
	}
	for _, child := range t.kids(id) {
		ids = append(ids, t.reading(child)...)
	}
	return ids
}

// depth is how many levels there are from the root down to the page, 1 at the root.
func (t *tree) depth(id string) int {
	depth := 0
	for p := t.page(id); p != nil && depth <= maxPageDepth; p = t.page(p.Parent) {
		depth++
	}
	return depth
}

// newTreeCache returns a cache of trees. What several stand on is counted once.
func newTreeCache(budget int64) *cache.Cache[*tree] {
	return cache.NewSharing(budget, func(_ cache.Key, t *tree) (parts []cache.Share) {
		for at := t; at != nil; at = at.base {
			parts = append(parts, cache.Share{Of: at, Bytes: at.bytes()})
		}
		return parts
	})
}

// What a tree costs in memory beside its texts, roughly: a page with its place in the maps, a child in a list.
const (
	treeBytes      = 1 << 10
	treePageBytes  = 1 << 10
	treeChildBytes = 32
	fieldBytes     = 96 // of a name and a value in a map
)

// bytes is what the tree costs in memory, without the one that it stands on.
func (t *tree) bytes() int {
	size := treeBytes
	for id, p := range t.changed {
		if size += treePageBytes + len(id); p != nil {
			size += p.bytes()
		}
	}
	for parent, ids := range t.children {
		size += fieldBytes + len(parent) + treeChildBytes*cap(ids)
	}
	return size
}

// bytes is what the texts of the page cost.
func (p *page) bytes() int {
	size := len(p.Parent) + len(p.Order) + len(p.Title) + len(p.Derived) + len(p.Slug) + len(p.Emoji) + len(p.Icon) + len(p.Description) + len(p.Text) + len(p.Blocks)
	for name, value := range p.Variables {
		size += fieldBytes + len(name) + len(value)
	}
	return size
}

// tree returns the assembled tree with that root. It is shared: clone before changing it.
func (s *Server) tree(ctx context.Context, content *objects.Content, root string) (*tree, error) {
	if root == "" {
		return newTree(), nil
	}
	if t, ok := cache.Recall(s.trees, content, root); ok {
		return t, nil
	}
	entries, err := content.All(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("page tree of %s: %w", content.Space(), err)
	}
	t := newTree()
	for id, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := decodePage(id, e)
		if err != nil {
			return nil, err
		}
		t.changed[id] = p
		t.children[p.Parent] = append(t.children[p.Parent], id)
	}
	t.count = len(entries)
	for _, siblings := range t.children {
		slices.SortFunc(siblings, t.compare)
	}
	cache.Remember(s.trees, content, root, t)
	return t, nil
}

func decodePage(id string, e objects.Entry) (*page, error) {
	p := &page{}
	if err := json.Unmarshal(e.Value, p); err != nil {
		return nil, fmt.Errorf("%w: page %s: %w", redis.ErrCorrupt, id, err)
	}
	p.ID = id
	return p, nil
}

// attributes are the members of a page that merge by name, as JSON.
func attributes(p *page) map[string]string {
	data, _ := json.Marshal(p)
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members)
	for _, name := range notAttributes {
		delete(members, name)
	}
	named := make(map[string]string, len(members)+len(p.Variables))
	for name, v := range members {
		named[name] = string(v)
	}
	for name, v := range p.Variables {
		value, _ := json.Marshal(v) // strings always encode
		named[variableAttribute+name] = string(value)
	}
	return named
}

// textSeparator joins the hashes of a text and of its block table to the one name that merge knows it by.
const textSeparator = "+"

// notAttributes are the members of a page that merge treats on its own, or that follow from the others.
var notAttributes = []string{"parent", "order", "text", "blocks", "derived", "variables", "createdAt", "updatedAt"}

// variableAttribute begins the names under which the variables of a page merge, each on its own.
const variableAttribute = "variables."
