package store

import (
	"fmt"
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
	Node   string   `json:"node"`
	From   string   `json:"from"`  // organization
	Epoch  int64    `json:"epoch"` // of the transfer
	Nodes  []string `json:"nodes"`
	Orphan bool     `json:"orphan,omitzero"` // nothing more may come: what came is being removed
}

// ArrivalDocument is the document of an arrival.
type ArrivalDocument = Document[ArrivalFields, ArrivalPrivate]

// ArrivalPrivate is when a job looks at an arrival.
type ArrivalPrivate struct {
	At int64 `json:"at"` // Unix ms
}

// Arrival reads an arrival.
func (tx *Tx) Arrival(org, node string) (ArrivalDocument, error) {
	return document[ArrivalFields, ArrivalPrivate](tx, ArrivalKey(org, node))
}

// PutArrival writes an arrival, and after how long a job looks at it.
func (tx *Tx) PutArrival(org string, d ArrivalDocument, look time.Duration) error {
	d.Private.At = tx.Now().Add(look).UnixMilli()
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Node), look)
	_, err := put(tx, ArrivalKey(org, d.Fields.Node), d)
	return err
}

// Expect opens an organization for what a transfer brings. It is ErrBusy while
// the organization still has what it once gave away, or what an earlier transfer
// left, and ErrLeaseLost when a later transfer brings it.
func (tx *Tx) Expect(to, from string, transfer TransferDocument, look time.Duration) error {
	node := transfer.Fields.Node
	d, err := tx.Arrival(to, node)
	switch {
	case err != nil:
		return err
	case d.Version > 0 && d.Fields.Epoch > transfer.Private.Epoch:
		return fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, node)
	case d.Version > 0 && (d.Fields.Orphan || d.Fields.Epoch < transfer.Private.Epoch):
		return txn.ErrBusy
	case d.Version > 0:
		return nil
	}
	if _, there, err := tx.Record(NodeKey(to, node)); err != nil || there {
		return errorOr(err, txn.ErrBusy)
	}
	d.Fields = ArrivalFields{Node: node, From: from, Epoch: transfer.Private.Epoch, Nodes: transfer.Fields.Nodes}
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
func (tx *Tx) Expected(to string, transfer TransferDocument) error {
	d, err := tx.Arrival(to, transfer.Fields.Node)
	if err == nil && (d.Version == 0 || d.Fields.Orphan || d.Fields.Epoch != transfer.Private.Epoch) {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, transfer.Fields.Node)
	}
	return err
}

// Orphan makes the arrival part of the read set: it is ErrLeaseLost unless it
// belongs to no transfer.
func (tx *Tx) Orphan(to, node string) error {
	d, err := tx.Arrival(to, node)
	if err == nil && !d.Fields.Orphan {
		err = fmt.Errorf("%w: arrival of %s", txn.ErrLeaseLost, node)
	}
	return err
}

// MarkOrphan says of an arrival that it belongs to no transfer.
func (tx *Tx) MarkOrphan(to string, d ArrivalDocument) error {
	d.Fields.Orphan = true
	_, err := put(tx, ArrivalKey(to, d.Fields.Node), d)
	return err
}

// Arriving reports whether a space or collection is there that nobody sees yet.
func (tx *Tx) Arriving(org, id string) (bool, error) {
	state, there, err := tx.nodeState(org, id)
	return there && state == NodeArriving, err
}

// EndArrival ends an arrival that was read, and its job.
func (tx *Tx) EndArrival(org, node string) {
	tx.Delete(ArrivalKey(org, node))
	tx.Unschedule(org, txn.JobName(ArrivalKind, node))
}

func writeArrival(tx *Tx, org string, r txn.Record) error {
	var d ArrivalDocument
	if err := d.Decode(r); err != nil || d.Fields.Node == "" {
		return err
	}
	tx.Schedule(org, txn.JobName(ArrivalKind, d.Fields.Node), 0)
	return nil
}
