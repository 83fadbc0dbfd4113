package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SetPointer records in the home organization the current organization of a space or collection that left with a version
// of its record. Late calls, after it returned or left again, have no effect.
func SetPointer(tx *Tx, home, entry, to string, version int64) error {
	d, err := ReadDocument[MovedFields, struct{}](tx, MovedKey(home, entry))
	if err != nil || d.Fields.Epoch >= version {
		return err
	}
	state, there, err := readEntryState(tx, home, entry)
	if err != nil || there && !state.IsHidden() {
		return err
	}
	d.Fields = MovedFields{Entry: entry, Organization: to, Epoch: version}
	if err := tx.PutMoved(d); err != nil {
		return err
	}
	_, err = PutDocument(tx, MovedKey(home, entry), d)
	return err
}

// readEntryState reads the state of a space or collection; there is false if it does not exist.
func readEntryState(tx *Tx, org, id string) (state EntryState, there bool, err error) {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		return d.Private.State, d.Version > 0, err
	}
	d, err := tx.Collection(org, id)
	return d.Private.State, d.Version > 0, err
}

// IsTransferring reports whether a space or collection without an access entry in an organization is in transfer from or to
// it: until the copy is visible, no organization shows the entry. It returns ErrStale if the entry is visible now, or if
// its home organization points to another organization.
func IsTransferring(ctx context.Context, s *Store, org, id string) (bool, error) {
	home, ok := txn.HomeOrganization(id)
	if !ok {
		return false, nil
	}
	b := s.NewBatch()
	entry, pointer, moving := b.Record(EntryKey(org, id)), b.Record(MovedKey(home, id)), b.Range(MovingKey(org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return false, fmt.Errorf("transfer of %s: %w", id, err)
	}
	if at, err := pointerOrganization(pointer, home); err != nil || at != org {
		return false, errors.Join(err, redis.ErrStale)
	}
	r, there, err := entry.Get()
	if err != nil || !there {
		return false, err
	}
	var d Document[struct {
		DeletedAt api.Time `json:"deletedAt"`
	}, EntryPrivate]
	if err := d.Decode(r); err != nil {
		return false, err
	}
	switch {
	case d.Private.State == EntryArriving:
		return true, nil
	case d.Private.State == EntryLeaving: // or being purged
		return leavesWithTransfer(ctx, s, org, id, moving.Value())
	case d.Fields.DeletedAt.IsZero():
		return false, redis.ErrStale
	}
	return false, nil
}

// pointerOrganization returns the organization that a pointer of an entry names, or its home if there is no pointer.
func pointerOrganization(pointer *txn.Future[txn.Record], home string) (string, error) {
	r, there, err := pointer.Get()
	if err != nil || !there {
		return home, err
	}
	var d MovedDocument
	err = d.Decode(r)
	return d.Fields.Organization, err
}

// leavesWithTransfer reports whether one of the active transfers of an organization includes the entry.
func leavesWithTransfer(ctx context.Context, s *Store, org, id string, moving []string) (bool, error) {
	b := s.NewBatch()
	var transfers []*txn.Future[txn.Record]
	for _, member := range moving {
		if entry, out := strings.CutPrefix(member, outPrefix); out {
			transfers = append(transfers, b.Record(TransferKey(org, entry)))
		}
	}
	if err := b.Do(ctx); err != nil {
		return false, fmt.Errorf("transfers of %s: %w", org, err)
	}
	for _, transfer := range transfers {
		r, there, err := transfer.Get()
		if err != nil {
			return false, err
		}
		var d TransferDocument
		if !there {
			continue
		}
		if err := d.Decode(r); err != nil {
			return false, err
		}
		if slices.Contains(d.Fields.Entries, id) {
			return true, nil
		}
	}
	return false, nil
}

// RemovePointer removes the pointer of an entry that does not exist any more.
func RemovePointer(tx *Tx, home, entry string) error {
	_, there, err := tx.Record(MovedKey(home, entry))
	if err == nil && there {
		tx.Delete(MovedKey(home, entry))
		tx.SetAccess(entry, nil)
	}
	return err
}

// RequireTransferStep adds the transfer to the read set. It returns ErrLeaseLost unless the transfer is at the step.
func RequireTransferStep(tx *Tx, org, entry string, step TransferStep) (TransferDocument, error) {
	d, err := tx.Transfer(org, entry)
	if err == nil && (d.Version == 0 || d.Private.Step != step) {
		err = fmt.Errorf("%w: transfer of %s", txn.ErrLeaseLost, entry)
	}
	return d, err
}

// RequireNoSweep returns ErrBusy while objects of the space are swept, and prevents a sweep from starting before the commit.
func RequireNoSweep(tx *Tx, org, space string) error {
	text, _, err := tx.Field(txn.GCEpochsKey(org), space)
	if err != nil {
		return err
	}
	if gcEpoch, err := txn.ParseGCEpoch(text); err != nil || gcEpoch%2 == 1 {
		return errors.Join(err, txn.ErrBusy)
	}
	return nil
}

// EndTransfer removes a transfer and its job.
func EndTransfer(tx *Tx, org, entry string) {
	tx.EndTransfer(org, entry)
}
