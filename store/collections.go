package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/sortkey"
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
	err := tx.putEntry(c.Fields.ID, Entry{
		Parent: c.Fields.Parent, Order: c.Private.Order, Level: c.Fields.DefaultLevel,
		Creator: c.Private.Creator, Teams: c.Private.Teams,
	}, c.Private.State)
	if err != nil {
		return txn.Record{}, err
	}
	return PutDocument(tx, CollectionKey(c.Fields.Organization, c.Fields.ID), c)
}

// PlaceCollection moves a collection, or gives a new one its place: parent and order key of the document change,
// the caller puts it.
func (tx *Tx) PlaceCollection(c *CollectionDocument, parent string, at txn.Position) error {
	order, err := tx.placeEntry(c.Fields.Organization, c.Fields.ID, parent, at, c.Fields.Parent, c.Private.Order)
	if err != nil {
		return err
	}
	c.Fields.Parent, c.Private.Order = parent, order
	return nil
}

// DeleteCollection removes a collection for good.
func (tx *Tx) DeleteCollection(c CollectionDocument) {
	org, id := c.Fields.Organization, c.Fields.ID
	tx.Delete(CollectionKey(org, id))
	tx.Remove(ChildrenKey(org, c.Fields.Parent), sortkey.Member(c.Private.Order, id))
	tx.SetAccess(id, nil)
}
