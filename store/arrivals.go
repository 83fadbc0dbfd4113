package store

import (
	"time"

	"docspace.dev/wsd/store/txn"
)

// An arrival allows an organization to receive the copy that one transfer makes, and ends when the copy becomes
// visible. Several nodes may continue a transfer, and a late one may open an arrival after the transfer has ended.
// Such an arrival and its copies are orphans; a job finds and removes them.

// ArrivalKind is the kind of the jobs that check whether an arrival still belongs to a transfer.
const ArrivalKind = "arrival"

// ArrivalFields identifies the transfer of an arrival.
type ArrivalFields struct {
	Entry   string   `json:"node"`
	From    string   `json:"from"`  // source organization
	Epoch   int64    `json:"epoch"` // of the transfer
	Entries []string `json:"nodes"`
	Orphan  bool     `json:"orphan,omitzero"` // the arrival is closed and its copies are being removed
}

// ArrivalDocument is the document of an arrival.
type ArrivalDocument = Document[ArrivalFields, ArrivalPrivate]

// ArrivalPrivate is the time of the next check of an arrival.
type ArrivalPrivate struct {
	StartedAt int64 `json:"at"` // Unix ms
}

// Arrival reads the arrival of an entry in an organization; a missing one has Version 0.
func (tx *Tx) Arrival(org, entry string) (ArrivalDocument, error) {
	return ReadDocument[ArrivalFields, ArrivalPrivate](tx, ArrivalKey(org, entry))
}

// PutArrival writes an arrival and schedules its check after a delay.
func (tx *Tx) PutArrival(org string, d ArrivalDocument, delay time.Duration) error {
	d.Private.StartedAt = tx.Now().Add(delay).UnixMilli()
	tx.Add(MovingKey(org), inPrefix+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Entry), delay)
	_, err := PutDocument(tx, ArrivalKey(org, d.Fields.Entry), d)
	return err
}

// EndArrival removes an arrival and its job. tx must have read the arrival.
func (tx *Tx) EndArrival(org, entry string) {
	tx.Delete(ArrivalKey(org, entry))
	tx.Remove(MovingKey(org), inPrefix+entry)
	tx.Unschedule(org, txn.JobName(ArrivalKind, entry))
}

func writeArrival(tx *Tx, org string, r txn.Record) error {
	var d ArrivalDocument
	if err := d.Decode(r); err != nil || d.Fields.Entry == "" {
		return err
	}
	tx.Add(MovingKey(org), inPrefix+d.Fields.Entry)
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Entry), 0)
	return nil
}
