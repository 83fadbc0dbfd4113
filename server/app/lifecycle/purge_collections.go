package lifecycle

import (
	"context"
	"slices"
	"strconv"
	"time"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// purgeCollection removes a deleted collection with its contents. The first transaction records the contents, without spaces
// that were restored earlier, which have another parent.
func (s *Service) purgeCollection(ctx context.Context, lease store.Lease) error {
	going, found, err := s.beginCollectionPurge(ctx, lease)
	if err != nil || going == nil {
		return err
	}
	org := lease.Organization
	guard := func(tx *store.Tx) error { return lease.Require(tx.Tx) }
	for _, id := range slices.Backward(going[1:]) {
		title, left, err := s.markLeaving(ctx, org, id, going, guard)
		switch {
		case err != nil:
			return err
		case !left:
			continue
		case access.IsSpace(id):
			err = s.removeSpace(ctx, org, id, guard, guard)
		default:
			err = s.removeCollection(ctx, org, id, guard, guard)
		}
		within := found
		within.id, within.title = id, title
		if err := s.logRemoval(err, within); err != nil {
			return err
		}
	}
	err = s.removeCollection(ctx, org, lease.Arg, guard, func(tx *store.Tx) error {
		tx.Event(map[string]string{
			"type": "collections.purge", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10),
			"id": lease.Arg, "collection": lease.Arg,
		})
		return lease.Finish(tx.Tx)
	})
	return s.logRemoval(err, found)
}

// beginCollectionPurge hides a deleted collection. It returns the collection and its descendants, or nil if there is
// nothing to purge, or not yet.
func (s *Service) beginCollectionPurge(ctx context.Context, lease store.Lease) (going []string, found removal, err error) {
	org, id := lease.Organization, lease.Arg
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return nil, found, err
	}
	all := []string{id}
	access.View(model, func(model *access.Model) { all = append(all, model.Descendants(id)...) })
	err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		going = nil
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		d, err := tx.Collection(org, id)
		if err != nil {
			return err
		}
		if d.Version == 0 || d.Fields.DeletedAt.IsZero() {
			return lease.Finish(tx.Tx)
		}
		found = removal{organization: org, id: id, title: d.Fields.Title, deletedAt: d.Fields.DeletedAt}
		if how := d.Private.Trashed; how != nil {
			found.by = how.By
			if d.Private.State == store.EntryLeaving {
				going = how.Purge
				return nil
			}
		}
		if d.Private.State == store.EntryMoving { // a transfer back is in progress
			tx.Schedule(org, lease.Job(), s.JobLease())
			return nil
		}
		due, err := s.collectionPurgeableAt(ctx, tx, org, d, all)
		if err != nil {
			return err
		}
		if may, err := mayPurge(ctx, tx, lease, due); err != nil || !may {
			return err
		}
		going = all
		d.Private.State = store.EntryLeaving
		d.Private.Trashed = &store.TrashRecord{By: found.by, Purge: all}
		_, err = tx.PutCollection(d)
		return err
	})
	return going, found, err
}

// collectionPurgeableAt returns the time after which a collection may be removed. It is not before the take-back deadline of
// any of its entries.
func (s *Service) collectionPurgeableAt(ctx context.Context, tx *store.Tx, org string, d store.CollectionDocument,
	all []string,
) (time.Time, error) {
	due := d.Fields.DeletedAt.Add(store.TrashTime)
	seen := map[string]bool{"": true}
	for page := range slices.Chunk(all, txn.ChunkFields) {
		b := s.Store.NewBatch()
		records := make([]*txn.Future[txn.Record], len(page))
		for i, id := range page {
			records[i] = b.Record(store.EntryKey(org, id))
		}
		if err := b.Do(ctx); err != nil {
			return due, err
		}
		for _, record := range records {
			r, ok, err := record.Get()
			var entry store.CollectionDocument // the decoded members are common to spaces and collections
			if ok && err == nil {
				err = entry.Decode(r)
			}
			if err != nil {
				return due, err
			}
			came := entry.Private.ArrivedBy
			if seen[came] {
				continue
			}
			seen[came] = true
			transferred, err := tx.Transferred(org, came)
			if until := transferred.Fields.TakeBackUntil.Time; err == nil && transferred.Version > 0 && until.After(due) {
				due = until
			}
			if err != nil {
				return due, err
			}
		}
	}
	return due, nil
}

// markLeaving hides an entry of a collection that is being purged and returns its title. left is false if the entry was
// moved elsewhere before the purge began or is already removed.
func (s *Service) markLeaving(ctx context.Context, org, id string, going []string, guard func(tx *store.Tx) error) (
	title string, left bool, err error,
) {
	err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		left = false
		if err := guard(tx); err != nil {
			return err
		}
		if access.IsSpace(id) {
			space, err := tx.Space(org, id)
			if err != nil || space.Version == 0 || !slices.Contains(going, space.Fields.Parent) || !space.Fields.DeletedAt.IsZero() {
				return err
			}
			title, left = space.Fields.Title, true
			if space.Private.State == store.EntryLeaving {
				return nil
			}
			return tx.BeginRemoval(space)
		}
		collection, err := tx.Collection(org, id)
		title = collection.Fields.Title
		left = err == nil && collection.Version > 0 && slices.Contains(going, collection.Fields.Parent) &&
			collection.Fields.DeletedAt.IsZero()
		return err
	})
	return title, left, err
}

// removeCollection removes an empty collection. Each transaction calls guard, and the last one finish.
func (s *Service) removeCollection(ctx context.Context, org, id string, guard, finish func(tx *store.Tx) error) error {
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	var members []string
	access.View(model, func(model *access.Model) { members = model.GrantedMembers(id) })
	if err := store.RemoveGrants(ctx, s.Store, org, id, members, guard); err != nil {
		return err
	}
	if err := s.removeInviteLinks(ctx, org, id, guard); err != nil {
		return err
	}
	if err := s.removePointer(ctx, org, id); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := store.DiscardRecord(tx, org, store.CollectionKey(org, id)); err != nil {
			return err
		}
		return finish(tx)
	})
}
