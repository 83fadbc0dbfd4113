package store

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// LeaveEntry makes a space or collection invisible in an organization and cancels its purge if it is in the trash. It does
// nothing if the entry does not exist.
func LeaveEntry(tx *Tx, org, id string) error {
	if strings.HasPrefix(id, txn.SpacePrefix) {
		d, err := tx.Space(org, id)
		if err != nil || d.Version == 0 {
			return err
		}
		if !d.Fields.DeletedAt.IsZero() { // the transfer takes it out of the trash
			tx.Unschedule(org, PurgeJob(id))
		}
		return tx.BeginRemoval(d)
	}
	d, err := tx.Collection(org, id)
	if err != nil || d.Version == 0 {
		return err
	}
	d.Private.State = EntryLeaving
	if d.Fields.DeletedAt.IsZero() {
		tx.Remove(ChildrenKey(org, d.Fields.Parent), txn.OrderMember(d.Private.Order, id))
	} else { // the transfer takes it out of the trash
		tx.Unschedule(org, PurgeJob(id))
	}
	_, err = tx.PutCollection(d)
	return err
}

// ArriveEntry makes an adopted space or collection visible, at the end of the top level if it has no parent. In its
// home organization it removes the pointer. It returns ErrStale if a failover lost the adopted records.
func ArriveEntry(tx *Tx, org, id string) error {
	if pointer := MovedKey(org, id); tx.Owns(pointer, redis.RecordKind) {
		if _, there, err := tx.Record(pointer); err != nil {
			return err
		} else if there {
			tx.Delete(pointer)
		}
	}
	if strings.HasPrefix(id, txn.SpacePrefix) {
		return arriveSpace(tx, org, id)
	}
	d, err := tx.Collection(org, id)
	if err != nil || d.Version == 0 {
		return errorOr(err, redis.ErrStale)
	}
	d.Private.State = ""
	if d.Fields.Parent == "" {
		if err := tx.MoveCollection(&d, "", txn.Position{}); err != nil {
			return err
		}
	} else {
		tx.Add(ChildrenKey(org, d.Fields.Parent), txn.OrderMember(d.Private.Order, id))
	}
	_, err = tx.PutCollection(d)
	return err
}

func arriveSpace(tx *Tx, org, id string) error {
	d, err := tx.Space(org, id)
	if err != nil || d.Version == 0 {
		return errorOr(err, redis.ErrStale)
	}
	d.Private.State = ""
	if err := tx.AddContentUsage(id); err != nil {
		return err
	}
	if d.Fields.Parent == "" {
		if err := tx.MoveSpace(&d, "", txn.Position{}); err != nil {
			return err
		}
	} else {
		tx.Add(ChildrenKey(org, d.Fields.Parent), txn.OrderMember(d.Private.Order, id))
	}
	tx.MarkSearchStale(org, id)
	_, err = tx.PutSpace(d)
	return err
}

// AddGrants adds a member's grants on the given contents.
func AddGrants(tx *Tx, org, user string, contents []string, grants map[string]api.Role) error {
	member, err := tx.Member(org, user)
	if err != nil || member.Version == 0 {
		return err
	}
	changed := false
	for _, content := range contents {
		role, granted := grants[content]
		if !granted || member.Private.Grants[content] == role {
			continue
		}
		if member.Private.Grants == nil {
			member.Private.Grants = map[string]api.Role{}
		}
		member.Private.Grants[content], changed = role, true
	}
	if changed {
		_, err = tx.PutMember(org, member)
	}
	return err
}

// AddPerson adds an access entry with the name of a user unless the organization has an entry of the user.
func AddPerson(tx *Tx, org string, user api.UserFields) error {
	_, known, err := tx.Field(txn.EntriesKey(org), user.ID)
	if err != nil || known {
		return err
	}
	return tx.PutPerson(Person{User: user})
}

// RecordTransferResult records the result of a transfer. A transfer without a record here is ignored.
func RecordTransferResult(tx *Tx, org, id string, state api.TransferState) error {
	d, err := tx.Transferred(org, id)
	if err != nil || d.Version == 0 {
		return err
	}
	d.Private.State = state
	_, err = tx.PutTransferred(org, d)
	return err
}
