package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// PurgeOrganization is the job that removes a deleted organization permanently after its time in the trash. The first
// transaction prevents its restoration; its data is removed in idempotent steps. Pointers to spaces and collections
// that were transferred to other organizations remain.
func (s *Service) PurgeOrganization(ctx context.Context, lease store.Lease) error {
	org := lease.Organization
	begun, found, err := s.beginOrganizationPurge(ctx, lease)
	if err != nil || !begun {
		return err
	}
	guard := func(tx *store.Tx) error { return lease.Require(tx.Tx) }
	names, err := s.Store.ScanShard(ctx, store.Organization(org))
	if err != nil {
		return err
	}
	has, err := s.findExternalRefs(ctx, org, names)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, string, []string, func(*store.Tx) error) error{
		s.purgeEntries, s.purgeCopies, s.purgeSpecs, s.purgeIntegrations, s.endServiceAccounts, s.purgeRecords, s.purgeFormerMembers,
	} {
		if err := step(ctx, org, names, guard); err != nil {
			return err
		}
	}
	if err := s.Store.Unlink(ctx, slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !isDerivedKey(name)
	})); err != nil {
		return err
	}
	if err := s.endOrganizationPurge(ctx, lease); err != nil {
		return err
	}
	if err := s.releaseExternalRefs(ctx, org, has); err != nil {
		return err
	}
	return s.logRemoval(s.removeDerivedKeys(ctx, org), found)
}

// beginOrganizationPurge marks the organization as being purged. begun is false if there is nothing to purge, or not
// yet.
func (s *Service) beginOrganizationPurge(ctx context.Context, lease store.Lease) (begun bool, found removal, err error) {
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		begun = false
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		o, err := tx.Organization(lease.Organization)
		if err != nil {
			return err
		}
		deleted := o.Private.Deletion
		if o.Version == 0 || deleted == nil {
			return lease.Finish(tx.Tx)
		}
		found = removal{
			organization: o.Fields.ID, id: o.Fields.ID, title: o.Fields.Title, deletedAt: deleted.DeletedAt, by: deleted.By,
		}
		if begun = deleted.Purging; begun {
			return nil
		}
		if begun, err = mayPurge(ctx, tx, lease, deleted.DeletedAt.Add(store.TrashTime)); err != nil || !begun {
			return err
		}
		deleted.Purging = true
		_, err = tx.PutOrganization(o)
		return err
	})
	return begun, found, err
}

// recordIDs returns the ids of the records of kind wanted among record names.
func recordIDs(names []string, wanted string) (ids []string) {
	for _, name := range names {
		if kind, id := store.RecordName(name); kind == wanted {
			ids = append(ids, id)
		}
	}
	return ids
}

// purgeEntries removes the spaces and collections with their content, including those of interrupted transfers.
func (s *Service) purgeEntries(ctx context.Context, org string, names []string, guard func(tx *store.Tx) error) error {
	for _, id := range recordIDs(names, "sp") {
		there := false
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			space, err := tx.Space(org, id)
			if there = space.Version > 0; err != nil || !there {
				return err
			}
			tx.Unschedule(org, store.PurgeJob(id))
			if !space.Private.State.IsHidden() {
				err = tx.BeginRemoval(space)
			}
			return errors.Join(err, guard(tx))
		})
		if err == nil && there {
			err = s.removeSpace(ctx, org, id, guard, guard)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range recordIDs(names, "col") {
		if err := s.removeCollection(ctx, org, id, guard, guard); err != nil {
			return err
		}
	}
	return nil
}

