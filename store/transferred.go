package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
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
	User  string            `json:"user"`            // who made it
	Asked string            `json:"asked,omitzero"`  // who asked to have it back
	State api.TransferState `json:"state,omitzero"`  // as this organization made it; "" = open
	Nodes []string          `json:"nodes,omitempty"` // what went, in the record of the organization that gave it away
}

// TransferPrefix begins the identifiers of transfers.
const TransferPrefix = "tf_"

// IndexTransfers is the index of the transfers of an organization by id.
const IndexTransfers = "transfers"

// TransfersKey is the index of an organization's transfers.
func TransfersKey(org string) redis.Key { return IndexKey(org, IndexTransfers, org) }

// Transferred reads a transfer that was made.
func (tx *Tx) Transferred(org, id string) (TransferredDocument, error) {
	return document[api.TransferFields, TransferredPrivate](tx, TransferredKey(org, id))
}

// PutTransferred writes a transfer that was made.
func (tx *Tx) PutTransferred(org string, d TransferredDocument) (txn.Record, error) {
	tx.Add(TransfersKey(org), d.Fields.ID)
	return put(tx, TransferredKey(org, d.Fields.ID), d)
}

// Conclude notes what became of a transfer. One that has no record here is left
// alone.
func (tx *Tx) Conclude(org, id string, state api.TransferState) error {
	d, err := tx.Transferred(org, id)
	if err != nil || d.Version == 0 {
		return err
	}
	d.Private.State = state
	_, err = tx.PutTransferred(org, d)
	return err
}

func writeTransferred(tx *Tx, org string, r txn.Record) error {
	var d TransferredDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutTransferred(org, d)
	return err
}

// KeptFields say what a record is about that was kept.
type KeptFields struct {
	Transfer string `json:"transfer"`
	Node     string `json:"node"`
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
func (tx *Tx) PutKept(org, transfer, node string, kept KeptPrivate) error {
	key := KeptKey(org, transfer, node)
	d, err := document[KeptFields, KeptPrivate](tx, key)
	if err != nil {
		return err
	}
	d.Fields, d.Private = KeptFields{Transfer: transfer, Node: node}, kept
	_, err = put(tx, key, d)
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

// restore places something as it was: who it was open to, and where, unless its
// collection does not come along. Teams that are gone get nothing back.
func (k KeptPrivate) restore(a Adoption, parent *string, level **api.Level, p *NodePrivate) error {
	d, err := k.Collection() // a space has these members, too
	if err != nil {
		return err
	}
	p.Came, *level = d.Private.Came, d.Fields.DefaultLevel
	*parent, p.Order = d.Fields.Parent, d.Private.Order
	if _, along := a.Kept[d.Fields.Parent]; !along {
		*parent, p.Order = "", ""
	}
	for team, role := range d.Private.Teams {
		if !a.Teams[team] {
			continue
		}
		if p.Teams == nil {
			p.Teams = map[string]api.Role{}
		}
		p.Teams[team] = role
	}
	return nil
}

// Rebuild writes a collection that was deleted where it was transferred to, as
// it was when it went: seen by nobody, and with a version that no record of it
// ever had.
func (tx *Tx) Rebuild(org, id string, kept KeptPrivate) (version int64, err error) {
	const beyond = 1 << 20
	key := CollectionKey(org, id)
	if _, there, err := tx.Record(key); err != nil || there {
		return 0, errorOr(err, redis.ErrStale)
	}
	d, err := kept.Collection()
	if err != nil {
		return 0, err
	}
	d.Version, d.Fields.Organization, d.Private.State = 0, org, NodeLeaving
	if _, err := tx.PutCollection(d); err != nil {
		return 0, err
	}
	return kept.Version + beyond, tx.SetVersion(key, kept.Version+beyond)
}

// Marks say what had been written in a space: by the kind of records, how many
// there are and which, with their versions.
type Marks map[string]Mark

// Mark is one line of the marks.
type Mark struct {
	Count int    `json:"count"`
	Sum   uint64 `json:"sum"` // of hashes, whatever their order
}

// Add takes a record into the marks of its space. The space's own record does
// not count: what was set there is no text.
func (m Marks) Add(c Copied) {
	kind, id := recordName(c.Key.Name())
	if kind == "sp" || kind == "col" {
		return
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", id, c.record.Version, c.Head))
	mark := m[kind]
	mark.Count++
	mark.Sum += binary.BigEndian.Uint64(sum[:])
	m[kind] = mark
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

// Keep is what is kept of a space or collection that was copied, before what
// belongs to it is added. ok is false for what belongs to a space.
func (c Copied) Keep() (kept KeptPrivate, ok bool) {
	kind, _ := recordName(c.Key.Name())
	return KeptPrivate{
		Version: c.record.Version, Private: c.record.Private, Public: c.record.Public, Head: c.Head, Marks: Marks{},
	}, kind == "sp" || kind == "col"
}
