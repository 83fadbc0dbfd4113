package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// History is for those who see change requests: a revision may have what was taken out of the content on purpose.
func (s *Service) historyEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSpaceRevisions, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.SpaceRevisionsInput) rest.Finish[api.Page[api.HistoryEntry]] {
			return s.listRevisions(c, b, revision.Target{Space: in.Space}, in.ListOptions)
		}),
		rest.Read(api.ListChangeRequestRevisions, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ChangeRequestRevisionsInput) rest.Finish[api.Page[api.HistoryEntry]] {
			return s.listRevisions(c, b, revision.TargetOf(in.ChangeRequestRef), in.ListOptions)
		}),
		rest.Read(api.ListPageRevisions, auth.InSpace(api.RoleComment), s.listPageRevisions),
		rest.Read(api.BlamePage, auth.InSpace(api.RoleComment), s.blamePage),
		rest.Op(api.RollbackRevision, auth.InSpace(api.RoleReview), s.rollback).MatchingHead().Of(rest.Space),
	}
}

// maxHistory bounds how many revisions one request looks at.
const maxHistory = 1000

// listRevisions lists the revisions of a place: those of a change request down to the one that it began with.
func (s *Service) listRevisions(c *rest.Call, b *txn.Batch, at revision.Target, o api.ListOptions) rest.Finish[api.Page[api.HistoryEntry]] {
	w := rest.NewPager(c, o, true)
	p := s.Revisions.Placed(c, b, at)
	return func(ctx context.Context) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
		head, _, err := p.Get()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		objects := s.Store.Content(at.Space)
		first, count, err := s.beginning(ctx, objects, p, head)
		if err != nil {
			return none, err
		}
		var found []revision.Numbered
		err = s.Revisions.Walk(ctx, objects, cmp.Or(w.After, head.Revision), func(r revision.Numbered) (bool, error) {
			if r.ID == first {
				return false, nil
			}
			if r.ID != w.After {
				found = append(found, r)
			}
			return len(found) <= w.Size, nil
		})
		if err != nil {
			return none, err
		}
		return s.historyPage(ctx, c, at, w, found, count)
	}
}

// beginning is the revision that a place's own revisions follow, "" for a space, and how many they are.
func (s *Service) beginning(ctx context.Context, c *objects.Content, p revision.Located, head store.Head) (first string, count int, err error) {
	last, err := s.Revisions.Historical(ctx, c, head.Revision)
	if err != nil || p.ChangeRequest == "" {
		return "", last.Number, err
	}
	record, _, err := p.Record.Get()
	if err != nil {
		return "", 0, err
	}
	var d store.ChangeRequestDocument
	if err := d.Decode(record); err != nil {
		return "", 0, err
	}
	initial, err := s.Revisions.Historical(ctx, c, d.Fields.RevisionInitial)
	return d.Fields.RevisionInitial, last.Number - initial.Number, err
}

