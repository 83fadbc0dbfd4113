package server

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
	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	pagePrefix     = "p_"
	filePrefix     = "f_"
	revisionPrefix = "r_"
)

// revision is the object that a head names: a complete, immutable state of a space's content.
type revision struct {
	Type       api.RevisionType  `json:"type"`
	Parents    []string          `json:"parents"`
	Author     string            `json:"author"`
	At         time.Time         `json:"at"`
	Pages      string            `json:"pages"` // roots of the maps
	Files      string            `json:"files"`
	Reusables  string            `json:"reusables,omitzero"`
	Links      string            `json:"links,omitzero"`
	Variables  map[string]string `json:"variables,omitempty"`
	MergedFrom string            `json:"mergedFrom,omitzero"` // id of the change request
	Number     int               `json:"number,omitzero"`     // how many led to it, itself included: first parents
}

func revisionHash(id string) string { return strings.TrimPrefix(id, revisionPrefix) }

// object is the revision as an object; its hash names it. Earlier revisions are kept as long as it is.
func (r revision) object() (objects.Object, error) {
	payload, err := json.Marshal(r)
	if err != nil {
		return objects.Object{}, fmt.Errorf("revision: %w", err)
	}
	var refs []string
	for _, root := range []string{r.Pages, r.Files, r.Links, r.Reusables} {
		if root != "" {
			refs = append(refs, root)
		}
	}
	for _, parent := range r.Parents {
		refs = append(refs, revisionHash(parent))
	}
	return objects.NewNode(refs, payload), nil
}

func decodeRevision(id string, payload []byte) (revision, error) {
	var r revision
	if err := json.Unmarshal(payload, &r); err != nil {
		return r, fmt.Errorf("%w: revision %s: %w", redis.ErrCorrupt, id, err)
	}
	return r, nil
}

// revision reads a revision by id, which something that is stored names. Ids of callers are for knownRevision.
func (s *Server) revision(ctx context.Context, c *objects.Content, id string) (revision, error) {
	payload, err := c.Object(ctx, revisionHash(id))
	if err != nil {
		return revision{}, fmt.Errorf("revision %s: %w", id, err)
	}
	return decodeRevision(id, payload)
}

// draft is the next state of a content while it is being made: the tree as it will be, what changed against the
// head that it began with, and the objects to store. Nothing is written before the transaction that moves the head.
type draft struct {
	server  *Server
	content *objects.Content
	from    store.Head
	start   *tree // as it was at the head; shared
	tree    *tree
	changed map[string]bool // pages that were put or removed
	files   map[string]*file
	gone    map[string]bool // files that were removed
	links   linkSources

	was       revision          // what the head names
	variables map[string]string // of the space, as they will be; shared with was until they change
	reusables map[string]*page  // reusable contents that were put; nil = removed
}

func (s *Server) newDraft(space string, from store.Head) *draft {
	return &draft{
		server: s, content: s.store.Content(space), from: from, start: newTree(), tree: newTree(),
		changed: map[string]bool{}, files: map[string]*file{}, gone: map[string]bool{}, reusables: map[string]*page{},
		links: linkSources{read: map[string]pageLinks{}, roots: []string{from.Links}},
	}
}

// openDraft begins a draft at a head.
func (s *Server) openDraft(ctx context.Context, space string, from store.Head) (*draft, error) {
	d := s.newDraft(space, from)
	var err error
	if d.was, err = s.revision(ctx, d.content, from.Revision); err != nil {
		return nil, err
	}
	d.variables = d.was.Variables
	shared, err := s.tree(ctx, d.content, from.Pages)
	if err != nil {
		return nil, err
	}
	d.start, d.tree = shared, shared.next()
	return d, nil
}

// put adds or replaces a page.
func (d *draft) put(p *page) {
	d.changed[p.ID] = true
	d.tree.put(p)
}

