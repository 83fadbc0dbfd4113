package revision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// What ids begin with.
const (
	PagePrefix     = "p_"
	FilePrefix     = "f_"
	RevisionPrefix = "r_"
)

// Revision is the object that a head names: a complete, immutable state of a space's content.
type Revision struct {
	Type       api.RevisionType       `json:"type"`
	Parents    []string               `json:"parents"`
	Author     string                 `json:"author"`
	At         time.Time              `json:"at"`
	Pages      string                 `json:"pages"` // roots of the maps
	Files      string                 `json:"files"`
	Reusables  string                 `json:"reusables,omitzero"`
	Links      string                 `json:"links,omitzero"`
	Sources    string                 `json:"sources,omitzero"` // what its imports belong to: see SourceMap
	Variables  map[string]string      `json:"variables,omitempty"`
	Specs      map[string]SpecVersion `json:"specs,omitempty"`     // what computed pages are made of, by SpecOf
	MergedFrom string                 `json:"mergedFrom,omitzero"` // id of the change request
	Suggested  map[string]string      `json:"suggested,omitempty"` // block, by SuggestedBlock -> who suggested its words
	Number     int                    `json:"number,omitzero"`     // how many led to it, itself included: first parents
}

// HashOf is the hash of the object that a revision is stored as.
func HashOf(id string) string { return strings.TrimPrefix(id, RevisionPrefix) }

// Object is the revision as an object; its hash names it. Earlier revisions are kept as long as it is.
func (r Revision) Object() (objects.Object, error) {
	payload, err := json.Marshal(r)
	if err != nil {
		return objects.Object{}, fmt.Errorf("revision: %w", err)
	}
	var refs []string
	for _, root := range []string{r.Pages, r.Files, r.Links, r.Reusables, r.Sources} {
		if root != "" {
			refs = append(refs, root)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Specs)) {
		refs = append(refs, r.Specs[name].Bundle)
	}
	for _, parent := range r.Parents {
		refs = append(refs, HashOf(parent))
	}
	return objects.NewNode(refs, payload), nil
}

func decodeRevision(id string, payload []byte) (Revision, error) {
	var r Revision
	if err := json.Unmarshal(payload, &r); err != nil {
		return r, fmt.Errorf("%w: revision %s: %w", redis.ErrCorrupt, id, err)
	}
	return r, nil
}

// Revision reads a revision by id, which something that is stored names. Ids of callers are for KnownRevision.
func (s *Revisions) Revision(ctx context.Context, c *objects.Content, id string) (Revision, error) {
	payload, err := c.Object(ctx, HashOf(id))
	if err != nil {
		return Revision{}, fmt.Errorf("revision %s: %w", id, err)
	}
	return decodeRevision(id, payload)
}

// Worktree is the next state of a content while it is being made: the tree as it will be, what changed against the
// head that it began with, and the objects to store. Nothing is written before the transaction that moves the head.
type Worktree struct {
	server  *Revisions
	Content *objects.Content
	From    store.Head
	Start   *Tree // as it was at the head; shared
	Tree    *Tree
	changed map[string]bool // pages that were put or removed
	Files   map[string]*File
	Gone    map[string]bool // files that were removed
	Links   linkSources

	Was       Revision                  // what the head names
	Variables map[string]string         // of the space, as they will be; shared with was until they change
	Reusables map[string]*Page          // reusable contents that were put; nil = removed
	sources   map[string]*objects.Entry // what changed in the map of sources; nil = removed
	named     map[string]SpecVersion    // by NameSpec
}

// NewWorktree returns a worktree without pages, beside a head.
func (s *Revisions) NewWorktree(space string, from store.Head) *Worktree {
	return &Worktree{
		server: s, Content: s.store.Content(space), From: from, Start: NewTree(), Tree: NewTree(),
		changed: map[string]bool{}, Files: map[string]*File{}, Gone: map[string]bool{}, Reusables: map[string]*Page{}, named: map[string]SpecVersion{}, sources: map[string]*objects.Entry{},
		Links: linkSources{read: map[string]PageLinks{}, Roots: []string{from.Links}},
	}
}

// OpenWorktree returns the worktree of a head.
func (s *Revisions) OpenWorktree(ctx context.Context, space string, from store.Head) (*Worktree, error) {
	d := s.NewWorktree(space, from)
	var err error
	if d.Was, err = s.Revision(ctx, d.Content, from.Revision); err != nil {
		return nil, err
	}
	d.Variables = d.Was.Variables
	shared, err := s.Tree(ctx, d.Content, from.Pages)
	if err != nil {
		return nil, err
	}
	d.Start, d.Tree = shared, shared.Next()
	return d, nil
}

