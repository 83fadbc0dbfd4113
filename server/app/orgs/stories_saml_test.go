package orgs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// decodePEM returns the DER bytes of a certificate.
func decodePEM(w *servertest.World, certificate api.Text) []byte {
	w.T.Helper()
	block, _ := pem.Decode([]byte(certificate))
	return block.Bytes
}

// TestSAMLProviderLifecycle checks that a provider becomes active when it is fully configured, is then listed for
// login, and becomes inactive when a setting is removed.
func TestSAMLProviderLifecycle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam()
		made := servertest.NewSAMLProvider(w, api.SAMLProviderSettings{DefaultTeam: api.Some(team.ID), DefaultRole: api.Some(api.RoleEdit)})
		ref := api.SAMLProviderRef{Organization: w.Org, SAMLProvider: made.ID}
		base := servertest.PublicURL + "/saml/" + w.Org + "/" + made.ID
		servertest.Equal(t, "service", api.SAMLService{ACSURL: base + "/acs", StartURL: base + "/start", EntityID: base}, made.Service)
		servertest.Equal(t, "status of a new one", api.SAMLPending, made.Status)
		servertest.Equal(t, "default team", "Ours", made.DefaultTeam.Title)
		logins := func() []api.SSOLogin {
			return servertest.Do(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: w.Org}).Items
		}
		servertest.Equal(t, "where to sign in, before", []api.SSOLogin{}, logins())

		change := func(settings api.SAMLProviderSettings) api.SAMLProvider {
			w.Clock.Advance(time.Second)
			in := api.UpdateSAMLProviderInput{SAMLProviderRef: ref, Body: api.SAMLProviderPatch{SAMLProviderSettings: settings}}
			return servertest.Do(w, "admin", api.UpdateSAMLProvider, in)
		}
		w.Clock.Advance(time.Second)
		certificate := servertest.EncodePEM("CERTIFICATE", servertest.NewCertificate(w, w.Clock.Now().Add(time.Hour+time.Second)))
		full := change(api.SAMLProviderSettings{
			EntityID: api.Some("urn:acme"), SSOURL: api.Some("https://id.acme.example/saml"), Certificate: api.Some(certificate),
			DefaultRole: api.Null[api.Role](),
		})
		servertest.Equal(t, "status when all is there", api.SAMLPending, full.Status)
		events := servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: api.UpdateSAMLProvider.Name},
		}).Items
		if len(events) != 1 || slices.Contains(events[0].Changed, "status") {
			t.Errorf("events: %+v", events)
		}
		servertest.Equal(t, "where to sign in, before an admin has", []api.SSOLogin{}, logins())
		servertest.MarkTried(w, made.ID)
		servertest.Equal(t, "status when an admin has signed in", api.SAMLActive,
			servertest.Do(w, "admin", api.GetSAMLProvider, ref).Status)
		servertest.Equal(t, "the certificate, byte by byte", certificate, full.Certificate)
		der := decodePEM(w, certificate)
		servertest.Equal(t, "when it ends", w.Clock.Now().Add(time.Hour).Truncate(time.Second).UTC(), full.CertificateExpiresAt.UTC())
		servertest.Equal(t, "what it is known by", fmt.Sprintf("%X", sha256.Sum256(der)),
			strings.ReplaceAll(full.CertificateFingerprint, ":", ""))
		servertest.Equal(t, "the same as plain base64", full.CertificateFingerprint,
			change(api.SAMLProviderSettings{
				Certificate: api.Some(api.Text(base64.StdEncoding.EncodeToString(der))),
			}).CertificateFingerprint)
		change(api.SAMLProviderSettings{Certificate: api.Some(certificate)})
		servertest.Equal(t, "role of guests", (*api.Role)(nil), full.DefaultRole)
		want := []api.SSOLogin{{ID: made.ID, Label: "Acme ID", StartURL: base + "/start"}}
		servertest.Equal(t, "where to sign in", want, logins())

		servertest.Equal(t, "no default team any more", (*api.Team)(nil),
			change(api.SAMLProviderSettings{DefaultTeam: api.Some("")}).DefaultTeam)
		servertest.Equal(t, "default team again", team.ID, change(api.SAMLProviderSettings{DefaultTeam: api.Some(team.ID)}).DefaultTeam.ID)
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Equal(t, "a default team that is deleted", (*api.Team)(nil),
			servertest.Do(w, "admin", api.GetSAMLProvider, ref).DefaultTeam)
		servertest.Equal(t, "untried", true, change(api.SAMLProviderSettings{EntityID: api.Some("urn:other")}).Untried)
		servertest.Equal(t, "where to sign in with untried settings", want, logins())
		bare := change(api.SAMLProviderSettings{Certificate: api.Some(api.Text(""))})
		servertest.Equal(t, "status without a certificate", api.SAMLPending, bare.Status)
		servertest.Equal(t, "fingerprint of none", "", bare.CertificateFingerprint)
		servertest.Equal(t, "where to sign in, after", []api.SSOLogin{}, logins())
		servertest.Do(w, "admin", api.DeleteSAMLProvider, ref)
		servertest.DeleteAbsent(w, "admin", api.DeleteSAMLProvider, ref)
		servertest.Equal(t, "providers left", 0, servertest.Do(w, "admin", api.ListSAMLProviders,
			api.ListSAMLProvidersInput{Organization: w.Org}).Count)
		servertest.Refused(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: "o_nowhere"}, http.StatusNotFound,
			api.ReasonNotFound)
	})
}

