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
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Prefixes of ids.
const (
	PagePrefix     = "p_"
	FilePrefix     = "f_"
	RevisionPrefix = "r_"
)

// Revision is a complete, immutable state of the content of a space or change request.
type Revision struct {
	Type       api.RevisionType       `json:"type"`
	Parents    []string               `json:"parents"`
	Author     string                 `json:"author"`
	CreatedAt  time.Time              `json:"at"`
	Pages      string                 `json:"pages"` // root of the map of pages, as for the other maps
	Files      string                 `json:"files"`
	Reusables  string                 `json:"reusables,omitzero"`
	Links      string                 `json:"links,omitzero"`
	Sources    string                 `json:"sources,omitzero"` // root of the SourceMap
	Variables  map[string]string      `json:"variables,omitempty"`
	Specs      map[string]SpecVersion `json:"specs,omitempty"`     // versions used by computed pages, by SpecName
	MergedFrom string                 `json:"mergedFrom,omitzero"` // id of the change request
	Suggested  map[string]string      `json:"suggested,omitempty"` // user who suggested the text, by SuggestedKey
	Number     int                    `json:"number,omitzero"`     // number of first parents, including this revision

	Source *api.RevisionSource `json:"source,omitzero"` // where the content was pushed from
}

// ObjectHash returns the hash of the object of a revision.
func ObjectHash(id string) string { return strings.TrimPrefix(id, RevisionPrefix) }

// Object encodes the revision as an object. It refers to the parents, which are kept as long as the revision.
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
		refs = append(refs, ObjectHash(parent))
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

// Revision reads a revision by an id from stored data. Use LookupRevision for ids given by callers.
func (rs *Revisions) Revision(ctx context.Context, c *objects.Content, id string) (Revision, error) {
	payload, err := c.Object(ctx, ObjectHash(id))
	if err != nil {
		return Revision{}, fmt.Errorf("revision %s: %w", id, err)
	}
	return decodeRevision(id, payload)
}

// Worktree is the next revision under construction: its tree, the changes relative to the head that it is based on,
// and the staged objects. Nothing is stored before the transaction that moves the head. It is not safe for concurrent
// use.
type Worktree struct {
	revisions    *Revisions
	Content      *objects.Content
	BaseHead     store.Head
	BaseTree     *Tree // tree at the head; shared
	Tree         *Tree
	changed      map[string]bool // pages that were put or removed
	Files        map[string]*File
	RemovedFiles map[string]bool // files that were removed
	Links        linkSources

	BaseRevision Revision                  // revision at the head
	Variables    map[string]string         // variables of the next revision; shared with BaseRevision until changed
	Reusables    map[string]*Page          // reusable contents that were put; nil means removed
	sources      map[string]*objects.Entry // changes to the map of sources; nil means removed
	pinnedSpecs  map[string]SpecVersion    // versions pinned by PinSpec
}

// NewWorktree returns an empty worktree based on a head.
func (rs *Revisions) NewWorktree(space string, from store.Head) *Worktree {
	return &Worktree{
		revisions: rs, Content: rs.store.Content(space), BaseHead: from, BaseTree: NewTree(), Tree: NewTree(),
		changed: map[string]bool{}, Files: map[string]*File{}, RemovedFiles: map[string]bool{}, Reusables: map[string]*Page{},
		pinnedSpecs: map[string]SpecVersion{}, sources: map[string]*objects.Entry{},
		Links: linkSources{byText: map[string]PageLinks{}, Roots: []string{from.Links}},
	}
}

// OpenWorktree returns a worktree with the content of a head.
func (rs *Revisions) OpenWorktree(ctx context.Context, space string, from store.Head) (*Worktree, error) {
	d := rs.NewWorktree(space, from)
	var err error
	if d.BaseRevision, err = rs.Revision(ctx, d.Content, from.Revision); err != nil {
		return nil, err
	}
	d.Variables = d.BaseRevision.Variables
	shared, err := rs.Tree(ctx, d.Content, from.Pages)
	if err != nil {
		return nil, err
	}
	d.BaseTree, d.Tree = shared, shared.Next()
	return d, nil
}

// Put adds or replaces a page.
func (w *Worktree) Put(p *Page) {
	w.changed[p.ID] = true
	w.Tree.Put(p)
}

// Drop removes a page and its descendants.
func (w *Worktree) Drop(id string) {
	under := w.Tree.Subtree(id)
	slices.Reverse(under)
	for _, page := range under {
		w.changed[page] = true
		w.Tree.remove(page)
	}
}

