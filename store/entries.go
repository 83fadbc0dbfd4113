package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Entry is the access entry of a space or collection: the data that authorization, visibility and counts need
// (docs/decisions.md#the-model-in-memory). It is derived from the record in the same transaction.
type Entry struct {
	Parent  string              `json:"parent,omitzero"`  // id of the collection, "" at the top level
	Order   string              `json:"order"`            // order key among the siblings
	Level   *api.Level          `json:"level"`            // null = no default access
	Creator string              `json:"creator"`          // user id
	Deleted int64               `json:"deleted,omitzero"` // ms since 1970, 0 = not deleted
	Teams   map[string]api.Role `json:"teams,omitempty"`  // grants of teams
	Moving  bool                `json:"moving,omitzero"`  // being transferred to another organization: read-only
	Moved   string              `json:"moved,omitzero"`   // set alone: the current organization of a transferred entry
	Title   *string             `json:"title,omitempty"`  // nil if written by version 0.1.0 or earlier: see Tx.RewriteEntry
}

// EntryPrivate is the server-side part of a space or collection.
type EntryPrivate struct {
	Creator   string              `json:"creator"`
	Order     string              `json:"order"` // order key among the siblings
	Teams     map[string]api.Role `json:"teams,omitempty"`
	State     EntryState          `json:"state,omitzero"`
	ArrivedBy string              `json:"came,omitzero"` // transfer by which it arrived; "" = created here
	Trashed   *TrashRecord        `json:"trashed,omitempty"`
}

// TrashRecord records how a space or collection was deleted on its own. The contents of a deleted collection have none:
// their entries stay below that of the collection.
type TrashRecord struct {
	By    string    `json:"by"`              // user
	Order string    `json:"order"`           // previous order key among its siblings
	Level api.Level `json:"level,omitempty"` // effective level before deletion; "" = none, inherit = the organization's
	// Purge lists the entries purged with a collection once its purge has begun, parents first.
	Purge []string `json:"purge,omitempty"`
}

// EntryState is the transfer state of a space or collection.
type EntryState string

// Transfer states. The empty state means no transfer.
const (
	EntryMoving   EntryState = "moving"   // to another organization: read-only
	EntryArriving EntryState = "arriving" // from another organization: not visible yet
	EntryLeaving  EntryState = "leaving"  // no longer visible; its data is being removed
)

// IsHidden reports whether the record is invisible to everyone: it implies no access entry and no sibling order.
func (s EntryState) IsHidden() bool { return s == EntryLeaving || s == EntryArriving }

// entryFields are the fields of the record of a space or collection that its access entry contains.
type entryFields struct {
	org, id, parent, title string
	level                  *api.Level
	deletedAt              api.Time
}

// putEntry writes the access entry of a space or collection, or removes it if the space or collection is hidden. The
// entry of a pointer stays: while content is transferred back to the organization in which it was created, it is hidden
// there, and the pointer still leads to its current organization.
func (tx *Tx) putEntry(f entryFields, p EntryPrivate) error {
	if p.State.IsHidden() {
		if home, _ := txn.HomeOrganization(f.id); home == f.org {
			if _, pointed, err := tx.Record(MovedKey(f.org, f.id)); err != nil || pointed {
				return err
			}
		}
		tx.SetAccess(f.id, nil)
		return nil
	}
	n := Entry{
		Parent: f.parent, Order: p.Order, Level: f.level, Creator: p.Creator, Teams: p.Teams, Moving: p.State == EntryMoving,
		Title: &f.title,
	}
	if !f.deletedAt.IsZero() {
		n.Deleted = f.deletedAt.UnixMilli()
	}
	entry, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("access entry of %s: %w", f.id, err)
	}
	tx.SetAccess(f.id, entry)
	return nil
}

// RewriteEntry writes the access entry of a space or collection again and returns its title; "" if there is no such record.
// Entries written by version 0.1.0 or earlier get their title by it.
func (tx *Tx) RewriteEntry(org, id string) (title string, err error) {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		s, err := tx.Space(org, id)
		if err != nil || s.Version == 0 {
			return "", err
		}
		return s.Fields.Title, tx.putSpaceEntry(s)
	}
	c, err := tx.Collection(org, id)
	if err != nil || c.Version == 0 {
		return "", err
	}
	return c.Fields.Title, tx.putCollectionEntry(c)
}

// WithoutTitle returns the access entry of a space or collection in the form of version 0.1.0. Entries of others are
// returned unchanged.
func WithoutTitle(id, entry string) string {
	var n Entry
	if !strings.HasPrefix(id, txn.SpacePrefix) && !strings.HasPrefix(id, txn.CollectionPrefix) ||
		json.Unmarshal([]byte(entry), &n) != nil || n.Title == nil {
		return entry
	}
	n.Title = nil
	older, err := json.Marshal(n)
	if err != nil {
		return entry
	}
	return string(older)
}

// placeEntry adds a child at a position among its new siblings and returns its order key. oldOrder is its current
// order key, "" if it is in no order.
func (tx *Tx) placeEntry(org, id, parent string, at txn.Position, oldParent, oldOrder string) (string, error) {
	if oldOrder != "" && oldParent == parent {
		at.Self = txn.OrderMember(oldOrder, id)
	}
	order, err := tx.OrderKey(ChildrenKey(org, parent), at)
	if err != nil {
		return "", err
	}
	if oldOrder != "" {
		tx.Remove(ChildrenKey(org, oldParent), txn.OrderMember(oldOrder, id))
	}
	tx.Add(ChildrenKey(org, parent), txn.OrderMember(order, id))
	return order, nil
}

// EntryKey returns the key of the record of a space or collection.
func EntryKey(org, id string) redis.Key {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		return SpaceKey(org, id)
	}
	return CollectionKey(org, id)
}
