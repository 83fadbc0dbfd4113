package orgs_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// oidcRef returns the reference to an OIDC provider of the organization of the world.
func oidcRef(w *servertest.World, id string) api.OIDCProviderRef {
	return api.OIDCProviderRef{Organization: w.Org, OIDCProvider: id}
}

// updateOIDC changes an OIDC provider as the admin.
func updateOIDC(w *servertest.World, id string, settings api.OIDCProviderSettings) api.OIDCProvider {
	w.T.Helper()
	return servertest.Do(w, "admin", api.UpdateOIDCProvider, api.UpdateOIDCProviderInput{
		OIDCProviderRef: oidcRef(w, id), Body: api.OIDCProviderPatch{OIDCProviderSettings: settings},
	})
}

// storedSecret returns the client secret of an OIDC provider as it is stored.
func storedSecret(w *servertest.World, id string) string {
	w.T.Helper()
	var d struct {
		ClientSecret string `json:"clientSecret"`
	}
	b := w.Store.NewBatch()
	record := b.Record(store.OIDCProviderKey(w.Org, id))
	w.Must(b.Do(w.T.Context()))
	r, _, err := record.Get()
	w.Must(err)
	w.Must(json.Unmarshal(r.Private, &d))
	return d.ClientSecret
}

// TestOIDCProviderLifecycle checks that a provider becomes active when it is fully configured and an admin has signed in through
// it, is listed for login after the SAML providers, and stays active with an untried issuer, client or secret.
func TestOIDCProviderLifecycle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam()
		made := servertest.NewOIDCProvider(w, api.OIDCProviderSettings{DefaultTeam: api.Some(team.ID), DefaultRole: api.Some(api.RoleEdit)})
		base := servertest.PublicURL + "/oidc/" + w.Org + "/" + made.ID
		servertest.Equal(t, "service", api.OIDCService{RedirectURL: base + "/callback", StartURL: base + "/start"}, made.Service)
		servertest.Equal(t, "status of a new one", api.OIDCPending, made.Status)
		servertest.Equal(t, "secret of a new one", false, made.HasClientSecret)
		servertest.Equal(t, "default team", team.ID, made.DefaultTeam.ID)
		servertest.Equal(t, "teams", []api.ProviderTeam{}, made.Teams)
		logins := func() []api.SSOLogin {
			return servertest.Do(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: w.Org}).Items
		}
		servertest.Equal(t, "status without settings", api.OIDCPending, updateOIDC(w, made.ID, api.OIDCProviderSettings{
			Issuer: api.Some("https://id.acme.example"), ClientID: api.Some("wsd"),
		}).Status)
		servertest.Equal(t, "status of a new secret", api.OIDCPending, updateOIDC(w, made.ID, servertest.OIDCSettings()).Status)
		servertest.Equal(t, "where to sign in, before", []api.SSOLogin{}, logins())

		servertest.MarkTried(w, made.ID)
		servertest.Equal(t, "status", api.OIDCActive, servertest.Do(w, "admin", api.GetOIDCProvider, oidcRef(w, made.ID)).Status)
		saml := servertest.NewActiveSAMLProvider(w)
		servertest.Equal(t, "where to sign in", []api.SSOLogin{
			{ID: saml.ID, Label: "Acme ID", StartURL: saml.Service.StartURL},
			{ID: made.ID, Label: "Acme login", StartURL: base + "/start"},
		}, logins())
		servertest.Equal(t, "status after other changes", api.OIDCActive, updateOIDC(w, made.ID, api.OIDCProviderSettings{
			DefaultRole: api.Null[api.Role](), TeamClaim: api.Some("roles"), TrustEmail: api.Some(true),
		}).Status)
		servertest.Equal(t, "status with the same settings", api.OIDCActive, updateOIDC(w, made.ID, servertest.OIDCSettings()).Status)
		for name, settings := range map[string]api.OIDCProviderSettings{
			"issuer": {Issuer: api.Some("https://other.acme.example"), ClientSecret: api.Some("of the other")},
			"client": {ClientID: api.Some("other")},
			"secret": {ClientSecret: api.Some("another")},
		} {
			w.Clock.Advance(time.Second)
			updateOIDC(w, made.ID, servertest.OIDCSettings())
			servertest.MarkTried(w, made.ID)
			changed := updateOIDC(w, made.ID, settings)
			servertest.Equal(t, "status with another "+name, api.OIDCActive, changed.Status)
			servertest.Equal(t, "untried with another "+name, true, changed.Untried)
			servertest.Equal(t, "where to sign in, after", 2, len(logins()))
		}
		servertest.Do(w, "admin", api.DeleteOIDCProvider, oidcRef(w, made.ID))
		servertest.DeleteAbsent(w, "admin", api.DeleteOIDCProvider, oidcRef(w, made.ID))
		servertest.Equal(t, "providers left", 0, servertest.Do(w, "admin", api.ListOIDCProviders,
			api.ListOIDCProvidersInput{Organization: w.Org}).Count)
	})
}

