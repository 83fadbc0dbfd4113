package store

import (
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ShareLinkDocument is the document of a share link.
type ShareLinkDocument = Document[api.ShareLinkFields, ShareLinkPrivate]

// ShareLinkPrivate is the server-side part of a share link. Only digests of its key are stored.
type ShareLinkPrivate struct {
	Site string `json:"site"`
	Digests

	CreatedBy string `json:"maker,omitzero"` // user; "" in older links
}

// Digests are the digests of the secrets that open a link. A secret is derived from the id of the link and the server's
// secret, so there are two while a server secret is replaced.
type Digests struct {
	Digest string `json:"digest"`          // SHA-256, hexadecimal
	Second string `json:"second,omitzero"` // of the secret that is derived from the other server secret; "" = none
}

// Has reports whether a digest is one of d.
func (d Digests) Has(digest string) bool {
	return digest != "" && (digest == d.Digest || digest == d.Second)
}

// ShareLinkEntry is the access entry of an active share link. Keys of other links grant no access.
type ShareLinkEntry struct {
	Site string `json:"site"`
	Digests
}

// ShareLinksKey returns the key of the index of a site's share links.
func ShareLinksKey(org, site string) redis.Key { return IndexKey(org, IndexLinks, site) }

// ShareLink reads a share link's document.
func (tx *Tx) ShareLink(org, id string) (ShareLinkDocument, error) {
	return ReadDocument[api.ShareLinkFields, ShareLinkPrivate](tx, ShareLinkKey(org, id))
}

// PutShareLink writes a share link with its index and its access entry.
func (tx *Tx) PutShareLink(org string, d ShareLinkDocument) (txn.Record, error) {
	tx.Add(ShareLinksKey(org, d.Private.Site), d.Fields.ID)
	var entry []byte
	if d.Fields.Active {
		var err error
		if entry, err = json.Marshal(ShareLinkEntry{d.Private.Site, d.Private.Digests}); err != nil {
			return txn.Record{}, fmt.Errorf("access entry of %s: %w", d.Fields.ID, err)
		}
	}
	tx.SetAccess(d.Fields.ID, entry)
	return PutDocument(tx, ShareLinkKey(org, d.Fields.ID), d)
}

// DeleteShareLink removes a share link. tx must have read it.
func (tx *Tx) DeleteShareLink(org string, d ShareLinkDocument) {
	tx.Delete(ShareLinkKey(org, d.Fields.ID))
	tx.Remove(ShareLinksKey(org, d.Private.Site), d.Fields.ID)
	tx.SetAccess(d.Fields.ID, nil)
}
