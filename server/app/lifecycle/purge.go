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

// Purge removes a deleted space or collection for good, when its time in the trash is over. One transaction decides:
// from then on nobody sees it and it cannot be restored. What belongs to it goes in steps, each of which can be done
// again, and the last transaction tells of it.
func (s *Service) Purge(ctx context.Context, lease store.Lease) error {
	if !access.IsSpace(lease.Arg) {
		return s.purgeCollection(ctx, lease)
	}
	begun, err := s.beginPurge(ctx, lease)
	if err != nil || !begun {
		return err
	}
	may := func(tx *store.Tx) error { return lease.Hold(tx.Tx) }
	return s.removeSpace(ctx, lease.Organization, lease.Arg, may, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}

// removeSpace removes all of a space that nobody sees any more; last is of the transaction that tells of it.
func (s *Service) removeSpace(ctx context.Context, org, space string, may, last func(tx *store.Tx) error) error {
	if err := s.clearSpace(ctx, org, space, may); err != nil {
		return err
	}
	if err := s.Store.Search.Drop(ctx, org, space); err != nil {
		return err
	}
	if err := store.DropContent(ctx, s.Store, org, space); err != nil {
		return err
	}
	if err := s.unpoint(ctx, org, space); err != nil {
		return err
	}
	if err := s.deselect(ctx, org, space); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Event(map[string]string{
			"type": "spaces.purge", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10),
			"id": space, "space": space, "role": string(api.RoleCreate),
		})
		if err := store.DropSpace(tx, org, space); err != nil {
			return err
		}
		return last(tx)
	})
}

// unpoint has the home of a space or collection forget that an organization has it.
func (s *Service) unpoint(ctx context.Context, org, entry string) error {
	home, _ := txn.HomeOrganization(entry)
	if home == org {
		return nil
	}
	return s.Store.Update(ctx, store.Organization(home), txn.UpdateOptions{}, func(tx *store.Tx) error { return store.Unpoint(tx, home, entry) })
}

// beginPurge takes a deleted space away from everybody. begun is false when there is nothing to purge, or not yet.
func (s *Service) beginPurge(ctx context.Context, lease store.Lease) (begun bool, err error) {
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		begun = false
		if err := lease.Hold(tx.Tx); err != nil {
			return err
		}
		space, err := tx.Space(lease.Organization, lease.Arg)
		if err != nil {
			return err
		}
		due, err := purgeTime(tx, lease.Organization, space)
		now, late := tx.Time()
		if err := errors.Join(err, late); err != nil {
			return err
		}
		switch {
		case space.Version == 0 || space.Fields.DeletedAt.IsZero():
			return lease.Finish(tx.Tx)
		case now.Before(due):
			tx.Schedule(lease.Organization, lease.Job(), due.Sub(now))
			return nil
		case space.Private.State == store.EntryMoving: // it is being taken back
			tx.Schedule(lease.Organization, lease.Job(), s.JobLease())
			return nil
		}
		begun = true
		if space.Private.State == store.EntryLeaving {
			return nil
		}
		return tx.Leave(space)
	})
	return begun, err
}

// purgeTime is when a deleted space may be removed: not as long as the organization that gave it away can take it back.
func purgeTime(tx *store.Tx, org string, space store.SpaceDocument) (time.Time, error) {
	due := space.Fields.DeletedAt.Add(store.TrashTime)
	if space.Private.Came == "" {
		return due, nil
	}
	d, err := tx.Transferred(org, space.Private.Came)
	if until := d.Fields.TakeBackUntil.Time; err == nil && d.Version > 0 && until.After(due) {
		due = until
	}
	return due, err
}

// clearSpace removes what an organization has of a space beside its record.
func (s *Service) clearSpace(ctx context.Context, org, space string, may func(tx *store.Tx) error) error {
	if err := store.Remove(ctx, s.Store, org, space, may); err != nil {
		return err
	}
	model, err := s.freshShape(ctx, org)
	if err != nil {
		return err
	}
	var members, sites []string
	access.Look(model, func(model *access.Model) { members, sites = model.Granted(space), model.SitesOf(space) })
	for _, site := range sites {
		if err := s.Sites.TakeOffSite(ctx, org, site, space, may); err != nil {
			return err
		}
	}
	if err := s.removeLinksInto(ctx, org, space, may); err != nil {
		return err
	}
	return store.RemoveGrants(ctx, s.Store, org, space, members, may)
}

// removeLinksInto removes the invite links into a space or collection that nobody can get into any more. There are few
// links: all are read.
func (s *Service) removeLinksInto(ctx context.Context, org, content string, may func(tx *store.Tx) error) error {
	b := s.Store.Pipeline()
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
			return may(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// freshShape reads the news of an organization's model.
func (s *Service) freshShape(ctx context.Context, org string) (*txn.Feed, error) {
	b := s.Store.Pipeline()
	model := b.Follow(org)
	return model, b.Do(ctx)
}
