package store

import (
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A transfer moves a space, or a collection with its contents, to another organization. Its record in the source
// organization contains its progress; any node can continue it. Before the commit in the source organization the copy
// is hidden, afterwards the original. Both are read-only from the first step to the last. Content stays in the slot
// of its space. The home organization, which is part of the id, records the current organization.

// TransferKind is the kind of the jobs that continue transfers.
const TransferKind = "transfer"

// TransferStep is the progress of a transfer.
type TransferStep string

// Steps of a transfer.
const (
	TransferClosing TransferStep = "closing" // the original is read-only; earlier writes may still prevent the transfer
	TransferCopying TransferStep = "copying" // the transfer is permitted; the original is being copied
	TransferLeft    TransferStep = "left"    // the original is hidden, the copy not yet visible
	TransferArrived TransferStep = "arrived" // the copy is visible; the original is being removed
)

// TransferFields identifies the entries and the destination of a transfer.
type TransferFields struct {
	Entry   string   `json:"node"`  // the requested entry
	To      string   `json:"to"`    // organization
	Entries []string `json:"nodes"` // the entry and its contents, parents first
}

// TransferPrivate is the progress of a transfer and its requester.
type TransferPrivate struct {
	Step        TransferStep     `json:"step"`
	User        string           `json:"user"`
	DueAt       api.Time         `json:"at"`                // time at which a job continues it
	Level       *api.Level       `json:"level"`             // level inherited from the collections above
	Trashed     []string         `json:"trashed,omitempty"` // deleted spaces of the collections, which are not transferred
	Epoch       int64            `json:"epoch,omitzero"`    // incremented by each transfer of the entry
	Idempotency *txn.Idempotency `json:"idempotency,omitempty"`

	// Record is the record to write when the transfer completes. It is nil if the transfer takes entries back or was
	// started before there were such records.
	Record *api.TransferFields `json:"record,omitempty"`
	Back   *TakeBack           `json:"back,omitempty"` // nil: not taking back
}

// TakeBack describes a transfer that takes back the entries of an earlier one.
type TakeBack struct {
	Transfer string `json:"transfer"`
	Row      string `json:"row"`             // operation that started it
	Agreed   bool   `json:"agreed,omitzero"` // approved by an admin of the current organization
}

// TransferDocument is the document of a transfer.
type TransferDocument = Document[TransferFields, TransferPrivate]

// MovedFields is the current organization of an entry.
type MovedFields struct {
	Entry        string `json:"node"`
	Organization string `json:"organization"`
	Epoch        int64  `json:"epoch,omitzero"` // version of the record when it left
}

// MovedDocument is the document of a pointer to the current organization of an entry.
type MovedDocument = Document[MovedFields, struct{}]

// PutMoved writes the access entry of a pointer, which contains only the current organization of the entry.
func (tx *Tx) PutMoved(d MovedDocument) error {
	entry, err := json.Marshal(map[string]string{"moved": d.Fields.Organization})
	if err != nil {
		return fmt.Errorf("access entry of %s: %w", d.Fields.Entry, err)
	}
	tx.SetAccess(d.Fields.Entry, entry)
	return nil
}

// Transfer reads a transfer.
func (tx *Tx) Transfer(org, entry string) (TransferDocument, error) {
	return ReadDocument[TransferFields, TransferPrivate](tx, TransferKey(org, entry))
}

// IndexMoving is the index of transfers from or to an organization.
const IndexMoving = "moving"

// MovingKey returns the key of the index of the active transfers from or to an organization. While it is not empty, the organization
// cannot be deleted.
func MovingKey(org string) redis.Key { return IndexKey(org, IndexMoving, org) }

// Members of the index of transfers.
const (
	outPrefix = "out-"
	inPrefix  = "in-"
)

// EndTransfer removes a transfer and its job. tx must have read the transfer.
func (tx *Tx) EndTransfer(org, entry string) {
	tx.Delete(TransferKey(org, entry))
	tx.Remove(MovingKey(org), outPrefix+entry)
	tx.Unschedule(org, txn.JobName(TransferKind, entry))
}

// PutTransfer writes a transfer and adds it to the index of active transfers of the source organization.
func (tx *Tx) PutTransfer(org string, d TransferDocument) error {
	tx.Add(MovingKey(org), outPrefix+d.Fields.Entry)
	_, err := PutDocument(tx, TransferKey(org, d.Fields.Entry), d)
	return err
}

func writeMoved(tx *Tx, _ string, r txn.Record) error {
	var d MovedDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	return tx.PutMoved(d)
}

func writeTransfer(tx *Tx, org string, r txn.Record) error {
	var d TransferDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Add(MovingKey(org), outPrefix+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(TransferKind, d.Fields.Entry), 0)
	return nil
}
