package revision

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Limits for the content of a space.
const (
	MaxPages     = 20_000
	MaxPageDepth = 32
)

// Page is the record of a page in a tree. It contains everything except the text.
type Page struct {
	ID            string             `json:"-"`
	Parent        string             `json:"parent,omitzero"` // page id, "" at the root
	Order         string             `json:"order"`           // sorts siblings; ties are sorted by id
	Type          api.PageType       `json:"type"`
	Title         string             `json:"title,omitzero"`   // set by users
	DerivedTitle  string             `json:"derived,omitzero"` // from the front matter or the first heading
	Slug          string             `json:"slug,omitzero"`
	Emoji         string             `json:"emoji,omitzero"`
	Icon          string             `json:"icon,omitzero"`
	Description   string             `json:"description,omitzero"`
	Hidden        bool               `json:"hidden,omitzero"`
	NoIndex       bool               `json:"noIndex,omitzero"`
	NoRobotsIndex bool               `json:"noRobotsIndex,omitzero"`
	Layout        *api.PageLayout    `json:"layout,omitzero"`
	Cover         *api.PageCover     `json:"cover,omitzero"`
	MetaLinks     *api.PageMetaLinks `json:"metaLinks,omitzero"`
	Variables     map[string]string  `json:"variables,omitempty"`
	Target        *api.ContentRef    `json:"target,omitzero"`
	Computed      *api.Computed      `json:"computed,omitzero"`
	Text          string             `json:"text,omitzero"`   // hash of the Markdown
	Blocks        string             `json:"blocks,omitzero"` // hash of the block table
	Origin        *Origin            `json:"origin,omitzero"` // nil if the page was not imported
	CreatedAt     api.Time           `json:"createdAt"`
	UpdatedAt     api.Time           `json:"updatedAt"`
}

// Name returns the displayed title.
func (p *Page) Name() string { return cmp.Or(p.Title, p.DerivedTitle, "Untitled") }

// TextID returns an id of the text with its block table, or "" if the page has no text.
func (p *Page) TextID() string {
	if p.Text == "" {
		return ""
	}
	return p.Text + TextSeparator + p.Blocks
}

// Entry encodes the page as an entry of the map of pages.
func (p *Page) Entry() (objects.Entry, error) {
	value, err := json.Marshal(p)
	if err != nil {
		return objects.Entry{}, fmt.Errorf("page %s: %w", p.ID, err)
	}
	e := objects.Entry{Value: value}
	if p.Text != "" {
		e.Refs = []string{p.Text, p.Blocks}
	}
	for _, hash := range p.Origin.refs() {
		if !slices.Contains(e.Refs, hash) {
			e.Refs = append(e.Refs, hash)
		}
	}
	return e, nil
}

// Tree is a page tree: pages by id, with children in sibling order. It may be based on another tree and contain only
// the differences, so that the cost of a change does not depend on the size of the space. A shared tree must not be
// modified: create a new one with Next, and replace pages instead of modifying them.
type Tree struct {
	Base     *Tree               // nil for a complete tree
	Changed  map[string]*Page    // by id, relative to Base; nil means removed
	children map[string][]string // by parent, relative to Base
	Count    int                 // total number of pages
}

// A tree is flattened when its differences exceed an eighth of it, or after maxTreeBases bases.
const (
	maxTreeBases = 16
	flattenRatio = 8
)

// NewTree returns an empty tree.
func NewTree() *Tree { return &Tree{Changed: map[string]*Page{}, children: map[string][]string{}} }

// Next returns a tree based on t that may be modified.
func (t *Tree) Next() *Tree {
	bases, differing := 0, 0
	for at := t; at.Base != nil; at = at.Base {
		bases, differing = bases+1, differing+len(at.Changed)
	}
	base := t
	if bases >= maxTreeBases || differing*flattenRatio > t.Count {
		base = t.flatten()
	}
	return &Tree{Base: base, Changed: map[string]*Page{}, children: map[string][]string{}, Count: t.Count}
}

