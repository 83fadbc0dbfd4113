package store

import (
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/store/txn"
)

// SetPointer records in the home organization the current organization of a space or collection that left with a version
// of its record. Late calls, after it returned or left again, have no effect.
func SetPointer(tx *Tx, home, entry, to string, version int64) error {
	d, err := ReadDocument[MovedFields, struct{}](tx, MovedKey(home, entry))
	if err != nil || d.Fields.Epoch >= version {
		return err
	}
	state, there, err := entryState(tx, home, entry)
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

// entryState reads the state of a space or collection; there is false if it does not exist.
func entryState(tx *Tx, org, id string) (state EntryState, there bool, err error) {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		return d.Private.State, d.Version > 0, err
	}
	d, err := tx.Collection(org, id)
	return d.Private.State, d.Version > 0, err
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
