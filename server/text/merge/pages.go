package merge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/text/content"
)

// SlugAttribute is the attribute that must be unique among siblings.
const SlugAttribute = "slug"

// Page is an entry of a page tree.
type Page struct {
	Parent     string            `json:"parent,omitzero"` // page id, "" = top level
	Order      string            `json:"order"`           // fractional key among the siblings, ties by id
	Attributes map[string]string `json:"attributes"`      // name -> value as JSON, "" = absent
	Text       string            `json:"text,omitzero"`   // object hash of the text, "" = none
}

// Tree is a set of pages by id.
type Tree map[string]Page

// View gives read access to one version of a page tree.
type View interface {
	// Page returns the page with the given id.
	Page(id string) (Page, bool)
	// Slug returns the slug of a page, or "" if there is none. It is the only attribute that a merge reads of a page's
	// siblings.
	Slug(id string) string
	// Children returns the ids of a page's children in sibling order; those of "" are the top level.
	Children(parent string) []string
}

// Input is the input of Pages: three versions of a tree, a loader of their texts, and resolutions of conflicts of an
// earlier merge of the same versions.
type Input struct {
	Base, Ours, Theirs View
	Load               func(page, hash string) (content.Text, error) // returns the text of a page by its hash
	Resolutions        Resolutions
}

// Result is the outcome of a merge as changes to Ours. If it has conflicts, it contains their proposals and must not
// be applied.
type Result struct {
	Set       map[string]Page         // new or changed pages; Text is empty if NewTexts has the text
	NewTexts  map[string]content.Text // texts that differ from those of both sides
	Deleted   []string                // pages of Ours to delete, sorted
	Conflicts []Conflict
}

// Pages merges page trees. changed lists the pages whose entries differ between base and a side; the work is
// proportional to them, their siblings and their ancestors. It returns the errors of Load, and the context's error if
// it is cancelled.
func Pages(ctx context.Context, changed []string, in Input) (Result, error) {
	m := &treeMerge{
		ctx: ctx, ledger: newLedger(in.Resolutions), in: in,
		pages: map[string]*Page{}, texts: map[string]content.Text{}, deletionConflicts: map[string]bool{},
	}
	m.changed = slices.Compact(slices.Sorted(slices.Values(changed)))
	for _, id := range m.changed {
		if err := errors.Join(m.mergePage(id), ctx.Err()); err != nil {
			return Result{}, err
		}
	}
	m.adoptOrphans()
	m.breakCycles()
	m.separateSlugs()
	return m.result(), nil
}

// treeMerge is a running merge of two trees.
type treeMerge struct {
	ctx               context.Context // context of the request
	ledger            *ledger
	in                Input
	changed           []string                // sorted
	pages             map[string]*Page        // outcome for the changed pages, nil = deleted
	texts             map[string]content.Text // merged texts by page
	deletionConflicts map[string]bool         // pages whose deletion was in conflict
}

// versions returns the page in the three trees, nil where it is absent.
func (m *treeMerge) versions(id string) (base, ours, theirs *Page) {
	read := func(view View) *Page {
		if page, ok := view.Page(id); ok {
			return &page
		}
		return nil
	}
	return read(m.in.Base), read(m.in.Ours), read(m.in.Theirs)
}

// mergePage merges one page's entry.
func (m *treeMerge) mergePage(id string) error {
	base, ours, theirs := m.versions(id)
	switch {
	case ours == nil && theirs == nil:
		m.pages[id] = nil
	case ours != nil && theirs != nil:
		return m.mergeEntry(id, base, ours, theirs)
	case base == nil:
		m.pages[id] = firstNonNil(ours, theirs)
	case equalPages(base, firstNonNil(ours, theirs)):
		m.pages[id] = nil
	default:
		m.pages[id] = m.deleteOrKeep(id, base, ours, theirs)
	}
	return nil
}

// deleteOrKeep resolves the conflict of a page that one side deleted and the other changed. The proposal keeps it.
func (m *treeMerge) deleteOrKeep(id string, base, ours, theirs *Page) *Page {
	m.deletionConflicts[id] = true
	kept := firstNonNil(ours, theirs)
	chosen := m.ledger.resolve(Conflict{
		Kind: KindDeleted, Page: id,
		Base: encodeEntry(base), Ours: encodeEntry(ours), Theirs: encodeEntry(theirs), Proposed: encodeEntry(kept),
	})
	if chosen == nil {
		return nil
	}
	return kept
}

