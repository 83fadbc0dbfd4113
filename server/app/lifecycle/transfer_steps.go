package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ResumeTransfer is the job that completes an interrupted transfer.
func (s *Service) ResumeTransfer(ctx context.Context, lease store.Lease) error {
	err := s.runTransfer(ctx, lease.Organization, lease.Arg, nil)
	if isRefusal(err) { // the transfer was aborted, which ends the job
		return nil
	}
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Finish(tx.Tx)
	})
	if errors.Is(err, txn.ErrLeaseLost) { // the job ended with the transfer
		return nil
	}
	return err
}

// maxSteps bounds the iterations of runTransfer, which may compete with other nodes.
const maxSteps = 12

// runTransfer runs the remaining steps of a transfer. Several nodes may do so concurrently. write encodes the stored
// result of the request and may be nil.
func (s *Service) runTransfer(ctx context.Context, org, entry string, write func(*store.Tx, *txn.Answer) error) error {
	first, err := s.readTransfer(ctx, org, entry)
	if err != nil {
		return err
	}
	shards := transferShards(org, first)
	for range maxSteps {
		ground, err := s.Store.Generations(ctx, shards...)
		if err != nil {
			return err
		}
		d, err := s.readTransfer(ctx, org, entry)
		if err != nil || d.Version == 0 {
			return err
		}
		waitReplicated := func() error { return s.Store.WaitForReplicas(ctx, ground, shards...) }
		if err = s.runStep(redis.WithGenerations(ctx, ground), org, d, waitReplicated, write); err == nil {
			err = waitReplicated()
		}
		if err != nil && !errors.Is(err, redis.ErrStale) && !s.isOvertaken(ctx, org, d, err) {
			return err
		}
	}
	return txn.ErrBusy
}

// runStep runs the next step of a transfer. The writes that a step depends on have to survive a failover: if the
// organizations are on several masters, waitReplicated waits for their replication.
func (s *Service) runStep(ctx context.Context, org string, d store.TransferDocument, waitReplicated func() error, write func(
	*store.Tx, *txn.Answer,
) error,
) error {
	switch d.Private.Step {
	case store.TransferClosing:
		return s.confirmTransfer(ctx, org, d)
	case store.TransferCopying:
		if err := s.Store.Deliver(ctx, org, nil, d.Fields.Entries...); err != nil {
			return err
		}
		if err := s.copyOriginal(ctx, org, d); err != nil {
			return err
		}
		if err := waitReplicated(); err != nil {
			return err
		}
		return s.releaseOriginal(ctx, org, d, write)
	case store.TransferLeft:
		return s.completeArrival(ctx, org, d, waitReplicated, write)
	case store.TransferArrived:
		return s.removeOriginal(ctx, org, d)
	}
	return nil
}

// transferShards returns the shards that a transfer writes to.
func transferShards(org string, d store.TransferDocument) []redis.Shard {
	organizations := []string{org, d.Fields.To}
	for _, id := range d.Fields.Entries {
		if home, ok := txn.HomeOrganization(id); ok {
			organizations = append(organizations, home)
		}
	}
	slices.Sort(organizations)
	var shards []redis.Shard
	for _, id := range slices.Compact(organizations) {
		if id != "" {
			shards = append(shards, store.Organization(id))
		}
	}
	return shards
}

// isOvertaken reports whether a step failed because another node has run it.
func (s *Service) isOvertaken(ctx context.Context, org string, d store.TransferDocument, err error) bool {
	if !errors.Is(err, txn.ErrBusy) {
		var replay *txn.ReplayError
		return errors.Is(err, txn.ErrLeaseLost) || errors.As(err, &replay)
	}
	now, failed := s.readTransfer(ctx, org, d.Fields.Entry)
	return failed == nil && now.Version != d.Version
}

func (s *Service) readTransfer(ctx context.Context, org, entry string) (d store.TransferDocument, err error) {
	b := s.Store.NewBatch()
	future := b.Record(store.TransferKey(org, entry))
	if err := b.Do(ctx); err != nil {
		return d, err
	}
	r, ok, err := future.Get()
	if err != nil || !ok {
		return d, err
	}
	return d, d.Decode(r)
}