// TestOIDCTeams checks that the teams of values are stored in order, and that entries of deleted teams are left out.
func TestOIDCTeams(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		first := w.NewTeam()
		second := servertest.Do(w, "admin", api.CreateTeam, api.CreateTeamInput{Organization: w.Org, Body: api.TeamCreate{Title: "Second"}})
		teams := []api.ProviderTeam{{Value: "b", Team: second.ID}, {Value: "a", Team: first.ID}, {Value: "b", Team: first.ID}}
		made := servertest.NewOIDCProvider(w, api.OIDCProviderSettings{Teams: api.Some(teams)})
		servertest.Equal(t, "teams", teams, made.Teams)
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, first))
		left := servertest.Do(w, "admin", api.GetOIDCProvider, oidcRef(w, made.ID)).Teams
		servertest.Equal(t, "teams left", teams[:1], left)
		bare := servertest.NewOIDCProvider(w, api.OIDCProviderSettings{})
		before := w.Dump()
		updateOIDC(w, bare.ID, api.OIDCProviderSettings{Teams: api.Some([]api.ProviderTeam{})})
		servertest.WantUnchanged(w, before, "no teams in the place of none")
		servertest.Equal(t, "sent back", left, updateOIDC(w, made.ID, api.OIDCProviderSettings{Teams: api.Some(left)}).Teams)
	})
}

// TestOIDCSettingsRejectInvalidValues checks that invalid settings are refused with the field at fault, and nothing changes.
func TestOIDCSettingsRejectInvalidValues(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		made := servertest.NewOIDCProvider(w, servertest.OIDCSettings())
		trusting := servertest.NewOIDCProvider(w, api.OIDCProviderSettings{
			Issuer: api.Some("https://id.acme.example"), TrustEmail: api.Some(true),
		})
		shared := servertest.NewOIDCProvider(w, api.OIDCProviderSettings{Issuer: api.Some("https://accounts.google.com")})
		team := w.NewTeam().ID
		cases := map[string]struct {
			provider string
			settings api.OIDCProviderSettings
			path     string // path of the invalid field
			message  string // part of its message
		}{
			"issuer with http":     {made.ID, api.OIDCProviderSettings{Issuer: api.Some("http://id.acme.example")}, "issuer", "https://"},
			"issuer with query":    {made.ID, api.OIDCProviderSettings{Issuer: api.Some("https://id.acme.example?a=b")}, "issuer", "query"},
			"issuer with fragment": {made.ID, api.OIDCProviderSettings{Issuer: api.Some("https://id.acme.example#")}, "issuer", "fragment"},
			"empty issuer":         {made.ID, api.OIDCProviderSettings{Issuer: api.Some("")}, "issuer", ""},
			"long issuer": {made.ID, api.OIDCProviderSettings{
				Issuer: api.Some("https://" + strings.Repeat("a", 1020) + ".example"),
			}, "issuer", "1024"},
			"empty client":    {made.ID, api.OIDCProviderSettings{ClientID: api.Some("")}, "clientId", ""},
			"empty secret":    {made.ID, api.OIDCProviderSettings{ClientSecret: api.Some("")}, "clientSecret", ""},
			"secret of lines": {made.ID, api.OIDCProviderSettings{ClientSecret: api.Some("a\nb")}, "clientSecret", "control"},
			"unknown team":    {made.ID, api.OIDCProviderSettings{DefaultTeam: api.Some("tm_nobody")}, "defaultTeam", "not a team"},
			"unknown team of a value": {made.ID, api.OIDCProviderSettings{
				Teams: api.Some([]api.ProviderTeam{{Value: "a", Team: team}, {Value: "b", Team: "tm_nobody"}}),
			}, "teams[1].team", "not a team"},
			"empty value": {made.ID, api.OIDCProviderSettings{Teams: api.Some([]api.ProviderTeam{{Team: team}})}, "teams[0].value", ""},
			"the same twice": {made.ID, api.OIDCProviderSettings{
				Teams: api.Some([]api.ProviderTeam{{Value: "a", Team: team}, {Value: "a", Team: team}}),
			}, "teams[1]", ""},
			"trust in an issuer of all tenants": {made.ID, api.OIDCProviderSettings{
				Issuer: api.Some("https://login.microsoftonline.com/common/v2.0"), TrustEmail: api.Some(true),
			}, "trustEmail", "/common/"},
			"trust in the issuer that is set": {
				shared.ID, api.OIDCProviderSettings{TrustEmail: api.Some(true)}, "trustEmail", "accounts.google.com",
			},
			"an issuer of everybody while trusted": {trusting.ID, api.OIDCProviderSettings{
				Issuer: api.Some("https://accounts.google.com"),
			}, "issuer", "while trustEmail is true"},
			"another issuer without a secret": {
				made.ID, api.OIDCProviderSettings{Issuer: api.Some("https://other.acme.example")}, "clientSecret", "another issuer",
			},
			"unknown role": {made.ID, api.OIDCProviderSettings{DefaultRole: api.Some(api.Role("boss"))}, "defaultRole", ""},
		}
		for name, c := range cases {
			in := api.UpdateOIDCProviderInput{
				OIDCProviderRef: oidcRef(w, c.provider), Body: api.OIDCProviderPatch{OIDCProviderSettings: c.settings},
			}
			wrong := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "admin", api.UpdateOIDCProvider, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
			servertest.Equal(t, "what is wrong with "+name, c.path, wrong.Fields[0].Path)
			if !strings.Contains(wrong.Fields[0].Message, c.message) {
				t.Errorf("%s: %s, want %s", name, wrong.Fields[0].Message, c.message)
			}
		}
		updateOIDC(w, trusting.ID, api.OIDCProviderSettings{
			Issuer: api.Some("https://accounts.google.com"), TrustEmail: api.Some(false), ClientSecret: api.Some("of the other"),
		})
		updateOIDC(w, made.ID, api.OIDCProviderSettings{
			Issuer: api.Some("http://127.0.0.1:8080/realms/acme"), ClientSecret: api.Some("of the other"),
		})
	})
}