// flatten returns an equal tree without a base.
func (t *Tree) flatten() *Tree {
	if t.Base == nil {
		return t
	}
	below := t.Base.flatten()
	w := &Tree{Changed: maps.Clone(below.Changed), children: maps.Clone(below.children), Count: t.Count}
	for id, p := range t.Changed {
		if p == nil {
			delete(w.Changed, id)
		} else {
			w.Changed[id] = p
		}
	}
	maps.Copy(w.children, t.children)
	return w
}

// Page returns the page with the given id, or nil if there is none.
func (t *Tree) Page(id string) *Page {
	for at := t; at != nil; at = at.Base {
		if p, ok := at.Changed[id]; ok {
			return p
		}
	}
	return nil
}

// Children returns the ids of the children of a page in order, "" being the root. The result must not be modified.
func (t *Tree) Children(parent string) []string {
	for at := t; at != nil; at = at.Base {
		if ids, ok := at.children[parent]; ok {
			return ids
		}
	}
	return nil
}

// Put adds or replaces a page.
func (t *Tree) Put(p *Page) {
	old := t.Page(p.ID)
	if old != nil && old.Parent == p.Parent && old.Order == p.Order {
		t.Changed[p.ID] = p
		return
	}
	if old != nil {
		t.remove(p.ID)
	}
	t.Changed[p.ID] = p
	t.Count++
	siblings := t.Children(p.Parent)
	index, _ := slices.BinarySearchFunc(siblings, p.ID, t.Compare)
	t.children[p.Parent] = slices.Insert(slices.Clone(siblings), index, p.ID)
}

// AddChildren adds new pages below one parent.
func (t *Tree) AddChildren(parent string, pages []*Page) {
	children := slices.Clone(t.Children(parent))
	for _, p := range pages {
		t.Changed[p.ID] = p
		children = append(children, p.ID)
	}
	slices.SortFunc(children, t.Compare)
	t.children[parent] = children
	t.Count += len(pages)
}

// remove removes a page but not its children.
func (t *Tree) remove(id string) {
	p := t.Page(id)
	if p == nil {
		return
	}
	t.children[p.Parent] = slices.DeleteFunc(slices.Clone(t.Children(p.Parent)), func(other string) bool { return other == id })
	t.Changed[id] = nil
	t.Count--
}

// Compare compares siblings by order key, then by id.
func (t *Tree) Compare(a, b string) int {
	return cmp.Or(cmp.Compare(t.Page(a).Order, t.Page(b).Order), cmp.Compare(a, b))
}

// Path returns the slugs from the root to the page, joined by slashes.
func (t *Tree) Path(id string) string {
	var slugs []string
	for p, depth := t.Page(id), 0; p != nil && depth <= MaxPageDepth; p, depth = t.Page(p.Parent), depth+1 {
		slugs = append(slugs, p.Slug)
	}
	slices.Reverse(slugs)
	return strings.Join(slugs, "/")
}

