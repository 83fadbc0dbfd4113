package store

import (
	"time"

	"docspace.dev/wsd/store/txn"
)

// An arrival opens an organization for the copy that one transfer makes there,
// and ends when everybody sees it. Several nodes may go on with a transfer, and
// one of them may be so late that the transfer is over: the arrival that it
// opens then, and what it copies, belong to nothing. A job finds that out, and
// removes them.

// ArrivalKind is the kind of the jobs that look whether an arrival still belongs
// to a transfer.
const ArrivalKind = "arrival"

// ArrivalFields say whose arrival it is.
type ArrivalFields struct {
	Entry   string   `json:"node"`
	From    string   `json:"from"`  // organization
	Epoch   int64    `json:"epoch"` // of the transfer
	Entries []string `json:"nodes"`
	Orphan  bool     `json:"orphan,omitzero"` // nothing more may come: what came is being removed
}

// ArrivalDocument is the document of an arrival.
type ArrivalDocument = Document[ArrivalFields, ArrivalPrivate]

// ArrivalPrivate is when a job looks at an arrival.
type ArrivalPrivate struct {
	At int64 `json:"at"` // Unix ms
}

// Arrival reads an arrival.
func (tx *Tx) Arrival(org, entry string) (ArrivalDocument, error) {
	return ReadDocument[ArrivalFields, ArrivalPrivate](tx, ArrivalKey(org, entry))
}

// PutArrival writes an arrival, and after how long a job looks at it.
func (tx *Tx) PutArrival(org string, d ArrivalDocument, look time.Duration) error {
	d.Private.At = tx.Now().Add(look).UnixMilli()
	tx.Add(MovingKey(org), movingIn+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Entry), look)
	_, err := PutDocument(tx, ArrivalKey(org, d.Fields.Entry), d)
	return err
}

// EndArrival removes an arrival that was read, and its job.
func (tx *Tx) EndArrival(org, entry string) {
	tx.Delete(ArrivalKey(org, entry))
	tx.Remove(MovingKey(org), movingIn+entry)
	tx.Unschedule(org, txn.JobName(ArrivalKind, entry))
}

func writeArrival(tx *Tx, org string, r txn.Record) error {
	var d ArrivalDocument
	if err := d.Decode(r); err != nil || d.Fields.Entry == "" {
		return err
	}
	tx.Add(MovingKey(org), movingIn+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Entry), 0)
	return nil
}