// TestClientSecretIsSealed checks that the client secret is stored sealed for its provider, shown nowhere, kept if it is sent
// again, and refused by a server without a key.
func TestClientSecretIsSealed(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const secret = "a secret of the client"
		made := servertest.NewOIDCProvider(w, servertest.OIDCSettings())
		servertest.Equal(t, "whether there is one", true, made.HasClientSecret)
		sealed := storedSecret(w, made.ID)
		sealer, err := auth.NewSealer(w.Store, []byte(servertest.EncryptionKey), nil)
		w.Must(err)
		plain, err := sealer.Decrypt(sealed, auth.ClientSecretPurpose(made.ID)...)
		w.Must(err)
		servertest.Equal(t, "the secret", secret, plain)
		if _, err := sealer.Decrypt(sealed, auth.ClientSecretPurpose("oidc_other")...); err == nil {
			t.Error("the secret can be opened for another provider")
		}
		updateOIDC(w, made.ID, servertest.OIDCSettings())
		servertest.Equal(t, "the secret that was sent again", sealed, storedSecret(w, made.ID))
		updateOIDC(w, made.ID, api.OIDCProviderSettings{ClientSecret: api.Some("another")})
		for name, value := range w.Dump() {
			if strings.Contains(value, secret) || strings.Contains(value, `"another"`) {
				t.Errorf("%s has the secret: %s", name, value)
			}
		}
		fields := servertest.LastEvents(w, api.UpdateOIDCProvider.Name, 1)[0]
		servertest.Equal(t, "what the event says", "clientSecret", fields["changed"])

		w.Serve(func(o *server.Options) { o.Key = nil })
		update := api.UpdateOIDCProviderInput{OIDCProviderRef: oidcRef(w, made.ID), Body: api.OIDCProviderPatch{
			OIDCProviderSettings: servertest.OIDCSettings(),
		}}
		servertest.Refused(w, "admin", api.UpdateOIDCProvider, update, http.StatusConflict, api.ReasonState)
		create := api.CreateOIDCProviderInput{Organization: w.Org, Body: api.OIDCProviderCreate{
			Label: "New", OIDCProviderSettings: servertest.OIDCSettings(),
		}}
		servertest.Refused(w, "admin", api.CreateOIDCProvider, create, http.StatusConflict, api.ReasonState)
		updateOIDC(w, made.ID, api.OIDCProviderSettings{ClientID: api.Some("other")})
	})
}

// TestOIDCProvidersAreLimited checks that the number of providers is limited, so that all of them fit on a login page.
func TestOIDCProvidersAreLimited(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const most = 20
		for range most {
			servertest.NewOIDCProvider(w, api.OIDCProviderSettings{})
		}
		in := api.CreateOIDCProviderInput{Organization: w.Org, Body: api.OIDCProviderCreate{Label: "One more"}}
		servertest.Refused(w, "admin", api.CreateOIDCProvider, in, http.StatusConflict, api.ReasonState)
	})
}

// TestSingleSignOnTakesOIDCProvider checks that an active OIDC provider is one to sign in with, and a pending one is not.
func TestSingleSignOnTakesOIDCProvider(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		reader := api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID}
		made := servertest.NewOIDCProvider(w, servertest.OIDCSettings())
		servertest.Refused(w, "admin", api.SetMemberSSO, reader, http.StatusConflict, api.ReasonState)
		servertest.MarkTried(w, made.ID)
		servertest.Equal(t, "the member signs in by it", true, servertest.Do(w, "admin", api.SetMemberSSO, reader).SSO)
	})
}
