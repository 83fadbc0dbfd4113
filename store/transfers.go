package store

import (
	"encoding/json"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A transfer takes a space, or a collection with all in it, to another
// organization. Its record in the old organization says how far it is; any node
// goes on from there. Until the commit of the old organization the copy in the
// new one is seen by nobody, after it the original; nobody may write from the
// first step to the last. Content stays in the slot of its space. The home
// organization of an id, which the id contains, says where it is now.

// TransferKind is the kind of the jobs that go on with transfers.
const TransferKind = "transfer"

// TransferStep says how far a transfer is.
type TransferStep string

// The steps of a transfer.
const (
	TransferClosing TransferStep = "closing" // the original is closed to writes; what was written before may forbid the transfer
	TransferCopying TransferStep = "copying" // nothing forbids it; the original is being copied
	TransferLeft    TransferStep = "left"    // the original is gone for everybody, the copy not yet there
	TransferArrived TransferStep = "arrived" // the copy is what there is; the original is being removed
)

// TransferFields are what a transfer is about.
type TransferFields struct {
	Entry   string   `json:"node"`  // what was asked for
	To      string   `json:"to"`    // organization
	Entries []string `json:"nodes"` // it and all in it, parents before what is in them
}

// TransferPrivate is how far a transfer is, and for whom.
type TransferPrivate struct {
	Step        TransferStep     `json:"step"`
	User        string           `json:"user"`
	At          api.Time         `json:"at"`                // when a job goes on with it
	Level       *api.Level       `json:"level"`             // that it has from the collections above it
	Trashed     []string         `json:"trashed,omitempty"` // deleted spaces of the collections: they stay
	Epoch       int64            `json:"epoch,omitzero"`    // grows with each transfer of the entry: tells one from another
	Idempotency *txn.Idempotency `json:"idempotency,omitempty"`

	// Record is what will tell of the transfer when it is over: none of one that takes something back, or that was
	// begun before there were such records.
	Record *api.TransferFields `json:"record,omitempty"`
	Back   *TakeBack           `json:"back,omitempty"` // nil: it takes nothing back
}

// TakeBack says that a transfer takes back what an earlier one gave away.
type TakeBack struct {
	Transfer string   `json:"transfer"`
	Row      string   `json:"row"`               // the operation that began it
	Agreed   bool     `json:"agreed,omitzero"`   // by an admin of the organization that has it
	Rebuilt  []string `json:"rebuilt,omitempty"` // collections that were deleted there: they come back as they were
}

// Rebuilds reports whether a collection comes back that was deleted meanwhile.
func (b *TakeBack) Rebuilds(id string) bool { return b != nil && slices.Contains(b.Rebuilt, id) }

// TransferDocument is the document of a transfer.
type TransferDocument = Document[TransferFields, TransferPrivate]

// MovedFields say where something is.
type MovedFields struct {
	Entry        string `json:"node"`
	Organization string `json:"organization"`
	Epoch        int64  `json:"epoch,omitzero"` // version of the record when it left for there
}

// MovedDocument is the document of a pointer.
type MovedDocument = Document[MovedFields, struct{}]

// PutMoved writes the access entry of a pointer.
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

// IndexMoving is the index of what is on its way to an organization or from it.
const IndexMoving = "moving"

// MovingKey is the index of the transfers that are under way to an organization or from it: as long as there is one, the
// organization cannot be deleted.
func MovingKey(org string) redis.Key { return IndexKey(org, IndexMoving, org) }

// The members of the index of what is moving.
const (
	movingOut = "out-"
	movingIn  = "in-"
)

// EndTransfer removes a transfer that was read, and its job.
func (tx *Tx) EndTransfer(org, entry string) {
	tx.Delete(TransferKey(org, entry))
	tx.Remove(MovingKey(org), movingOut+entry)
	tx.Unschedule(org, txn.JobName(TransferKind, entry))
}

// PutTransfer writes a transfer.
func (tx *Tx) PutTransfer(org string, d TransferDocument) error {
	tx.Add(MovingKey(org), movingOut+d.Fields.Entry)
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
	tx.Add(MovingKey(org), movingOut+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(TransferKind, d.Fields.Entry), 0)
	return nil
}
