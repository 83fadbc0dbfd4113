package store

import (
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MemberPrivate is what the server reads of a membership. What decides about permissions is in its access entry, too.
type MemberPrivate struct {
	Membership
	User api.UserFields `json:"user"` // as other resources show the member
}

// Membership is what a membership gives.
type Membership struct {
	Role   api.Role                `json:"role"`             // "" = guest
	Grants map[string]api.Role     `json:"grants,omitempty"` // direct grants: space, collection or site -> role
	Teams  map[string]api.TeamRole `json:"teams,omitempty"`  // teams; one that is deleted may still be named
}

// Person is the access entry of everybody who is or was a member: what somebody wrote keeps its author's name, and
// nothing more has to be read to know what a member may do, or to list the members.
type Person struct {
	User     api.UserFields `json:"user"`
	Member   *Membership    `json:"member,omitempty"` // nil = left
	JoinedAt api.Time       `json:"joinedAt,omitzero"`
	SSO      bool           `json:"sso,omitzero"`
}

// MemberDocument is the document of a membership.
type MemberDocument = Document[api.MemberFields, MemberPrivate]

// PersonOf is the access entry of a member.
func PersonOf(m MemberDocument) Person {
	return Person{User: m.Private.User, Member: &m.Private.Membership, JoinedAt: m.Fields.JoinedAt, SSO: m.Fields.SSO}
}

// MembersKey is the index of the organization's members by id: all, or those that pass a filter.
func MembersKey(org string, filter ...string) redis.Key {
	return IndexKey(org, IndexMembers, org, filter...)
}

// AdminsKey is the index of the organization's admins: one has to stay.
func AdminsKey(org string) redis.Key { return MembersKey(org, string(api.RoleAdmin)) }

// Member reads a membership.
func (tx *Tx) Member(org, user string) (MemberDocument, error) {
	return ReadDocument[api.MemberFields, MemberPrivate](tx, MemberKey(org, user))
}

// PutMember writes a membership with its access entry and its indexes: the organization's members and the user's
// organizations.
func (tx *Tx) PutMember(org string, m MemberDocument) (txn.Record, error) {
	user := m.Private.User.ID
	if err := tx.PutPerson(PersonOf(m)); err != nil {
		return txn.Record{}, err
	}
	tx.Add(MembersKey(org), user)
	if m.Private.Role == api.RoleAdmin {
		tx.Add(AdminsKey(org), user)
	} else {
		tx.Remove(AdminsKey(org), user)
	}
	if m.Version == 0 {
		tx.AddToSupersetBeforeCommit(UserOrganizationsKey(user), org)
	}
	return PutDocument(tx, MemberKey(org, user), m)
}

// DeleteMember ends a membership that was read, and with it every grant and team. The name stays in an access entry; the
// user's own index of organizations is verified when it is read.
func (tx *Tx) DeleteMember(org string, m MemberDocument) error {
	user := m.Private.User.ID
	tx.Delete(MemberKey(org, user))
	tx.Remove(MembersKey(org), user)
	tx.Remove(AdminsKey(org), user)
	tx.DeleteField(SeenKey(org), user)
	tx.Schedule(org, txn.JobName(ForgetKind, user), 0)
	return tx.PutPerson(Person{User: m.Private.User})
}

// PutPerson writes the access entry of somebody: a member, or one who is only named.
func (tx *Tx) PutPerson(p Person) error {
	entry, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("access entry of %s: %w", p.User.ID, err)
	}
	tx.SetAccess(p.User.ID, entry)
	return nil
}
