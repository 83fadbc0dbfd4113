package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// IdentityDocument is the document of an identity: a person as a provider of an organization calls them. The person is known by the
// provider, its issuer and its subject, from which the id is derived.
type IdentityDocument = Document[api.IdentityFields, IdentityPrivate]

// IdentityPrivate is the server-side part of an identity.
type IdentityPrivate struct {
	// User is the member who signs in by it. It is "" while the identity is pending: a sign-in was refused, and an admin can link it.
	User string `json:"user,omitzero"`
	// Refresh is the refresh token of the person at an OIDC provider, encrypted; "" = none.
	Refresh string `json:"refresh,omitzero"`
	// Client is the client id with which Refresh works. It is sent by no other client, and to no other issuer than that of the identity.
	Client string `json:"client,omitzero"`
	// ConfirmedAt is the time at which an OIDC provider last said that the person may sign in. It is kept with Refresh.
	ConfirmedAt api.Time `json:"confirmedAt,omitzero"`
}

// IdentityPrefix is the prefix of the ids of identities.
const IdentityPrefix = "ident_"

// IndexIdentities is the index of identities by id.
const IndexIdentities = "identities"

// identityLength is the length of the hash in the id of an identity.
const identityLength = 40

// IdentityID returns the id of the identity of a subject of an issuer.
func IdentityID(provider, issuer, subject string) string {
	return IdentityPrefix + Hash(provider, issuer, subject)[:identityLength]
}

// IdentityUser returns the id of the account that a first sign-in by an identity creates. An interrupted sign-in is resumed with it.
func IdentityUser(identity string) string { return txn.UserPrefix + Hash(identity)[:identityLength] }

// IdentityKey returns the key of the record of an identity.
func IdentityKey(org, id string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "ident", id)
}

// IdentitiesKey returns the key of the index of the identities of an organization, or of one of its providers.
func IdentitiesKey(org string, provider ...string) redis.Key {
	return IndexKey(org, IndexIdentities, org, provider...)
}

// pendingIdentities is the filter of the indexes of pending identities.
const pendingIdentities = "pending"

// PendingIdentitiesKey returns the key of the index of the pending identities of an organization, or of one of its providers.
func PendingIdentitiesKey(org string, provider ...string) redis.Key {
	owner := org
	if len(provider) > 0 {
		owner = provider[0]
	}
	return IndexKey(org, IndexIdentities, owner, pendingIdentities)
}

// ForgetIdentitiesKind is the kind of the jobs that remove the identities of a deleted provider.
const ForgetIdentitiesKind = "forget-identities"

// ForgetIdentitiesJob returns the name of the job that removes the identities of a deleted provider.
func ForgetIdentitiesJob(provider string) string { return txn.JobName(ForgetIdentitiesKind, provider) }

// Identity reads an identity.
func (tx *Tx) Identity(org, id string) (IdentityDocument, error) {
	return ReadDocument[api.IdentityFields, IdentityPrivate](tx, IdentityKey(org, id))
}

// PutIdentity writes an identity with its indexes.
func (tx *Tx) PutIdentity(org string, d IdentityDocument) (txn.Record, error) {
	tx.Add(IdentitiesKey(org), d.Fields.ID)
	tx.Add(IdentitiesKey(org, d.Fields.Provider), d.Fields.ID)
	for _, key := range []redis.Key{PendingIdentitiesKey(org), PendingIdentitiesKey(org, d.Fields.Provider)} {
		if d.Private.User == "" {
			tx.Add(key, d.Fields.ID)
		} else {
			tx.Remove(key, d.Fields.ID)
		}
	}
	return putReusable(tx, IdentityKey(org, d.Fields.ID), d)
}

// DeleteIdentity removes an identity. tx must have read it. The caller removes it from its member.
func (tx *Tx) DeleteIdentity(org string, d IdentityDocument) {
	tx.Delete(IdentityKey(org, d.Fields.ID))
	tx.Remove(IdentitiesKey(org), d.Fields.ID)
	tx.Remove(IdentitiesKey(org, d.Fields.Provider), d.Fields.ID)
	tx.Remove(PendingIdentitiesKey(org), d.Fields.ID)
	tx.Remove(PendingIdentitiesKey(org, d.Fields.Provider), d.Fields.ID)
}

// ProviderEntry is the access entry of a provider by which somebody can sign in.
type ProviderEntry struct {
	// Moved is set so that builds which do not know the entry do not take it for a collection.
	Moved string `json:"moved"`
}

// SetProvider writes the access entry of a provider, or removes it if nobody can sign in by the provider. Its sign-ins end with it.
func (tx *Tx) SetProvider(id string, isActive bool) error {
	if !isActive {
		tx.SetAccess(id, nil)
		return nil
	}
	entry, err := json.Marshal(ProviderEntry{Moved: "-"})
	if err != nil {
		return fmt.Errorf("access entry of provider %s: %w", id, err)
	}
	tx.SetAccess(id, entry)
	return nil
}

// IsProvider reports whether an id is that of an identity provider.
func IsProvider(id string) bool {
	return strings.HasPrefix(id, SAMLProviderPrefix) || strings.HasPrefix(id, OIDCProviderPrefix)
}