// ByPath returns the page at a path.
func (t *Tree) ByPath(path string) (*Page, bool) {
	parent := ""
	var found *Page
	for slug := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		found = nil
		for _, id := range t.Children(parent) {
			if p := t.Page(id); p.Slug == slug && p.Type != api.PageLink {
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

// Subtree returns the ids of a page and its descendants, parents first.
func (t *Tree) Subtree(id string) []string {
	ids := []string{id}
	for i := 0; i < len(ids); i++ {
		ids = append(ids, t.Children(ids[i])...)
	}
	return ids
}

// ReadingOrder returns the ids of a page and its descendants in reading order. The root "" is not included.
func (t *Tree) ReadingOrder(id string) (ids []string) {
	if id != "" {
		ids = append(ids, id)
	}
	for _, child := range t.Children(id) {
		ids = append(ids, t.ReadingOrder(child)...)
	}
	return ids
}

// Depth returns the level of the page; pages at the root have level 1.
func (t *Tree) Depth(id string) int {
	depth := 0
	for p := t.Page(id); p != nil && depth <= MaxPageDepth; p = t.Page(p.Parent) {
		depth++
	}
	return depth
}

// NewTreeCache returns a cache of trees, limited to budget bytes. A base shared by several trees is counted once.
func NewTreeCache(budget int64) *objects.DerivedCache[*Tree] {
	return objects.NewSharingCache(budget, func(t *Tree) (parts []cache.Part) {
		for at := t; at != nil; at = at.Base {
			parts = append(parts, cache.Part{ID: at, Bytes: at.Bytes()})
		}
		return parts
	})
}

// Approximate memory cost of the parts of a tree without strings, in bytes.
const (
	treeBytes      = 1 << 10
	treePageBytes  = 1 << 10
	treeChildBytes = 32
	fieldBytes     = 96 // a name and a value in a map
)

// Bytes returns the approximate memory cost of the tree without its base.
func (t *Tree) Bytes() int {
	size := treeBytes
	for id, p := range t.Changed {
		if size += treePageBytes + len(id); p != nil {
			size += p.size()
		}
	}
	for parent, ids := range t.children {
		size += fieldBytes + len(parent) + treeChildBytes*cap(ids)
	}
	return size
}

// size returns the memory cost of the strings of the page.
func (p *Page) size() int {
	size := len(p.Parent) + len(p.Order) + len(p.Title) + len(p.DerivedTitle) + len(p.Slug) + len(p.Emoji) + len(p.Icon) +
		len(p.Description) + len(p.Text) + len(p.Blocks)
	for name, value := range p.Variables {
		size += fieldBytes + len(name) + len(value)
	}
	return size
}

// Tree returns the tree with the given root of the map of pages. The tree is shared: call Next before changing it.
func (rs *Revisions) Tree(ctx context.Context, content *objects.Content, root string) (*Tree, error) {
	if root == "" {
		return NewTree(), nil
	}
	if t, ok := objects.LoadDerived(rs.trees, content, root); ok {
		return t, nil
	}
	entries, err := content.All(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("page tree of %s: %w", content.Space(), err)
	}
	pages := make([]*Page, 0, len(entries))
	for id, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := DecodePage(id, e)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	t := NewTree()
	t.Assemble(pages)
	objects.StoreDerived(rs.trees, content, root, t)
	return t, nil
}

// Assemble adds pages with existing order keys to a tree without a base.
func (t *Tree) Assemble(pages []*Page) {
	for _, p := range pages {
		t.Changed[p.ID] = p
		t.children[p.Parent] = append(t.children[p.Parent], p.ID)
	}
	t.Count += len(pages)
	for _, siblings := range t.children {
		slices.SortFunc(siblings, t.Compare)
	}
}

// DecodePage decodes an entry of the map of pages.
func DecodePage(id string, e objects.Entry) (*Page, error) {
	p := &Page{}
	if err := json.Unmarshal(e.Value, p); err != nil {
		return nil, fmt.Errorf("%w: page %s: %w", redis.ErrCorrupt, id, err)
	}
	p.ID = id
	return p, nil
}

// Attributes returns the members of a page that are merged by name, as JSON.
func Attributes(p *Page) map[string]string {
	data, _ := json.Marshal(p)
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members) // encoded above
	for _, name := range excludedMembers {
		delete(members, name)
	}
	named := make(map[string]string, len(members)+len(p.Variables))
	for name, v := range members {
		named[name] = string(v)
	}
	for name, v := range p.Variables {
		value, _ := json.Marshal(v) // strings always encode
		named[VariableAttributePrefix+name] = string(value)
	}
	return named
}

// TextSeparator separates the hashes of a text and its block table in a TextID.
const TextSeparator = "+"

// excludedMembers lists the members of a page that are derived or merged separately.
var excludedMembers = []string{"parent", "order", "text", "blocks", "derived", "variables", "createdAt", "updatedAt", "origin"}

// VariableAttributePrefix is the prefix of the attribute names of page variables. Each variable is merged separately.
const VariableAttributePrefix = "variables."