// settingsOf returns settings with several certificates.
func settingsOf(certificates ...[]byte) api.SAMLProviderSettings {
	var text api.Text
	for _, c := range certificates {
		text += servertest.EncodePEM("CERTIFICATE", c)
	}
	return api.SAMLProviderSettings{Certificate: api.Some(text)}
}

// TestSAMLCertificatesRotate checks that several certificates are stored in their order, and that the first one is described.
func TestSAMLCertificatesRotate(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		next := servertest.NewCertificate(w, w.Clock.Now().Add(2*time.Hour))
		now := servertest.NewCertificate(w, w.Clock.Now().Add(time.Hour))
		made := servertest.NewSAMLProvider(w, settingsOf(next, now))
		servertest.Equal(t, "fingerprint", fmt.Sprintf("%X", sha256.Sum256(next)), strings.ReplaceAll(made.CertificateFingerprint, ":", ""))
		servertest.Equal(t, "end", w.Clock.Now().Add(2*time.Hour).Truncate(time.Second).UTC(), made.CertificateExpiresAt.UTC())
		certificates, err := orgs.ParseCertificates(string(made.Certificate))
		if err != nil || len(certificates) != 2 || !bytes.Equal(certificates[0].Raw, next) || !bytes.Equal(certificates[1].Raw, now) {
			t.Errorf("%d certificates, error %v", len(certificates), err)
		}
	})
}

// TestSAMLTeams checks that attributes and the teams of groups are stored, and that a deleted team is left out.
func TestSAMLTeams(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		kept, deleted := w.NewTeam(), w.NewTeam()
		teams := []api.ProviderTeam{{Value: "writers", Team: deleted.ID}, {Value: "writers", Team: kept.ID}, {Value: "all", Team: kept.ID}}
		made := servertest.NewSAMLProvider(w, api.SAMLProviderSettings{
			SubjectAttribute: api.Some("uid"), EmailAttribute: api.Some("mail"), NameAttribute: api.Some("cn"),
			TeamAttribute: api.Some("groups"), Teams: api.Some(teams),
		})
		ref := api.SAMLProviderRef{Organization: w.Org, SAMLProvider: made.ID}
		servertest.Equal(t, "attributes", []string{"uid", "mail", "cn", "groups"},
			[]string{made.SubjectAttribute, made.EmailAttribute, made.NameAttribute, made.TeamAttribute})
		servertest.Equal(t, "teams", teams, made.Teams)
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, deleted))
		servertest.Equal(t, "teams without the deleted one", teams[1:], servertest.Do(w, "admin", api.GetSAMLProvider, ref).Teams)
		bare := servertest.Do(w, "admin", api.UpdateSAMLProvider, api.UpdateSAMLProviderInput{
			SAMLProviderRef: ref, Body: api.SAMLProviderPatch{SAMLProviderSettings: api.SAMLProviderSettings{
				SubjectAttribute: api.Some(""), Teams: api.Some([]api.ProviderTeam{}),
			}},
		})
		servertest.Equal(t, "no attribute any more", "", bare.SubjectAttribute)
		servertest.Equal(t, "no teams any more", 0, len(bare.Teams))
		servertest.Equal(t, "the others stay", "groups", bare.TeamAttribute)
		event := servertest.LastEvents(w, api.UpdateSAMLProvider.Name, 1)[0]
		servertest.Equal(t, "changed members", "subjectAttribute teams", event[eventlog.Changed])
	})
}

