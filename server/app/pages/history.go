package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// historyEndpoints returns the operations on history. They require access to change requests, because a revision may
// contain text that was removed on purpose.
func (s *Service) historyEndpoints() []rest.Endpoint {
	comment := auth.InSpace(api.RoleComment)
	return append(rest.Twins(api.ListSpaceRevisions.Row, comment, rest.Read(api.ListChangeRequestRevisions, comment, s.listRevisions)),
		rest.Read(api.ListPageRevisions, comment, s.listPageRevisions),
		rest.Read(api.BlamePage, comment, s.blamePage),
		rest.Op(api.RollbackRevision, auth.InSpace(api.RoleReview), s.rollback).MatchHead().On(rest.Space),
	)
}

// maxHistory is the maximum number of revisions that one request reads.
const maxHistory = 1000

// listRevisions lists the revisions of a target, newest first. For a change request the list ends at the revision it
// started from.
func (s *Service) listRevisions(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestRevisionsInput,
) rest.Finish[api.Page[api.HistoryEntry]] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	w := r.NewPager(in.ListOptions, true)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
		head, _, err := p.Get()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		objects := s.Store.Content(target.Space)
		first, count, err := s.firstRevision(ctx, objects, p, head)
		if err != nil {
			return none, err
		}
		if in.RevisionSourceFilter != (api.RevisionSourceFilter{}) {
			found, err := s.sourceHistory(ctx, objects, head.Revision, first, in.RevisionSourceFilter)
			if err != nil {
				return none, err
			}
			return s.historyPage(ctx, c, target, w, found[indexAfter(found, w.After):], len(found))
		}
		var found []revision.HistoricalRevision
		err = s.Revisions.VisitHistory(ctx, objects, cmp.Or(w.After, head.Revision), func(r revision.HistoricalRevision) (bool, error) {
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
		return s.historyPage(ctx, c, target, w, found, count)
	}
}

// firstRevision returns the revision before the target's own revisions, or "" for a space, and the number of its own
// revisions.
func (s *Service) firstRevision(ctx context.Context, c *objects.Content, p revision.TargetRead, head store.Head) (first string, count int,
	err error,
) {
	last, err := s.Revisions.ReadHistorical(ctx, c, head.Revision)
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
	initial, err := s.Revisions.ReadHistorical(ctx, c, d.Fields.RevisionInitial)
	return d.Fields.RevisionInitial, last.Number - initial.Number, err
}

// historyPage encodes one page of a list of revisions; found may contain one more than the page.
func (s *Service) historyPage(ctx context.Context, c *rest.Call, target revision.Target, w rest.Pager, found []revision.HistoricalRevision,
	count int,
) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
	ids := make([]string, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	page, next := w.Cut(ids)
	requests, err := s.historyRequests(ctx, c, target.Space, found[:len(page)])
	if err != nil {
		return none, err
	}
	items := make([][]byte, len(page))
	c.Access(func(model *access.Model) {
		for i, r := range found[:len(page)] {
			item, e := s.encodeHistoryEntry(model, target, r, requests).Bytes()
			items[i], err = item, errors.Join(err, e)
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.HistoryEntry](items, count, next)
}

func (s *Service) encodeHistoryEntry(model *access.Model, target revision.Target, r revision.HistoricalRevision,
	requests map[string]*api.HistoryRequest,
) *rest.Object {
	return rest.ExtendObject([]byte(`{}`)).Set("object", "revision").Set("id", r.ID).Set("type", r.Type).Set("number", r.Number).
		Set("parents", view.OrEmpty(r.Parents)).Set("author", s.View.Person(model, r.Author)).Set("createdAt", api.At(r.CreatedAt)).
		SetIf(r.Lost, "lost", true).
		SetIf(requests[r.MergedFrom] != nil, "mergedFrom", requests[r.MergedFrom]).
		SetIf(r.Source != nil, "source", r.Source).
		Set("urls", api.LocationURLs{Location: s.View.SpaceURL(target.Space) + "/revisions/" + r.ID})
}

// historyRequests returns the change requests that the revisions were merged from, in one round trip. In a copy of a
// space they are missing.
func (s *Service) historyRequests(ctx context.Context, c *rest.Call, space string,
	revisions []revision.HistoricalRevision,
) (map[string]*api.HistoryRequest, error) {
	ids := map[string]bool{}
	for _, r := range revisions {
		if r.MergedFrom != "" {
			ids[r.MergedFrom] = true
		}
	}
	return s.View.ReadRequests(ctx, c, space, ids)
}

// listPageRevisions lists the revisions that changed a page, among the newest maxHistory of the space.
func (s *Service) listPageRevisions(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.PageRevisionsInput,
) rest.Finish[api.Page[api.HistoryEntry]] {
	target := revision.Target{Space: in.Space}
	w := r.NewPager(in.ListOptions, true)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.HistoryEntry]], err error) {
		head, _, err := p.Get()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		found, err := s.pageHistory(ctx, s.Store.Content(in.Space), head.Revision, in.Page)
		if err != nil {
			return none, err
		}
		if len(found) == 0 {
			return none, api.NotFound()
		}
		return s.historyPage(ctx, c, target, w, found[indexAfter(found, w.After):], len(found))
	}
}

// indexAfter returns the index of the revision that follows the one with an id, or 0 if the list does not have it.
func indexAfter(found []revision.HistoricalRevision, id string) int {
	return slices.IndexFunc(found, func(r revision.HistoricalRevision) bool { return r.ID == id }) + 1
}

