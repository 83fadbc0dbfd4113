package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// InvitePrivate is what only the server reads of an invite.
type InvitePrivate struct {
	Digest string `json:"digest"` // SHA-256 of the secret, hexadecimal
	// Maker is who made the invite, or changed what a link gives, and Token what they did it with. Absent in what was
	// stored before it was recorded.
	Maker string `json:"maker,omitzero"`
	Token string `json:"token,omitzero"`
}

// InviteDocument is the document of an invite by e-mail address that was not accepted yet.
type InviteDocument = Document[api.InviteFields, InvitePrivate]

// InvitePrefix begins the identifiers of invites.
const InvitePrefix = "i_"

// IndexInvites is the index of invites by id.
const IndexInvites = "invites"

// InvitesKey is the index of an organization's invites.
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

// DeleteInvite removes an invite that was read: it was accepted, or taken back.
func (tx *Tx) DeleteInvite(org, id string) {
	tx.Delete(InviteKey(org, id))
	tx.Remove(InvitesKey(org), id)
}
