package store

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Document is a record with its two halves decoded: Fields are the public members, Private the server-side members.
type Document[Fields, Private any] struct {
	Version int64 // 0 = not stored
	Fields  Fields
	Private Private
}

// Decode decodes a record into the document. It returns an ErrCorrupt for damaged JSON.
func (d *Document[Fields, Private]) Decode(r txn.Record) error {
	d.Version = r.Version
	if err := json.Unmarshal(r.Public, &d.Fields); err != nil {
		return fmt.Errorf("%w: public half: %w", redis.ErrCorrupt, err)
	}
	if err := json.Unmarshal(r.Private, &d.Private); err != nil {
		return fmt.Errorf("%w: private half: %w", redis.ErrCorrupt, err)
	}
	return nil
}

// ReadDocument reads a record inside a transaction; a missing one has Version 0.
func ReadDocument[Fields, Private any](tx *Tx, key redis.Key) (Document[Fields, Private], error) {
	var d Document[Fields, Private]
	r, ok, err := tx.Record(key)
	if err != nil || !ok {
		return d, err
	}
	if err := d.Decode(r); err != nil {
		return d, fmt.Errorf("%s: %w", key, err)
	}
	return d, nil
}

// PutDocument writes a document that was read in the same transaction and returns its record. It returns a
// redis.ErrUpgradePending if a member is set that needs a newer format (see memberFormats). Members of the stored record
// that this program does not know are removed.
func PutDocument[Fields, Private any](tx *Tx, key redis.Key, d Document[Fields, Private]) (txn.Record, error) {
	needed := max(tx.store.formats.needed(reflect.ValueOf(d.Fields)), tx.store.formats.needed(reflect.ValueOf(d.Private)))
	if err := tx.RequireFormat(needed); err != nil {
		return txn.Record{}, fmt.Errorf("%s: %w", key, err)
	}
	public, err := json.Marshal(d.Fields)
	if err != nil {
		return txn.Record{}, fmt.Errorf("%s: %w", key, err)
	}
	private, err := json.Marshal(d.Private)
	if err != nil {
		return txn.Record{}, fmt.Errorf("%s: %w", key, err)
	}
	tx.Put(key, private, public)
	r, _, err := tx.Record(key)
	return r, err
}

// putReusable is PutDocument for a record whose key contains a name, so that the key may be used again after the record was deleted.
// The first version is random: a transaction that read the deleted record must not take the new one for it, and compares
// versions only.
func putReusable[Fields, Private any](tx *Tx, key redis.Key, d Document[Fields, Private]) (txn.Record, error) {
	r, err := PutDocument(tx, key, d)
	if err != nil || d.Version > 0 {
		return r, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(tx.NewID(""))) // a hash returns no error
	const unusedBits = 24
	if err := tx.SetVersion(key, int64(h.Sum64()>>unusedBits)+1); err != nil {
		return txn.Record{}, err
	}
	r, _, err = tx.Record(key)
	return r, err
}