// Put adds or replaces a page.
func (d *Worktree) Put(p *Page) {
	d.changed[p.ID] = true
	d.Tree.Put(p)
}

// Drop removes a page and everything below it.
func (d *Worktree) Drop(id string) {
	under := d.Tree.Under(id)
	slices.Reverse(under)
	for _, gone := range under {
		d.changed[gone] = true
		d.Tree.remove(gone)
	}
}

// Text reads a page's text with its blocks.
func (d *Worktree) Text(ctx context.Context, p *Page) (content.Text, error) {
	return ReadText(ctx, d.Content, p.Text, p.Blocks)
}

// ReadText reads a text and its block table in one trip. No text has no bytes and no blocks.
func ReadText(ctx context.Context, c *objects.Content, text, blocks string) (content.Text, error) {
	if text == "" {
		return content.Text{}, nil
	}
	objects, err := c.Objects(ctx, []string{text, blocks})
	if err != nil {
		return content.Text{}, fmt.Errorf("text %s: %w", text, err)
	}
	return DecodeText(objects[text], objects[blocks])
}

// DecodeText reads a text and its block table.
func DecodeText(markdown, blocks []byte) (content.Text, error) {
	t := content.Text{Markdown: markdown}
	if err := json.Unmarshal(blocks, &t.Blocks); err != nil {
		return t, fmt.Errorf("%w: block table: %w", redis.ErrCorrupt, err)
	}
	return t, nil
}

// SetMarkdown gives a page a text; its blocks keep the ids of the text before. field names the text in errors.
func (d *Worktree) SetMarkdown(ctx context.Context, p *Page, markdown []byte, field string) error {
	previous, err := d.Text(ctx, p)
	if err != nil {
		return err
	}
	return d.SetEdited(p, markdown, previous, field)
}

// SetEdited is SetMarkdown with the text whose blocks live on in the new one.
func (d *Worktree) SetEdited(p *Page, markdown []byte, previous content.Text, field string) error {
	t, err := content.Parse(p.ID, markdown, previous)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return api.InvalidField(field, "%s", wrong.Error())
	}
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	return d.SetText(p, t)
}

// SetText gives a page a text whose blocks are known.
func (d *Worktree) SetText(p *Page, t content.Text) error {
	table, err := json.Marshal(t.Blocks)
	if err != nil {
		return fmt.Errorf("block table of %s: %w", p.ID, err)
	}
	p.Text, p.Blocks = d.Content.Stage(objects.NewBlob(t.Markdown)), d.Content.Stage(objects.NewBlob(table))
	p.Derived = api.CleanLine(content.Title(t.Markdown)) // the text itself stays as it is
	d.Links.read[p.TextID()] = LinksOf(t)
	return nil
}

// Order returns an order key for a place among the children of a parent: at is an index among the others, negative
// for the end. Where merges have left equal keys, the siblings are spread out first.
func (d *Worktree) Order(parent, self string, at int) (string, error) {
	siblings := slices.DeleteFunc(slices.Clone(d.Tree.Children(parent)), func(id string) bool { return id == self })
	if at < 0 || at > len(siblings) {
		at = len(siblings)
	}
	key, err := d.between(siblings, at)
	if err == nil {
		return key, nil
	}
	for i, order := range txn.Spread(len(siblings)) {
		moved := *d.Tree.Page(siblings[i])
		moved.Order = order
		d.Put(&moved)
	}
	return d.between(siblings, at)
}

func (d *Worktree) between(siblings []string, at int) (string, error) {
	before, after := "", ""
	if at > 0 {
		before = d.Tree.Page(siblings[at-1]).Order
	}
	if at < len(siblings) {
		after = d.Tree.Page(siblings[at]).Order
	}
	return txn.Between(before, after)
}

// FreeSlug makes a slug unique among the siblings with -2, -3 and so on. It looks at them once: in a large space many
// pages have the same title.
func (d *Worktree) FreeSlug(parent, self, slug string) string {
	alike, taken := slug[:min(len(slug), maxSlug-maxSlugSuffix)], map[string]bool{}
	for _, id := range d.Tree.Children(parent) {
		if other := d.Tree.Page(id).Slug; id != self && strings.HasPrefix(other, alike) {
			taken[other] = true
		}
	}
	return FreeSlug(slug, func(slug string) bool { return taken[slug] })
}

const (
	maxSlug       = 100
	maxSlugSuffix = len("-1000000")
)

// FreeSlug is the slug, or the first of -2, -3 and so on that is not taken.
func FreeSlug(slug string, taken func(slug string) bool) string {
	free := slug
	for n := 2; taken(free); n++ {
		suffix := fmt.Sprintf("-%d", n)
		free = slug[:min(len(slug), maxSlug-len(suffix))] + suffix
	}
	return free
}

