package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// LinkInviteDocument is the document of an invite link. Only the digest of its secret is stored: see InvitePrivate.
type LinkInviteDocument = Document[api.LinkInviteFields, InvitePrivate]

// LinkInvitePrefix is the prefix of the identifiers of invite links.
const LinkInvitePrefix = "li_"

// IndexLinkInvites is the index of invite links by id.
const IndexLinkInvites = "link-invites"

// LinkInvitesKey returns the key of the index of an organization's invite links.
func LinkInvitesKey(org string) redis.Key { return IndexKey(org, IndexLinkInvites, org) }

// LinkInvite reads an invite link.
func (tx *Tx) LinkInvite(org, id string) (LinkInviteDocument, error) {
	return ReadDocument[api.LinkInviteFields, InvitePrivate](tx, LinkInviteKey(org, id))
}

// PutLinkInvite writes an invite link with its index.
func (tx *Tx) PutLinkInvite(org string, i LinkInviteDocument) (txn.Record, error) {
	tx.Add(LinkInvitesKey(org), i.Fields.ID)
	return PutDocument(tx, LinkInviteKey(org, i.Fields.ID), i)
}

// DeleteLinkInvite removes an invite link. tx must have read it.
func (tx *Tx) DeleteLinkInvite(org, id string) {
	tx.Delete(LinkInviteKey(org, id))
	tx.Remove(LinkInvitesKey(org), id)
}
