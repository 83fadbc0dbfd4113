package revision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// DiffSpec is which two revisions of a space are compared, and what of their difference counts.
type DiffSpec struct {
	Place    Target
	Base     string // revision, "" for nothing at all
	Revision string
	Version  string // of the ETag
	// own are what a change request proposes: only what is in one of them counts. None: all counts.
	own []Range
}

// Diff is a DiffSpec with its revisions at hand.
type Diff struct {
	DiffSpec
	server        *Revisions
	Content       *objects.Content
	Before, After Revision
	OwnPairs      [][2]Revision

	Was, Is *Tree // of their pages
}

// CompareRequest reads what a change request changes: against the revision that it has in common with the space, so
// that edits which the space made since are not in it; or since one of its own revisions, without what updates from
// the space brought in.
func (s *Revisions) CompareRequest(c *rest.Call, b *txn.Batch, ref api.ChangeRequestRef, since string) func(context.Context) (DiffSpec, error) {
	at := TargetOf(ref)
	p := s.Placed(c, b, at)
	return func(ctx context.Context) (DiffSpec, error) {
		head, version, err := p.Get()
		if err != nil {
			return DiffSpec{}, err
		}
		record, _, err := p.Record.Get()
		var d store.ChangeRequestDocument
		if err := errors.Join(err, d.Decode(record)); err != nil {
			return DiffSpec{}, err
		}
		now := RangeOf(d, head)
		of := DiffSpec{Place: at, Base: now.Base, Revision: now.Revision, Version: version}
		then, ok, err := s.rangeSince(ctx, c, d, head, since)
		if err == nil && ok {
			of.Base, of.own = then.Revision, []Range{now, then}
		}
		return of, err
	}
}

// rangeSince is what the change request was at a revision of its own, or at the caller's last review. It is not ok
// where all of it is asked for, or nothing was reviewed.
func (s *Revisions) rangeSince(ctx context.Context, c *rest.Call, d store.ChangeRequestDocument, head store.Head, since string) (then Range, ok bool, err error) {
	switch since {
	case "":
		return then, false, nil
	case api.SinceMyLastReview:
		v, ok := d.Private.LastReview(c.Caller.User)
		return SeenBy(v), ok, nil
	}
	then, ok, err = s.RangeAt(ctx, d, head, since)
	if err == nil && !ok {
		err = api.InvalidParam(api.FieldError{Path: "since", Message: "is not a revision of the change request"})
	}
	return then, ok, err
}

// RangeAt is what a change request proposed when its head was a revision; ok is false if it never was.
func (s *Revisions) RangeAt(ctx context.Context, d store.ChangeRequestDocument, head store.Head, at string) (then Range, ok bool, err error) {
	base, ok, err := s.baseAt(ctx, d.Fields.Space, d.Fields.RevisionInitial, head.Revision, at)
	return Range{base, at}, ok, err
}

