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

// RequestPrivate is what only the server reads of a change request.
type RequestPrivate struct {
	Creator      string          `json:"creator"`
	Contributors []string        `json:"contributors,omitempty"` // authors of its revisions
	Reviewers    []Reviewer      `json:"reviewers,omitempty"`
	Verdicts     []ReviewVerdict `json:"verdicts,omitempty"` // the last review of everybody who made one
}

// Reviewer is somebody who was asked for a review.
type Reviewer struct {
	User        string   `json:"user"`
	RequestedBy string   `json:"requestedBy"`
	Revision    string   `json:"revision"`
	At          api.Time `json:"at"`
}

// ChangeRequestDocument is the document of a change request.
type ChangeRequestDocument = Document[api.ChangeRequestFields, RequestPrivate]

// RequestID names a change request inside its organization: its record, its head, its comments. Both the number
// and the public id lead to it without a look-up.
func RequestID(space string, number int) string { return fmt.Sprintf("%s-%d", space, number) }

// requestNumber is the member of a change request in the index of its space, which sorts by age.
func requestNumber(number int) string { return fmt.Sprintf("%08d", number) }

// AllRequests owns the indexes of all change requests of an organization.
const AllRequests = "all"

// CreatorFilter owns the index of the change requests that a user created.
func CreatorFilter(user string) string { return "creator-" + user }

// ContributorFilter owns the index of those that a user created or edited.
func ContributorFilter(user string) string { return "contributor-" + user }

// ReviewerFilter owns the index of those that a user was asked to review.
func ReviewerFilter(user string) string { return "reviewer-" + user }

// RequestsByCreationKey is the index of the change requests in a state that AllRequests, a space or a person has, by
// their creation. Its members are made by RequestMember.
func RequestsByCreationKey(org, owner string, status api.ChangeRequestStatus) redis.Key {
	return IndexKey(org, IndexCreated, owner, string(status))
}

// RequestsByUpdateKey is the index of the change requests in a state that AllRequests or a space has, by their last
// change.
func RequestsByUpdateKey(org, owner string, status api.ChangeRequestStatus) redis.Key {
	return IndexKey(org, IndexUpdated, owner, string(status))
}

// RequestMember is the member of a change request in an index by time: it sorts by the time, at the same time by
// space and number.
func RequestMember(at time.Time, space string, number int) string {
	return fmt.Sprintf("%011x-%s-%08d", max(at.UnixMilli(), 0), space, number)
}

// SplitRequestMember returns the space and the number of a member.
func SplitRequestMember(member string) (space string, number int) {
	_, rest, _ := strings.Cut(member, "-")
	at := strings.LastIndexByte(rest, '-')
	if at < 0 {
		return "", 0
	}
	number, _ = strconv.Atoi(rest[at+1:])
	return rest[:at], number
}

// requestIndexes are the places of a change request in the indexes by time, at says when it was last changed.
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

// ChangeRequest reads a change request by its RequestID.
func (tx *Tx) ChangeRequest(org, id string) (ChangeRequestDocument, error) {
	return ReadDocument[api.ChangeRequestFields, RequestPrivate](tx, ChangeRequestKey(org, id))
}

// PutChangeRequest writes a change request, whose head is set already, with its indexes. was is the state before, ""
// for a new one.
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
	tx.replace(requestIndexes(org, before, head.At), requestIndexes(org, c, head.At))
	if was != c.Fields.Status {
		tx.CountSpace(org, space)
	}
	return PutDocument(tx, ChangeRequestKey(org, id), c)
}

// MoveRequestHead sets the head of a change request, and with it its place among those that were changed last.
func (tx *Tx) MoveRequestHead(org, id string, head Head) error {
	before, _, err := tx.Head(org, id)
	if err != nil {
		return err
	}
	c, err := tx.ChangeRequest(org, id)
	if err != nil {
		return err
	}
	tx.replace(requestIndexes(org, c, before.At), requestIndexes(org, c, head.At))
	tx.MoveHead(org, id, head)
	return nil
}

// replace moves something from its places in indexes to others.
func (tx *Tx) replace(before, after []txn.KeyMember) {
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
