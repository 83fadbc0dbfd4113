package store

import (
	"encoding/json"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A transfer that was made leaves a record in both organizations. In the one
// that gave something away it also leaves what went, as it was then: that is
// what taking it back rests on.

// TransferredDocument is the document of a transfer that was made.
type TransferredDocument = Document[api.TransferFields, TransferredPrivate]

// TransferredPrivate is what only the server reads of a transfer that was made.
type TransferredPrivate struct {
	User    string            `json:"user"`            // who made it
	Asked   string            `json:"asked,omitzero"`  // who asked to have it back
	State   api.TransferState `json:"state,omitzero"`  // as this organization made it; "" = open
	Entries []string          `json:"nodes,omitempty"` // what went, in the record of the organization that gave it away
}

// TransferPrefix begins the identifiers of transfers.
const TransferPrefix = "tf_"

// IndexTransfers is the index of the transfers of an organization by id.
const IndexTransfers = "transfers"

// TransfersKey is the index of an organization's transfers.
func TransfersKey(org string) redis.Key { return IndexKey(org, IndexTransfers, org) }

// Transferred reads a transfer that was made.
func (tx *Tx) Transferred(org, id string) (TransferredDocument, error) {
	return ReadDocument[api.TransferFields, TransferredPrivate](tx, TransferredKey(org, id))
}

// PutTransferred writes a transfer that was made.
func (tx *Tx) PutTransferred(org string, d TransferredDocument) (txn.Record, error) {
	tx.Add(TransfersKey(org), d.Fields.ID)
	return PutDocument(tx, TransferredKey(org, d.Fields.ID), d)
}

// KeptFields say what a record is about that was kept.
type KeptFields struct {
	Transfer string `json:"transfer"`
	Entry    string `json:"node"`
}

// KeptPrivate is a space or collection as it was when it went.
type KeptPrivate struct {
	Version int64               `json:"version"`
	Private json.RawMessage     `json:"private"` // the two halves of its record
	Public  json.RawMessage     `json:"public"`
	Head    string              `json:"head,omitzero"`
	Grants  map[string]api.Role `json:"grants,omitempty"` // of members
	Marks   Marks               `json:"marks,omitempty"`
}

// KeptDocument is the document of what was kept.
type KeptDocument = Document[KeptFields, KeptPrivate]

// PutKept keeps a space or collection as it is when it goes.
func (tx *Tx) PutKept(org, transfer, entry string, kept KeptPrivate) error {
	key := KeptKey(org, transfer, entry)
	d, err := ReadDocument[KeptFields, KeptPrivate](tx, key)
	if err != nil {
		return err
	}
	d.Fields, d.Private = KeptFields{Transfer: transfer, Entry: entry}, kept
	_, err = PutDocument(tx, key, d)
	return err
}

// Space decodes what was kept of a space.
func (k KeptPrivate) Space() (d SpaceDocument, err error) {
	return d, d.Decode(txn.Record{Version: k.Version, Private: k.Private, Public: k.Public})
}

// Collection decodes what was kept of a collection.
func (k KeptPrivate) Collection() (d CollectionDocument, err error) {
	return d, d.Decode(txn.Record{Version: k.Version, Private: k.Private, Public: k.Public})
}

// Marks say what had been written in a space: by the kind of records, how many
// there are and which, with their versions.
type Marks map[string]Mark

// Mark is one line of the marks.
type Mark struct {
	Count int    `json:"count"`
	Sum   uint64 `json:"sum"` // of hashes, whatever their order
}

// Differ lists the kinds of records that differ.
func (m Marks) Differ(now Marks) (kinds []string) {
	for kind, was := range m {
		if now[kind] != was {
			kinds = append(kinds, kind)
		}
	}
	for kind := range now {
		if _, was := m[kind]; !was {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}
