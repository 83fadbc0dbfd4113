package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Entry is that of a space or collection in the model of its organization: what authorization, visibility and
// counting need of it (docs/decisions.md#the-model-in-memory). It is derived from the record in the same transaction.
type Entry struct {
	Parent  string              `json:"parent,omitzero"`  // id of the collection, "" at the top
	Order   string              `json:"order"`            // order key among the siblings
	Level   *api.Level          `json:"level"`            // null = nobody by default
	Creator string              `json:"creator"`          // user id
	Deleted int64               `json:"deleted,omitzero"` // ms since 1970, 0 = alive
	Teams   map[string]api.Role `json:"teams,omitempty"`  // grants of teams
	Moving  bool                `json:"moving,omitzero"`  // to another organization: nobody may write
	Moved   string              `json:"moved,omitzero"`   // instead of all else: the organization that has it now
}

// EntryPrivate is what only the server reads of a space or collection.
type EntryPrivate struct {
	Creator string              `json:"creator"`
	Order   string              `json:"order"` // among the siblings; the member of the parent's order
	Teams   map[string]api.Role `json:"teams,omitempty"`
	State   EntryState          `json:"state,omitzero"`
	Came    string              `json:"came,omitzero"` // the transfer by which it came here; none for what was made here
	Trashed *Trashed            `json:"trashed,omitempty"`
}

// Trashed says how a space or collection came into the trash by a delete of its own. What lies in a collection goes
// with it and has none: its entry stays below that of the collection.
type Trashed struct {
	By    string    `json:"by"`              // user
	Order string    `json:"order"`           // the place that it had among its siblings
	Level api.Level `json:"level,omitempty"` // that it had, of its own or from above; "" = nobody, inherit = the organization's
	// Purge is what goes for good with a collection, once that has begun: parents before what is in them.
	Purge []string `json:"purge,omitempty"`
}

// EntryState says whether a space or collection is on its way somewhere.
type EntryState string

// The states beside "", which is that of everything at rest.
const (
	EntryMoving   EntryState = "moving"   // to another organization: nobody may write
	EntryArriving EntryState = "arriving" // from another organization: nobody sees it yet
	EntryLeaving  EntryState = "leaving"  // gone for everybody; what belongs to it is being removed
)

// Hidden reports whether the record stands for nothing that anybody may see: it implies no access entry and no place
// among siblings.
func (s EntryState) Hidden() bool { return s == EntryLeaving || s == EntryArriving }

func (tx *Tx) putEntry(id string, n Entry, state EntryState) error {
	if state.Hidden() {
		tx.SetAccess(id, nil)
		return nil
	}
	n.Moving = state == EntryMoving
	entry, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("access entry of %s: %w", id, err)
	}
	tx.SetAccess(id, entry)
	return nil
}

// placeEntry puts a child at a position among its new siblings and returns its order key there. oldOrder is its
// present order key, "" for a child that is in no order.
func (tx *Tx) placeEntry(org, id, parent string, at txn.Position, oldParent, oldOrder string) (string, error) {
	if oldOrder != "" && oldParent == parent {
		at.Self = txn.Member(oldOrder, id)
	}
	order, err := tx.Place(ChildrenKey(org, parent), at)
	if err != nil {
		return "", err
	}
	if oldOrder != "" {
		tx.Remove(ChildrenKey(org, oldParent), txn.Member(oldOrder, id))
	}
	tx.Add(ChildrenKey(org, parent), txn.Member(order, id))
	return order, nil
}

// EntryKey is the record of a space or collection.
func EntryKey(org, id string) redis.Key {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		return SpaceKey(org, id)
	}
	return CollectionKey(org, id)
}