// Text reads the text of a page with its block table.
func (w *Worktree) Text(ctx context.Context, p *Page) (content.Text, error) {
	return ReadText(ctx, w.Content, p.Text, p.Blocks)
}

// ReadText reads a text and its block table in one round trip. The empty hash is an empty text.
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

// DecodeText decodes a text and its block table.
func DecodeText(markdown, blocks []byte) (content.Text, error) {
	t := content.Text{Markdown: markdown}
	if err := json.Unmarshal(blocks, &t.Blocks); err != nil {
		return t, fmt.Errorf("%w: block table: %w", redis.ErrCorrupt, err)
	}
	return t, nil
}

// SetMarkdown sets the text of a page. Blocks keep the ids of the previous text. field is the path of the text in
// errors.
func (w *Worktree) SetMarkdown(ctx context.Context, p *Page, markdown []byte, field string) error {
	previous, err := w.Text(ctx, p)
	if err != nil {
		return err
	}
	return w.SetEdited(p, markdown, previous, field)
}

// SetEdited is like SetMarkdown with a given previous text.
func (w *Worktree) SetEdited(p *Page, markdown []byte, previous content.Text, field string) error {
	t, err := content.Parse(p.ID, markdown, previous)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return api.InvalidField(field, "%s", wrong.Error())
	}
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	return w.SetText(p, t)
}

// SetText sets the text of a page with its blocks.
func (w *Worktree) SetText(p *Page, t content.Text) error {
	table, err := json.Marshal(t.Blocks)
	if err != nil {
		return fmt.Errorf("block table of %s: %w", p.ID, err)
	}
	p.Text, p.Blocks = w.Content.Stage(objects.NewBlob(t.Markdown)), w.Content.Stage(objects.NewBlob(table))
	p.DerivedTitle = api.CleanLine(content.Title(t.Markdown)) // the text itself is stored unchanged
	w.Links.byText[p.TextID()] = ExtractLinks(t)
	return nil
}

// Order returns an order key for the index at among the other children of parent; a negative index is the end. If
// merges have left equal keys, all siblings get new keys first.
func (w *Worktree) Order(parent, self string, at int) (string, error) {
	siblings := slices.DeleteFunc(slices.Clone(w.Tree.Children(parent)), func(id string) bool { return id == self })
	if at < 0 || at > len(siblings) {
		at = len(siblings)
	}
	key, err := w.orderBetween(siblings, at)
	if err == nil {
		return key, nil
	}
	for i, order := range txn.SpreadKeys(len(siblings)) {
		moved := *w.Tree.Page(siblings[i])
		moved.Order = order
		w.Put(&moved)
	}
	return w.orderBetween(siblings, at)
}

func (w *Worktree) orderBetween(siblings []string, at int) (string, error) {
	before, after := "", ""
	if at > 0 {
		before = w.Tree.Page(siblings[at-1]).Order
	}
	if at < len(siblings) {
		after = w.Tree.Page(siblings[at]).Order
	}
	return txn.KeyBetween(before, after)
}

// UniqueSlug returns a slug that is unique among the siblings, with a suffix -2, -3 and so on if needed. It reads the
// siblings once, since many pages of a large space may have the same title.
func (w *Worktree) UniqueSlug(parent, self, slug string) string {
	alike, taken := slug[:min(len(slug), maxSlugLength-maxSlugSuffixLength)], map[string]bool{}
	for _, id := range w.Tree.Children(parent) {
		if other := w.Tree.Page(id).Slug; id != self && strings.HasPrefix(other, alike) {
			taken[other] = true
		}
	}
	return UniqueSlug(slug, func(slug string) bool { return taken[slug] })
}

const (
	maxSlugLength       = 100
	maxSlugSuffixLength = len("-1000000")
)

// UniqueSlug returns the slug, or the first with a suffix -2, -3 and so on that is not taken.
func UniqueSlug(slug string, taken func(slug string) bool) string {
	free := slug
	for n := 2; taken(free); n++ {
		suffix := fmt.Sprintf("-%d", n)
		free = slug[:min(len(slug), maxSlugLength-len(suffix))] + suffix
	}
	return free
}

// SlugTaken reports whether another child of parent has the slug.
func (w *Worktree) SlugTaken(parent, self, slug string) bool {
	return slices.ContainsFunc(w.Tree.Children(parent), func(id string) bool {
		return id != self && w.Tree.Page(id).Slug == slug
	})
}

// AddFile stages a file, adds its record to the worktree, and returns the record.
func (w *Worktree) AddFile(id, name, contentType string, data []byte) *File {
	f := NewFile(w.Content, id, name, contentType, data)
	w.Files[id] = &f
	return &f
}

