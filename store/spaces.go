package store

import (
	"time"

	"docspace.dev/wsd/client/api"
)

// SpaceDocument is the document of a space.
type SpaceDocument = Document[api.SpaceFields, NodePrivate]

// TrashTime is how long a deleted space can be restored (interface, Space deletion and restoration).
const TrashTime = 7 * 24 * time.Hour

// Space reads a space's document.
func (tx *Tx) Space(org, id string) (SpaceDocument, error) {
	return document[api.SpaceFields, NodePrivate](tx, SpaceKey(org, id))
}

// PutSpace writes a space with its shape entry.
func (tx *Tx) PutSpace(s SpaceDocument) (Record, error) {
	n := Node{
		Parent: s.Fields.Parent, Order: s.Private.Order, Level: s.Fields.DefaultLevel,
		Creator: s.Private.Creator, Teams: s.Private.Teams,
	}
	if !s.Fields.DeletedAt.IsZero() {
		n.Deleted = s.Fields.DeletedAt.UnixMilli()
	}
	if err := tx.putNode(s.Fields.ID, n); err != nil {
		return Record{}, err
	}
	return put(tx, SpaceKey(s.Fields.Organization, s.Fields.ID), s)
}

// PlaceSpace moves a space, or gives a new one its place: parent and order key of the document change, the
// caller puts it.
func (tx *Tx) PlaceSpace(s *SpaceDocument, parent string, at Position) error {
	order, err := tx.placeNode(s.Fields.Organization, s.Fields.ID, parent, at, s.Fields.Parent, s.Private.Order)
	if err != nil {
		return err
	}
	s.Fields.Parent, s.Private.Order = parent, order
	return nil
}

// TrashSpace takes a space out of its order and schedules its purge. The caller sets DeletedAt and puts it.
func (tx *Tx) TrashSpace(s SpaceDocument) {
	org, id := s.Fields.Organization, s.Fields.ID
	tx.Remove(kidsOf(org, s.Fields.Parent), Member(s.Private.Order, id))
	tx.AddDue(DueKey(org), PurgeJob(id), s.Fields.DeletedAt.Add(TrashTime))
}

// UntrashSpace is the reverse: the caller gives the space a place again.
func (tx *Tx) UntrashSpace(s SpaceDocument) {
	tx.Remove(DueKey(s.Fields.Organization), PurgeJob(s.Fields.ID))
}

// PurgeJob is the due job that removes a deleted space for good.
func PurgeJob(space string) string { return "purge:" + space }

// RequestsKey is the index of a space's change requests: all, or those in a state. Its members are numbers with
// leading zeros.
func RequestsKey(org, space string, status ...string) Key {
	return IndexKey(org, IndexRequests, space, status...)
}

// CommentsKey is the index of the comments on a target, a space or a change request: all, or those that pass a
// filter such as "open", "p-<page>" or "a-<author>". Its members are ids.
func CommentsKey(org, target string, filter ...string) Key {
	return IndexKey(org, IndexComments, target, filter...)
}

// RepliesKey is the index of the replies to a comment.
func RepliesKey(org, comment string) Key { return IndexKey(org, IndexReplies, comment) }

// CountSpace makes the commit note how many open comments and change requests a space has.
func (tx *Tx) CountSpace(org, space string) {
	tx.Counts(space,
		CommentsKey(org, space, string(api.CommentOpen)),
		RequestsKey(org, space),
		RequestsKey(org, space, string(api.StatusOpen)),
		RequestsKey(org, space, string(api.StatusDraft)))
}
