package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MemberPrivate is the server-side part of a membership. The data for access decisions is also in its access entry.
type MemberPrivate struct {
	Membership
	User api.UserFields `json:"user"` // user as shown in other resources
}

// Membership is the access granted by a membership.
type Membership struct {
	Role   api.Role                `json:"role"`             // "" = guest
	Grants map[string]api.Role     `json:"grants,omitempty"` // direct grants: space, collection or site -> role
	Teams  map[string]api.TeamRole `json:"teams,omitempty"`  // teams, possibly deleted ones
	// Disabled is a copy of UserPrivate.IsDisabled: the membership gives no access while it is set.
	Disabled bool `json:"disabled,omitzero"`
	// Identities are the identities by which the member signs in -> since when. Tokens of an earlier sign-in do not work.
	Identities map[string]api.Time `json:"identities,omitempty"`
	// CreatedBy is the user who created a service account; "" for people.
	CreatedBy string `json:"createdBy,omitzero"`
}

// ServiceAccountPrefix is the prefix of the ids of service accounts. Builds that do not know service accounts keep it.
const ServiceAccountPrefix = txn.UserPrefix + "service"

// IsServiceAccount reports whether a user is a service account.
func IsServiceAccount(user string) bool { return strings.HasPrefix(user, ServiceAccountPrefix) }

// IsService reports whether the membership is that of a service account.
func (m MemberPrivate) IsService() bool { return IsServiceAccount(m.User.ID) }

// IsActiveAdmin reports whether the membership is that of a person who is an admin and whose account is not disabled.
func (m MemberPrivate) IsActiveAdmin() bool {
	return m.Role == api.RoleAdmin && !m.Disabled && !m.IsService()
}

// Person is the access entry of a current or former member. Former members keep an entry because their content shows
// their name. It contains everything needed to authorize a member and to list the members.
type Person struct {
	User     api.UserFields `json:"user"`
	Member   *Membership    `json:"member,omitempty"` // nil = former member
	JoinedAt api.Time       `json:"joinedAt,omitzero"`
	SSO      bool           `json:"sso,omitzero"`
}

// IsService reports whether the person is a service account.
func (p Person) IsService() bool { return IsServiceAccount(p.User.ID) }

// MemberDocument is the document of a membership.
type MemberDocument = Document[api.MemberFields, MemberPrivate]

// PersonOf returns the access entry of a member.
func PersonOf(m MemberDocument) Person {
	return Person{User: m.Private.User, Member: &m.Private.Membership, JoinedAt: m.Fields.JoinedAt, SSO: m.Fields.SSO}
}

// MembersKey returns the key of the index of the organization's members by id: all but service accounts, or those matching a
// filter.
func MembersKey(org string, filter ...string) redis.Key {
	return IndexKey(org, IndexMembers, org, filter...)
}

// AdminsKey returns the key of the index of the organization's admins whose accounts are not disabled, without service accounts.
// The last one cannot be removed.
func AdminsKey(org string) redis.Key { return MembersKey(org, string(api.RoleAdmin)) }

// ServiceAccountsKey returns the key of the index of the organization's service accounts.
func ServiceAccountsKey(org string) redis.Key { return MembersKey(org, "service") }

// Member reads a membership.
func (tx *Tx) Member(org, user string) (MemberDocument, error) {
	return ReadDocument[api.MemberFields, MemberPrivate](tx, MemberKey(org, user))
}

// PutMember writes a membership with its access entry and its indexes: the organization's members and the user's
// organizations.
func (tx *Tx) PutMember(org string, m MemberDocument) (txn.Record, error) {
	user, index := m.Private.User.ID, MembersKey(org)
	if m.Private.IsService() {
		m.Private.User.Type, index = api.UserService, ServiceAccountsKey(org)
	}
	if err := tx.PutPerson(PersonOf(m)); err != nil {
		return txn.Record{}, err
	}
	tx.Add(index, user)
	if m.Private.IsActiveAdmin() {
		tx.Add(AdminsKey(org), user)
	} else {
		tx.Remove(AdminsKey(org), user)
	}
	if m.Version == 0 {
		tx.AddToSupersetBeforeCommit(UserOrganizationsKey(user), org)
	}
	return putReusable(tx, MemberKey(org, user), m)
}

// DeleteMember removes a membership with all its grants and teams. tx must have read it. The access entry keeps the name; the
// user's own index of organizations is verified when it is read.
func (tx *Tx) DeleteMember(org string, m MemberDocument) error {
	user := m.Private.User.ID
	for id := range m.Private.Identities {
		d, err := tx.Identity(org, id)
		if err != nil {
			return err
		}
		if d.Version > 0 && d.Private.User == user {
			tx.DeleteIdentity(org, d)
		}
	}
	tx.Delete(MemberKey(org, user))
	tx.Remove(MembersKey(org), user)
	tx.Remove(AdminsKey(org), user)
	tx.Remove(ServiceAccountsKey(org), user)
	tx.DeleteField(SeenKey(org), user)
	tx.DeleteField(FollowedKey(org), user)
	tx.Schedule(org, txn.JobName(ForgetKind, user), 0)
	return tx.PutPerson(Person{User: m.Private.User})
}

// PutPerson writes the access entry of a current or former member.
func (tx *Tx) PutPerson(p Person) error {
	entry, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("access entry of %s: %w", p.User.ID, err)
	}
	tx.SetAccess(p.User.ID, entry)
	return nil
}
