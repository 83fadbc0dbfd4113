package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Purge is the job that removes a deleted space or collection permanently after its time in the trash. The first
// transaction hides it and prevents its restoration. Its data is removed in idempotent steps, and the last
// transaction writes the event.
func (s *Service) Purge(ctx context.Context, lease store.Lease) error {
	if !access.IsSpace(lease.Arg) {
		return s.purgeCollection(ctx, lease)
	}
	begun, found, err := s.beginSpacePurge(ctx, lease)
	if err != nil || !begun {
		return err
	}
	guard := func(tx *store.Tx) error { return lease.Require(tx.Tx) }
	err = s.removeSpace(ctx, lease.Organization, lease.Arg, guard, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
	return s.logRemoval(err, found)
}

// removal describes content that is removed because of its age.
type removal struct {
	organization, id, title string
	deletedAt               api.Time
	by                      string // user who deleted it
}

// logRemoval logs a removal unless its err is not nil. It returns err.
func (s *Service) logRemoval(err error, r removal) error {
	if err == nil {
		s.Log.Info("removed for good", "id", r.id, "title", r.title, "organization", r.organization, "deletedAt", r.deletedAt,
			"deletedBy", r.by)
	}
	return err
}

// mayPurge reports whether the job of a lease may remove what may be removed at due. Otherwise it schedules the job for
// that time: while removals are held on this node, another one may run it.
func mayPurge(ctx context.Context, tx *store.Tx, lease store.Lease, due time.Time) (bool, error) {
	delay, err := tx.RemovalDelay(ctx, due)
	if delay > 0 || errors.Is(err, redis.ErrRemovalHeld) {
		tx.ScheduleAt(lease.Organization, lease.Job(), due)
		return false, nil
	}
	return err == nil, err
}

// removeSpace removes a hidden space with all its data. Each transaction calls guard, and the last one finish.
func (s *Service) removeSpace(ctx context.Context, org, space string, guard, finish func(tx *store.Tx) error) error {
	if err := s.removeSpaceData(ctx, org, space, guard); err != nil {
		return err
	}
	if err := s.Store.Search.Drop(ctx, org, space); err != nil {
		return err
	}
	if err := store.DropContent(ctx, s.Store, org, space); err != nil {
		return err
	}
	if err := s.removePointer(ctx, org, space); err != nil {
		return err
	}
	if err := s.deselectSpace(ctx, org, space); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Event(map[string]string{
			"type": "spaces.purge", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10),
			"id": space, "space": space,
		})
		if err := store.DropSpace(tx, org, space); err != nil {
			return err
		}
		return finish(tx)
	})
}

// removePointer removes the pointer to an organization from the home organization of a space or collection.
func (s *Service) removePointer(ctx context.Context, org, entry string) error {
	home, _ := txn.HomeOrganization(entry)
	if home == org {
		return nil
	}
	return s.Store.Update(ctx, store.Organization(home), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return store.RemovePointer(tx, home, entry)
	})
}

// beginSpacePurge hides a deleted space. begun is false if there is nothing to purge, or not yet.
func (s *Service) beginSpacePurge(ctx context.Context, lease store.Lease) (begun bool, found removal, err error) {
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		begun = false
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		space, err := tx.Space(lease.Organization, lease.Arg)
		if err != nil {
			return err
		}
		switch {
		case space.Version == 0 || space.Fields.DeletedAt.IsZero():
			return lease.Finish(tx.Tx)
		case space.Private.State == store.EntryMoving: // a transfer back is in progress
			tx.Schedule(lease.Organization, lease.Job(), s.JobLease())
			return nil
		}
		found = removal{organization: lease.Organization, id: lease.Arg, title: space.Fields.Title, deletedAt: space.Fields.DeletedAt}
		if how := space.Private.Trashed; how != nil {
			found.by = how.By
		}
		due, err := spacePurgeableAt(tx, lease.Organization, space)
		if err != nil {
			return err
		}
		begun, err = mayPurge(ctx, tx, lease, due)
		if err != nil || !begun || space.Private.State == store.EntryLeaving {
			return err
		}
		return tx.BeginRemoval(space)
	})
	return begun, found, err
}

// spacePurgeableAt returns the time after which a deleted space may be removed. It is not before the deadline for taking
// the space back after a transfer.
func spacePurgeableAt(tx *store.Tx, org string, space store.SpaceDocument) (time.Time, error) {
	due := space.Fields.DeletedAt.Add(store.TrashTime)
	if space.Private.ArrivedBy == "" {
		return due, nil
	}
	d, err := tx.Transferred(org, space.Private.ArrivedBy)
	if until := d.Fields.TakeBackUntil.Time; err == nil && d.Version > 0 && until.After(due) {
		due = until
	}
	return due, err
}

// removeSpaceData removes the data of a space in an organization, except for its record.
func (s *Service) removeSpaceData(ctx context.Context, org, space string, guard func(tx *store.Tx) error) error {
	if err := store.RemoveSpaceRecords(ctx, s.Store, org, space, guard); err != nil {
		return err
	}
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	var members, sites []string
	access.View(model, func(model *access.Model) { members, sites = model.GrantedMembers(space), model.SitesOf(space) })
	for _, site := range sites {
		if err := s.Sites.RemoveFromSite(ctx, org, site, space, guard); err != nil {
			return err
		}
	}
	if err := s.removeInviteLinks(ctx, org, space, guard); err != nil {
		return err
	}
	return store.RemoveGrants(ctx, s.Store, org, space, members, guard)
}

// removeInviteLinks removes the invite links into a hidden space or collection. It reads all links of the
// organization; maxLinkInvites limits them.
func (s *Service) removeInviteLinks(ctx context.Context, org, content string, guard func(tx *store.Tx) error) error {
	b := s.Store.NewBatch()
	index := b.Range(store.LinkInvitesKey(org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read invite links: %w", err)
	}
	ids := index.Value()
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.LinkInviteKey(org, id) })
	if err != nil {
		return err
	}
	for id, r := range records {
		var link store.LinkInviteDocument
		if err := link.Decode(r); err != nil {
			return err
		}
		if link.Fields.Content() != content {
			continue
		}
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if d, err := tx.LinkInvite(org, id); err != nil || d.Version == 0 {
				return err
			}
			tx.DeleteLinkInvite(org, id)
			return guard(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reloadModel brings the access model of an organization up to date.
func (s *Service) reloadModel(ctx context.Context, org string) (*txn.Feed, error) {
	b := s.Store.NewBatch()
	model := b.Follow(org)
	return model, b.Do(ctx)
}
