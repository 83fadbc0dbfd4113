package store

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// InvitePrivate is the server-side part of an invite.
type InvitePrivate struct {
	Digests // of the secret
	// CreatedBy is the user who created the invite or last changed the access of a link, and Token the token they used.
	// Both are empty in older invites.
	CreatedBy string `json:"maker,omitzero"`
	Token     string `json:"token,omitzero"`
	// MadeAt is the time from which CreatedBy is the author; zero in older invites.
	MadeAt api.Time `json:"madeAt,omitzero"`
	SSO    bool     `json:"sso,omitzero"` // who accepts it has to sign in by a provider
}

// IsBefore reports whether the invite is known to be older than the membership of its author, who left and came back. It does
// not give access then.
func (p InvitePrivate) IsBefore(m MemberDocument) bool {
	return !p.MadeAt.IsZero() && p.MadeAt.Before(m.Fields.JoinedAt.Time)
}

// InvitesKind is the kind of the job that deletes the invites of a member who left.
const InvitesKind = "invites"

// InviteDocument is the document of a pending invite by e-mail address.
type InviteDocument = Document[api.InviteFields, InvitePrivate]

// InvitePrefix is the prefix of the identifiers of invites.
const InvitePrefix = "i_"

// IndexInvites is the index of invites by id.
const IndexInvites = "invites"

// InvitesKey returns the key of the index of an organization's invites.
func InvitesKey(org string) redis.Key { return IndexKey(org, IndexInvites, org) }

// InvitedKey returns the key of the HASH of the addresses that an organization has invited: InvitedField of the address to its
// invite. An entry counts if the invite is open and has the address. Invites of older builds have none.
func InvitedKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "invited") }

// InvitedField returns the field of InvitedKey for an e-mail address, which the caller has normalized.
func InvitedField(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:])
}

// IsInviteOpen reports whether a stored invite to an address can be accepted at a time, as far as the record says.
func IsInviteOpen(i InviteDocument, email string, now time.Time) bool {
	return i.Version > 0 && i.Fields.Email == email && now.Before(i.Fields.ExpiresAt.Time)
}

// Invite reads an invite.
func (tx *Tx) Invite(org, id string) (InviteDocument, error) {
	return ReadDocument[api.InviteFields, InvitePrivate](tx, InviteKey(org, id))
}

// PutInvite writes an invite with its index.
func (tx *Tx) PutInvite(org string, i InviteDocument) (txn.Record, error) {
	tx.Add(InvitesKey(org), i.Fields.ID)
	return PutDocument(tx, InviteKey(org, i.Fields.ID), i)
}

// SetInvited makes an invite the one of its address.
func (tx *Tx) SetInvited(org string, i InviteDocument) {
	tx.SetField(InvitedKey(org), InvitedField(i.Fields.Email), i.Fields.ID)
}

// DeleteInvite removes an invite that tx has read, after it was accepted or revoked.
func (tx *Tx) DeleteInvite(org string, i InviteDocument) error {
	key, field := InvitedKey(org), InvitedField(i.Fields.Email)
	current, _, err := tx.Field(key, field)
	if err != nil {
		return err
	}
	if current == i.Fields.ID {
		tx.DeleteField(key, field)
	}
	tx.Delete(InviteKey(org, i.Fields.ID))
	tx.Remove(InvitesKey(org), i.Fields.ID)
	return nil
}
