package store

import (
	"fmt"

	"docspace.dev/wsd/client/api"
)

// RequestPrivate is what only the server reads of a change request.
type RequestPrivate struct {
	Creator      string     `json:"creator"`
	Contributors []string   `json:"contributors,omitempty"` // authors of its revisions
	Reviewers    []Reviewer `json:"reviewers,omitempty"`
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

// RequestMember is the member of a change request in the indexes of its space, which sort by age.
func RequestMember(number int) string { return fmt.Sprintf("%08d", number) }

// ChangeRequest reads a change request by its RequestID.
func (tx *Tx) ChangeRequest(org, id string) (ChangeRequestDocument, error) {
	return document[api.ChangeRequestFields, RequestPrivate](tx, ChangeRequestKey(org, id))
}

// PutChangeRequest writes a change request with its indexes. was is the state before, "" for a new one.
func (tx *Tx) PutChangeRequest(org string, c ChangeRequestDocument, was api.ChangeRequestStatus) (Record, error) {
	space, member := c.Fields.Space, RequestMember(c.Fields.Number)
	if was != c.Fields.Status {
		if was == "" {
			tx.Add(RequestsKey(org, space), member)
		} else {
			tx.Remove(RequestsKey(org, space, string(was)), member)
		}
		tx.Add(RequestsKey(org, space, string(c.Fields.Status)), member)
		tx.CountSpace(org, space)
	}
	return put(tx, ChangeRequestKey(org, RequestID(space, c.Fields.Number)), c)
}
