package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RequestPrivate is the server-side part of a change request.
type RequestPrivate struct {
	Creator      string          `json:"creator"`
	Contributors []string        `json:"contributors,omitempty"` // authors of its revisions
	Reviewers    []Reviewer      `json:"reviewers,omitempty"`
	Verdicts     []ReviewVerdict `json:"verdicts,omitempty"` // last review of each reviewer
	Pushing      *Push           `json:"pushing,omitzero"`   // push that is not complete
}

// Push is a push to a change request whose content is sent in several revisions.
type Push struct {
	User  string   `json:"user"`
	Since api.Time `json:"since"`
}

// Reviewer is a user who was asked for a review.
type Reviewer struct {
	User        string   `json:"user"`
	RequestedBy string   `json:"requestedBy"`
	Revision    string   `json:"revision"`
	AskedAt     api.Time `json:"at"`
}

// ChangeRequestDocument is the document of a change request.
type ChangeRequestDocument = Document[api.ChangeRequestFields, RequestPrivate]

// RequestID returns the id of a change request within its organization, which names its record, its head and its
// comments. It is derived from the space and the public number without a lookup.
func RequestID(space string, number int) string { return fmt.Sprintf("%s-%d", space, number) }

// RequestIDOf returns the RequestID for a change request of a path: an id, which ends in the number, or the number.
func RequestIDOf(space, idOrNumber string) string {
	return space + "-" + idOrNumber[strings.LastIndexByte(idOrNumber, '_')+1:]
}

// requestNumber returns the member of a change request in the index of its space, which sorts by age.
func requestNumber(number int) string { return fmt.Sprintf("%08d", number) }

// AllRequests is the owner of the indexes of all change requests of an organization.
const AllRequests = "all"

// CreatorFilter returns the owner of the index of the change requests created by a user.
func CreatorFilter(user string) string { return "creator-" + user }

// ContributorFilter returns the owner of the index of the change requests created or edited by a user.
func ContributorFilter(user string) string { return "contributor-" + user }

// ReviewerFilter returns the owner of the index of the change requests that a user was asked to review.
func ReviewerFilter(user string) string { return "reviewer-" + user }

// RequestsByCreationKey returns the key of the index by creation time of the change requests with a status. owner is AllRequests, a
// space or a user filter. Its members are made by RequestMember.
func RequestsByCreationKey(org, owner string, status api.ChangeRequestStatus) redis.Key {
	return IndexKey(org, IndexCreated, owner, string(status))
}

// RequestsByUpdateKey returns the key of the index by last change of the change requests with a status. owner is AllRequests or a
// space.
func RequestsByUpdateKey(org, owner string, status api.ChangeRequestStatus) redis.Key {
	return IndexKey(org, IndexUpdated, owner, string(status))
}

// RequestMember returns the member of a change request in an index by time, which sorts by time, space and number.
func RequestMember(at time.Time, space string, number int) string {
	return fmt.Sprintf("%011x-%s-%08d", max(at.UnixMilli(), 0), space, number)
}

// SplitRequestMember returns the space and the number of a member made by RequestMember.
func SplitRequestMember(member string) (space string, number int) {
	_, rest, _ := strings.Cut(member, "-")
	separator := strings.LastIndexByte(rest, '-')
	if separator < 0 {
		return "", 0
	}
	number, _ = strconv.Atoi(rest[separator+1:])
	return rest[:separator], number
}

// requestIndexes returns the members of a change request in the indexes by time; at is the time of its last change.
func requestIndexes(org string, c ChangeRequestDocument, at time.Time) []txn.KeyMember {
	f, p := c.Fields, c.Private
	if f.Number == 0 {
		return nil
	}
	created, updated := RequestMember(f.CreatedAt.Time, f.Space, f.Number), RequestMember(at, f.Space, f.Number)
	owners := []string{AllRequests, f.Space, CreatorFilter(p.Creator), ContributorFilter(p.Creator)}
	for _, user := range p.Contributors {
		owners = append(owners, ContributorFilter(user))
	}
	for _, r := range p.Reviewers {
		owners = append(owners, ReviewerFilter(r.User))
	}
	slots := []txn.KeyMember{
		{Key: RequestsByUpdateKey(org, AllRequests, f.Status), Member: updated},
		{Key: RequestsByUpdateKey(org, f.Space, f.Status), Member: updated},
	}
	for _, owner := range owners {
		slots = append(slots, txn.KeyMember{Key: RequestsByCreationKey(org, owner, f.Status), Member: created})
	}
	return slots
}

// ChangeRequest reads a change request by its RequestID; a missing one has Version 0.
func (tx *Tx) ChangeRequest(org, id string) (ChangeRequestDocument, error) {
	return ReadDocument[api.ChangeRequestFields, RequestPrivate](tx, ChangeRequestKey(org, id))
}

// PutChangeRequest writes a change request, whose head is set already, with its indexes. was is the previous status,
// "" for a new one.
func (tx *Tx) PutChangeRequest(org string, c ChangeRequestDocument, was api.ChangeRequestStatus) (txn.Record, error) {
	space, id := c.Fields.Space, RequestID(c.Fields.Space, c.Fields.Number)
	head, _, err := tx.Head(org, id)
	if err != nil {
		return txn.Record{}, err
	}
	var before ChangeRequestDocument
	if was == "" {
		tx.Add(RequestsKey(org, space), requestNumber(c.Fields.Number))
	} else if before, err = tx.ChangeRequest(org, id); err != nil {
		return txn.Record{}, err
	}
	tx.replaceMembers(requestIndexes(org, before, head.MovedAt), requestIndexes(org, c, head.MovedAt))
	if was != c.Fields.Status {
		tx.CountSpace(org, space)
	}
	return PutDocument(tx, ChangeRequestKey(org, id), c)
}

// SetRequestHead sets the head of a change request and updates the indexes by last change.
func (tx *Tx) SetRequestHead(org, id string, head Head) error {
	before, _, err := tx.Head(org, id)
	if err != nil {
		return err
	}
	c, err := tx.ChangeRequest(org, id)
	if err != nil {
		return err
	}
	tx.replaceMembers(requestIndexes(org, c, before.MovedAt), requestIndexes(org, c, head.MovedAt))
	tx.SetHead(org, id, head)
	return nil
}

// replaceMembers removes the index members of before that after lacks, and adds those of after.
func (tx *Tx) replaceMembers(before, after []txn.KeyMember) {
	for _, s := range before {
		if !slices.Contains(after, s) {
			tx.Remove(s.Key, s.Member)
		}
	}
	for _, s := range after {
		if !slices.Contains(before, s) {
			tx.Add(s.Key, s.Member)
		}
	}
}