// sourceHistory returns the revisions with a source that matches the filter, newest first, among the newest maxHistory up to
// the revision end, which is left out.
func (s *Service) sourceHistory(ctx context.Context, c *objects.Content, head, end string, filter api.RevisionSourceFilter) (
	found []revision.HistoricalRevision, err error,
) {
	seen := 0
	err = s.Revisions.VisitHistory(ctx, c, head, func(r revision.HistoricalRevision) (bool, error) {
		if r.ID == end {
			return false, nil
		}
		seen++
		if source := r.Source; source != nil && (filter.Source == "" || source.Name == filter.Source) &&
			(filter.Branch == "" || source.Branch == filter.Branch) {
			found = append(found, r)
		}
		return seen < maxHistory, nil
	})
	return found, err
}

// pageHistory returns the revisions that changed a page, newest first.
func (s *Service) pageHistory(ctx context.Context, c *objects.Content, head, page string) (found []revision.HistoricalRevision, err error) {
	var after revision.HistoricalRevision
	var then string
	seen, complete := 0, false
	keep := func(before string) {
		if after.ID != "" && before != then {
			found = append(found, after)
		}
	}
	err = s.Revisions.VisitHistory(ctx, c, head, func(r revision.HistoricalRevision) (bool, error) {
		seen++
		complete = len(r.Parents) == 0
		entry, err := then, error(nil)
		if !r.Lost && (r.Pages != after.Pages || after.ID == "") {
			entry, err = pageEntry(ctx, c, r.Pages, page)
		}
		if r.Lost || objects.IsLost(err) { // the changes of a lost revision appear in the following revision
			return seen < maxHistory, nil
		}
		if err != nil {
			return false, err
		}
		keep(entry)
		after, then = r, entry
		return seen < maxHistory, nil
	})
	if err == nil && complete {
		keep("")
	}
	return found, err
}

// pageEntry returns the stored tree entry of a page, or "" if the tree does not contain it.
func pageEntry(ctx context.Context, c *objects.Content, root, page string) (string, error) {
	entries, err := c.Get(ctx, root, page)
	if err != nil {
		return "", fmt.Errorf("page %s: %w", page, err)
	}
	return string(entries[page].Value), nil
}

// rollback restores the content of an earlier revision of the space. The content was published before, so permission
// to merge is enough, even in a locked space.
func (s *Service) rollback(ctx context.Context, c *rest.Call, in api.RevisionRef) (rest.Result[api.HistoryEntry], error) {
	return rest.RetryPlan(func() (none rest.Result[api.HistoryEntry], err error) {
		target := revision.Target{Space: in.Space}
		head, err := s.Revisions.ReadHead(ctx, c.Org, target)
		if err != nil {
			return none, err
		}
		objects := s.Store.Content(in.Space)
		now, earlier, err := s.findEarlier(ctx, c, objects, head, in.Revision)
		if err != nil {
			return none, err
		}
		if sameContent(now, earlier) {
			return none, api.Errorf(409, api.ReasonNoChange, "The content of the space is that of revision %s.", in.Revision)
		}
		next := revision.HistoricalRevision{Revision: earlier}
		next.Type, next.Parents, next.MergedFrom, next.Number = api.RevisionRollback, []string{head.Revision}, "", now.Number+1
		next.Source = nil
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.HistoryEntry], error) {
			if err := revision.CheckHead(tx, c.Org, target, head); err != nil {
				return none, err
			}
			return s.commitRollback(c, tx, target, objects, next)
		})
	})
}

// findEarlier returns the head revision of the space and an earlier revision of its own history.
func (s *Service) findEarlier(ctx context.Context, c *rest.Call, objects *objects.Content, head store.Head, id string) (now,
	earlier revision.Revision, err error,
) {
	if earlier, err = s.Revisions.LookupRevision(ctx, c.Org, objects.Space(), id); err != nil {
		return now, earlier, err
	}
	own := false
	err = s.Revisions.VisitHistory(ctx, objects, head.Revision, func(r revision.HistoricalRevision) (bool, error) {
		if r.ID == head.Revision {
			now = r.Revision
		}
		own = r.ID == id
		return !own && r.Number >= earlier.Number, nil
	})
	if err == nil && !own {
		err = api.NotFound()
	}
	return now, earlier, err
}

func sameContent(a, b revision.Revision) bool {
	variables := func(r revision.Revision) string { data, _ := json.Marshal(r.Variables); return string(data) }
	return a.Pages == b.Pages && a.Files == b.Files && a.Reusables == b.Reusables && variables(a) == variables(b) &&
		maps.Equal(a.Specs, b.Specs)
}

// commitRollback makes next, which has neither author nor time, the head of the target.
func (s *Service) commitRollback(
	c *rest.Call, tx *store.Tx, target revision.Target, objects *objects.Content, next revision.HistoricalRevision,
) (rest.Result[api.HistoryEntry], error) {
	next.Author, next.CreatedAt = c.Caller.User, api.At(tx.Now()).UTC()
	o, err := next.Object()
	if err != nil {
		return rest.Result[api.HistoryEntry]{}, err
	}
	next.ID = revision.RevisionPrefix + objects.Stage(o)
	c.Note("restored", c.Path("revision"))
	c.Note(eventlog.Revision, next.ID)
	c.Note(eventlog.RevisionBefore, next.Parents[0])
	tx.Objects(target.Space, objects.Staged(o.Hash)...)
	tx.SetHead(c.Org, target.Space, store.Head{
		Revision: next.ID, Pages: next.Pages, Files: next.Files, Links: next.Links,
		MovedAt: next.CreatedAt,
	})
	var r rest.Result[api.HistoryEntry]
	c.Access(func(model *access.Model) {
		r, err = rest.ObjectResult[api.HistoryEntry](s.encodeHistoryEntry(model, target, next, nil))
	})
	r.ID = next.ID
	return r, err
}
