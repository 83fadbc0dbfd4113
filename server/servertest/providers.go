package servertest

import (
	"maps"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// NewSAMLProvider creates a SAML provider with the given settings in the organization of the world, as the admin.
func NewSAMLProvider(w *World, settings api.SAMLProviderSettings) api.SAMLProvider {
	w.T.Helper()
	return Do(w, "admin", api.CreateSAMLProvider, api.CreateSAMLProviderInput{
		Organization: w.Org, Body: api.SAMLProviderCreate{Label: "Acme ID", SAMLProviderSettings: settings},
	})
}

// NewActiveSAMLProvider creates a SAML provider by which an admin has signed in.
func NewActiveSAMLProvider(w *World) api.SAMLProvider {
	w.T.Helper()
	made := NewSAMLProvider(w, ActiveSAMLSettings(w))
	MarkTried(w, made.ID)
	return made
}

// ActiveSAMLSettings returns settings with which a SAML provider is active when an admin has signed in.
func ActiveSAMLSettings(w *World) api.SAMLProviderSettings {
	w.T.Helper()
	return api.SAMLProviderSettings{
		EntityID: api.Some("urn:acme"), SSOURL: api.Some("https://id.acme.example/saml"),
		Certificate: api.Some(EncodePEM("CERTIFICATE", NewCertificate(w, w.Clock.Now().Add(time.Hour)))),
	}
}

// NewOIDCProvider creates an OIDC provider with the given settings in the organization of the world, as the admin.
func NewOIDCProvider(w *World, settings api.OIDCProviderSettings) api.OIDCProvider {
	w.T.Helper()
	return Do(w, "admin", api.CreateOIDCProvider, api.CreateOIDCProviderInput{
		Organization: w.Org, Body: api.OIDCProviderCreate{Label: "Acme login", OIDCProviderSettings: settings},
	})
}

// OIDCSettings returns settings with which an OIDC provider is active once an admin has signed in through it.
func OIDCSettings() api.OIDCProviderSettings {
	return api.OIDCProviderSettings{
		Issuer: api.Some("https://id.acme.example"), ClientID: api.Some("wsd"), ClientSecret: api.Some("a secret of the client"),
		TeamClaim: api.Some("groups"),
	}
}

// MarkTried stores that an admin has signed in by the present settings of a provider of the organization of the world.
func MarkTried(w *World, provider string) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if strings.HasPrefix(provider, store.SAMLProviderPrefix) {
			d, err := tx.SAMLProvider(w.Org, provider)
			if err != nil {
				return err
			}
			d.Private.Tried = store.SAMLSettingsOf(d.Fields)
			_, err = tx.PutSAMLProvider(w.Org, d)
			return err
		}
		d, err := tx.OIDCProvider(w.Org, provider)
		if err != nil {
			return err
		}
		d.Private.Tried = store.OIDCSettingsOf(d)
		_, err = tx.PutOIDCProvider(w.Org, d)
		return err
	}))
}

// NewIdentity stores an identity of a provider of the organization of the world, with the address of a user of the world, and returns its
// id. It is linked with a member, or pending if member is "".
func NewIdentity(w *World, provider, name, member string) string {
	w.T.Helper()
	const issuer = "urn:acme"
	var id string
	w.Must(w.Store.Update(w.T.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		subject := tx.NewID("s-")
		id = store.IdentityID(provider, issuer, subject)
		d, err := tx.Identity(w.Org, id)
		if err != nil {
			return err
		}
		d.Fields = api.IdentityFields{
			Object: "identity", ID: id, Provider: provider, Issuer: issuer, Subject: subject, Email: w.Users[name].Email,
			Name: w.Users[name].DisplayName, CreatedAt: api.At(tx.Now()),
		}
		d.Private.User = member
		if _, err := tx.PutIdentity(w.Org, d); err != nil || member == "" {
			return err
		}
		m, err := tx.Member(w.Org, member)
		if err != nil {
			return err
		}
		m.Private.Identities = maps.Clone(m.Private.Identities)
		if m.Private.Identities == nil {
			m.Private.Identities = map[string]api.Time{}
		}
		m.Private.Identities[id] = api.At(tx.Now())
		_, err = tx.PutMember(w.Org, m)
		return err
	}))
	return id
}
