package server_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// derOf are the bytes of a certificate in PEM.
func derOf(w *world, certificate api.Text) []byte {
	w.t.Helper()
	block, _ := pem.Decode([]byte(certificate))
	return block.Bytes
}

// A provider becomes active by being configured, is offered to everybody who wants to sign in, and is offered no
// more when something is taken away.
func TestSAMLProviders(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		team := w.newTeam()
		made := newSAMLProvider(w, api.SAMLProviderSettings{DefaultTeam: api.Some(team.ID), DefaultRole: api.Some(api.RoleEdit)})
		at := api.SAMLProviderRef{Organization: w.org, SAMLProvider: made.ID}
		base := publicURL + "/saml/" + w.org + "/" + made.ID
		equal(t, "service", api.SAMLService{ACSURL: base + "/acs", StartURL: base + "/start", EntityID: base}, made.Service)
		equal(t, "status of a new one", api.SAMLPending, made.Status)
		equal(t, "default team", "Ours", made.DefaultTeam.Title)
		logins := func() []api.SSOLogin {
			return do(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: w.org}).Items
		}
		equal(t, "where to sign in, before", []api.SSOLogin{}, logins())

		change := func(settings api.SAMLProviderSettings) api.SAMLProvider {
			w.clock.Advance(time.Second)
			in := api.UpdateSAMLProviderInput{SAMLProviderRef: at, Body: api.SAMLProviderPatch{SAMLProviderSettings: settings}}
			return do(w, "admin", api.UpdateSAMLProvider, in)
		}
		w.clock.Advance(time.Second)
		certificate := inPEM("CERTIFICATE", certificate(w, w.clock.Now().Add(time.Hour+time.Second)))
		full := change(api.SAMLProviderSettings{
			EntityID: api.Some("urn:acme"), SSOURL: api.Some("https://id.acme.example/saml"), Certificate: api.Some(certificate), DefaultRole: api.Null[api.Role](),
		})
		equal(t, "status when all is there", api.SAMLActive, full.Status)
		equal(t, "the certificate, byte by byte", certificate, full.Certificate)
		der := derOf(w, certificate)
		equal(t, "when it ends", w.clock.Now().Add(time.Hour).Truncate(time.Second).UTC(), full.CertificateExpiresAt.UTC())
		equal(t, "what it is known by", fmt.Sprintf("%X", sha256.Sum256(der)), strings.ReplaceAll(full.CertificateFingerprint, ":", ""))
		equal(t, "the same as plain base64", full.CertificateFingerprint,
			change(api.SAMLProviderSettings{Certificate: api.Some(api.Text(base64.StdEncoding.EncodeToString(der)))}).CertificateFingerprint)
		change(api.SAMLProviderSettings{Certificate: api.Some(certificate)})
		equal(t, "role of guests", (*api.Role)(nil), full.DefaultRole)
		want := []api.SSOLogin{{ID: made.ID, Label: "Acme ID", StartURL: base + "/start"}}
		equal(t, "where to sign in", want, logins())

		equal(t, "no default team any more", (*api.Team)(nil), change(api.SAMLProviderSettings{DefaultTeam: api.Some("")}).DefaultTeam)
		equal(t, "default team again", team.ID, change(api.SAMLProviderSettings{DefaultTeam: api.Some(team.ID)}).DefaultTeam.ID)
		do(w, "admin", api.DeleteTeam, ofTeam(w, team))
		equal(t, "a default team that is deleted", (*api.Team)(nil), do(w, "admin", api.GetSAMLProvider, at).DefaultTeam)
		bare := change(api.SAMLProviderSettings{Certificate: api.Some(api.Text(""))})
		equal(t, "status without a certificate", api.SAMLPending, bare.Status)
		equal(t, "fingerprint of none", "", bare.CertificateFingerprint)
		equal(t, "where to sign in, after", []api.SSOLogin{}, logins())
		do(w, "admin", api.DeleteSAMLProvider, at)
		refused(w, "admin", api.DeleteSAMLProvider, at, http.StatusNotFound, api.ReasonNotFound)
		equal(t, "providers left", 0, do(w, "admin", api.ListSAMLProviders, api.ListSAMLProvidersInput{Organization: w.org}).Count)
		refused(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: "o_nowhere"}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// What cannot be used is refused when it is given, with what is wrong, and changes nothing.