// TestSAMLSettingsRejectInvalidValues checks that invalid settings are refused with the field at fault, and nothing
// changes.
func TestSAMLSettingsRejectInvalidValues(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		made := servertest.NewSAMLProvider(w, api.SAMLProviderSettings{})
		good := servertest.NewCertificate(w, w.Clock.Now().Add(time.Hour))
		expired := servertest.NewCertificate(w, w.Clock.Now().Add(-time.Hour))
		var other [3][]byte
		for i := range other {
			other[i] = servertest.NewCertificate(w, w.Clock.Now().Add(time.Hour))
		}
		team := w.NewTeam().ID
		plain := api.Text(base64.StdEncoding.EncodeToString(good))
		cases := map[string]struct {
			settings api.SAMLProviderSettings
			path     string // path of the invalid field, "" = valid
		}{
			"base64 without PEM": {api.SAMLProviderSettings{Certificate: api.Some(plain[:64] + "\n  " + plain[64:])}, ""},
			"expired certificate": {
				api.SAMLProviderSettings{
					Certificate: api.Some(servertest.EncodePEM("CERTIFICATE", servertest.NewCertificate(w, w.Clock.Now().Add(-time.Hour)))),
				}, "certificate",
			},
			"private key instead of certificate": {
				api.SAMLProviderSettings{Certificate: api.Some(servertest.EncodePEM("PRIVATE KEY", good))}, "certificate",
			},
			"a certificate twice":  {settingsOf(good, good), "certificate"},
			"three certificates":   {settingsOf(good, other[0], other[1]), ""},
			"four certificates":    {settingsOf(good, other[0], other[1], other[2]), "certificate"},
			"one that has expired": {settingsOf(expired, good), ""},
			"all have expired": {
				settingsOf(expired, servertest.NewCertificate(w, w.Clock.Now().Add(-time.Second))), "certificate",
			},
			"second one is broken": {
				api.SAMLProviderSettings{
					Certificate: api.Some(servertest.EncodePEM("CERTIFICATE", good) + servertest.EncodePEM("CERTIFICATE", other[0])[:100]),
				}, "certificate",
			},
			"text after the certificate": {
				api.SAMLProviderSettings{Certificate: api.Some(servertest.EncodePEM("CERTIFICATE", good) + "end")}, "certificate",
			},
			"truncated certificate": {
				api.SAMLProviderSettings{Certificate: api.Some(servertest.EncodePEM("CERTIFICATE", good)[:100])}, "certificate",
			},
			"base64 of other data":   {api.SAMLProviderSettings{Certificate: api.Some(api.Text("aGVsbG8="))}, "certificate"},
			"neither PEM nor base64": {api.SAMLProviderSettings{Certificate: api.Some(api.Text("hello!"))}, "certificate"},
			"URL that is not a page": {api.SAMLProviderSettings{SSOURL: api.Some("javascript://x/%0aalert(1)")}, "ssoURL"},
			"unknown team":           {api.SAMLProviderSettings{DefaultTeam: api.Some("tm_nobody")}, "defaultTeam"},
			"long attribute":         {api.SAMLProviderSettings{EmailAttribute: api.Some(strings.Repeat("a", 257))}, "emailAttribute"},
			"attributes":             {api.SAMLProviderSettings{SubjectAttribute: api.Some("uid"), NameAttribute: api.Some("")}, ""},
			"teams": {
				api.SAMLProviderSettings{Teams: api.Some([]api.ProviderTeam{{Value: "a", Team: team}, {Value: "b", Team: team}})}, "",
			},
			"unknown team of a group": {
				api.SAMLProviderSettings{Teams: api.Some([]api.ProviderTeam{{Value: "a", Team: team}, {Value: "b", Team: "tm_nobody"}})},
				"teams[1].team",
			},
			"team of a group twice": {
				api.SAMLProviderSettings{
					Teams: api.Some([]api.ProviderTeam{{Value: "a", Team: team}, {Value: "a", Team: team}}),
				}, "teams[1]",
			},
			"too many teams":  {api.SAMLProviderSettings{Teams: api.Some(make([]api.ProviderTeam, 101))}, "teams"},
			"empty group":     {api.SAMLProviderSettings{Teams: api.Some([]api.ProviderTeam{{Team: team}})}, "teams[0].value"},
			"empty team":      {api.SAMLProviderSettings{DefaultTeam: api.Some("")}, ""},
			"null team":       {api.SAMLProviderSettings{DefaultTeam: api.Null[string]()}, "defaultTeam"},
			"empty entity id": {api.SAMLProviderSettings{EntityID: api.Some("")}, ""},
			"unknown role":    {api.SAMLProviderSettings{DefaultRole: api.Some(api.Role("boss"))}, "defaultRole"},
		}
		for name, c := range cases {
			in := api.UpdateSAMLProviderInput{
				SAMLProviderRef: api.SAMLProviderRef{Organization: w.Org, SAMLProvider: made.ID},
				Body:            api.SAMLProviderPatch{SAMLProviderSettings: c.settings},
			}
			if c.path == "" {
				servertest.Do(w, "admin", api.UpdateSAMLProvider, in)
				continue
			}
			wrong := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "admin", api.UpdateSAMLProvider, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
			servertest.Equal(t, "what is wrong with "+name, c.path, wrong.Fields[0].Path)
		}
	})
}

