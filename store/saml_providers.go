package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SAMLProviderDocument is the document of a SAML provider.
type SAMLProviderDocument = Document[api.SAMLProviderFields, SAMLProviderPrivate]

// SAMLProviderPrivate is the server-side part of a SAML provider.
type SAMLProviderPrivate struct {
	DefaultTeam string `json:"defaultTeam,omitzero"` // may be a deleted team
}

// SAMLProviderPrefix is the prefix of the identifiers of SAML providers.
const SAMLProviderPrefix = "idp_"

// IndexSAMLProviders is the index of SAML providers by id.
const IndexSAMLProviders = "saml"

// SAMLProvidersKey returns the key of the index of an organization's SAML providers.
func SAMLProvidersKey(org string) redis.Key { return IndexKey(org, IndexSAMLProviders, org) }

// ActiveSAMLProvidersKey returns the key of the index of the SAML providers that can be used.
func ActiveSAMLProvidersKey(org string) redis.Key {
	return IndexKey(org, IndexSAMLProviders, org, string(api.SAMLActive))
}

// SAMLProvider reads a SAML provider.
func (tx *Tx) SAMLProvider(org, id string) (SAMLProviderDocument, error) {
	return ReadDocument[api.SAMLProviderFields, SAMLProviderPrivate](tx, SAMLProviderKey(org, id))
}

// PutSAMLProvider writes a SAML provider with its indexes. It is active once it is completely configured.
func (tx *Tx) PutSAMLProvider(org string, d SAMLProviderDocument) (txn.Record, error) {
	f := &d.Fields
	tx.Add(SAMLProvidersKey(org), f.ID)
	if f.Complete() {
		f.Status = api.SAMLActive
		tx.Add(ActiveSAMLProvidersKey(org), f.ID)
	} else {
		f.Status = api.SAMLPending
		tx.Remove(ActiveSAMLProvidersKey(org), f.ID)
	}
	return PutDocument(tx, SAMLProviderKey(org, f.ID), d)
}

// DeleteSAMLProvider removes a SAML provider. tx must have read it.
func (tx *Tx) DeleteSAMLProvider(org, id string) {
	tx.Delete(SAMLProviderKey(org, id))
	tx.Remove(SAMLProvidersKey(org), id)
	tx.Remove(ActiveSAMLProvidersKey(org), id)
}