// drop removes a page and everything below it.
func (d *draft) drop(id string) {
	under := d.tree.under(id)
	slices.Reverse(under)
	for _, gone := range under {
		d.changed[gone] = true
		d.tree.remove(gone)
	}
}

// text reads a page's text with its blocks.
func (d *draft) text(ctx context.Context, p *page) (content.Text, error) {
	return readText(ctx, d.content, p.Text, p.Blocks)
}

// readText reads a text and its block table in one trip. No text has no bytes and no blocks.
func readText(ctx context.Context, c *objects.Content, text, blocks string) (content.Text, error) {
	if text == "" {
		return content.Text{}, nil
	}
	objects, err := c.Objects(ctx, []string{text, blocks})
	if err != nil {
		return content.Text{}, fmt.Errorf("text %s: %w", text, err)
	}
	return decodeText(objects[text], objects[blocks])
}

func decodeText(markdown, blocks []byte) (content.Text, error) {
	t := content.Text{Markdown: markdown}
	if err := json.Unmarshal(blocks, &t.Blocks); err != nil {
		return t, fmt.Errorf("%w: block table: %w", redis.ErrCorrupt, err)
	}
	return t, nil
}

// setMarkdown gives a page a text; its blocks keep the ids of the text before. field names the text in errors.
func (d *draft) setMarkdown(ctx context.Context, p *page, markdown []byte, field string) error {
	previous, err := d.text(ctx, p)
	if err != nil {
		return err
	}
	t, err := content.Parse(p.ID, markdown, previous)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return api.InvalidField(field, "%s", wrong.Error())
	}
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	return d.setText(p, t)
}

// setText gives a page a text whose blocks are known.
func (d *draft) setText(p *page, t content.Text) error {
	table, err := json.Marshal(t.Blocks)
	if err != nil {
		return fmt.Errorf("block table of %s: %w", p.ID, err)
	}
	p.Text, p.Blocks = d.content.Stage(objects.NewBlob(t.Markdown)), d.content.Stage(objects.NewBlob(table))
	p.Derived = api.CleanLine(content.Title(t.Markdown)) // the text itself stays as it is
	d.links.read[p.textID()] = linksOf(t)
	return nil
}

// order returns an order key for a place among the children of a parent: at is an index among the others, negative
// for the end. Where merges have left equal keys, the siblings are spread out first.
func (d *draft) order(parent, self string, at int) (string, error) {
	siblings := slices.DeleteFunc(slices.Clone(d.tree.kids(parent)), func(id string) bool { return id == self })
	if at < 0 || at > len(siblings) {
		at = len(siblings)
	}
	key, err := d.between(siblings, at)
	if err == nil {
		return key, nil
	}
	for i, order := range txn.Spread(len(siblings)) {
		moved := *d.tree.page(siblings[i])
		moved.Order = order
		d.put(&moved)
	}
	return d.between(siblings, at)
}

func (d *draft) between(siblings []string, at int) (string, error) {
	before, after := "", ""
	if at > 0 {
		before = d.tree.page(siblings[at-1]).Order
	}
	if at < len(siblings) {
		after = d.tree.page(siblings[at]).Order
	}
	return txn.Between(before, after)
}

// freeSlug makes a slug unique among the siblings with -2, -3 and so on. It looks at them once: in a large space many
// pages have the same title.
func (d *draft) freeSlug(parent, self, slug string) string {
	alike, taken := slug[:min(len(slug), maxSlug-maxSlugSuffix)], map[string]bool{}
	for _, id := range d.tree.kids(parent) {
		if other := d.tree.page(id).Slug; id != self && strings.HasPrefix(other, alike) {
			taken[other] = true
		}
	}
	return freeSlug(slug, func(slug string) bool { return taken[slug] })
}

const (
	maxSlug       = 100
	maxSlugSuffix = len("-1000000")
)