// TestSAMLProvidersAreLimited checks that the number of providers is limited, so that all of them fit on a login
// page.
func TestSAMLProvidersAreLimited(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const most = 20
		for range most {
			servertest.NewSAMLProvider(w, api.SAMLProviderSettings{})
		}
		in := api.CreateSAMLProviderInput{Organization: w.Org, Body: api.SAMLProviderCreate{Label: "One more"}}
		servertest.Refused(w, "admin", api.CreateSAMLProvider, in, http.StatusConflict, api.ReasonState)
	})
}

// TestSingleSignOnRequiresProvider checks that single sign-on takes a provider by which an admin has signed in. The setting of an earlier
// version requires nothing, and locks nobody out.
func TestSingleSignOnRequiresProvider(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		reader := api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID}
		require := func(on bool) api.UpdateOrganizationInput {
			return api.UpdateOrganizationInput{Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(on)}}
		}
		provider := servertest.NewSAMLProvider(w, servertest.ActiveSAMLSettings(w))
		ref := api.SAMLProviderRef{Organization: w.Org, SAMLProvider: provider.ID}
		servertest.Refused(w, "admin", api.SetMemberSSO, reader, http.StatusConflict, api.ReasonState)
		servertest.MarkTried(w, provider.ID)
		servertest.Equal(t, "the member signs in by it", true, servertest.Do(w, "admin", api.SetMemberSSO, reader).SSO)
		servertest.Equal(t, "and keeps the role", api.RoleRead, *servertest.Do(w, "reader", api.GetMember, reader).Role)
		servertest.Refused(w, "admin", api.UpdateOrganization, require(true), http.StatusConflict, api.ReasonState)
		admin := api.MemberRef{Organization: w.Org, User: w.Users["admin"].ID}
		servertest.Refused(w, "admin", api.SetMemberSSO, admin, http.StatusConflict, api.ReasonState)

		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(w.Org)
			if err != nil {
				return err
			}
			o.Fields.SSO = true // as stored by an earlier version
			_, err = tx.PutOrganization(o)
			return err
		}))
		organization := api.OrganizationRef{Organization: w.Org}
		servertest.Equal(t, "setting of an earlier version", false, servertest.Do(w, "reader", api.GetOrganization, organization).SSO)
		servertest.Do(w, "admin", api.UpdateOrganization, require(false))
		servertest.Do(w, "admin", api.DeleteSAMLProvider, ref)
		servertest.Refused(w, "admin", api.UpdateOrganization, require(true), http.StatusConflict, api.ReasonState)
	})
}
