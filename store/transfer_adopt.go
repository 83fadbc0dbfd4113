package store

import (
	"errors"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Adoption contains the parameters for adopting copied records in an organization.
type Adoption struct {
	To       string
	Root     string          // the transferred entry, which is moved to the top level
	Transfer string          // id of the transfer
	Members  map[string]bool // members of the organization; other reviewers are dropped

	Kept  map[string]TransferredEntryPrivate // entries taken back, which return to their former position
	Teams map[string]bool                    // teams of the organization, which regain their grants
}

// readingKind is the kind of read marks. They are private to the organization in which they were made: they are not
// transferred, and writing them does not change the transferred content.
const readingKind = "read"

// Adopt writes a copied record with its derived data, hidden, and with its original version.
func Adopt(tx *Tx, a Adoption, c CopyResult) error {
	to := a.To
	kind, id := RecordName(c.Key.Name())
	if kind == readingKind {
		return nil
	}
	key := Organization(to).Key(redis.RecordKind, append([]string{kind}, strings.Split(id, ":")...)...)
	if err := tx.Prefetch(WithHeads(to, []redis.Key{key})...); err != nil {
		return err
	}
	if kind == "sp" || kind == "col" {
		// another transfer has adopted the entry
		if state, there, err := readEntryState(tx, to, id); err != nil || there && state != EntryArriving {
			return errors.Join(err, txn.ErrLeaseLost)
		}
	}
	if c.Head != "" {
		tx.SetField(HeadsKey(to), id, c.Head)
	}
	var err error
	switch kind {
	case "sp":
		err = adoptSpace(tx, a, c.record)
	case "col":
		err = adoptCollection(tx, a, c.record)
	case "cr":
		err = adoptRequest(tx, to, c.record, a.Members)
	case "cm", "rp", "rv", "sub":
		err = tx.Rewrite(to, kind, c.record)
	default:
		err = redis.Misuse("%s cannot be adopted", c.Key)
	}
	if err != nil {
		return err
	}
	return tx.SetVersion(key, c.record.Version)
}

func adoptSpace(tx *Tx, a Adoption, r txn.Record) error {
	var d SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Fields.Organization, d.Fields.DeletedAt = a.To, api.Time{}
	if err := a.setPosition(d.Fields.ID, &d.Fields.Parent, &d.Fields.DefaultLevel, &d.Private); err != nil {
		return err
	}
	tx.CountSpace(a.To, d.Fields.ID)
	_, err := tx.PutSpace(d)
	return err
}

func adoptCollection(tx *Tx, a Adoption, r txn.Record) error {
	var d CollectionDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Fields.Organization, d.Fields.DeletedAt = a.To, api.Time{}
	if err := a.setPosition(d.Fields.ID, &d.Fields.Parent, &d.Fields.DefaultLevel, &d.Private); err != nil {
		return err
	}
	_, err := tx.PutCollection(d)
	return err
}

// setPosition sets the position of an adopted entry and removes team grants except those it had here before.
func (a Adoption) setPosition(id string, parent *string, level **api.Level, p *EntryPrivate) error {
	p.State, p.Teams, p.ArrivedBy, p.Trashed = EntryArriving, nil, a.Transfer, nil
	if kept, back := a.Kept[id]; back {
		if err := a.restore(kept, parent, level, p); err != nil {
			return err
		}
	}
	if id == a.Root {
		*parent, p.Order = "", ""
	}
	return nil
}

func adoptRequest(tx *Tx, to string, r txn.Record, members map[string]bool) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Private.Reviewers = slices.DeleteFunc(d.Private.Reviewers, func(r Reviewer) bool { return !members[r.User] })
	_, err := tx.PutChangeRequest(to, d, "")
	return err
}

// restore restores the access and the position of an entry, unless its collection is not transferred. Deleted teams
// regain nothing.
func (a Adoption) restore(k TransferredEntryPrivate, parent *string, level **api.Level, p *EntryPrivate) error {
	d, err := k.Collection() // spaces have the same members
	if err != nil {
		return err
	}
	p.ArrivedBy, *level = d.Private.ArrivedBy, d.Fields.DefaultLevel
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
