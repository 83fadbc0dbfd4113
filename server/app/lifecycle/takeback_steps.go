package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Like every transfer, taking back first closes the entries to writes and then checks once more whether anything was
// written: earlier writes are detected and later ones refused. Changes are detected without clocks, as differences
// from the snapshot stored by the transfer.

// takeBackPlan describes a take-back, checked before its first transaction.
type takeBackPlan struct {
	holderCall   *rest.Call     // call in the organization that has the entries now
	entries      []string       // parents before children
	children     map[string]int // numbers of children of the collections
	dependencies []access.Dependency
	trashed      []string // other deleted entries of the collections, which stay
	snapshot     map[string]store.TransferredEntryPrivate
}

// beginTakeBack closes the entries of a take-back to writes.
func (s *Service) beginTakeBack(ctx context.Context, c *rest.Call, t *transferSides, agreed bool) error {
	holder, entry, id := t.fields().To, t.fields().Content(), t.fields().ID
	p, err := s.planTakeBack(ctx, c, t, agreed)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(holder), txn.UpdateOptions{
		DryRun: c.DryRun, Prefetch: spaces.RecordKeys(holder, p.entries),
	}, func(
		tx *store.Tx,
	) error {
		made, err := tx.Transferred(holder, id)
		if err != nil || made.Version == 0 || made.Private.State == api.TransferTakenBack || agreed &&
			made.Private.State != api.TransferAsked {
			return errors.Join(rest.NotFoundIfNil(err), redis.ErrStale)
		}
		if err := p.holderCall.Recheck(tx, p.dependencies); err != nil {
			return err
		}
		epoch, err := s.closeForTakeBack(tx, p, entry)
		if err != nil {
			return err
		}
		d, err := tx.Transfer(holder, entry)
		if err != nil || d.Version > 0 {
			return errors.Join(err, checkNotBusy(d.Version > 0))
		}
		d.Fields = store.TransferFields{Entry: entry, To: t.fields().From, Entries: p.entries}
		d.Private = store.TransferPrivate{
			Step: store.TransferClosing, User: c.Caller.User, DueAt: api.At(tx.Now().Add(s.JobLease())), Idempotency: c.Idempotency(),
			Trashed: p.trashed, Epoch: epoch, Back: &store.TakeBack{Transfer: id, Row: c.Endpoint.Row.Name, Agreed: agreed},
		}
		tx.Schedule(holder, txn.JobName(store.TransferKind, entry), s.JobLease())
		return tx.PutTransfer(holder, d)
	})
}

// closeForTakeBack closes all entries to writes. It returns the epoch of the transfer, which is the version of the root.
func (s *Service) closeForTakeBack(tx *store.Tx, p *takeBackPlan, root string) (epoch int64, err error) {
	for _, id := range p.entries {
		if err := closeEntry(tx, p.holderCall.Org, id, p.children[id]); err != nil {
			return 0, err
		}
		if id == root {
			closed, _, err := tx.Record(store.EntryKey(p.holderCall.Org, id))
			if err != nil {
				return 0, err
			}
			epoch = closed.Version
		}
	}
	return epoch, nil
}

// planTakeBack returns the plan of a take-back, or an error if it is not possible.
func (s *Service) planTakeBack(ctx context.Context, c *rest.Call, t *transferSides, agreed bool) (*takeBackPlan, error) {
	given := t.own
	if given.Fields.Direction == api.TransferIn {
		given = t.other
	}
	holder, id := given.Fields.To, given.Fields.ID
	p := &takeBackPlan{holderCall: c.InOrganization(holder), children: map[string]int{}}
	var err error
	if p.snapshot, _, err = s.loadSnapshot(ctx, given.Fields.From, id, given.Private.Entries); err != nil {
		return nil, err
	}
	if p.holderCall.Model, err = s.reloadModel(ctx, holder); err != nil {
		return nil, err
	}
	gone, err := s.findReturnableEntries(ctx, p, given)
	if err != nil {
		return nil, err
	}
	p.holderCall.Access(func(model *access.Model) { err = p.checkHolder(model) })
	if err != nil || agreed {
		return p, err
	}
	changed, err := s.findChanges(ctx, holder, p.entries, p.snapshot)
	if err == nil && len(gone)+len(changed) > 0 {
		err = changedError(id, append(gone, changed...))
	}
	return p, err
}

