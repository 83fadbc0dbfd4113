package store

import (
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SpaceDocument is the document of a space.
type SpaceDocument = Document[api.SpaceFields, EntryPrivate]

// TrashTime is how long a deleted space can be restored (docs/decisions.md#seven-days).
const TrashTime = 7 * 24 * time.Hour

// Space reads a space's document.
func (tx *Tx) Space(org, id string) (SpaceDocument, error) {
	return ReadDocument[api.SpaceFields, EntryPrivate](tx, SpaceKey(org, id))
}

// PutSpace writes a space with its access entry.
func (tx *Tx) PutSpace(s SpaceDocument) (txn.Record, error) {
	if err := tx.putSpaceEntry(s); err != nil {
		return txn.Record{}, err
	}
	return PutDocument(tx, SpaceKey(s.Fields.Organization, s.Fields.ID), s)
}

func (tx *Tx) putSpaceEntry(s SpaceDocument) error {
	f := s.Fields
	return tx.putEntry(entryFields{f.Organization, f.ID, f.Parent, f.Title, f.DefaultLevel, f.DeletedAt}, s.Private)
}

// MoveSpace sets the parent and the order key of a new or moved space. The caller puts the document.
func (tx *Tx) MoveSpace(s *SpaceDocument, parent string, at txn.Position) error {
	order, err := tx.placeEntry(s.Fields.Organization, s.Fields.ID, parent, at, s.Fields.Parent, s.Private.Order)
	if err != nil {
		return err
	}
	s.Fields.Parent, s.Private.Order = parent, order
	return nil
}

// TrashSpace removes a space from its order and schedules its purge. The caller sets DeletedAt and puts the document.
func (tx *Tx) TrashSpace(s SpaceDocument) {
	tx.trashEntry(s.Fields.Organization, s.Fields.ID, s.Fields.Parent, s.Private.Order)
}

func (tx *Tx) trashEntry(org, id, parent, order string) {
	tx.Remove(ChildrenKey(org, parent), txn.OrderMember(order, id))
	tx.Schedule(org, PurgeJob(id), TrashTime)
}

// CancelPurge cancels the purge of a space or collection. The caller restores its position.
func (tx *Tx) CancelPurge(org, id string) { tx.Unschedule(org, PurgeJob(id)) }

// PurgeJob returns the name of the job that permanently removes a deleted space or collection.
func PurgeJob(entry string) string { return txn.JobName(PurgeKind, entry) }

// PurgeKind is the kind of the jobs that permanently remove deleted spaces and collections.
const PurgeKind = "purge"

// RequestsKey returns the key of the index of all of a space's change requests. Its members are numbers with leading zeros.
func RequestsKey(org, space string) redis.Key { return IndexKey(org, IndexRequests, space) }

// CommentsKey returns the key of the index of the comments on a space or change request: all, or those matching a filter such as
// "open", "p-<page>" or "a-<author>". Its members are ids.
func CommentsKey(org, target string, filter ...string) redis.Key {
	return IndexKey(org, IndexComments, target, filter...)
}

// RepliesKey returns the key of the index of the replies to a comment.
func RepliesKey(org, comment string) redis.Key { return IndexKey(org, IndexReplies, comment) }

// CountSpace makes the commit write a space's number of open comments and of its change requests: in all, open,
// drafts, archived, merged.
func (tx *Tx) CountSpace(org, space string) {
	in := func(status api.ChangeRequestStatus) redis.Key { return RequestsByCreationKey(org, space, status) }
	tx.Counts(space,
		CommentsKey(org, space, string(api.CommentOpen)), RequestsKey(org, space),
		in(api.StatusOpen), in(api.StatusDraft), in(api.StatusArchived), in(api.StatusMerged))
}

// BeginRemoval begins the removal of a space: it becomes invisible and its content is no longer charged to the organization.
func (tx *Tx) BeginRemoval(space SpaceDocument) error {
	org, id := space.Fields.Organization, space.Fields.ID
	space.Private.State = EntryLeaving
	if space.Fields.DeletedAt.IsZero() {
		tx.Remove(ChildrenKey(org, space.Fields.Parent), txn.OrderMember(space.Private.Order, id))
	}
	tx.DropHead(org, id)
	_, err := tx.PutSpace(space)
	return err
}