// freeSlug is the slug, or the first of -2, -3 and so on that is not taken.
func freeSlug(slug string, taken func(slug string) bool) string {
	free := slug
	for n := 2; taken(free); n++ {
		suffix := fmt.Sprintf("-%d", n)
		free = slug[:min(len(slug), maxSlug-len(suffix))] + suffix
	}
	return free
}

func (d *draft) slugTaken(parent, self, slug string) bool {
	return slices.ContainsFunc(d.tree.kids(parent), func(id string) bool {
		return id != self && d.tree.page(id).Slug == slug
	})
}

// addFile stages a file.
func (d *draft) addFile(id, name, contentType string, data []byte) *file {
	f := newFile(d.content, id, name, contentType, data)
	d.files[id] = &f
	return &f
}

// isEmpty reports whether nothing changed.
func (d *draft) isEmpty() bool {
	return len(d.changed)+len(d.files)+len(d.gone)+len(d.reusables) == 0 && maps.Equal(d.variables, d.was.Variables)
}

// check holds the draft against the limits of a space; field names what is at fault in the request. A page that
// moved took what is below it along.
func (d *draft) check(field string) error {
	if d.tree.count > maxPages {
		return api.InvalidField(field, "would make %d pages; a space has at most %d", d.tree.count, maxPages)
	}
	for _, id := range slices.Sorted(maps.Keys(d.changed)) {
		now, before := d.tree.page(id), d.start.page(id)
		if now == nil || before != nil && before.Parent == now.Parent {
			continue
		}
		for _, moved := range d.tree.under(id) {
			if d.tree.depth(moved) > maxPageDepth {
				return api.InvalidField(field, "would nest the page %s deeper than %d levels", moved, maxPageDepth)
			}
		}
	}
	return nil
}

// seal makes the revision and returns the head that names it. Its objects are in d.content.Staged.
func (d *draft) seal(ctx context.Context, r revision) (store.Head, error) {
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
	r.Variables, r.Number = d.variables, d.was.Number+1
	if r.Links, err = d.sealLinks(ctx); err != nil {
		return store.Head{}, err
	}
	r.At = r.At.UTC().Truncate(time.Millisecond)
	o, err := r.object()
	if err != nil {
		return store.Head{}, err
	}
	if r.Pages != "" {
		cache.Remember(d.server.trees, d.content, r.Pages, d.tree)
	}
	return store.Head{Revision: revisionPrefix + d.content.Stage(o), Pages: r.Pages, Files: r.Files, Links: r.Links, At: r.At}, nil
}

func (d *draft) sealPages(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var gone []string
	for id := range d.changed {
		p := d.tree.page(id)
		if p == nil {
			gone = append(gone, id)
			continue
		}
		if set[id], err = p.entry(); err != nil {
			return "", err
		}
	}
	slices.Sort(gone)
	if root, err = d.content.Apply(ctx, d.from.Pages, set, gone); err != nil {
		return "", fmt.Errorf("pages of %s: %w", d.content.Space(), err)
	}
	return root, nil
}

func (d *draft) sealReusables(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	var gone []string
	for _, id := range slices.Sorted(maps.Keys(d.reusables)) {
		p := d.reusables[id]
		if p == nil {
			gone = append(gone, id)
			continue
		}
		if set[id], err = p.entry(); err != nil {
			return "", err
		}
	}
	if root, err = d.content.Apply(ctx, d.was.Reusables, set, gone); err != nil {
		return "", fmt.Errorf("reusable contents of %s: %w", d.content.Space(), err)
	}
	return root, nil
}

func (d *draft) sealFiles(ctx context.Context) (root string, err error) {
	set := map[string]objects.Entry{}
	for id, f := range d.files {
		if set[id], err = f.entry(); err != nil {
			return "", err
		}
	}
	if root, err = d.content.Apply(ctx, d.from.Files, set, slices.Sorted(maps.Keys(d.gone))); err != nil {
		return "", fmt.Errorf("files of %s: %w", d.content.Space(), err)
	}
	return root, nil
}
