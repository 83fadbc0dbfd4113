package store

import (
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/store/txn"
)

// ErrGone says that the organization that something is to be transferred to is not there any more.
var ErrGone = errors.New("transfers: the organization is not there")

// Expect opens an organization for what a transfer brings. It is ErrGone when that is in the trash, ErrBusy while
// the organization still has what it once gave away, or what an earlier transfer
// left, and ErrLeaseLost when a later transfer brings it.
func Expect(tx *Tx, to, from string, transfer TransferDocument, look time.Duration) error {
	entry := transfer.Fields.Entry
	o, err := tx.Organization(to)
	if err != nil || GoneOrganization(o) {
		return errorOr(err, ErrGone)
	}
	d, err := tx.Arrival(to, entry)
	switch {
	case err != nil:
		return err
	case d.Version > 0 && d.Fields.Epoch > transfer.Private.Epoch:
		return fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, entry)
	case d.Version > 0 && (d.Fields.Orphan || d.Fields.Epoch < transfer.Private.Epoch):
		return txn.ErrBusy
	case d.Version > 0:
		return nil
	}
	if _, there, err := tx.Record(EntryKey(to, entry)); err != nil || there {
		return errorOr(err, txn.ErrBusy)
	}
	d.Fields = ArrivalFields{Entry: entry, From: from, Epoch: transfer.Private.Epoch, Entries: transfer.Fields.Entries}
	return tx.PutArrival(to, d, look)
}

// errorOr is err, or fallback where that is nil.
func errorOr(err, fallback error) error {
	if err != nil {
		return err
	}
	return fallback
}

// Expected makes the arrival part of the read set: it is ErrLeaseLost if it is
// over, or another transfer's.
func Expected(tx *Tx, to string, transfer TransferDocument) error {
	d, err := tx.Arrival(to, transfer.Fields.Entry)
	if err == nil && (d.Version == 0 || d.Fields.Orphan || d.Fields.Epoch != transfer.Private.Epoch) {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, transfer.Fields.Entry)
	}
	return err
}

// Orphan makes the arrival part of the read set: it is ErrLeaseLost unless it
// belongs to no transfer.
func Orphan(tx *Tx, to, entry string) error {
	d, err := tx.Arrival(to, entry)
	if err == nil && !d.Fields.Orphan {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, entry)
	}
	return err
}

// MarkOrphan says of an arrival that it belongs to no transfer.
func MarkOrphan(tx *Tx, to string, d ArrivalDocument) error {
	d.Fields.Orphan = true
	_, err := PutDocument(tx, ArrivalKey(to, d.Fields.Entry), d)
	return err
}

// Arriving reports whether a space or collection is there that nobody sees yet.
func Arriving(tx *Tx, org, id string) (bool, error) {
	state, there, err := entryState(tx, org, id)
	return there && state == EntryArriving, err
}

// EndArrival ends an arrival that was read, and its job.
func EndArrival(tx *Tx, org, entry string) {
	tx.EndArrival(org, entry)
}
