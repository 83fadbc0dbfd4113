package store

import (
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/store/txn"
)

// ErrGone is returned if the destination organization of a transfer does not exist any more.
var ErrGone = errors.New("transfers: the organization is not there")

// OpenArrival opens the arrival of a transfer. It returns ErrGone if the organization is in the trash, ErrBusy while it
// still has remains of an earlier transfer of the entry, and ErrLeaseLost if a later transfer has opened an arrival.
func OpenArrival(tx *Tx, to, from string, transfer TransferDocument, look time.Duration) error {
	entry := transfer.Fields.Entry
	o, err := tx.Organization(to)
	if err != nil || IsOrganizationGone(o) {
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

// errorOr returns err, or fallback if err is nil.
func errorOr(err, fallback error) error {
	if err != nil {
		return err
	}
	return fallback
}

// RequireArrival adds the arrival to the read set. It returns ErrLeaseLost if it has ended or belongs to another transfer.
func RequireArrival(tx *Tx, to string, transfer TransferDocument) error {
	d, err := tx.Arrival(to, transfer.Fields.Entry)
	if err == nil && (d.Version == 0 || d.Fields.Orphan || d.Fields.Epoch != transfer.Private.Epoch) {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, transfer.Fields.Entry)
	}
	return err
}

// RequireOrphan adds the arrival to the read set. It returns ErrLeaseLost unless the arrival is an orphan.
func RequireOrphan(tx *Tx, to, entry string) error {
	d, err := tx.Arrival(to, entry)
	if err == nil && !d.Fields.Orphan {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, entry)
	}
	return err
}

// MarkOrphan marks an arrival as an orphan.
func MarkOrphan(tx *Tx, to string, d ArrivalDocument) error {
	d.Fields.Orphan = true
	_, err := PutDocument(tx, ArrivalKey(to, d.Fields.Entry), d)
	return err
}

// Arriving reports whether a space or collection is stored in the organization but was not made visible yet.
func Arriving(tx *Tx, org, id string) (bool, error) {
	state, there, err := readEntryState(tx, org, id)
	return there && state == EntryArriving, err
}

// EndArrival removes an arrival and its job. tx must have read the arrival.
func EndArrival(tx *Tx, org, entry string) {
	tx.EndArrival(org, entry)
}