// copyOriginal copies every record and head to the receiving organization, where they stay hidden.
func (s *Service) copyOriginal(ctx context.Context, org string, d store.TransferDocument) error {
	to, entry := d.Fields.To, d.Fields.Entry
	if err := s.openDestination(ctx, org, d); err != nil {
		return err
	}
	people, err := s.loadUsers(ctx, org, to)
	if err != nil {
		return err
	}
	adoption := store.Adoption{To: to, Root: entry, Members: people.members, Teams: people.teams}
	if err := s.restorePlacement(ctx, d, &adoption, &people); err != nil {
		return err
	}
	keys, of, err := s.transferKeys(ctx, org, d.Fields.Entries)
	if err != nil {
		return err
	}
	keeping := newSnapshot(of, people.grants)
	err = store.CopyRecords(ctx, s.Store, org, keys, func(chunk []store.CopyResult) error {
		keeping.add(chunk)
		return s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, copied := range chunk {
				if err := store.Adopt(tx, adoption, copied); err != nil {
					return err
				}
				if err := people.addNames(tx, to, copied.Users()); err != nil {
					return err
				}
			}
			return store.RequireArrival(tx, to, d)
		})
	})
	if err == nil {
		err = s.copyGrants(ctx, d, people)
	}
	if err != nil {
		return err
	}
	return s.putSnapshot(ctx, org, d, keeping)
}

// transferUsers holds the users of both organizations of a transfer and their grants.
type transferUsers struct {
	names   map[string]api.UserFields // by user id, in the giving organization
	members map[string]bool           // of the receiving organization
	teams   map[string]bool           // of the receiving organization
	grants  map[string]map[string]api.Role
}

func (s *Service) loadUsers(ctx context.Context, from, to string) (transferUsers, error) {
	people := transferUsers{names: map[string]api.UserFields{}, grants: map[string]map[string]api.Role{}}
	b := s.Store.NewBatch()
	old, next := b.Follow(from), b.Follow(to)
	if err := b.Do(ctx); err != nil {
		return people, err
	}
	access.View(old, func(model *access.Model) {
		for id, p := range model.AllPersons() {
			people.names[id] = p.User
			if p.Member != nil && len(p.Member.Grants) > 0 {
				people.grants[id] = p.Member.Grants
			}
		}
	})
	access.View(next, func(model *access.Model) {
		people.members, people.teams = model.MemberIDs(), model.TeamIDs()
	})
	return people, nil
}