// IsEmpty reports whether the worktree has no changes.
func (w *Worktree) IsEmpty() bool {
	return len(w.changed)+len(w.Files)+len(w.RemovedFiles)+len(w.Reusables)+len(w.sources) == 0 &&
		maps.Equal(w.Variables, w.BaseRevision.Variables)
}

// Check checks the limits of a space. field is the path in errors. The depth is checked for the descendants of moved
// pages as well.
func (w *Worktree) Check(field string) error {
	if w.Tree.Count > MaxPages {
		return api.InvalidField(field, "would make %d pages; a space has at most %d", w.Tree.Count, MaxPages)
	}
	for _, id := range slices.Sorted(maps.Keys(w.changed)) {
		now, before := w.Tree.Page(id), w.BaseTree.Page(id)
		if now == nil || before != nil && before.Parent == now.Parent {
			continue
		}
		for _, moved := range w.Tree.Subtree(id) {
			if w.Tree.Depth(moved) > MaxPageDepth {
				return api.InvalidField(field, "would nest the page %s deeper than %d levels", moved, MaxPageDepth)
			}
		}
	}
	return nil
}

// nextNumber returns the number of a revision: one more than that of its first parent. When a change request is updated
// from the space, this parent is not the head of the worktree.
func (w *Worktree) nextNumber(ctx context.Context, r Revision) (int, error) {
	if len(r.Parents) == 0 || r.Parents[0] == w.BaseHead.Revision {
		return w.BaseRevision.Number + 1, nil
	}
	before, err := w.revisions.ReadHistorical(ctx, w.Content, r.Parents[0])
	return before.Number + 1, err
}

// Commit stages the next revision and returns its head. Its objects are staged in Content.
func (w *Worktree) Commit(ctx context.Context, r Revision) (store.Head, error) {
	var err error
	if r.Pages, err = w.writePages(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Files, err = w.writeFiles(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Reusables, err = w.writeReusables(ctx); err != nil {
		return store.Head{}, err
	}
	if r.Sources, err = w.writeSources(ctx); err != nil {
		return store.Head{}, err
	}
	r.Variables, r.Specs = w.Variables, w.specs()
	if r.Number, err = w.nextNumber(ctx, r); err != nil {
		return store.Head{}, err
	}
	if r.Links, err = w.WriteLinks(ctx); err != nil {
		return store.Head{}, err
	}
	r.CreatedAt = r.CreatedAt.UTC().Truncate(time.Millisecond)
	o, err := r.Object()
	if err != nil {
		return store.Head{}, err
	}
	if r.Pages != "" {
		objects.StoreDerived(w.revisions.trees, w.Content, r.Pages, w.Tree)
	}
	return store.Head{
		Revision: RevisionPrefix + w.Content.Stage(o), Pages: r.Pages, Files: r.Files, Links: r.Links,
		MovedAt: r.CreatedAt,
	}, nil
}

// Preview returns the head that the worktree would have now. Later changes to the worktree do not affect it. Imports
// check their links with it before they commit.
func (w *Worktree) Preview(ctx context.Context, r Revision) (store.Head, error) {
	head, err := w.Commit(ctx, r)
	w.Tree = w.Tree.Next()
	return head, err
}

func (w *Worktree) writePages(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var removed []string
	for id := range w.changed {
		p := w.Tree.Page(id)
		if p == nil {
			removed = append(removed, id)
			continue
		}
		if set[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	slices.Sort(removed)
	if root, err = w.Content.Apply(ctx, w.BaseHead.Pages, set, removed); err != nil {
		return "", fmt.Errorf("pages of %s: %w", w.Content.Space(), err)
	}
	return root, nil
}

func (w *Worktree) writeReusables(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var removed []string
	for _, id := range slices.Sorted(maps.Keys(w.Reusables)) {
		p := w.Reusables[id]
		if p == nil {
			removed = append(removed, id)
			continue
		}
		if set[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	if root, err = w.Content.Apply(ctx, w.BaseRevision.Reusables, set, removed); err != nil {
		return "", fmt.Errorf("reusable contents of %s: %w", w.Content.Space(), err)
	}
	return root, nil
}

func (w *Worktree) writeFiles(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	for id, f := range w.Files {
		if set[id], err = f.entry(); err != nil {
			return "", err
		}
	}
	if root, err = w.Content.Apply(ctx, w.BaseHead.Files, set, slices.Sorted(maps.Keys(w.RemovedFiles))); err != nil {
		return "", fmt.Errorf("files of %s: %w", w.Content.Space(), err)
	}
	return root, nil
}
