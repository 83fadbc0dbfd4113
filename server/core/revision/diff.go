package revision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// DiffSpec selects two revisions of a space to compare, and the relevant part of their difference.
type DiffSpec struct {
	Target   Target
	Base     string // "" for an empty revision
	Revision string
	Version  string // part of the ETag
	// proposedRanges contains the ranges of a change request; only items in one of them are compared. If it is empty, all are.
	proposedRanges []Range
}

// Diff is a DiffSpec with its revisions loaded.
type Diff struct {
	DiffSpec
	revisions     *Revisions
	Content       *objects.Content
	Before, After Revision
	ProposedPairs [][2]Revision

	BeforeTree, AfterTree *Tree // page trees of Before and After
}

// CompareRequest queues the reads of a change request in b and returns a function that selects the revisions to
// compare: the head against the common revision with the space, or against the earlier revision since, without
// changes that updates from the space brought in.
func (rs *Revisions) CompareRequest(org string, b *txn.Batch, ref api.ChangeRequestRef, since string) func(
	ctx context.Context, user string,
) (DiffSpec, error) {
	at := RequestTarget(ref)
	p := rs.ReadTarget(org, b, at)
	return func(ctx context.Context, user string) (DiffSpec, error) {
		head, version, err := p.Get()
		if err != nil {
			return DiffSpec{}, err
		}
		record, _, err := p.Record.Get()
		var d store.ChangeRequestDocument
		if err := errors.Join(err, d.Decode(record)); err != nil {
			return DiffSpec{}, err
		}
		now := CurrentRange(d, head)
		of := DiffSpec{Target: at, Base: now.Base, Revision: now.Revision, Version: version}
		earlier, ok, err := rs.rangeSince(ctx, user, d, head, since)
		if err == nil && ok {
			of.Base, of.proposedRanges = earlier.Revision, []Range{now, earlier}
		}
		return of, err
	}
}

// rangeSince returns the range of a change request at one of its revisions or at the last review of the caller. ok is
// false if since is empty or the caller has no review.
func (rs *Revisions) rangeSince(ctx context.Context, user string, d store.ChangeRequestDocument, head store.Head,
	since string,
) (earlier Range, ok bool, err error) {
	switch since {
	case "":
		return earlier, false, nil
	case api.SinceMyLastReview:
		v, ok := d.Private.LastReview(user)
		return ReviewedRange(v), ok, nil
	}
	earlier, ok, err = rs.RangeAt(ctx, d, head, since)
	if err == nil && !ok {
		err = api.InvalidParam(api.FieldError{Path: "since", Message: "is not a revision of the change request"})
	}
	return earlier, ok, err
}

// RangeAt returns the range that a change request proposed at one of its revisions. ok is false if at is not a
// revision of the change request.
func (rs *Revisions) RangeAt(ctx context.Context, d store.ChangeRequestDocument, head store.Head, at string) (earlier Range, ok bool,
	err error,
) {
	base, ok, err := rs.baseAt(ctx, d.Fields.Space, d.Fields.RevisionInitial, head.Revision, at)
	return Range{base, at}, ok, err
}

// baseAt returns the common revision of a change request and its space at the revision since. found is false if since
// is not a revision of the change request.
func (rs *Revisions) baseAt(ctx context.Context, space, initial, head, since string) (base string, found bool, err error) {
	content := rs.store.Content(space)
	for at := head; ; {
		found = found || at == since
		if at == initial {
			break
		}
		r, err := rs.ReadHistorical(ctx, content, at)
		if err != nil {
			return "", false, err
		}
		if found && r.Type == api.RevisionUpdate {
			return r.Parents[1], true, nil
		}
		if len(r.Parents) == 0 {
			break
		}
		at = r.Parents[0]
	}
	return initial, found, nil
}

// CompareRevisions selects a revision and its base, or its first parent if base is empty, for comparison.
func (rs *Revisions) CompareRevisions(ctx context.Context, org string, ref api.RevisionRef, base string) (DiffSpec, error) {
	of := DiffSpec{Target: Target{Space: ref.Space}, Base: base, Revision: ref.Revision, Version: ref.Revision + "." + base}
	r, err := rs.LookupRevision(ctx, org, ref.Space, ref.Revision)
	if err != nil {
		return of, err
	}
	switch {
	case base != "":
		_, err = rs.LookupRevision(ctx, org, ref.Space, base)
		if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
			return of, api.InvalidParam(api.FieldError{Path: "base", Message: "is not a revision of the space"})
		}
	case len(r.Parents) > 0:
		of.Base = r.Parents[0]
	}
	return of, err
}

// LookupRevision reads a revision by an id given by the caller. It returns a not_found error if the id names another
// object or no object; an object counts as a revision only if it encodes to the same hash.
func (rs *Revisions) LookupRevision(ctx context.Context, org, space, id string) (Revision, error) {
	if !strings.HasPrefix(id, RevisionPrefix) {
		return Revision{}, api.NotFound()
	}
	r, err := rs.Revision(ctx, rs.store.Content(space), id)
	if err != nil {
		return r, rs.lookupError(ctx, org, space, id, err)
	}
	if o, err := r.Object(); err != nil || o.Hash != ObjectHash(id) {
		return r, api.NotFound()
	}
	return r, nil
}

