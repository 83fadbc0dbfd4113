package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// CollectionDocument is the document of a collection.
type CollectionDocument = Document[api.CollectionFields, EntryPrivate]

// Collection reads a collection's document.
func (tx *Tx) Collection(org, id string) (CollectionDocument, error) {
	return ReadDocument[api.CollectionFields, EntryPrivate](tx, CollectionKey(org, id))
}

// PutCollection writes a collection with its access entry.
func (tx *Tx) PutCollection(c CollectionDocument) (txn.Record, error) {
	if err := tx.putCollectionEntry(c); err != nil {
		return txn.Record{}, err
	}
	return PutDocument(tx, CollectionKey(c.Fields.Organization, c.Fields.ID), c)
}

func (tx *Tx) putCollectionEntry(c CollectionDocument) error {
	f := c.Fields
	return tx.putEntry(entryFields{f.Organization, f.ID, f.Parent, f.Title, f.DefaultLevel, f.DeletedAt}, c.Private)
}

// MoveCollection sets the parent and the order key of a new or moved collection. The caller puts the document.
func (tx *Tx) MoveCollection(c *CollectionDocument, parent string, at txn.Position) error {
	order, err := tx.placeEntry(c.Fields.Organization, c.Fields.ID, parent, at, c.Fields.Parent, c.Private.Order)
	if err != nil {
		return err
	}
	c.Fields.Parent, c.Private.Order = parent, order
	return nil
}

// TrashCollection removes a collection from its order and schedules its purge. Its contents stay below it and are
// purged with it. The caller sets DeletedAt and puts the document.
func (tx *Tx) TrashCollection(c CollectionDocument) {
	tx.trashEntry(c.Fields.Organization, c.Fields.ID, c.Fields.Parent, c.Private.Order)
}