// findReturnableEntries adds the transferred entries that the organization still has, including those in its trash, to the
// plan: none is purged before the take-back deadline. Entries that it has transferred elsewhere are returned as errors.
func (s *Service) findReturnableEntries(
	ctx context.Context, p *takeBackPlan, given store.TransferredDocument,
) (gone []api.FieldError, err error) {
	holder, root := given.Fields.To, given.Fields.Content()
	records, err := rest.ReadRecords(ctx, s.Store, given.Private.Entries, func(id string) redis.Key { return store.EntryKey(holder, id) })
	if err != nil {
		return nil, err
	}
	for _, id := range given.Private.Entries {
		var d store.CollectionDocument // the decoded members are common to spaces and collections
		if r, there := records[id]; there {
			if err := d.Decode(r); err != nil {
				return nil, err
			}
		}
		switch {
		case d.Version > 0 && d.Private.State == store.EntryMoving:
			return nil, txn.ErrBusy
		case d.Version > 0 && d.Private.State == "" && d.Private.ArrivedBy == given.Fields.ID:
			p.entries = append(p.entries, id)
		case id == root:
			return nil, passedOnError(given.Fields.ID)
		default:
			gone = append(gone, api.FieldError{Path: id, Message: "is in that organization no more"})
		}
	}
	return gone, nil
}

// checkHolder returns an error if a site of the holding organization shows an entry, or if a collection contains entries that
// do not belong to the transfer. It adds the checked entries to the dependencies.
func (p *takeBackPlan) checkHolder(model *access.Model) error {
	for _, id := range p.entries {
		n := model.Entry(id)
		if n == nil { // the entry is more recent than the model
			continue
		}
		p.dependencies = append(p.dependencies, access.Dependency{ID: id, Entry: n.Stored})
		if err := checkNotOnSite(model, id); err != nil {
			return err
		}
		p.children[id] = spaces.CountChildren(model, id)
		for _, child := range model.Children(id) {
			switch {
			case slices.Contains(p.entries, child):
			case model.Entry(child).Deleted != 0:
				p.trashed = append(p.trashed, child)
			default:
				return api.WrongState("%s did not come with %s, and lies in it.", child,
					id).WithHint("Whoever has it moves it out of there first.")
			}
		}
	}
	return nil
}

// checkTakeBack repeats the check for changes after the entries were closed to writes.
func (s *Service) checkTakeBack(ctx context.Context, org string, d store.TransferDocument) error {
	if d.Private.Back.Agreed {
		return nil
	}
	kept, _, err := s.loadSnapshot(ctx, d.Fields.To, d.Private.Back.Transfer, d.Fields.Entries)
	if err != nil {
		return err
	}
	changed, err := s.findChanges(ctx, org, d.Fields.Entries, kept)
	if err != nil || len(changed) == 0 {
		return err
	}
	return changedError(d.Private.Back.Transfer, changed)
}

// changedError returns the error for a transfer that cannot be taken back, because of the changes.
func changedError(transfer string, changed []api.FieldError) error {
	e := api.WrongState("It is not as it was when it was transferred: who has it now has used it.").
		WithHint("Ask its admins to give it back (wsctl transfers ask %s), or take a copy as it was (wsctl transfers copy %s).",
			transfer, transfer)
	e.Fields = changed
	return e
}

// contentKinds maps the kinds of records that users write in a space to their names in errors.
var contentKinds = map[string]string{"cr": "change requests", "rv": "reviews", "cm": "comments", "rp": "replies"}

// findChanges returns an error for each space in which something was written since its transfer.
func (s *Service) findChanges(ctx context.Context, org string, entries []string,
	kept map[string]store.TransferredEntryPrivate,
) ([]api.FieldError, error) {
	present := slices.DeleteFunc(slices.Clone(entries), func(id string) bool { return !access.IsSpace(id) })
	keys, of, err := s.transferKeys(ctx, org, present)
	if err != nil {
		return nil, err
	}
	now := newSnapshot(of, nil)
	err = store.CopyRecords(ctx, s.Store, org, keys, func(chunk []store.CopyResult) error {
		now.add(chunk)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed []api.FieldError
	for _, id := range present {
		what, err := differences(kept[id], *now.entry(id))
		if err != nil {
			return nil, err
		}
		if len(what) > 0 {
			changed = append(changed, api.FieldError{
				Path: id, Message: fmt.Sprintf("other than when it was transferred: %s", strings.Join(what, ", ")),
			})
		}
	}
	return changed, nil
}

// differences returns the names of the kinds of content that were written in a space.
func differences(was, now store.TransferredEntryPrivate) (what []string, err error) {
	before, err := store.ParseHead(was.Head)
	if err != nil {
		return nil, err
	}
	after, err := store.ParseHead(now.Head)
	if err != nil {
		return nil, err
	}
	if before.Revision != after.Revision {
		what = append(what, "content")
	}
	for _, kind := range was.Marks.Differ(now.Marks) {
		what = append(what, contentKinds[kind])
	}
	return what, nil
}
