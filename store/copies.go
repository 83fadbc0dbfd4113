package store

import (
	"fmt"
	"time"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Content is copied to new spaces before the records that refer to it are stored. The record of the copy comes first: it
// counts the content in the usage of the organization, and has a job that removes what was copied. The node that copies
// postpones the job as long as it works, and the transaction that completes the copy removes both. So a copy that was
// interrupted is removed after the length of a lease, by any node.

// CopyKind is the kind of the jobs that remove interrupted copies.
const CopyKind = "copy"

// CopyFields identifies a copy in progress.
type CopyFields struct {
	ID          string   `json:"id"`                   // one of Entries
	Entries     []string `json:"nodes"`                // new spaces and collections
	Interrupted bool     `json:"interrupted,omitzero"` // the copy cannot be completed any more; its content is being removed
}

// CopyPrivate is the user who copies.
type CopyPrivate struct {
	User string `json:"user"`
}

// CopyDocument is the document of a copy in progress.
type CopyDocument = Document[CopyFields, CopyPrivate]

// CopyKey returns the key of the record of a copy in progress.
func CopyKey(org, id string) redis.Key { return Organization(org).Key(redis.RecordKind, "copy", id) }

// Copy reads a copy in progress; a missing one has Version 0.
func (tx *Tx) Copy(org, id string) (CopyDocument, error) {
	return ReadDocument[CopyFields, CopyPrivate](tx, CopyKey(org, id))
}

// BeginCopy stores a copy in progress and schedules its job after the length of a lease. It counts sizes, the expected bytes
// of content by new space, in the usage of the organization.
func (tx *Tx) BeginCopy(org string, d CopyDocument, sizes map[string]int64, length time.Duration) error {
	now, err := tx.Copy(org, d.Fields.ID)
	if err != nil {
		return err
	}
	d.Version = now.Version
	for space, bytes := range sizes {
		tx.ReserveContentUsage(space, bytes)
	}
	tx.MarkAddsContent()
	tx.Schedule(org, txn.JobName(CopyKind, d.Fields.ID), length)
	_, err = PutDocument(tx, CopyKey(org, d.Fields.ID), d)
	return err
}

// RequireCopy adds a copy in progress to the read set. It returns ErrLeaseLost if the copy has ended or was interrupted.
func (tx *Tx) RequireCopy(org, id string) error {
	d, err := tx.Copy(org, id)
	if err == nil && (d.Version == 0 || d.Fields.Interrupted) {
		err = fmt.Errorf("%w: copy %s", txn.ErrLeaseLost, id)
	}
	return err
}

// PostponeCopyRemoval postpones the job of a copy by the length of a lease. It returns ErrLeaseLost if the copy has ended or
// was interrupted.
func (tx *Tx) PostponeCopyRemoval(org, id string, length time.Duration) error {
	if err := tx.RequireCopy(org, id); err != nil {
		return err
	}
	tx.Schedule(org, txn.JobName(CopyKind, id), length)
	return nil
}

// InterruptCopy marks a copy as interrupted, so that it cannot be completed any more. tx must have read it.
func (tx *Tx) InterruptCopy(org string, d CopyDocument) error {
	d.Fields.Interrupted = true
	_, err := PutDocument(tx, CopyKey(org, d.Fields.ID), d)
	return err
}

// EndCopy removes the record of a copy and its job. tx must have read it. If the copy was not completed, its content must
// have been removed.
func (tx *Tx) EndCopy(org, id string) {
	tx.Delete(CopyKey(org, id))
	tx.Unschedule(org, txn.JobName(CopyKind, id))
}

func writeCopy(tx *Tx, org string, r txn.Record) error {
	var d CopyDocument
	if err := d.Decode(r); err != nil || d.Fields.ID == "" {
		return err
	}
	tx.Schedule(org, txn.JobName(CopyKind, d.Fields.ID), 0)
	return nil
}
