package store

import (
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/store/txn"
)

// Point makes the home organization say where a space or collection is, which
// left with a version of its record. Whoever comes late, when it is here or has
// gone on, changes nothing.
func Point(tx *Tx, home, entry, to string, version int64) error {
	d, err := ReadDocument[MovedFields, struct{}](tx, MovedKey(home, entry))
	if err != nil || d.Fields.Epoch >= version {
		return err
	}
	state, there, err := entryState(tx, home, entry)
	if err != nil || there && !state.Hidden() {
		return err
	}
	d.Fields = MovedFields{Entry: entry, Organization: to, Epoch: version}
	if err := tx.PutMoved(d); err != nil {
		return err
	}
	_, err = PutDocument(tx, MovedKey(home, entry), d)
	return err
}

// nodeState reads the state of a space or collection; there is false if there is
// none.
func entryState(tx *Tx, org, id string) (state EntryState, there bool, err error) {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		return d.Private.State, d.Version > 0, err
	}
	d, err := tx.Collection(org, id)
	return d.Private.State, d.Version > 0, err
}

// Unpoint forgets where something is that is nowhere any more.
func Unpoint(tx *Tx, home, entry string) error {
	_, there, err := tx.Record(MovedKey(home, entry))
	if err == nil && there {
		tx.Delete(MovedKey(home, entry))
		tx.SetAccess(entry, nil)
	}
	return err
}

// At makes the transfer part of the read set: it is ErrLeaseLost unless it is at
// the step.
func At(tx *Tx, org, entry string, step TransferStep) (TransferDocument, error) {
	d, err := tx.Transfer(org, entry)
	if err == nil && (d.Version == 0 || d.Private.Step != step) {
		err = fmt.Errorf("%w: transfer of %s", txn.ErrLeaseLost, entry)
	}
	return d, err
}

// Unswept is ErrBusy while objects of the space are being swept, and keeps a
// sweep from beginning before the commit.
func Unswept(tx *Tx, org, space string) error {
	text, _, err := tx.Field(txn.GCEpochsKey(org), space)
	if err != nil {
		return err
	}
	if gcEpoch, err := txn.ParseGCEpoch(text); err != nil || gcEpoch%2 == 1 {
		return errors.Join(err, txn.ErrBusy)
	}
	return nil
}

// EndTransfer ends a transfer, and its job.
func EndTransfer(tx *Tx, org, entry string) {
	tx.EndTransfer(org, entry)
}
