package store

import (
	"encoding/json"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A completed transfer is recorded in both organizations. The source organization also keeps the transferred entries
// as they were, so that they can be taken back.

// TransferredDocument is the document of a completed transfer.
type TransferredDocument = Document[api.TransferFields, TransferredPrivate]

// TransferredPrivate is the server-side part of a completed transfer.
type TransferredPrivate struct {
	User    string            `json:"user"`            // user who made the transfer
	Asked   string            `json:"asked,omitzero"`  // user who asked to take it back
	State   api.TransferState `json:"state,omitzero"`  // result in this organization; "" = open
	Entries []string          `json:"nodes,omitempty"` // transferred entries, in the source organization only
}

// TransferPrefix is the prefix of the identifiers of transfers.
const TransferPrefix = "tf_"

// IndexTransfers is the index of the transfers of an organization by id.
const IndexTransfers = "transfers"

// TransfersKey returns the key of the index of an organization's transfers.
func TransfersKey(org string) redis.Key { return IndexKey(org, IndexTransfers, org) }

// Transferred reads a completed transfer.
func (tx *Tx) Transferred(org, id string) (TransferredDocument, error) {
	return ReadDocument[api.TransferFields, TransferredPrivate](tx, TransferredKey(org, id))
}

// PutTransferred writes a completed transfer.
func (tx *Tx) PutTransferred(org string, d TransferredDocument) (txn.Record, error) {
	tx.Add(TransfersKey(org), d.Fields.ID)
	return PutDocument(tx, TransferredKey(org, d.Fields.ID), d)
}

// TransferredEntryFields identifies the entry and transfer of a kept record.
type TransferredEntryFields struct {
	Transfer string `json:"transfer"`
	Entry    string `json:"node"`
}

// TransferredEntryPrivate is a space or collection as it was when it was transferred.
type TransferredEntryPrivate struct {
	Version int64               `json:"version"`
	Private json.RawMessage     `json:"private"` // the two halves of its record
	Public  json.RawMessage     `json:"public"`
	Head    string              `json:"head,omitzero"`
	Grants  map[string]api.Role `json:"grants,omitempty"` // grants of members
	Marks   Marks               `json:"marks,omitempty"`
}

// TransferredEntryDocument is the document of a kept record.
type TransferredEntryDocument = Document[TransferredEntryFields, TransferredEntryPrivate]

// PutTransferredEntry stores a space or collection as it is when it is transferred.
func (tx *Tx) PutTransferredEntry(org, transfer, entry string, kept TransferredEntryPrivate) error {
	key := TransferredEntryKey(org, transfer, entry)
	d, err := ReadDocument[TransferredEntryFields, TransferredEntryPrivate](tx, key)
	if err != nil {
		return err
	}
	d.Fields, d.Private = TransferredEntryFields{Transfer: transfer, Entry: entry}, kept
	_, err = PutDocument(tx, key, d)
	return err
}

// Space decodes a kept space.
func (k TransferredEntryPrivate) Space() (d SpaceDocument, err error) {
	return d, d.Decode(txn.Record{Version: k.Version, Private: k.Private, Public: k.Public})
}

// Collection decodes a kept collection.
func (k TransferredEntryPrivate) Collection() (d CollectionDocument, err error) {
	return d, d.Decode(txn.Record{Version: k.Version, Private: k.Private, Public: k.Public})
}

// Marks summarizes the records of a space by kind: their number and a checksum of them with their versions.
type Marks map[string]Mark

// Mark is the entry of one kind in Marks.
type Mark struct {
	Count int    `json:"count"`
	Sum   uint64 `json:"sum"` // order-independent sum of hashes
}

// Differ returns the kinds of records that differ.
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
