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

// readingKey returns the key of the reading record of the caller for the change request in the path.
func readingKey(c *rest.Call) redis.Key {
	return store.ReadingKey(c.Org, store.RequestIDOf(c.Path("space"), c.Path("changeRequest")), c.Caller.User)
}

// proposal is a change request with its current head.
type proposal struct {
	request store.ChangeRequestDocument
	head    store.Head
}

func (p proposal) currentRange() revision.Range { return revision.CurrentRange(p.request, p.head) }

func readProposal(p revision.TargetRead) (found proposal, err error) {
	if found.head, _, err = p.Get(); err != nil {
		return found, err
	}
	record, _, err := p.Record.Get()
	if err != nil {
		return found, err
	}
	return found, found.request.Decode(record)
}

func (rm *ReadMarks) getReading(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestRef) rest.Finish[api.Reading] {
	placed := rm.Revisions.ReadTarget(r.Org, b, revision.RequestTarget(in))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Reading], err error) {
		p, err := readProposal(placed)
		if err != nil {
			return none, err
		}
		b := rm.Store.NewBatch()
		stored := b.Record(readingKey(c))
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
		fingerprints, err := rm.readFingerprints(ctx, in.Space, p.currentRange(), nil)
		if err != nil {
			return none, err
		}
		return readingResult(p, fingerprints, d)
	}
}

// readFingerprints returns the items of a range that can be read, by id. It waits for a permit, since the comparison may be
// slow. compare may be nil.
func (rm *ReadMarks) readFingerprints(ctx context.Context, space string, of revision.Range,
	compare *revision.DiffCache,
) (map[string]revision.Fingerprint, error) {
	if compare == nil {
		compare = rm.Revisions.Compare(space)
	}
	changed, err := compare.Changes(ctx, of)
	if err != nil {
		return nil, err
	}
	permit, err := rm.Slow.Begin(ctx, len(changed)*budgets.ChangedOverhead)
	if err != nil {
		return nil, err
	}
	defer permit.End()
	return compare.Fingerprints(ctx, of)
}

// readingResult returns the items of a change request and whether each is marked in its current form.
func readingResult(p proposal, fingerprints map[string]revision.Fingerprint, d store.ReadingDocument) (rest.Result[api.Reading], error) {
	marks := make(map[string]store.ReadMark, len(d.Private.Marks))
	for _, mark := range d.Private.Marks {
		marks[mark.ID] = mark
	}
	now := p.currentRange()
	a := api.Reading{
		Revision: now.Revision, Base: now.Base, Total: len(fingerprints), LastLook: d.Private.LastLook, Items: make([]api.ReadingItem, 0,
			len(fingerprints)),
	}
	for id, fingerprint := range fingerprints {
		mark := marks[id]
		item := api.ReadingItem{
			ID: displayID(id), Title: fingerprint.Title, Reason: fingerprint.Reason, Read: mark.Seen == fingerprint.Hash,
			MarkedAt: mark.MarkedAt,
		}
		if item.Read {
			a.Read++
		}
		a.Items = append(a.Items, item)
	}
	slices.SortFunc(a.Items, func(a, b api.ReadingItem) int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID)) })
	r, err := rest.Value(a)
	return r.WithVersion(fmt.Sprintf("%d.%s", d.Version, now.Revision)), err
}

// displayID and storedID convert between the external and the stored id of a changed item.
func displayID(id string) string {
	if name, ok := strings.CutPrefix(id, revision.VariableItemPrefix); ok {
		return api.VariablePrefix + name
	}
	return id
}

func storedID(id string) string {
	if name, ok := strings.CutPrefix(id, api.VariablePrefix); ok {
		return revision.VariableItemPrefix + name
	}
	return id
}

// updateReading marks items as read at a revision. The revision need not be the head, since clients that were offline
// send marks later. The items of the revision are read before the transaction, as revisions are immutable.
func (rm *ReadMarks) updateReading(ctx context.Context, c *rest.Call, in api.UpdateReadingInput) (none rest.Result[api.Reading],
	err error,
) {
	b := rm.Store.NewBatch()
	placed := rm.Revisions.ReadTarget(c.Org, b, revision.RequestTarget(in.ChangeRequestRef))
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read change request: %w", err)
	}
	p, err := readProposal(placed)
	if err != nil {
		return none, err
	}
	compare := rm.Revisions.Compare(in.Space)
	now, err := rm.readFingerprints(ctx, in.Space, p.currentRange(), compare)
	if err != nil {
		return none, err
	}
	seen := now
	if at := in.Body.Revision; at != "" && at != p.head.Revision {
		earlier, ok, err := rm.Revisions.RangeAt(ctx, p.request, p.head, at)
		if err != nil {
			return none, err
		}
		if !ok {
			return none, api.InvalidField("revision", "is not a revision of this change request")
		}
		if seen, err = rm.readFingerprints(ctx, in.Space, earlier, compare); err != nil {
			return none, err
		}
	}
	for i, id := range in.Body.Read {
		if _, changed := seen[storedID(id)]; !changed {
			return none, api.InvalidField(fmt.Sprintf("read[%d]", i), "is nothing that the revision changes")
		}
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Reading], error) {
		return putMarks(c, tx, in, p, seen, now)
	})
}

// putMarks stores the marks. It records no event, since marks are private, and does not change the change request.
func putMarks(
	c *rest.Call, tx *store.Tx, in api.UpdateReadingInput, p proposal, seen, now map[string]revision.Fingerprint,
) (none rest.Result[api.Reading], err error) {
	request := store.RequestIDOf(in.Space, in.ChangeRequest)
	if current, err := tx.ChangeRequest(c.Org, request); err != nil || current.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	d, err := tx.Reading(c.Org, request, c.Caller.User)
	if err != nil {
		return none, err
	}
	d.Fields = store.ReadingFields{Request: request, User: c.Caller.User}
	changed := in.Body.LastLook.ApplyNull(&d.Private.LastLook)
	changed = updateMarks(&d.Private, in.Body, seen, api.At(tx.Now())) || changed
	if changed {
		record, err := tx.PutReading(c.Org, d)
		if err != nil {
			return none, err
		}
		d.Version = record.Version
	}
	r, err := readingResult(p, now, d)
	r.Unchanged, r.Quiet = !changed, true
	return r, err
}

// updateMarks sets and removes marks and reports whether any changed. New marks are appended; beyond the maximum the
// oldest are dropped.
func updateMarks(d *store.ReadingPrivate, body api.ReadingUpdate, seen map[string]revision.Fingerprint, at api.Time) (changed bool) {
	removed := map[string]bool{}
	for _, id := range body.Unread {
		removed[storedID(id)] = true
	}
	var added []store.ReadMark
	for _, id := range body.Read {
		id = storedID(id)
		removed[id] = true
		added = append(added, store.ReadMark{ID: id, Seen: seen[id].Hash, MarkedAt: at})
	}
	remaining := slices.DeleteFunc(slices.Clone(d.Marks), func(m store.ReadMark) bool { return removed[m.ID] })
	if len(remaining) == len(d.Marks) && len(added) == 0 {
		return false
	}
	d.Marks = append(remaining, added...)
	d.Marks = d.Marks[max(0, len(d.Marks)-api.MaxReadMarks):]
	return true
}