// Diff loads the revisions of a DiffSpec.
func (rs *Revisions) Diff(ctx context.Context, c DiffSpec) (v *Diff, err error) {
	v = &Diff{DiffSpec: c, revisions: rs, Content: rs.store.Content(c.Target.Space)}
	read := func(id string) (r Revision) {
		if id == "" || err != nil {
			return r
		}
		r, err = rs.Revision(ctx, v.Content, id)
		return r
	}
	v.Before, v.After = read(c.Base), read(c.Revision)
	for _, p := range c.proposedRanges {
		v.ProposedPairs = append(v.ProposedPairs, [2]Revision{read(p.Base), read(p.Revision)})
	}
	if err != nil {
		return nil, fmt.Errorf("revisions to compare: %w", err)
	}
	if v.BeforeTree, err = rs.Tree(ctx, v.Content, v.Before.Pages); err != nil {
		return nil, err
	}
	v.AfterTree, err = rs.Tree(ctx, v.Content, v.After.Pages)
	return v, err
}

// PagesRoot returns the root of the map of pages of a revision.
func PagesRoot(r Revision) string { return r.Pages }

// FilesRoot returns the root of the map of files of a revision.
func FilesRoot(r Revision) string { return r.Files }

// ReusablesRoot returns the root of the map of reusable contents of a revision.
func ReusablesRoot(r Revision) string { return r.Reusables }

// ChangedEntries returns the relevant entries of a map that differ, by id. root selects the map.
func (d *Diff) ChangedEntries(ctx context.Context, root func(Revision) string) (map[string]objects.Change, error) {
	found, err := d.Content.Diff(ctx, root(d.Before), root(d.After))
	if err != nil || len(d.ProposedPairs) == 0 || len(found) == 0 {
		return found, wrapCompareError(err)
	}
	own := map[string]bool{}
	for _, p := range d.ProposedPairs {
		changes, err := d.Content.Diff(ctx, root(p[0]), root(p[1]))
		if err != nil {
			return nil, wrapCompareError(err)
		}
		for id := range changes {
			own[id] = true
		}
	}
	maps.DeleteFunc(found, func(id string, _ objects.Change) bool { return !own[id] })
	return found, nil
}

func wrapCompareError(err error) error {
	if err != nil {
		return fmt.Errorf("compare revisions: %w", err)
	}
	return nil
}

// SortPages returns the page ids in tree order. Deleted pages keep their previous position.
func (d *Diff) SortPages(ids map[string]objects.Change) []string {
	needed := map[string]bool{}
	for id := range ids {
		for at := id; at != "" && !needed[at]; {
			needed[at] = true
			p := d.AfterTree.Page(at)
			if p == nil {
				p = d.BeforeTree.Page(at)
			}
			if p == nil {
				break
			}
			at = p.Parent
		}
	}
	var ordered []string
	var walk func(parent string)
	walk = func(parent string) {
		for _, id := range d.children(parent) {
			if !needed[id] {
				continue
			}
			if _, asked := ids[id]; asked {
				ordered = append(ordered, id)
			}
			walk(id)
		}
	}
	walk("")
	return ordered
}

// children returns the children of a page including deleted ones, each after its previous sibling.
func (d *Diff) children(parent string) []string {
	now := d.AfterTree.Children(parent)
	here := make(map[string]bool, len(now))
	for _, id := range now {
		here[id] = true
	}
	removed, last := map[string][]string{}, ""
	for _, id := range d.BeforeTree.Children(parent) {
		switch {
		case here[id]:
			last = id
		case d.AfterTree.Page(id) == nil:
			removed[last] = append(removed[last], id)
		}
	}
	if len(removed) == 0 {
		return now
	}
	all := slices.Clone(removed[""])
	for _, id := range now {
		all = append(append(all, id), removed[id]...)
	}
	return all
}

// ChangedPage describes a page for a list of changes: in its new version, or in its previous version if it was
// deleted. The result is nil for the root.
func (d *Diff) ChangedPage(id string) *api.ChangedPage {
	t := d.AfterTree
	if t.Page(id) == nil {
		t = d.BeforeTree
	}
	return NewChangedPage(t, id)
}

// NewChangedPage describes a page of a tree for a list of changes, or returns nil if it does not exist.
func NewChangedPage(t *Tree, id string) *api.ChangedPage {
	p := t.Page(id)
	if p == nil {
		return nil
	}
	c := &api.ChangedPage{ID: id, Type: p.Type, Title: p.Name()}
	if p.Type != api.PageLink {
		c.Path = t.Path(id)
	}
	return c
}

// NewChangedReusable describes a reusable content for a list of changes.
func NewChangedReusable(p *Page) *api.ChangedReusableContent {
	return &api.ChangedReusableContent{ID: p.ID, Title: p.Name(), Document: p.Text}
}

// DecodePages decodes both sides of a change; an absent side is nil.
func DecodePages(id string, change objects.Change) (before, after *Page, err error) {
	if change.Before != nil {
		if before, err = DecodePage(id, *change.Before); err != nil {
			return nil, nil, err
		}
	}
	if change.After != nil {
		after, err = DecodePage(id, *change.After)
	}
	return before, after, err
}