// encodeEntry returns a page as the value of a conflict.
func encodeEntry(page *Page) *string {
	if page == nil {
		return nil
	}
	encoded, _ := json.Marshal(page) // strings always encode
	return new(string(encoded))
}

// mergeEntry merges a page that both sides have.
func (m *treeMerge) mergeEntry(id string, base, ours, theirs *Page) error {
	known := base
	if known == nil {
		known = &Page{}
	}
	merged := &Page{Attributes: m.mergeAttributes(id, known, ours, theirs)}
	m.pages[id] = merged
	m.mergePosition(id, merged, base, ours, theirs)
	return m.mergeText(id, merged, known, ours, theirs)
}

// mergePosition merges parent and order, which form one value, the position of the page.
func (m *treeMerge) mergePosition(id string, merged, base, ours, theirs *Page) {
	if base == nil {
		base = &Page{}
	}
	type position struct{ parent, order string }
	b, o, t := position{base.Parent, base.Order}, position{ours.Parent, ours.Order}, position{theirs.Parent, theirs.Order}
	chosen, ok := threeWay(b, o, t)
	if ok {
		merged.Parent, merged.Order = chosen.parent, chosen.order
		return
	}
	merged.Parent, merged.Order = o.parent, o.order
	if o.parent == t.parent {
		order := m.ledger.resolve(Conflict{
			Kind: KindOrder, Page: id, Base: &b.order, Ours: &o.order, Theirs: &t.order, Proposed: &o.order,
		})
		merged.Order = text(order)
		return
	}
	parent := m.ledger.resolve(Conflict{
		Kind: KindMoved, Page: id, Base: &b.parent, Ours: &o.parent, Theirs: &t.parent, Proposed: &o.parent,
	})
	merged.Parent = text(parent)
	if merged.Parent == t.parent {
		merged.Order = t.order
	}
}

// mergeAttributes merges the page's attributes by name.
func (m *treeMerge) mergeAttributes(id string, base, ours, theirs *Page) map[string]string {
	merged := map[string]string{}
	for _, name := range unionKeys(base.Attributes, ours.Attributes, theirs.Attributes) {
		b, o, t := base.Attributes[name], ours.Attributes[name], theirs.Attributes[name]
		value, ok := threeWay(b, o, t)
		if !ok {
			value = text(m.ledger.resolve(Conflict{
				Kind: KindAttribute, Page: id, Attribute: name,
				Base: nonEmpty(b), Ours: nonEmpty(o), Theirs: nonEmpty(t), Proposed: nonEmpty(o),
			}))
		}
		if value != "" {
			merged[name] = value
		}
	}
	return merged
}

// nonEmpty returns an attribute's value, or nil if it is absent.
func nonEmpty(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// mergeText merges the text of a page. It loads the texts only if the sides changed them differently.
func (m *treeMerge) mergeText(id string, merged, base, ours, theirs *Page) error {
	if hash, ok := threeWay(base.Text, ours.Text, theirs.Text); ok {
		merged.Text = hash
		return nil
	}
	var texts [3]content.Text
	for v, page := range []*Page{base, ours, theirs} {
		if page.Text == "" {
			continue
		}
		text, err := m.in.Load(id, page.Text)
		if err != nil {
			return fmt.Errorf("load text of page %s: %w", id, err)
		}
		texts[v] = text
	}
	m.texts[id] = mergeText(m.ctx, m.ledger, id, texts[inBase], texts[inOurs], texts[inTheirs])
	return nil
}

// result returns the outcome as changes to Ours.
func (m *treeMerge) result() Result {
	r := Result{Set: map[string]Page{}, NewTexts: map[string]content.Text{}, Conflicts: m.ledger.conflicts}
	for _, id := range slices.Sorted(maps.Keys(m.pages)) {
		page := m.pages[id]
		ours, inOurs := m.in.Ours.Page(id)
		if page == nil {
			if inOurs {
				r.Deleted = append(r.Deleted, id)
			}
			continue
		}
		if text, ok := m.texts[id]; ok {
			r.NewTexts[id] = text
		} else if inOurs && equalPages(page, &ours) {
			continue
		}
		r.Set[id] = *page
	}
	return r
}

func firstNonNil(pages ...*Page) *Page {
	for _, page := range pages {
		if page != nil {
			return page
		}
	}
	return nil
}

func equalPages(a, b *Page) bool {
	return a.Parent == b.Parent && a.Order == b.Order && a.Text == b.Text && maps.Equal(a.Attributes, b.Attributes)
}
