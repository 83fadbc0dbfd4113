package lifecycle

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A transfer stores a snapshot of its entries, so that they can be taken back, see store/transferred.go. It is taken
// while the original is closed, before it leaves its organization.

// newTransferRecord returns the fields of the record of a transfer.
func newTransferRecord(tx *store.Tx, org string, f store.TransferFields) (*api.TransferFields, error) {
	r := &api.TransferFields{Object: "transfer", ID: tx.NewID(store.TransferPrefix), From: org, To: f.To}
	if access.IsSpace(f.Entry) {
		space, err := tx.Space(org, f.Entry)
		r.Space, r.Title = f.Entry, space.Fields.Title
		return r, err
	}
	collection, err := tx.Collection(org, f.Entry)
	r.Collection, r.Title = f.Entry, collection.Fields.Title
	return r, err
}

// snapshot collects the stored state of each transferred space and collection.
type snapshot struct {
	entryIDs map[redis.Key]string // entry id by record key
	entries  map[string]*store.TransferredEntryPrivate
}

func newSnapshot(of map[redis.Key]string, grants map[string]map[string]api.Role) *snapshot {
	k := &snapshot{entryIDs: of, entries: map[string]*store.TransferredEntryPrivate{}}
	for user, roles := range grants {
		for content, role := range roles {
			entry := k.entry(content)
			if entry.Grants == nil {
				entry.Grants = map[string]api.Role{}
			}
			entry.Grants[user] = role
		}
	}
	return k
}

func (k *snapshot) entry(id string) *store.TransferredEntryPrivate {
	if k.entries[id] == nil {
		k.entries[id] = &store.TransferredEntryPrivate{Marks: store.Marks{}}
	}
	return k.entries[id]
}

func (k *snapshot) add(chunk []store.CopyResult) {
	for _, copied := range chunk {
		entry := k.entry(k.entryIDs[copied.Key])
		if kept, ok := copied.Transferred(); ok {
			kept.Grants, kept.Marks = entry.Grants, entry.Marks
			*entry = kept
		}
		copied.Mark(entry.Marks)
	}
}

// snapshotBatch is the number of entries that one transaction stores: each may have thousands of grants.
const snapshotBatch = 20

// putSnapshot stores a snapshot. It stores none for a take-back.
func (s *Service) putSnapshot(ctx context.Context, org string, d store.TransferDocument, k *snapshot) error {
	if d.Private.Record == nil {
		return nil
	}
	for chunk := range slices.Chunk(d.Fields.Entries, snapshotBatch) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range chunk {
				if err := tx.PutTransferredEntry(org, d.Private.Record.ID, id, *k.entry(id)); err != nil {
					return err
				}
			}
			_, err := store.RequireTransferStep(tx, org, d.Fields.Entry, store.TransferCopying)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recordDeparture stores the record of a transfer in the giving organization, and updates the record of the transfer
// by which the entry had arrived there.
func (s *Service) recordDeparture(tx *store.Tx, org string, d *store.TransferDocument) error {
	if d.Private.Back != nil {
		return store.RecordTransferResult(tx, org, d.Private.Back.Transfer, api.TransferTakenBack)
	}
	root, err := arrivalTransfer(tx, org, d.Fields.Entry)
	if err != nil {
		return err
	}
	if root != "" {
		earlier, err := tx.Transferred(org, root)
		if err != nil {
			return err
		}
		state := api.TransferPassedOn
		if earlier.Fields.From == d.Fields.To {
			state = api.TransferReturned
		}
		if err := store.RecordTransferResult(tx, org, root, state); err != nil {
			return err
		}
	}
	r := d.Private.Record
	if r == nil {
		return nil
	}
	now, err := tx.Time()
	if err != nil {
		return err
	}
	r.Direction, r.TransferredAt = api.TransferOut, api.At(now)
	r.TakeBackUntil = api.At(now.Add(time.Duration(s.Budgets.TakeBackTime)))
	return putTransferred(tx, org, *d)
}

// arrivalTransfer returns the id of the transfer by which an entry arrived in the organization, or "".
func arrivalTransfer(tx *store.Tx, org, entry string) (string, error) {
	if access.IsSpace(entry) {
		space, err := tx.Space(org, entry)
		return space.Private.ArrivedBy, err
	}
	collection, err := tx.Collection(org, entry)
	return collection.Private.ArrivedBy, err
}

func putTransferred(tx *store.Tx, org string, d store.TransferDocument) error {
	made, err := tx.Transferred(org, d.Private.Record.ID)
	if err != nil {
		return err
	}
	made.Fields, made.Private = *d.Private.Record, store.TransferredPrivate{User: d.Private.User}
	if org == made.Fields.From {
		made.Private.Entries = d.Fields.Entries
	}
	_, err = tx.PutTransferred(org, made)
	return err
}

// recordArrival stores the record of a transfer in the receiving organization.
func recordArrival(tx *store.Tx, d store.TransferDocument) error {
	if d.Private.Back != nil {
		return store.RecordTransferResult(tx, d.Fields.To, d.Private.Back.Transfer, api.TransferTakenBack)
	}
	if d.Private.Record == nil {
		return nil
	}
	d.Private.Record.Direction = api.TransferIn
	return putTransferred(tx, d.Fields.To, d)
}

// restorePlacement gives returned entries their former parents, and grants the former roles to users who are still
// members.
func (s *Service) restorePlacement(ctx context.Context, d store.TransferDocument, adoption *store.Adoption, people *transferUsers) error {
	if d.Private.Back == nil {
		if d.Private.Record != nil {
			adoption.Transfer = d.Private.Record.ID
		}
		return nil
	}
	kept, made, err := s.loadSnapshot(ctx, d.Fields.To, d.Private.Back.Transfer, d.Fields.Entries)
	if err != nil {
		return err
	}
	adoption.Kept = kept
	model, err := s.reloadModel(ctx, d.Fields.To)
	if err != nil {
		return err
	}
	access.View(model, func(model *access.Model) { people.grants = model.RestorableGrants(kept, made.Fields.TransferredAt) })
	return nil
}

// loadSnapshot reads the snapshot and the record of a transfer in the giving organization.
func (s *Service) loadSnapshot(ctx context.Context, org, transfer string, entries []string) (map[string]store.TransferredEntryPrivate,
	store.TransferredDocument, error,
) {
	var made store.TransferredDocument
	b := s.Store.NewBatch()
	record := b.Record(store.TransferredKey(org, transfer))
	futures := make([]*txn.Future[txn.Record], len(entries))
	for i, id := range entries {
		futures[i] = b.Record(store.TransferredEntryKey(org, transfer, id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, made, err
	}
	kept := map[string]store.TransferredEntryPrivate{}
	for i, id := range entries {
		r, ok, err := futures[i].Get()
		if err != nil || !ok {
			return nil, made, rest.NotFoundIfNil(err)
		}
		var d store.TransferredEntryDocument
		if err := d.Decode(r); err != nil {
			return nil, made, err
		}
		kept[id] = d.Private
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return nil, made, rest.NotFoundIfNil(err)
	}
	return kept, made, made.Decode(r)
}
