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

// A transfer closes its entries to writes before the last check. Adding a space to a site has the space's access
// entry in the read set, so that earlier additions are detected and later ones refused.

// confirmTransfer continues a transfer that passes the last check and aborts any other.
func (s *Service) confirmTransfer(ctx context.Context, org string, d store.TransferDocument) error {
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	var forbidden error
	access.View(model, func(model *access.Model) {
		for _, id := range d.Fields.Entries {
			if forbidden == nil {
				forbidden = checkNotOnSite(model, id)
			}
		}
	})
	if forbidden == nil && d.Private.Back != nil {
		forbidden = s.checkTakeBack(ctx, org, d)
	}
	if forbidden == nil { // after openDestination the other organization cannot be deleted
		forbidden = s.openDestination(ctx, org, d)
	}
	if forbidden != nil && !isRefusal(forbidden) {
		return forbidden
	}
	if forbidden != nil {
		if err := s.abortTransfer(ctx, org, d); err != nil {
			return err
		}
		return forbidden
	}
	options := txn.UpdateOptions{Prefetch: spaces.RecordKeys(org, append([]string{d.Fields.Entry}, d.Private.Trashed...))}
	return s.Store.Update(ctx, store.Organization(org), options, func(tx *store.Tx) error {
		now, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferClosing)
		if err != nil {
			return err
		}
		err = changeEntry(tx, org, d.Fields.Entry, func(level **api.Level, _ *store.EntryPrivate) { *level = now.Private.Level })
		if err != nil {
			return err
		}
		// keep the access of the trashed entries, which return to the top level if they are restored
		for _, id := range now.Private.Trashed {
			if err := spaces.PinLevel(model, tx, org, id); err != nil {
				return err
			}
		}
		now.Private.Step = store.TransferCopying
		return tx.PutTransfer(org, now)
	})
}

// openDestination adds the arrival of a transfer to the receiving organization. It returns an error if that organization is
// gone.
func (s *Service) openDestination(ctx context.Context, org string, d store.TransferDocument) error {
	err := s.Store.Update(ctx, store.Organization(d.Fields.To), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return store.OpenArrival(tx, d.Fields.To, org, d, s.JobLease())
	})
	if errors.Is(err, store.ErrGone) {
		return notTransferableError("The other organization is not there any more.")
	}
	return err
}

// checkNotOnSite returns an error if a site shows the space.
func checkNotOnSite(m *access.Model, id string) error {
	sites := m.SitesOf(id)
	if len(sites) == 0 {
		return nil
	}
	return notTransferableError("The space %s is shown on the site %s.", id, sites[0]).WithHint("Take it off the site first.")
}

// abortTransfer reopens the entries of a transfer that has only closed them.
func (s *Service) abortTransfer(ctx context.Context, org string, d store.TransferDocument) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{Prefetch: spaces.RecordKeys(org, d.Fields.Entries)},
		func(tx *store.Tx) error {
			if _, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferClosing); err != nil {
				return err
			}
			for _, id := range d.Fields.Entries {
				if err := changeEntry(tx, org, id, func(_ **api.Level, p *store.EntryPrivate) { p.State = "" }); err != nil {
					return err
				}
			}
			store.EndTransfer(tx, org, d.Fields.Entry)
			return nil
		})
}

// changeEntry applies change to the default level and private part of a space or collection and stores the result. It returns a
// not_found error if there is no such entry.
func changeEntry(tx *store.Tx, org, id string, change func(level **api.Level, p *store.EntryPrivate)) error {
	if access.IsSpace(id) {
		space, err := tx.Space(org, id)
		if err != nil || space.Version == 0 {
			return rest.NotFoundIfNil(err)
		}
		change(&space.Fields.DefaultLevel, &space.Private)
		_, err = tx.PutSpace(space)
		return err
	}
	collection, err := tx.Collection(org, id)
	if err != nil || collection.Version == 0 {
		return rest.NotFoundIfNil(err)
	}
	change(&collection.Fields.DefaultLevel, &collection.Private)
	_, err = tx.PutCollection(collection)
	return err
}