func TestSAMLSettings(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		made := newSAMLProvider(w, api.SAMLProviderSettings{})
		good := certificate(w, w.clock.Now().Add(time.Hour))
		plain := api.Text(base64.StdEncoding.EncodeToString(good))
		cases := map[string]struct {
			settings api.SAMLProviderSettings
			path     string // of the field that is wrong, "" = good
		}{
			"plain base64":        {api.SAMLProviderSettings{Certificate: api.Some(plain[:64] + "\n  " + plain[64:])}, ""},
			"expired":             {api.SAMLProviderSettings{Certificate: api.Some(inPEM("CERTIFICATE", certificate(w, w.clock.Now().Add(-time.Hour))))}, "certificate"},
			"private key":         {api.SAMLProviderSettings{Certificate: api.Some(inPEM("PRIVATE KEY", good))}, "certificate"},
			"two of them":         {api.SAMLProviderSettings{Certificate: api.Some(inPEM("CERTIFICATE", good) + inPEM("CERTIFICATE", good))}, "certificate"},
			"cut off":             {api.SAMLProviderSettings{Certificate: api.Some(inPEM("CERTIFICATE", good)[:100])}, "certificate"},
			"no certificate":      {api.SAMLProviderSettings{Certificate: api.Some(api.Text("aGVsbG8="))}, "certificate"},
			"no base64":           {api.SAMLProviderSettings{Certificate: api.Some(api.Text("hello!"))}, "certificate"},
			"address of no page":  {api.SAMLProviderSettings{SSOURL: api.Some("javascript://x/%0aalert(1)")}, "ssoURL"},
			"team of nobody":      {api.SAMLProviderSettings{DefaultTeam: api.Some("tm_nobody")}, "defaultTeam"},
			"no team":             {api.SAMLProviderSettings{DefaultTeam: api.Some("")}, ""},
			"null for a team":     {api.SAMLProviderSettings{DefaultTeam: api.Null[string]()}, "defaultTeam"},
			"an empty entity":     {api.SAMLProviderSettings{EntityID: api.Some("")}, ""},
			"a role that is none": {api.SAMLProviderSettings{DefaultRole: api.Some(api.Role("boss"))}, "defaultRole"},
		}
		for name, c := range cases {
			in := api.UpdateSAMLProviderInput{
				SAMLProviderRef: api.SAMLProviderRef{Organization: w.org, SAMLProvider: made.ID},
				Body:            api.SAMLProviderPatch{SAMLProviderSettings: c.settings},
			}
			if c.path == "" {
				do(w, "admin", api.UpdateSAMLProvider, in)
				continue
			}
			wrong := w.untouched(func() api.Error {
				return refused(w, "admin", api.UpdateSAMLProvider, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
			equal(t, "what is wrong with "+name, c.path, wrong.Fields[0].Path)
		}
	})
}

// An organization has so many providers that all fit on a page to sign in.
func TestSAMLProvidersAreFew(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		const most = 20
		for range most {
			newSAMLProvider(w, api.SAMLProviderSettings{})
		}
		in := api.CreateSAMLProviderInput{Organization: w.org, Body: api.SAMLProviderCreate{Label: "One more"}}
		refused(w, "admin", api.CreateSAMLProvider, in, http.StatusConflict, api.ReasonState)
	})
}

// Single sign-on takes a provider to sign in with, for one member and for everybody, and keeps the last one.
func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		reader := api.MemberRef{Organization: w.org, User: w.users["reader"].ID}
		enforce := func(on bool) api.UpdateOrganizationInput {
			return api.UpdateOrganizationInput{Organization: w.org, Body: api.OrganizationPatch{SSO: api.Some(on)}}
		}
		refused(w, "admin", api.SetMemberSSO, reader, http.StatusConflict, api.ReasonState)
		refused(w, "admin", api.UpdateOrganization, enforce(true), http.StatusConflict, api.ReasonState)
		at := api.SAMLProviderRef{Organization: w.org, SAMLProvider: newSAMLProvider(w, complete(w)).ID}
		equal(t, "the member signs in by it", true, do(w, "admin", api.SetMemberSSO, reader).SSO)
		equal(t, "and keeps the role", api.RoleRead, *do(w, "reader", api.GetMember, reader).Role)
		equal(t, "everybody does", true, do(w, "admin", api.UpdateOrganization, enforce(true)).SSO)

		refused(w, "admin", api.DeleteSAMLProvider, at, http.StatusConflict, api.ReasonState)
		emptied := api.SAMLProviderPatch{SAMLProviderSettings: api.SAMLProviderSettings{EntityID: api.Some("")}}
		refused(w, "admin", api.UpdateSAMLProvider, api.UpdateSAMLProviderInput{SAMLProviderRef: at, Body: emptied}, http.StatusConflict, api.ReasonState)
		other := newSAMLProvider(w, complete(w)).ID
		do(w, "admin", api.DeleteSAMLProvider, at)
		do(w, "admin", api.UpdateOrganization, enforce(false))
		do(w, "admin", api.DeleteSAMLProvider, api.SAMLProviderRef{Organization: w.org, SAMLProvider: other})
	})
}
