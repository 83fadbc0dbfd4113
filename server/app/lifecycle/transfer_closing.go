package lifecycle

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A transfer closes what moves before it looks a last time whether that may move: whoever puts a space on a site has
// its access entry in the read set, so all who were faster than the fence are seen, and the others are refused.

// confirmTransfer goes on with a transfer that nothing forbids, and takes back any other one.
func (s *Service) confirmTransfer(ctx context.Context, org string, d store.TransferDocument) error {
	model, err := s.freshShape(ctx, org)
	if err != nil {
		return err
	}
	var forbidden error
	access.Look(model, func(model *access.Model) {
		for _, id := range d.Fields.Entries {
			if forbidden == nil {
				forbidden = unshown(model, id)
			}
		}
	})
	if forbidden == nil && d.Private.Back != nil {
		forbidden = s.checkTakeBack(ctx, org, d)
	}
	if forbidden == nil { // from here on the other organization cannot be deleted
		forbidden = s.expect(ctx, org, d)
	}
	if forbidden != nil && !isRefusal(forbidden) {
		return forbidden
	}
	if forbidden != nil {
		if err := s.reopen(ctx, org, d); err != nil {
			return err
		}
		return forbidden
	}
	options := txn.UpdateOptions{Prefetch: spaces.RecordKeys(org, append([]string{d.Fields.Entry}, d.Private.Trashed...))}
	return s.Store.Update(ctx, store.Organization(org), options, func(tx *store.Tx) error {
		now, err := store.At(tx, org, d.Fields.Entry, store.TransferClosing)
		if err != nil {
			return err
		}
		err = changeEntry(tx, org, d.Fields.Entry, func(level **api.Level, _ *store.EntryPrivate) { *level = now.Private.Level })
		if err != nil {
			return err
		}
		for _, id := range now.Private.Trashed { // they will come back at the top, as open as they were
			if err := spaces.KeepLevel(model, tx, org, id); err != nil {
				return err
			}
		}
		now.Private.Step = store.TransferCopying
		return tx.PutTransfer(org, now)
	})
}

// expect opens the organization that a transfer leads to.
func (s *Service) expect(ctx context.Context, org string, d store.TransferDocument) error {
	err := s.Store.Update(ctx, store.Organization(d.Fields.To), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return store.Expect(tx, d.Fields.To, org, d, s.JobLease())
	})
	if errors.Is(err, store.ErrGone) {
		return untransferable("The other organization is not there any more.")
	}
	return err
}

// unshown refuses to transfer a space that a site shows.
func unshown(s *access.Model, id string) error {
	sites := s.SitesOf(id)
	if len(sites) == 0 {
		return nil
	}
	return untransferable("The space %s is shown on the site %s.", id, sites[0]).WithHint("Take it off the site first.")
}

// reopen takes back a transfer of which nothing but the fence is there.
func (s *Service) reopen(ctx context.Context, org string, d store.TransferDocument) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{Prefetch: spaces.RecordKeys(org, d.Fields.Entries)}, func(tx *store.Tx) error {
		if _, err := store.At(tx, org, d.Fields.Entry, store.TransferClosing); err != nil {
			return err
		}
		for _, id := range d.Fields.Entries {
			err := changeEntry(tx, org, id, func(_ **api.Level, p *store.EntryPrivate) { p.State = "" })
			if d.Private.Back.Rebuilds(id) {
				err = store.Discard(tx, org, store.EntryKey(org, id))
			}
			if err != nil {
				return err
			}
		}
		store.EndTransfer(tx, org, d.Fields.Entry)
		return nil
	})
}

// changeEntry changes what a transfer changes in the record of a space or collection.
func changeEntry(tx *store.Tx, org, id string, change func(level **api.Level, p *store.EntryPrivate)) error {
	if access.IsSpace(id) {
		space, err := tx.Space(org, id)
		if err != nil || space.Version == 0 {
			return rest.Missing(err)
		}
		change(&space.Fields.DefaultLevel, &space.Private)
		_, err = tx.PutSpace(space)
		return err
	}
	collection, err := tx.Collection(org, id)
	if err != nil || collection.Version == 0 {
		return rest.Missing(err)
	}
	change(&collection.Fields.DefaultLevel, &collection.Private)
	_, err = tx.PutCollection(collection)
	return err
}