// historyPage writes out the revisions of a page of a list; found may have one more.
func (s *Service) historyPage(ctx context.Context, c *rest.Call, at revision.Target, w rest.Pager, found []revision.Numbered, count int) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
	ids := make([]string, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	page, next := w.Cut(ids)
	requests, err := s.historyRequests(ctx, c, at.Space, found[:len(page)])
	if err != nil {
		return none, err
	}
	items := make([][]byte, len(page))
	c.Access(func(model *access.Model) {
		for i, r := range found[:len(page)] {
			item, e := s.historyObject(model, at, r, requests).Bytes()
			items[i], err = item, errors.Join(err, e)
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.HistoryEntry](items, count, next)
}

func (s *Service) historyObject(model *access.Model, at revision.Target, r revision.Numbered, requests map[string]*api.HistoryRequest) *rest.Object {
	return rest.Extend([]byte(`{}`)).Set("object", "revision").Set("id", r.ID).Set("type", r.Type).Set("number", r.Number).
		Set("parents", view.OrEmpty(r.Parents)).Set("author", s.View.Person(model, r.Author)).Set("createdAt", api.At(r.At)).
		SetIf(r.Lost, "lost", true).
		SetIf(requests[r.MergedFrom] != nil, "mergedFrom", requests[r.MergedFrom]).
		Set("urls", api.LocationURLs{Location: s.View.SpaceURL(at.Space) + "/revisions/" + r.ID})
}

// historyRequests reads the change requests that revisions were merged from, in one trip. In a copy of a space they
// are absent.
func (s *Service) historyRequests(ctx context.Context, c *rest.Call, space string, revisions []revision.Numbered) (map[string]*api.HistoryRequest, error) {
	ids := map[string]bool{}
	for _, r := range revisions {
		if r.MergedFrom != "" {
			ids[r.MergedFrom] = true
		}
	}
	return s.View.RequestsNamed(ctx, c, space, ids)
}

// listPageRevisions lists the revisions that changed a page, as far as they are among the newest of the space.
func (s *Service) listPageRevisions(ctx context.Context, c *rest.Call, b *txn.Batch, in api.PageRevisionsInput) rest.Finish[api.Page[api.HistoryEntry]] {
	at := revision.Target{Space: in.Space}
	w := rest.NewPager(c, in.ListOptions, true)
	p := s.Revisions.Placed(c, b, at)
	return func(ctx context.Context) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
		head, _, err := p.Get()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		found, err := s.pageLine(ctx, s.Store.Content(in.Space), head.Revision, in.Page)
		if err != nil {
			return none, err
		}
		if len(found) == 0 {
			return none, api.NotFound()
		}
		count, from := len(found), 0
		for i, r := range found {
			if r.ID == w.After {
				from = i + 1
			}
		}
		return s.historyPage(ctx, c, at, w, found[from:], count)
	}
}

// pageLine lists the revisions that changed a page: where it is not what it was in the revision before.
func (s *Service) pageLine(ctx context.Context, c *objects.Content, head, page string) (found []revision.Numbered, err error) {
	var after revision.Numbered
	var then string
	seen := 0
	keep := func(before string) {
		if after.ID != "" && before != then {
			found = append(found, after)
		}
	}
	err = s.Revisions.Walk(ctx, c, head, func(r revision.Numbered) (bool, error) {
		seen++
		entry := then
		if !r.Lost && (r.Pages != after.Pages || after.ID == "") {
			entry, err = pageEntry(ctx, c, r.Pages, page)
		}
		if r.Lost || rest.IsLost(err) { // what it changed shows in the revision after it
			return seen < maxHistory, nil
		}
		if err != nil {
			return false, err
		}
		keep(entry)
		after, then = r, entry
		return seen < maxHistory, nil
	})
	if err == nil && len(after.Parents) == 0 {
		keep("")
	}
	return found, err
}

// pageEntry is all that a tree has of a page, as it is stored; "" where it does not have the page.
func pageEntry(ctx context.Context, c *objects.Content, root, page string) (string, error) {
	entries, err := c.Get(ctx, root, page)
	if err != nil {
		return "", fmt.Errorf("page %s: %w", page, err)
	}
	return string(entries[page].Value), nil
}

// rollback gives a space the content of an earlier revision of its own. What was published once may be published
// again by those who may merge, in a locked space, too; what nobody has published may not.
func (s *Service) rollback(ctx context.Context, c *rest.Call, in api.RevisionRef) (rest.Result[api.HistoryEntry], error) {
	return rest.Replanned(func() (none rest.Result[api.HistoryEntry], err error) {
		at := revision.Target{Space: in.Space}
		head, err := s.Revisions.ReadHead(ctx, c, at)
		if err != nil {
			return none, err
		}
		objects := s.Store.Content(in.Space)
		now, target, err := s.earlierOf(ctx, c, objects, head, in.Revision)
		if err != nil {
			return none, err
		}
		if sameContent(now, target) {
			return none, api.Errorf(409, api.ReasonNoChange, "The content of the space is that of revision %s.", in.Revision)
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.HistoryEntry], error) {
			if err := revision.AtHead(tx, c.Org, at, head); err != nil {
				return none, err
			}
			return s.commitRollback(c, tx, at, objects, head, now, target)
		})
	})
}

// earlierOf finds a revision that the space had as its own, and the one that it has.
func (s *Service) earlierOf(ctx context.Context, c *rest.Call, objects *objects.Content, head store.Head, id string) (now, target revision.Revision, err error) {
	if target, err = s.Revisions.KnownRevision(ctx, c, objects.Space(), id); err != nil {
		return now, target, err
	}
	own := false
	err = s.Revisions.Walk(ctx, objects, head.Revision, func(r revision.Numbered) (bool, error) {
		if r.ID == head.Revision {
			now = r.Revision
		}
		own = r.ID == id
		return !own && r.Number >= target.Number, nil
	})
	if err == nil && !own {
		err = api.NotFound()
	}
	return now, target, err
}

func sameContent(a, b revision.Revision) bool {
	variables := func(r revision.Revision) string { data, _ := json.Marshal(r.Variables); return string(data) }
	return a.Pages == b.Pages && a.Files == b.Files && a.Reusables == b.Reusables && variables(a) == variables(b) && maps.Equal(a.Specs, b.Specs)
}

func (s *Service) commitRollback(c *rest.Call, tx *store.Tx, at revision.Target, objects *objects.Content, head store.Head, now, target revision.Revision) (rest.Result[api.HistoryEntry], error) {
	next := revision.Numbered{Revision: target}
	next.Type, next.Parents, next.MergedFrom, next.Author, next.At = api.RevisionRollback, []string{head.Revision}, "", c.Caller.User, api.At(tx.Now()).UTC()
	next.Number = now.Number + 1
	o, err := next.Object()
	if err != nil {
		return rest.Result[api.HistoryEntry]{}, err
	}
	next.ID = revision.RevisionPrefix + objects.Stage(o)
	tx.Objects(at.Space, objects.Staged(o.Hash)...)
	tx.MoveHead(c.Org, at.Space, store.Head{Revision: next.ID, Pages: next.Pages, Files: next.Files, Links: next.Links, At: next.At})
	var r rest.Result[api.HistoryEntry]
	c.Access(func(model *access.Model) {
		r, err = rest.Stored[api.HistoryEntry](s.historyObject(model, at, next, nil))
	})
	r.ID = next.ID
	return r, err
}
