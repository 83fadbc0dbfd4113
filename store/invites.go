package store

import (
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

// Invite reads an invite.
func (tx *Tx) Invite(org, id string) (InviteDocument, error) {
	return ReadDocument[api.InviteFields, InvitePrivate](tx, InviteKey(org, id))
}

// PutInvite writes an invite with its index.
func (tx *Tx) PutInvite(org string, i InviteDocument) (txn.Record, error) {
	tx.Add(InvitesKey(org), i.Fields.ID)
	return PutDocument(tx, InviteKey(org, i.Fields.ID), i)
}

// DeleteInvite removes an invite after it was accepted or revoked. tx must have read it.
func (tx *Tx) DeleteInvite(org, id string) {
	tx.Delete(InviteKey(org, id))
	tx.Remove(InvitesKey(org), id)
}
