package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
)

// OrganizationDocument is the document of an organization.
type OrganizationDocument = Document[api.OrganizationFields, struct{}]

// MemberPrivate is what the server reads of a membership.
type MemberPrivate struct {
	Role api.Role `json:"role"` // "" = guest
}

// MemberFields are the members of a membership that are stored as they are answered.
type MemberFields struct {
	ID       string   `json:"id"`
	JoinedAt api.Time `json:"joinedAt"`
}

// MemberDocument is the document of a membership.
type MemberDocument = Document[MemberFields, MemberPrivate]

// Index names of an organization.
const (
	IndexMembers  = "members"
	IndexRequests = "requests"
	IndexComments = "comments"
	IndexReplies  = "replies"
)

// MembersKey is the index of the organization's members by id.
func MembersKey(org string) Key { return IndexKey(org, IndexMembers, org) }

// Organization reads an organization's document.
func (tx *Tx) Organization(id string) (OrganizationDocument, error) {
	return document[api.OrganizationFields, struct{}](tx, OrganizationKey(id))
}

// PutOrganization writes an organization's document.
func (tx *Tx) PutOrganization(o OrganizationDocument) (Record, error) {
	return put(tx, OrganizationKey(o.Fields.ID), o)
}

// Member reads a membership.
func (tx *Tx) Member(org, user string) (MemberDocument, error) {
	return document[MemberFields, MemberPrivate](tx, MemberKey(org, user))
}

// PutMember writes a membership with its indexes: the organization's members, the user's organizations, and the
// user's public JSON in the shape, which outlives the membership so that what somebody wrote keeps its author's
// name and lists need no trip for it.
func (tx *Tx) PutMember(org string, m MemberDocument, user api.UserFields) (Record, error) {
	person, err := json.Marshal(user)
	if err != nil {
		return Record{}, fmt.Errorf("member %s: %w", user.ID, err)
	}
	tx.Add(MembersKey(org), user.ID)
	tx.Shape(user.ID, person)
	tx.AddElsewhere(UserOrganizationsKey(user.ID), org)
	return put(tx, MemberKey(org, user.ID), m)
}

// Organizations lists the organizations of the registry, which may name some that do not exist, by id.
func (s *Store) Organizations(ctx context.Context) ([]string, error) {
	b := s.Pipeline()
	parts := make([]*Future[[]string], registryParts)
	for i := range parts {
		parts[i] = b.Range(registryPart(i), "", -1, false)
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	var ids []string
	for _, part := range parts {
		found, _, err := part.Get()
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return ids, nil
}