// purgeCopies removes interrupted copies.
func (s *Service) purgeCopies(ctx context.Context, org string, names []string, guard func(tx *store.Tx) error) error {
	for _, id := range recordIDs(names, "copy") {
		d, err := s.interruptCopy(ctx, org, id, guard)
		if err == nil && d.Version > 0 {
			err = s.removeCopy(ctx, org, d.Fields, guard)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// purgeSpecs removes the content of OpenAPI specifications. Their records are removed later.
func (s *Service) purgeSpecs(ctx context.Context, org string, names []string, guard func(tx *store.Tx) error) error {
	ids := map[string]bool{}
	for _, name := range names {
		if kind, slug := store.RecordName(name); kind == "oas" {
			d, err := s.findSpec(ctx, org, slug)
			if err != nil {
				return err
			}
			ids[d.Fields.ID] = true
		}
	}
	due, err := s.dueJobs(ctx, org)
	if err != nil {
		return err
	}
	for _, job := range due { // add specifications that were deleted before but are not removed yet
		if id, of := strings.CutPrefix(job, store.OpenAPIRemoveKind+":"); of {
			ids[id] = true
		}
	}
	for id := range ids {
		if id == "" {
			continue
		}
		if err := store.DropContent(ctx, s.Store, org, id); err != nil {
			return err
		}
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.DeleteField(txn.GCEpochsKey(org), id)
			tx.RemoveContentUsage(id)
			return guard(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) findSpec(ctx context.Context, org, slug string) (d store.OpenAPISpecDocument, err error) {
	b := s.Store.NewBatch()
	record := b.Record(store.OpenAPISpecKey(org, slug))
	if err := b.Do(ctx); err != nil {
		return d, err
	}
	r, ok, err := record.Get()
	if ok && err == nil {
		err = d.Decode(r)
	}
	return d, err
}

func (s *Service) dueJobs(ctx context.Context, org string) ([]string, error) {
	b := s.Store.NewBatch()
	due := b.Range(txn.DueKey(org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	return due.Value(), nil
}

// externalRefs holds the references to an organization in other shards: claimed hostnames, and indexes of users and
// domains.
type externalRefs struct {
	hostnames map[string]string // by the id of the claim's owner
	indexes   []redis.Key
}

func (s *Service) findExternalRefs(ctx context.Context, org string, names []string) (has externalRefs, err error) {
	b := s.Store.NewBatch()
	organization := b.Record(store.OrganizationKey(org))
	sites := recordIDs(names, "site")
	records := make([]*txn.Future[txn.Record], len(sites))
	for i, id := range sites {
		records[i] = b.Record(store.SiteKey(org, id))
	}
	if err := b.Do(ctx); err != nil {
		return has, err
	}
	var o store.OrganizationDocument
	if r, ok, late := organization.Get(); late != nil || ok && o.Decode(r) != nil {
		return has, errors.Join(late, redis.Corrupt("organization %s", org))
	}
	has.hostnames = map[string]string{org: o.Fields.Hostname}
	for i, id := range sites {
		var d store.SiteDocument
		if r, ok, late := records[i].Get(); late != nil || ok && d.Decode(r) != nil {
			return has, errors.Join(late, redis.Corrupt("site %s", id))
		}
		has.hostnames[store.HostnameOwner(org, id)] = d.Fields.Hostname
	}
	for _, domain := range o.Fields.EmailDomains {
		has.indexes = append(has.indexes, store.DomainKey(domain))
	}
	for _, user := range recordIDs(names, "mem") {
		has.indexes = append(has.indexes, store.UserOrganizationsKey(user), store.OwnOrganizationsKey(user))
	}
	return has, nil
}

// releaseExternalRefs releases the hostnames of a removed organization and removes it from indexes. An interruption
// is harmless, because readers verify both.
func (s *Service) releaseExternalRefs(ctx context.Context, org string, has externalRefs) error {
	for owner, hostname := range has.hostnames {
		if hostname == "" {
			continue
		}
		if err := s.Store.ReleaseRemovedHostname(ctx, owner, hostname); err != nil {
			return err
		}
	}
	for _, index := range has.indexes {
		if err := s.Store.RemoveFromSuperset(ctx, index, org); err != nil {
			return err
		}
	}
	return nil
}

// isKeptKind reports whether records of a kind are not removed by purgeRecords: the organization, which is removed
// last, and pointers.
func isKeptKind(kind string) bool { return slices.Contains([]string{"org", "mv"}, kind) }

// purgeRecords removes all other records and the data derived from them.
func (s *Service) purgeRecords(ctx context.Context, org string, names []string, guard func(tx *store.Tx) error) error {
	find := store.CatalogueMatcher()
	var keys []redis.Key
	for _, name := range names {
		kind, _ := store.RecordName(name)
		if row, known := find(name); known && row.Kind == redis.RecordKind && !isKeptKind(kind) {
			keys = append(keys, redis.NamedKey(redis.RecordKind, name))
		}
	}
	return store.InChunks(keys, func(chunk []redis.Key) error {
		return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{Prefetch: store.WithHeads(org, chunk)}, func(
			tx *store.Tx,
		) error {
			for _, key := range chunk {
				if err := store.DiscardRecord(tx, org, key); err != nil {
					return err
				}
			}
			return guard(tx)
		})
	})
}

// endServiceAccounts ends the accounts of the service accounts of an organization.
func (s *Service) endServiceAccounts(ctx context.Context, org string, _ []string, _ func(tx *store.Tx) error) error {
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	var accounts []string
	access.ViewIncludingTrash(model, func(model *access.Model) {
		for id := range model.AllPersons() {
			if store.IsServiceAccount(id) {
				accounts = append(accounts, id)
			}
		}
	})
	for _, id := range accounts {
		if err := s.Orgs.EndServiceAccount(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// purgeFormerMembers removes the names of former members.
func (s *Service) purgeFormerMembers(ctx context.Context, org string, _ []string, guard func(tx *store.Tx) error) error {
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	var people []string
	access.ViewIncludingTrash(model, func(model *access.Model) {
		for id := range model.AllPersons() {
			people = append(people, id)
		}
	})
	for chunk := range slices.Chunk(people, txn.ChunkFields) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range chunk {
				tx.SetAccess(id, nil)
			}
			return guard(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isDerivedKey reports whether a key contains only data derived from records.
func isDerivedKey(name string) bool {
	_, rest, _ := strings.Cut(name, "}:")
	word, _, _ := strings.Cut(rest, ":")
	return slices.Contains([]string{
		"seen", "heads", "counts", "summaries", "kids", "ix", "events", "epochs", "stale", "outbox", "domains", "index", "segments",
		"segment", "term", "words", "quota", "turns", "followed", "refused", "used",
	}, word)
}

// endOrganizationPurge removes the record of the organization and its jobs.
func (s *Service) endOrganizationPurge(ctx context.Context, lease store.Lease) error {
	org := lease.Organization
	due, err := s.dueJobs(ctx, org)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for _, job := range due {
			if job != lease.Job() {
				tx.Unschedule(org, job)
			}
		}
		if _, there, err := tx.Record(store.OrganizationKey(org)); err != nil {
			return err
		} else if there {
			tx.Delete(store.OrganizationKey(org))
		}
		tx.SetAccess(org, nil)
		return lease.Finish(tx.Tx)
	})
}

// removeDerivedKeys removes the remaining keys of an organization, none of which is read any more, and its entries in the
// registries. It does nothing if the organization has pointers.
func (s *Service) removeDerivedKeys(ctx context.Context, org string) error {
	names, err := s.Store.ScanShard(ctx, store.Organization(org))
	if err != nil || len(recordIDs(names, "mv")) > 0 {
		return err
	}
	if err := s.Store.Unlink(ctx, names); err != nil {
		return err
	}
	for _, index := range []redis.Key{store.RegistryKey(org), txn.DueRegistryKey(org)} {
		if err := s.Store.RemoveFromSuperset(ctx, index, org); err != nil {
			return err
		}
	}
	return nil
}