// SlugTaken reports whether a sibling has the slug.
func (d *Worktree) SlugTaken(parent, self, slug string) bool {
	return slices.ContainsFunc(d.Tree.Children(parent), func(id string) bool {
		return id != self && d.Tree.Page(id).Slug == slug
	})
}

// AddFile stages a file.
func (d *Worktree) AddFile(id, name, contentType string, data []byte) *File {
	f := NewFile(d.Content, id, name, contentType, data)
	d.Files[id] = &f
	return &f
}

// IsEmpty reports whether nothing changed.
func (d *Worktree) IsEmpty() bool {
	return len(d.changed)+len(d.Files)+len(d.Gone)+len(d.Reusables)+len(d.sources) == 0 && maps.Equal(d.Variables, d.Was.Variables)
}

// Check holds the worktree against the limits of a space; field names what is at fault in the request. A page that
// moved took what is below it along.
func (d *Worktree) Check(field string) error {
	if d.Tree.Count > MaxPages {
		return api.InvalidField(field, "would make %d pages; a space has at most %d", d.Tree.Count, MaxPages)
	}
	for _, id := range slices.Sorted(maps.Keys(d.changed)) {
		now, before := d.Tree.Page(id), d.Start.Page(id)
		if now == nil || before != nil && before.Parent == now.Parent {
			continue
		}
		for _, moved := range d.Tree.Under(id) {
			if d.Tree.Depth(moved) > MaxPageDepth {
				return api.InvalidField(field, "would nest the page %s deeper than %d levels", moved, MaxPageDepth)
			}
		}
	}
	return nil
}

// next is the number of a revision: one more than that of its first parent, which is not the head that the worktree began with
// where a change request is updated from the space.
func (d *Worktree) next(ctx context.Context, r Revision) (int, error) {
	if len(r.Parents) == 0 || r.Parents[0] == d.From.Revision {
		return d.Was.Number + 1, nil
	}
	before, err := d.server.Historical(ctx, d.Content, r.Parents[0])
	return before.Number + 1, err
}

// Commit makes the revision and returns the head that names it. Its objects are in d.content.Staged.
func (d *Worktree) Commit(ctx context.Context, r Revision) (store.Head, error) {
	var err error
	if r.Pages, err = d.sealPages(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Files, err = d.sealFiles(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Reusables, err = d.sealReusables(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Sources, err = d.sealSources(ctx); err != nil {
		return store.Head{}, err
	}
	r.Variables, r.Specs = d.Variables, d.specs()
	if r.Number, err = d.next(ctx, r); err != nil {
		return store.Head{}, err
	}
	if r.Links, err = d.SealLinks(ctx); err != nil {
		return store.Head{}, err
	}
	r.At = r.At.UTC().Truncate(time.Millisecond)
	o, err := r.Object()
	if err != nil {
		return store.Head{}, err
	}
	if r.Pages != "" {
		cache.Remember(d.server.trees, d.Content, r.Pages, d.Tree)
	}
	return store.Head{Revision: RevisionPrefix + d.Content.Stage(o), Pages: r.Pages, Files: r.Files, Links: r.Links, At: r.At}, nil
}

// Preview is the head that the worktree would have now. The worktree goes on: what changes behind it is not in the
// preview. An import looks at its links so before it is committed.
func (d *Worktree) Preview(ctx context.Context, r Revision) (store.Head, error) {
	head, err := d.Commit(ctx, r)
	d.Tree = d.Tree.Next()
	return head, err
}

func (d *Worktree) sealPages(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var gone []string
	for id := range d.changed {
		p := d.Tree.Page(id)
		if p == nil {
			gone = append(gone, id)
			continue
		}
		if set[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	slices.Sort(gone)
	if root, err = d.Content.Apply(ctx, d.From.Pages, set, gone); err != nil {
		return "", fmt.Errorf("pages of %s: %w", d.Content.Space(), err)
	}
	return root, nil
}

func (d *Worktree) sealReusables(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var gone []string
	for _, id := range slices.Sorted(maps.Keys(d.Reusables)) {
		p := d.Reusables[id]
		if p == nil {
			gone = append(gone, id)
			continue
		}
		if set[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	if root, err = d.Content.Apply(ctx, d.Was.Reusables, set, gone); err != nil {
		return "", fmt.Errorf("reusable contents of %s: %w", d.Content.Space(), err)
	}
	return root, nil
}

func (d *Worktree) sealFiles(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	for id, f := range d.Files {
		if set[id], err = f.entry(); err != nil {
			return "", err
		}
	}
	if root, err = d.Content.Apply(ctx, d.From.Files, set, slices.Sorted(maps.Keys(d.Gone))); err != nil {
		return "", fmt.Errorf("files of %s: %w", d.Content.Space(), err)
	}
	return root, nil
}
