package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// reading is the record of the caller's reading of the change request that the path names.
func reading(c *rest.Call) redis.Key {
	return store.ReadingKey(c.Org, rest.RequestKey(c.Path("space"), c.Path("changeRequest")), c.Caller.User)
}

// proposal is a change request as it is now.
type proposal struct {
	request store.ChangeRequestDocument
	head    store.Head
}

func (p proposal) now() revision.Range { return revision.RangeOf(p.request, p.head) }

func proposalOf(p revision.Located) (found proposal, err error) {
	if found.head, _, err = p.Get(); err != nil {
		return found, err
	}
	record, _, err := p.Record.Get()
	if err != nil {
		return found, err
	}
	return found, found.request.Decode(record)
}

func (s *ReadMarks) getReading(_ context.Context, c *rest.Call, b *txn.Batch, in api.ChangeRequestRef) rest.Finish[api.Reading] {
	placed := s.Revisions.Placed(c, b, revision.TargetOf(in))
	return func(ctx context.Context) (none rest.Result[api.Reading], err error) {
		p, err := proposalOf(placed)
		if err != nil {
			return none, err
		}
		b := s.Store.Pipeline()
		stored := b.Record(reading(c))
		if err := b.Do(ctx); err != nil {
			return none, fmt.Errorf("read marks: %w", err)
		}
		record, ok, err := stored.Get()
		if err != nil {
			return none, err
		}
		var d store.ReadingDocument
		if ok {
			if err := d.Decode(record); err != nil {
				return none, err
			}
		}
		sights, err := s.sights(ctx, in.Space, p.now(), nil)
		if err != nil {
			return none, err
		}
		return answer(p, sights, d)
	}
}

// sights are what there is to read of a range. Comparing may take long: it waits for its turn.
func (s *ReadMarks) sights(ctx context.Context, space string, of revision.Range, compare *revision.DiffCache) (map[string]revision.Sight, error) {
	if compare == nil {
		compare = s.Revisions.Compare(space)
	}
	changed, err := compare.Between(ctx, of)
	if err != nil {
		return nil, err
	}
	turn, err := s.Slow.Begin(ctx, len(changed)*budgets.ChangedOverhead)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	return compare.Sights(ctx, of)
}

// answer says what of the sights is marked as it is.
func answer(p proposal, sights map[string]revision.Sight, d store.ReadingDocument) (rest.Result[api.Reading], error) {
	marks := make(map[string]store.ReadMark, len(d.Private.Marks))
	for _, mark := range d.Private.Marks {
		marks[mark.ID] = mark
	}
	now := p.now()
	a := api.Reading{Revision: now.Revision, Base: now.Base, Total: len(sights), LastLook: d.Private.LastLook, Items: make([]api.ReadingItem, 0, len(sights))}
	for id, sight := range sights {
		mark := marks[id]
		item := api.ReadingItem{ID: shownID(id), Title: sight.Title, Reason: sight.Reason, Read: mark.Seen == sight.Name, MarkedAt: mark.At}
		if item.Read {
			a.Read++
		}
		a.Items = append(a.Items, item)
	}
	slices.SortFunc(a.Items, func(a, b api.ReadingItem) int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID)) })
	r, err := rest.Value(a)
	return r.Versioned(fmt.Sprintf("%d.%s", d.Version, now.Revision)), err
}

// shownID and storedID are the two names of something that a change request changes.
func shownID(id string) string {
	if name, ok := strings.CutPrefix(id, revision.VariableItem); ok {
		return api.VariablePrefix + name
	}
	return id
}

func storedID(id string) string {
	if name, ok := strings.CutPrefix(id, api.VariablePrefix); ok {
		return revision.VariableItem + name
	}
	return id
}

// updateReading marks what was read at a revision, which need not be the head any more: marks are sent when there is a
// line. What they name is found out before the transaction, as revisions do not change.
func (s *ReadMarks) updateReading(ctx context.Context, c *rest.Call, in api.UpdateReadingInput) (none rest.Result[api.Reading], err error) {
	b := s.Store.Pipeline()
	placed := s.Revisions.Placed(c, b, revision.TargetOf(in.ChangeRequestRef))
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read change request: %w", err)
	}
	p, err := proposalOf(placed)
	if err != nil {
		return none, err
	}
	compare := s.Revisions.Compare(in.Space)
	now, err := s.sights(ctx, in.Space, p.now(), compare)
	if err != nil {
		return none, err
	}
	seen := now
	if at := in.Body.Revision; at != "" && at != p.head.Revision {
		then, ok, err := s.Revisions.RangeAt(ctx, p.request, p.head, at)
		if err != nil {
			return none, err
		}
		if !ok {
			return none, api.InvalidField("revision", "is not a revision of this change request")
		}
		if seen, err = s.sights(ctx, in.Space, then, compare); err != nil {
			return none, err
		}
	}
	for i, id := range in.Body.Read {
		if _, changed := seen[storedID(id)]; !changed {
			return none, api.InvalidField(fmt.Sprintf("read[%d]", i), "is nothing that the revision changes")
		}
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Reading], error) {
		return mark(c, tx, in, p, seen, now)
	})
}

// mark writes the marks. It is quiet: nobody hears of it, and nothing of the change request moves.
func mark(c *rest.Call, tx *store.Tx, in api.UpdateReadingInput, p proposal, seen, now map[string]revision.Sight) (none rest.Result[api.Reading], err error) {
	request := rest.RequestKey(in.Space, in.ChangeRequest)
	if there, err := tx.ChangeRequest(c.Org, request); err != nil || there.Version == 0 {
		return none, rest.Missing(err)
	}
	d, err := tx.Reading(c.Org, request, c.Caller.User)
	if err != nil {
		return none, err
	}
	d.Fields = store.ReadingFields{Request: request, User: c.Caller.User}
	changed := in.Body.LastLook.ApplyNull(&d.Private.LastLook)
	changed = remark(&d.Private, in.Body, seen, api.At(tx.Now())) || changed
	if changed {
		record, err := tx.PutReading(c.Org, d)
		if err != nil {
			return none, err
		}
		d.Version = record.Version
	}
	r, err := answer(p, now, d)
	r.Unchanged, r.Quiet = !changed, true
	return r, err
}

// remark sets and removes marks. New ones stand behind those that are there; of too many the oldest go.
func remark(d *store.ReadingPrivate, body api.ReadingUpdate, seen map[string]revision.Sight, at api.Time) (changed bool) {
	gone := map[string]bool{}
	for _, id := range body.Unread {
		gone[storedID(id)] = true
	}
	var added []store.ReadMark
	for _, id := range body.Read {
		id = storedID(id)
		gone[id] = true
		added = append(added, store.ReadMark{ID: id, Seen: seen[id].Name, At: at})
	}
	kept := slices.DeleteFunc(slices.Clone(d.Marks), func(m store.ReadMark) bool { return gone[m.ID] })
	if len(kept) == len(d.Marks) && len(added) == 0 {
		return false
	}
	d.Marks = append(kept, added...)
	d.Marks = d.Marks[max(0, len(d.Marks)-api.MaxReadMarks):]
	return true
}