// addNames stores the names of users in the receiving organization, so that their content keeps its author.
func (p transferUsers) addNames(tx *store.Tx, to string, users []string) error {
	for _, id := range users {
		if user, known := p.names[id]; known {
			if err := store.AddPerson(tx, to, user); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyGrants copies the grants of users who are members of the receiving organization.
func (s *Service) copyGrants(ctx context.Context, d store.TransferDocument, people transferUsers) error {
	for user, grants := range people.grants {
		if !people.members[user] {
			continue
		}
		err := s.Store.Update(ctx, store.Organization(d.Fields.To), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if err := store.RequireArrival(tx, d.Fields.To, d); err != nil {
				return err
			}
			return store.AddGrants(tx, d.Fields.To, user, d.Fields.Entries, grants)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// releaseOriginal commits the end of the original in the giving organization: afterwards only the copy is valid.
func (s *Service) releaseOriginal(ctx context.Context, org string, d store.TransferDocument,
	write func(*store.Tx, *txn.Answer) error,
) error {
	options := txn.UpdateOptions{Idempotency: idempotencyIn(org, d), Prefetch: spaces.RecordKeys(org, d.Fields.Entries)}
	return s.Store.Update(ctx, store.Organization(org), options, func(tx *store.Tx) error {
		now, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferCopying)
		if err != nil {
			return err
		}
		if err := s.recordDeparture(tx, org, &now); err != nil {
			return err
		}
		for _, id := range d.Fields.Entries {
			if err := store.LeaveEntry(tx, org, id); err != nil {
				return err
			}
			left, _, err := tx.Record(store.EntryKey(org, id))
			if err != nil {
				return err
			}
			if home, _ := txn.HomeOrganization(id); home == org {
				if err := store.SetPointer(tx, org, id, d.Fields.To, left.Version); err != nil {
					return err
				}
			}
		}
		tx.Event(transferEvent(tx, d))
		now.Private.Step = store.TransferLeft
		if err := tx.PutTransfer(org, now); err != nil {
			return err
		}
		return setAnswer(tx, org, d, write)
	})
}

func transferEvent(tx *store.Tx, d store.TransferDocument) map[string]string {
	kind, of := "collections.transfer", "collection"
	if access.IsSpace(d.Fields.Entry) {
		kind, of = "spaces.transfer", "space"
	}
	if d.Private.Back != nil {
		kind = d.Private.Back.Row
	}
	return map[string]string{
		"type": kind, "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "actor": d.Private.User,
		"id": answerSubject(d), of: d.Fields.Entry,
	}
}

// completeArrival makes the copy visible in the receiving organization.
func (s *Service) completeArrival(ctx context.Context, org string, d store.TransferDocument, waitReplicated func() error,
	write func(*store.Tx, *txn.Answer) error,
) error {
	if err := s.redirectPointers(ctx, org, d); err != nil {
		return err
	}
	err := s.openCopy(ctx, d, write)
	var replay *txn.ReplayError
	if errors.As(err, &replay) || errors.Is(err, txn.ErrLeaseLost) { // another call has made the copy visible
		err = s.reindex(ctx, d.Fields.Entries)
	}
	if err == nil {
		err = waitReplicated()
	}
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferLeft)
		if err != nil {
			return err
		}
		now.Private.Step = store.TransferArrived
		return tx.PutTransfer(org, now)
	})
}

// redirectPointers removes the entries from the index of the giving organization and updates the pointers in their homes.
func (s *Service) redirectPointers(ctx context.Context, org string, d store.TransferDocument) error {
	left, err := rest.ReadRecords(ctx, s.Store, d.Fields.Entries, func(id string) redis.Key { return store.EntryKey(org, id) })
	if err != nil {
		return err
	}
	for id, record := range left {
		if access.IsSpace(id) {
			if err := s.Store.Search.Drop(ctx, org, id); err != nil {
				return err
			}
		}
		if home, _ := txn.HomeOrganization(id); home != org && home != d.Fields.To {
			err := s.Store.Update(ctx, store.Organization(home), txn.UpdateOptions{}, func(tx *store.Tx) error {
				return store.SetPointer(tx, home, id, d.Fields.To, record.Version)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reindex schedules the indexing of transferred spaces: a node that was overtaken may have dropped a new index.
func (s *Service) reindex(ctx context.Context, entries []string) error {
	for _, id := range entries {
		owner, _ := txn.HomeOrganization(id)
		if !access.IsSpace(id) {
			continue
		}
		model, err := s.reloadModel(ctx, owner)
		if err != nil {
			return err
		}
		access.View(model, func(model *access.Model) { owner = cmp.Or(model.MovedTo(id), owner) })
		err = s.Store.Update(ctx, store.Organization(owner), txn.UpdateOptions{}, func(tx *store.Tx) error {
			space, err := tx.Space(owner, id)
			if err == nil && space.Version > 0 && !space.Private.State.IsHidden() {
				tx.MarkSearchStale(owner, id)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// openCopy commits the visibility of the copy in the receiving organization.
func (s *Service) openCopy(ctx context.Context, d store.TransferDocument, write func(*store.Tx, *txn.Answer) error) error {
	to := d.Fields.To
	options := txn.UpdateOptions{Idempotency: idempotencyIn(to, d), Prefetch: spaces.RecordKeys(to, d.Fields.Entries)}
	return s.Store.Update(ctx, store.Organization(to), options, func(tx *store.Tx) error {
		if err := store.RequireArrival(tx, to, d); err != nil {
			return err
		}
		for _, id := range d.Fields.Entries {
			if err := store.ArriveEntry(tx, to, id); err != nil {
				return err
			}
		}
		if err := recordArrival(tx, d); err != nil {
			return err
		}
		store.EndArrival(tx, to, d.Fields.Entry)
		tx.Event(transferEvent(tx, d))
		return setAnswer(tx, to, d, write)
	})
}

// removeOriginal removes the remaining data from the giving organization.
func (s *Service) removeOriginal(ctx context.Context, org string, d store.TransferDocument) error {
	guard := func(tx *store.Tx) error {
		_, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferArrived)
		return err
	}
	for _, id := range d.Fields.Entries {
		if err := s.clearEntry(ctx, org, id, guard); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := guard(tx); err != nil {
			return err
		}
		store.EndTransfer(tx, org, d.Fields.Entry)
		return nil
	})
}

func (s *Service) clearEntry(ctx context.Context, org, id string, guard func(tx *store.Tx) error) error {
	if err := s.removeSpaceData(ctx, org, id, guard); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := guard(tx); err != nil {
			return err
		}
		if access.IsSpace(id) {
			return store.DropSpace(tx, org, id)
		}
		return store.DiscardRecord(tx, org, store.CollectionKey(org, id))
	})
}
