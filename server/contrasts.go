package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// contrast is which two revisions of a space are compared, and what of their difference counts.
type contrast struct {
	place    place
	base     string // revision, "" for nothing at all
	revision string
	version  string // of the ETag
	// own are what a change request proposes: only what is in one of them counts. None: all counts.
	own []proposal
}

// versionPair is a contrast with its revisions at hand.
type versionPair struct {
	contrast
	server        *Server
	content       *objects.Content
	before, after revision
	ownPairs      [][2]revision

	was, is *tree // of their pages
}

// compareRequest reads what a change request changes: against the revision that it has in common with the space, so
// that edits which the space made since are not in it; or since one of its own revisions, without what updates from
// the space brought in.
func (s *Server) compareRequest(c *rest.Call, b *txn.Batch, ref api.ChangeRequestRef, since string) func(context.Context) (contrast, error) {
	at := placeOf(ref)
	p := s.placed(c, b, at)
	return func(ctx context.Context) (contrast, error) {
		head, version, err := p.get()
		if err != nil {
			return contrast{}, err
		}
		record, _, err := p.record.Get()
		var d store.ChangeRequestDocument
		if err := errors.Join(err, d.Decode(record)); err != nil {
			return contrast{}, err
		}
		now := proposalOf(d, head)
		of := contrast{place: at, base: now.base, revision: now.revision, version: version}
		then, ok, err := s.proposalSince(ctx, c, d, head, since)
		if err == nil && ok {
			of.base, of.own = then.revision, []proposal{now, then}
		}
		return of, err
	}
}

// proposalSince is what the change request was at a revision of its own, or at the caller's last review. It is not ok
// where all of it is asked for, or nothing was reviewed.
func (s *Server) proposalSince(ctx context.Context, c *rest.Call, d store.ChangeRequestDocument, head store.Head, since string) (then proposal, ok bool, err error) {
	switch since {
	case "":
		return then, false, nil
	case api.SinceMyLastReview:
		v, ok := d.Private.LastReview(c.Caller.User)
		return seenBy(v), ok, nil
	}
	base, err := s.baseAt(ctx, d.Fields.Space, d.Fields.RevisionInitial, head.Revision, since)
	return proposal{base, since}, true, err
}

// baseAt is what a change request had in common with the space when its head was the revision since.
func (s *Server) baseAt(ctx context.Context, space, initial, head, since string) (string, error) {
	content := s.store.Content(space)
	found := false
	for at := head; ; {
		found = found || at == since
		if at == initial {
			break
		}
		r, err := s.historical(ctx, content, at)
		if err != nil {
			return "", err
		}
		if found && r.Type == api.RevisionUpdate {
			return r.Parents[1], nil
		}
		if len(r.Parents) == 0 {
			break
		}
		at = r.Parents[0]
	}
	if !found {
		return "", api.InvalidParam(api.FieldError{Path: "since", Message: "is not a revision of the change request"})
	}
	return initial, nil
}

// compareRevisions is a revision against another, or its parent.
func (s *Server) compareRevisions(ctx context.Context, c *rest.Call, ref api.RevisionRef, base string) (contrast, error) {
	of := contrast{place: place{space: ref.Space}, base: base, revision: ref.Revision, version: ref.Revision + "." + base}
	r, err := s.knownRevision(ctx, c, ref.Space, ref.Revision)
	if err != nil {
		return of, err
	}
	switch {
	case base != "":
		_, err = s.knownRevision(ctx, c, ref.Space, base)
		if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
			return of, api.InvalidParam(api.FieldError{Path: "base", Message: "is not a revision of the space"})
		}
	case len(r.Parents) > 0:
		of.base = r.Parents[0]
	}
	return of, err
}

