package store

import (
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// OIDCProviderDocument is the document of an OIDC provider.
type OIDCProviderDocument = Document[api.OIDCProviderFields, OIDCProviderPrivate]

// OIDCProviderPrivate is the server-side part of an OIDC provider.
type OIDCProviderPrivate struct {
	ClientSecret string             `json:"clientSecret,omitzero"` // sealed
	Number       int                `json:"number,omitzero"`       // of the client secret, which increases with each change
	DefaultTeam  string             `json:"defaultTeam,omitzero"`  // may be a deleted team
	Teams        []api.ProviderTeam `json:"teams,omitempty"`       // their teams may be deleted

	// Tried are the settings by which an admin has signed in last: others sign in by them, whatever the present settings are. nil =
	// the provider is pending.
	Tried *OIDCSettings `json:"tried,omitempty"`
}

// OIDCSettings are the settings of an OIDC provider that decide who signs in.
type OIDCSettings struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientID"`
	ClientSecret string `json:"clientSecret"` // sealed
	Number       int    `json:"number"`       // of the client secret among those of the provider
	TrustEmail   bool   `json:"trustEmail,omitzero"`
}

// ID returns an identifier of the settings, or "" for nil. Replacing the encryption key keeps it.
func (s *OIDCSettings) ID() string {
	if s == nil {
		return ""
	}
	return Hash(s.Issuer, s.ClientID, strconv.Itoa(s.Number), strconv.FormatBool(s.TrustEmail))
}

// OIDCSettingsOf returns the present settings of a provider.
func OIDCSettingsOf(d OIDCProviderDocument) *OIDCSettings {
	return &OIDCSettings{
		Issuer: d.Fields.Issuer, ClientID: d.Fields.ClientID, ClientSecret: d.Private.ClientSecret, Number: d.Private.Number,
		TrustEmail: d.Fields.TrustEmail,
	}
}

// OIDCProviderPrefix is the prefix of the identifiers of OIDC providers.
const OIDCProviderPrefix = "oidc_"

// IndexOIDCProviders is the index of OIDC providers by id.
const IndexOIDCProviders = "oidc"

// OIDCProvidersKey returns the key of the index of an organization's OIDC providers.
func OIDCProvidersKey(org string) redis.Key { return IndexKey(org, IndexOIDCProviders, org) }

// ActiveOIDCProvidersKey returns the key of the index of the OIDC providers that can be used.
func ActiveOIDCProvidersKey(org string) redis.Key {
	return IndexKey(org, IndexOIDCProviders, org, string(api.OIDCActive))
}

// OIDCProvider reads an OIDC provider.
func (tx *Tx) OIDCProvider(org, id string) (OIDCProviderDocument, error) {
	return ReadDocument[api.OIDCProviderFields, OIDCProviderPrivate](tx, OIDCProviderKey(org, id))
}

// PutOIDCProvider writes an OIDC provider with its access entry and its indexes. It is active when an admin has signed in by it.
func (tx *Tx) PutOIDCProvider(org string, d OIDCProviderDocument) (txn.Record, error) {
	f := &d.Fields
	f.HasClientSecret = d.Private.ClientSecret != ""
	tx.Add(OIDCProvidersKey(org), f.ID)
	if err := tx.SetProvider(f.ID, d.Private.Tried != nil); err != nil {
		return txn.Record{}, err
	}
	if d.Private.Tried != nil {
		f.Status = api.OIDCActive
		tx.Add(ActiveOIDCProvidersKey(org), f.ID)
	} else {
		f.Status = api.OIDCPending
		tx.Remove(ActiveOIDCProvidersKey(org), f.ID)
	}
	return PutDocument(tx, OIDCProviderKey(org, f.ID), d)
}

// DeleteOIDCProvider removes an OIDC provider. tx must have read it.
func (tx *Tx) DeleteOIDCProvider(org, id string) {
	tx.Delete(OIDCProviderKey(org, id))
	tx.SetAccess(id, nil)
	tx.Schedule(org, ForgetIdentitiesJob(id), 0)
	tx.Remove(OIDCProvidersKey(org), id)
	tx.Remove(ActiveOIDCProvidersKey(org), id)
}
