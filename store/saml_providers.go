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
	DefaultTeam string             `json:"defaultTeam,omitzero"` // may be a deleted team
	Teams       []api.ProviderTeam `json:"teams,omitzero"`       // may contain deleted teams
	// Tried are the settings by which an admin has signed in last: others sign in by them, whatever the present settings are. nil =
	// the provider is pending.
	Tried *SAMLSettings `json:"tried,omitempty"`
}

// SAMLSettings are the settings of a SAML provider that decide who signs in.
type SAMLSettings struct {
	EntityID    string   `json:"entityID"`
	SSOURL      string   `json:"ssoURL"`
	Certificate api.Text `json:"certificate"`

	SubjectAttribute string `json:"subjectAttribute,omitzero"`
	EmailAttribute   string `json:"emailAttribute,omitzero"`
}

// SAMLSettingsOf returns the present settings of a provider.
func SAMLSettingsOf(f api.SAMLProviderFields) *SAMLSettings {
	return &SAMLSettings{
		EntityID: f.EntityID, SSOURL: f.SSOURL, Certificate: f.Certificate, SubjectAttribute: f.SubjectAttribute,
		EmailAttribute: f.EmailAttribute,
	}
}

// ID returns an identifier of the settings, or "" for nil.
func (s *SAMLSettings) ID() string {
	if s == nil {
		return ""
	}
	return Hash(s.EntityID, s.SSOURL, string(s.Certificate), s.SubjectAttribute, s.EmailAttribute)
}

// SAMLProviderPrefix is the prefix of the identifiers of SAML providers.
const SAMLProviderPrefix = "idp_"

// IndexSAMLProviders is the index of SAML providers by id.
const IndexSAMLProviders = "saml"

// SAMLProvidersKey returns the key of the index of an organization's SAML providers.
func SAMLProvidersKey(org string) redis.Key { return IndexKey(org, IndexSAMLProviders, org) }

// ActiveSAMLProvidersKey returns the key of the index of the SAML providers that are completely configured, as in earlier builds. Those
// that are active are among them.
func ActiveSAMLProvidersKey(org string) redis.Key {
	return IndexKey(org, IndexSAMLProviders, org, string(api.SAMLActive))
}

// SAMLProvider reads a SAML provider.
func (tx *Tx) SAMLProvider(org, id string) (SAMLProviderDocument, error) {
	return ReadDocument[api.SAMLProviderFields, SAMLProviderPrivate](tx, SAMLProviderKey(org, id))
}

// PutSAMLProvider writes a SAML provider with its access entry and its indexes. It is active when an admin has signed in by it. The stored
// status of a provider that an earlier build has written is active when it is completely configured.
func (tx *Tx) PutSAMLProvider(org string, d SAMLProviderDocument) (txn.Record, error) {
	f := &d.Fields
	if err := tx.SetProvider(f.ID, d.Private.Tried != nil); err != nil {
		return txn.Record{}, err
	}
	tx.Add(SAMLProvidersKey(org), f.ID)
	if f.Status = api.SAMLPending; d.Private.Tried != nil {
		f.Status = api.SAMLActive
	}
	if f.Complete() {
		tx.Add(ActiveSAMLProvidersKey(org), f.ID)
	} else {
		tx.Remove(ActiveSAMLProvidersKey(org), f.ID)
	}
	return PutDocument(tx, SAMLProviderKey(org, f.ID), d)
}

// DeleteSAMLProvider removes a SAML provider. tx must have read it.
func (tx *Tx) DeleteSAMLProvider(org, id string) {
	tx.Delete(SAMLProviderKey(org, id))
	tx.SetAccess(id, nil)
	tx.Schedule(org, ForgetIdentitiesJob(id), 0)
	tx.Remove(SAMLProvidersKey(org), id)
	tx.Remove(ActiveSAMLProvidersKey(org), id)
}