// knownRevision reads a revision that a caller names. What is stored under the name and is none is not found: only
// what comes out as it went in is one, and not a text that looks like it.
func (s *Server) knownRevision(ctx context.Context, c *rest.Call, space, id string) (revision, error) {
	if !strings.HasPrefix(id, revisionPrefix) {
		return revision{}, api.NotFound()
	}
	r, err := s.revision(ctx, s.store.Content(space), id)
	if err != nil {
		return r, s.unknownRevision(ctx, c, space, id, err)
	}
	if o, err := r.object(); err != nil || o.Hash != revisionHash(id) {
		return r, api.NotFound()
	}
	return r, nil
}

// pair reads the revisions of a contrast.
func (s *Server) pair(ctx context.Context, c contrast) (v *versionPair, err error) {
	v = &versionPair{contrast: c, server: s, content: s.store.Content(c.place.space)}
	read := func(id string) (r revision) {
		if id == "" || err != nil {
			return r
		}
		r, err = s.revision(ctx, v.content, id)
		return r
	}
	v.before, v.after = read(c.base), read(c.revision)
	for _, p := range c.own {
		v.ownPairs = append(v.ownPairs, [2]revision{read(p.base), read(p.revision)})
	}
	if err != nil {
		return nil, fmt.Errorf("revisions to compare: %w", err)
	}
	if v.was, err = s.tree(ctx, v.content, v.before.Pages); err != nil {
		return nil, err
	}
	v.is, err = s.tree(ctx, v.content, v.after.Pages)
	return v, err
}

// The maps of a revision.
func pagesOf(r revision) string     { return r.Pages }
func filesOf(r revision) string     { return r.Files }
func reusablesOf(r revision) string { return r.Reusables }

// differing are the entries of a map that differ and count, by id.
func (v *versionPair) differing(ctx context.Context, root func(revision) string) (map[string]objects.Change, error) {
	found, err := v.content.Diff(ctx, root(v.before), root(v.after))
	if err != nil || len(v.ownPairs) == 0 || len(found) == 0 {
		return found, wrapped(err)
	}
	own := map[string]bool{}
	for _, p := range v.ownPairs {
		changes, err := v.content.Diff(ctx, root(p[0]), root(p[1]))
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

// inOrder sorts ids of pages by the order in which the tree is read. Pages that are gone stand where they were.
func (v *versionPair) inOrder(ids map[string]objects.Change) []string {
	needed := map[string]bool{}
	for id := range ids {
		for at := id; at != "" && !needed[at]; {
			needed[at] = true
			p := v.is.page(at)
			if p == nil {
				p = v.was.page(at)
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
		for _, id := range v.kids(parent) {
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

// kids are the pages below one, those that are gone among them: each behind the one that it stood behind.
func (v *versionPair) kids(parent string) []string {
	now := v.is.kids(parent)
	here := make(map[string]bool, len(now))
	for _, id := range now {
		here[id] = true
	}
	gone, last := map[string][]string{}, ""
	for _, id := range v.was.kids(parent) {
		switch {
		case here[id]:
			last = id
		case v.is.page(id) == nil:
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

// page is a page as changes name it: as it is, or as it was where it is gone. The root is none.
func (v *versionPair) page(id string) *api.ChangedPage {
	t := v.is
	if t.page(id) == nil {
		t = v.was
	}
	return namedPage(t, id)
}

func namedPage(t *tree, id string) *api.ChangedPage {
	p := t.page(id)
	if p == nil {
		return nil
	}
	c := &api.ChangedPage{ID: id, Type: p.Type, Title: p.name()}
	if p.Type != api.PageLink {
		c.Path = t.path(id)
	}
	return c
}

func changedReusable(p *page) *api.ChangedReusableContent {
	return &api.ChangedReusableContent{ID: p.ID, Title: p.name(), Document: p.Text}
}

// bothPages decodes the two sides of an entry; a side that is not there is nil.
func bothPages(id string, change objects.Change) (before, after *page, err error) {
	if change.Before != nil {
		if before, err = decodePage(id, *change.Before); err != nil {
			return nil, nil, err
		}
	}
	if change.After != nil {
		after, err = decodePage(id, *change.After)
	}
	return before, after, err
}