// baseAt is what a change request had in common with the space when its head was the revision since.
func (s *Revisions) baseAt(ctx context.Context, space, initial, head, since string) (base string, found bool, err error) {
	content := s.store.Content(space)
	for at := head; ; {
		found = found || at == since
		if at == initial {
			break
		}
		r, err := s.Historical(ctx, content, at)
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

// CompareRevisions is a revision against another, or its parent.
func (s *Revisions) CompareRevisions(ctx context.Context, c *rest.Call, ref api.RevisionRef, base string) (DiffSpec, error) {
	of := DiffSpec{Place: Target{Space: ref.Space}, Base: base, Revision: ref.Revision, Version: ref.Revision + "." + base}
	r, err := s.KnownRevision(ctx, c, ref.Space, ref.Revision)
	if err != nil {
		return of, err
	}
	switch {
	case base != "":
		_, err = s.KnownRevision(ctx, c, ref.Space, base)
		if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
			return of, api.InvalidParam(api.FieldError{Path: "base", Message: "is not a revision of the space"})
		}
	case len(r.Parents) > 0:
		of.Base = r.Parents[0]
	}
	return of, err
}

// KnownRevision reads a revision that a caller names. What is stored under the name and is none is not found: only
// what comes out as it went in is one, and not a text that looks like it.
func (s *Revisions) KnownRevision(ctx context.Context, c *rest.Call, space, id string) (Revision, error) {
	if !strings.HasPrefix(id, RevisionPrefix) {
		return Revision{}, api.NotFound()
	}
	r, err := s.Revision(ctx, s.store.Content(space), id)
	if err != nil {
		return r, s.unknownRevision(ctx, c, space, id, err)
	}
	if o, err := r.Object(); err != nil || o.Hash != HashOf(id) {
		return r, api.NotFound()
	}
	return r, nil
}

// Diff reads the revisions of a DiffSpec.
func (s *Revisions) Diff(ctx context.Context, c DiffSpec) (v *Diff, err error) {
	v = &Diff{DiffSpec: c, server: s, Content: s.store.Content(c.Place.Space)}
	read := func(id string) (r Revision) {
		if id == "" || err != nil {
			return r
		}
		r, err = s.Revision(ctx, v.Content, id)
		return r
	}
	v.Before, v.After = read(c.Base), read(c.Revision)
	for _, p := range c.own {
		v.OwnPairs = append(v.OwnPairs, [2]Revision{read(p.Base), read(p.Revision)})
	}
	if err != nil {
		return nil, fmt.Errorf("revisions to compare: %w", err)
	}
	if v.Was, err = s.Tree(ctx, v.Content, v.Before.Pages); err != nil {
		return nil, err
	}
	v.Is, err = s.Tree(ctx, v.Content, v.After.Pages)
	return v, err
}

// PagesOf names the map of pages of a revision.
func PagesOf(r Revision) string { return r.Pages }

// FilesOf names the map of files of a revision.
func FilesOf(r Revision) string { return r.Files }

// ReusablesOf names the map of reusable contents of a revision.
func ReusablesOf(r Revision) string { return r.Reusables }

// Differing are the entries of a map that differ and count, by id.
func (v *Diff) Differing(ctx context.Context, root func(Revision) string) (map[string]objects.Change, error) {
	found, err := v.Content.Diff(ctx, root(v.Before), root(v.After))
	if err != nil || len(v.OwnPairs) == 0 || len(found) == 0 {
		return found, wrapped(err)
	}
	own := map[string]bool{}
	for _, p := range v.OwnPairs {
		changes, err := v.Content.Diff(ctx, root(p[0]), root(p[1]))
		if err != nil {
			return nil, wrapped(err)
		}
		for id := range changes {
			own[id] = true
		}
	}
	maps.DeleteFunc(found, func(id string, _ objects.Change) bool { return !own[id] })
	return found, nil
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("compare revisions: %w", err)
	}
	return nil
}

// InOrder sorts ids of pages by the order in which the tree is read. Pages that are gone stand where they were.
func (v *Diff) InOrder(ids map[string]objects.Change) []string {
	needed := map[string]bool{}
	for id := range ids {
		for at := id; at != "" && !needed[at]; {
			needed[at] = true
			p := v.Is.Page(at)
			if p == nil {
				p = v.Was.Page(at)
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
		for _, id := range v.children(parent) {
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

// children are the pages below one, those that are gone among them: each behind the one that it stood behind.
func (v *Diff) children(parent string) []string {
	now := v.Is.Children(parent)
	here := make(map[string]bool, len(now))
	for _, id := range now {
		here[id] = true
	}
	gone, last := map[string][]string{}, ""
	for _, id := range v.Was.Children(parent) {
		switch {
		case here[id]:
			last = id
		case v.Is.Page(id) == nil:
			gone[last] = append(gone[last], id)
		}
	}
	if len(gone) == 0 {
		return now
	}
	all := slices.Clone(gone[""])
	for _, id := range now {
		all = append(append(all, id), gone[id]...)
	}
	return all
}

// Page is a page as changes name it: as it is, or as it was where it is gone. The root is none.
func (v *Diff) Page(id string) *api.ChangedPage {
	t := v.Is
	if t.Page(id) == nil {
		t = v.Was
	}
	return NamedPage(t, id)
}

// NamedPage is a page of a tree as a list of changes names it, nil if it is not there.
func NamedPage(t *Tree, id string) *api.ChangedPage {
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

// ChangedReusable is a reusable content as a list of changes names it.
func ChangedReusable(p *Page) *api.ChangedReusableContent {
	return &api.ChangedReusableContent{ID: p.ID, Title: p.Name(), Document: p.Text}
}

// BothPages decodes the two sides of an entry; a side that is not there is nil.
func BothPages(id string, change objects.Change) (before, after *Page, err error) {
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
