package integrations_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
)

func integrationRef(name string) api.IntegrationRef { return api.IntegrationRef{Integration: name} }

// TestPublishCreatesVersions checks that publishing creates versions; publishing the same definition creates none,
// and omitted fields are cleared.
func TestPublishCreatesVersions(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		body := w.LinterIntegration("Linter")
		body.Scopes, body.Summary = []api.IntegrationScope{"space:content:read"}, "# What it does\n\nFinds mistakes.\n"
		body.PreviewImages = []api.Base64{
			servertest.OnePixel, api.Base64(base64.StdEncoding.EncodeToString([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))),
		}
		first := w.Publish("acme.linter", body)
		if first.Version != 1 || first.Object != "integration" || first.Visibility != api.IntegrationPrivate ||
			first.Target != api.TargetAll || first.Owner.ID != w.Org || !first.Owner.Permissions.Admin {
			t.Errorf("published %+v", first)
		}
		if again := w.Publish("acme.linter", body); again.Version != 1 {
			t.Errorf("the same again is version %d", again.Version)
		}
		changes := []func(){
			func() { body.Script = "export default 2\n" },
			func() { body.Secrets = map[string]api.Text{"token": "other"} },
			func() { body.Secrets = nil },
			func() { body.Runtime = api.RuntimeV2 },
			func() { body.Icon = "" },
			func() { body.Scopes = nil },
		}
		for i, change := range changes {
			change()
			if next := w.Publish("acme.linter", body); next.Version != i+2 {
				t.Errorf("change %d is version %d", i, next.Version)
			}
		}
		last := servertest.Do(w, "admin", api.GetIntegration, integrationRef("acme.linter"))
		if last.URLs.Icon != "" || len(last.Scopes) != 0 || last.Summary != body.Summary || len(last.PreviewImages) != 2 {
			t.Errorf("last %+v", last)
		}
		script := w.Call("", http.MethodGet, strings.TrimPrefix(last.URLs.Assets, servertest.PublicURL), nil, http.StatusOK)
		if string(script.Body) != string(body.Script) || !strings.HasPrefix(script.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the script is %q with %v", script.Body, script.Header)
		}
		image := w.Call("", http.MethodGet, strings.TrimPrefix(last.PreviewImages[0], servertest.PublicURL), nil, http.StatusOK)
		drawing := w.Call("", http.MethodGet, strings.TrimPrefix(last.PreviewImages[1], servertest.PublicURL), nil, http.StatusOK)
		if image.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(image.Header.Get("Content-Disposition"), "inline") {
			t.Errorf("the image has %v", image.Header)
		}
		if drawing.Header.Get("Content-Type") != "image/svg+xml" ||
			!strings.HasPrefix(drawing.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the drawing has %v", drawing.Header)
		}
		for key, value := range w.Dump() {
			if strings.Contains(value, "hunter2") {
				t.Errorf("the secret stands in %s", key)
			}
		}
	})
}

// TestPublishReportsAllViolations checks that all limits of a publish request are enforced and all violations
// reported together.
func TestPublishReportsAllViolations(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		property := func(p api.IntegrationProperty) api.IntegrationConfigurations {
			return api.IntegrationConfigurations{
				Account: &api.IntegrationConfiguration{Properties: map[string]api.IntegrationProperty{"p": p}},
			}
		}
		for field, change := range map[string]func(*api.IntegrationPublish){
			"title":       func(p *api.IntegrationPublish) { p.Title = "x" },
			"description": func(p *api.IntegrationPublish) { p.Description = strings.Repeat("x", 101) },
			"summary":     func(p *api.IntegrationPublish) { p.Summary = strings.Repeat("x", 2049) },
			"previewImages": func(p *api.IntegrationPublish) {
				p.PreviewImages = []api.Base64{servertest.OnePixel, servertest.OnePixel, servertest.OnePixel, servertest.OnePixel}
			},
			"previewImages[1]": func(p *api.IntegrationPublish) { p.PreviewImages = []api.Base64{servertest.OnePixel, "aGVsbG8="} },
			"icon":             func(p *api.IntegrationPublish) { p.Icon = "iVBORw0KGgo=" }, // a PNG that ends after its signature
			"runtime":          func(p *api.IntegrationPublish) { p.Runtime = "v3" },
			"visibility":       func(p *api.IntegrationPublish) { p.Visibility = "hidden" },
			"target":           func(p *api.IntegrationPublish) { p.Target = "page" },
			"scopes[0]":        func(p *api.IntegrationPublish) { p.Scopes = []api.IntegrationScope{"everything"} },
			"scopes[1]":        func(p *api.IntegrationPublish) { p.Scopes = []api.IntegrationScope{"openapi:read", "openapi:read"} },
			"categories[0]":    func(p *api.IntegrationPublish) { p.Categories = []api.IntegrationCategory{"games"} },
			"externalLinks":    func(p *api.IntegrationPublish) { p.ExternalLinks = make([]api.IntegrationLink, 6) },
			"blocks[0].title":  func(p *api.IntegrationPublish) { p.Blocks = []api.IntegrationBlock{{ID: "b", Title: "x"}} },
			"blocks[1]": func(p *api.IntegrationPublish) {
				p.Blocks = []api.IntegrationBlock{{ID: "b", Title: "One"}, {ID: "b", Title: "Two"}}
			},
			"script": func(p *api.IntegrationPublish) { p.Script = api.Text(strings.Repeat("x", api.MaxIntegrationScript+1)) },
			"body": func(p *api.IntegrationPublish) {
				patterns := slices.Repeat([]string{strings.Repeat("x", 2048)}, 100)
				p.Blocks = []api.IntegrationBlock{
					{ID: "a", Title: "One", URLUnfurl: patterns}, {ID: "b", Title: "Two", URLUnfurl: patterns},
				}
			},
			"configurations.account": func(p *api.IntegrationPublish) { p.Configurations.Account = &api.IntegrationConfiguration{} },
			"configurations.account.properties.p.enum": func(p *api.IntegrationPublish) {
				p.Configurations = property(api.IntegrationProperty{Type: api.PropertyNumber, Enum: []string{"1"}})
			},
			"configurations.account.properties.p.default": func(p *api.IntegrationPublish) {
				p.Configurations = property(api.IntegrationProperty{Type: api.PropertyNumber, Default: []byte(`"1"`)})
			},
			"configurations.account.properties.p.callback_url": func(p *api.IntegrationPublish) {
				p.Configurations = property(api.IntegrationProperty{Type: api.PropertyButton, ButtonText: "Go"})
			},
		} {
			body := w.LinterIntegration("Linter")
			change(&body)
			e := servertest.Refused(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{
				IntegrationRef: integrationRef("a"), Body: body,
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
			if !slices.ContainsFunc(e.Fields, func(f api.FieldError) bool { return f.Path == field }) {
				t.Errorf("the error is about %v, want %s", e.Fields, field)
			}
		}
		body := w.LinterIntegration("Linter")
		body.Script = api.Text(strings.Repeat("x", api.MaxIntegrationScript))
		w.Publish("a", body)
		servertest.Refused(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{
			IntegrationRef: integrationRef(strings.Repeat("a", 101)), Body: body,
		}, http.StatusBadRequest, api.ReasonInvalidParam)
		servertest.Refused(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{IntegrationRef: integrationRef("ä"), Body: body},
			http.StatusBadRequest, api.ReasonInvalidParam)
		body.Organization = "o_00000000000000"
		servertest.Refused(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{IntegrationRef: integrationRef("b"), Body: body},
			http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestPublishWithOwnerHostname checks that the owner may be given by its current hostname.
func TestPublishWithOwnerHostname(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		publish := func(owner string) api.PublishIntegrationInput {
			in := api.PublishIntegrationInput{IntegrationRef: integrationRef("acme.linter"), Body: w.LinterIntegration("Linter")}
			in.Body.Organization = owner
			return in
		}
		servertest.Refused(w, "admin", api.PublishIntegration, publish("acme"), http.StatusNotFound, api.ReasonNotFound)
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme")})
		servertest.Equal(t, "owner", w.Org, servertest.Do(w, "admin", api.PublishIntegration, publish("acme")).Owner.ID)
		servertest.Refused(w, "stranger", api.PublishIntegration, publish("acme"), http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.PublishIntegration, publish("../o"), http.StatusNotFound, api.ReasonNotFound)
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme-docs")})
		servertest.Refused(w, "admin", api.PublishIntegration, publish("acme"), http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestPublishingSecretsNeedsSealingKey checks that secrets are refused if the server has no sealing key, with the name
// of the environment variable.
func TestPublishingSecretsNeedsSealingKey(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		w.Serve(func(o *server.Options) { o.Key = nil })
		in := api.PublishIntegrationInput{IntegrationRef: integrationRef("a"), Body: w.LinterIntegration("Linter")}
		if e := servertest.Refused(w, "admin", api.PublishIntegration, in, http.StatusConflict,
			api.ReasonState); !strings.Contains(e.Message, auth.EncryptionKeyVariable) {
			t.Errorf("%q", e.Message)
		}
		in.Body.Secrets = nil
		servertest.Do(w, "admin", api.PublishIntegration, in)
	})
}

// TestIntegrationVisibility checks that the visibility of an integration applies to lists and to access by name; a
// name stays with its organization.
func TestIntegrationVisibility(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for _, v := range api.IntegrationVisibility("").Values() {
			body := w.LinterIntegration("The " + string(v))
			body.Visibility = v
			w.Publish(string(v), body)
		}
		for who, want := range map[string]struct{ listed, seen []string }{
			"reader":   {[]string{"private", "public", "unlisted"}, []string{"private", "public", "unlisted"}},
			"guest":    {[]string{"public"}, []string{"public", "unlisted"}},
			"stranger": {[]string{"public"}, []string{"public", "unlisted"}},
			"":         {[]string{"public"}, []string{"public", "unlisted"}},
		} {
			var listed, seen []string
			for _, i := range servertest.Do(w, who, api.ListIntegrations, api.ListIntegrationsInput{}).Items {
				listed = append(listed, i.Name)
			}
			for _, name := range []string{"private", "public", "unlisted"} {
				if servertest.Try(w, who, api.GetIntegration, integrationRef(name)).Status == http.StatusOK {
					seen = append(seen, name)
				}
			}
			if !slices.Equal(listed, want.listed) || !slices.Equal(seen, want.seen) {
				t.Errorf("%q lists %v and sees %v", who, listed, seen)
			}
		}
		seen := servertest.Do(w, "", api.GetIntegration, integrationRef("public"))
		if o := seen.Owner; o.ID != w.Org || o.Title != "Acme" || o.Permissions != (api.OrganizationPermissions{}) ||
			seen.Permissions != (api.IntegrationPermissions{}) {
			t.Errorf("a visitor sees %+v", seen)
		}
		servertest.Equal(t, "where others find the script", "", seen.URLs.Assets)
		if p := servertest.Do(w, "stranger", api.GetIntegration, integrationRef("public")).Permissions; p.Admin || !p.Install {
			t.Errorf("a stranger may %+v", p)
		}
		theirs := api.PublishIntegrationInput{IntegrationRef: integrationRef("private"), Body: w.LinterIntegration("Mine now")}
		theirs.Body.Organization = w.OtherOrg
		servertest.Refused(w, "stranger", api.PublishIntegration, theirs, http.StatusConflict, api.ReasonConflict)
		servertest.Refused(w, "stranger", api.UnpublishIntegration, integrationRef("public"), http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "stranger", api.UnpublishIntegration, integrationRef("private"), http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "admin", api.UnpublishIntegration, integrationRef("private"))
		servertest.Refused(w, "admin", api.UnpublishIntegration, integrationRef("private"), http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.GetIntegration, integrationRef("private"), http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "stranger", api.PublishIntegration, theirs, http.StatusConflict, api.ReasonConflict)
		body := w.LinterIntegration("The private")
		if back := w.Publish("private", body); back.Version != 2 {
			t.Errorf("published again it is version %d", back.Version)
		}
	})
}

// TestScriptIsForAdminsOfOwner checks that only admins of the owner get the address of a script, and that it ends when they are
// none any more, while addresses of images do not.
func TestScriptIsForAdminsOfOwner(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		body := w.LinterIntegration("Private")
		body.PreviewImages = []api.Base64{servertest.OnePixel}
		w.Publish("private", body)
		setRole := func(role api.Role) {
			servertest.Do(w, "admin", api.UpdateMember, api.UpdateMemberInput{
				MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}, Body: api.MemberPatch{Role: api.Some(role)},
			})
		}
		seen := func(who string) api.Integration {
			return servertest.Do(w, who, api.GetIntegration, integrationRef("private"))
		}
		download := func(address string, status int) string {
			return string(w.Call("", http.MethodGet, strings.TrimPrefix(address, servertest.PublicURL), nil, status).Body)
		}
		servertest.Equal(t, "script for an editor", "", seen("editor").URLs.Assets)
		setRole(api.RoleAdmin)
		shown := seen("editor")
		listed := servertest.Do(w, "editor", api.ListIntegrations, api.ListIntegrationsInput{}).Items
		servertest.Equal(t, "listed script", shown.URLs.Assets, listed[0].URLs.Assets)
		servertest.Equal(t, "script", string(body.Script), download(shown.URLs.Assets, http.StatusOK))
		setRole(api.RoleCreate)
		if refused := download(shown.URLs.Assets, http.StatusNotFound); !strings.Contains(refused, "not an admin of the organization") {
			t.Errorf("the refusal is %s", refused)
		}
		download(shown.PreviewImages[0], http.StatusOK)
		download(seen("admin").URLs.Assets, http.StatusOK)
		servertest.Equal(t, "script for a creator", "", seen("editor").URLs.Assets)
	})
}

// TestListIntegrationsFilters checks that every filter of the list is applied.
func TestListIntegrationsFilters(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		plain, rich := w.LinterIntegration("Plain"), w.LinterIntegration("Rich")
		plain.Target, rich.Target = api.TargetSpace, api.TargetSite
		rich.Categories, rich.Scopes = []api.IntegrationCategory{"analytics"}, []api.IntegrationScope{"site:views:read"}
		rich.Blocks = []api.IntegrationBlock{
			{ID: "b", Title: "Block", URLUnfurl: []string{"https://*.example.com/**", "https://example.org/**"}},
		}
		rich.ContentSources = []api.IntegrationSource{{ID: "s", Title: "Source"}}
		everywhere := w.LinterIntegration("Everywhere")
		w.Publish("p-1", plain)
		w.Publish("r-1", rich)
		w.Publish("e-1", everywhere)
		yes, no := api.Some(true), api.Some(false)
		for _, c := range []struct {
			in   api.ListIntegrationsInput
			want string
		}{
			{api.ListIntegrationsInput{}, "e-1 p-1 r-1"},
			{api.ListIntegrationsInput{Search: "RICH"}, "r-1"},
			{api.ListIntegrationsInput{Search: "p-"}, "p-1"},
			{api.ListIntegrationsInput{Category: "analytics"}, "r-1"},
			{api.ListIntegrationsInput{Scope: "site:views:read"}, "r-1"},
			{api.ListIntegrationsInput{Target: api.TargetSite}, "e-1 r-1"},
			{api.ListIntegrationsInput{Target: api.TargetAll}, "e-1"},
			{api.ListIntegrationsInput{Blocks: yes}, "r-1"},
			{api.ListIntegrationsInput{Blocks: no}, "e-1 p-1"},
			{api.ListIntegrationsInput{ContentSources: yes}, "r-1"},
			{api.ListIntegrationsInput{ContentSources: no}, "e-1 p-1"},
			{api.ListIntegrationsInput{BlockDomain: "www.example.com"}, "r-1"},
			{api.ListIntegrationsInput{BlockDomain: "example.org"}, "r-1"},
			{api.ListIntegrationsInput{BlockDomain: "example.com"}, ""},
			{api.ListIntegrationsInput{Owner: w.Org}, "e-1 p-1 r-1"},
			{api.ListIntegrationsInput{Owner: w.OtherOrg}, ""},
		} {
			list := servertest.Do(w, "reader", api.ListIntegrations, c.in)
			var names []string
			for _, i := range list.Items {
				names = append(names, i.Name)
			}
			if got := strings.Join(names, " "); got != c.want || list.Count != len(names) {
				t.Errorf("%+v: %q, count %d, want %q", c.in, got, list.Count, c.want)
			}
		}
		page := servertest.Do(w, "reader", api.ListIntegrations, api.ListIntegrationsInput{
			ListOptions: api.ListOptions{Limit: api.Some(2)},
		})
		rest := servertest.Do(w, "reader", api.ListIntegrations, api.ListIntegrationsInput{
			ListOptions: api.ListOptions{Page: page.Next.Page},
		})
		if len(page.Items) != 2 || page.Count != 3 || len(rest.Items) != 1 || rest.Items[0].Name != "r-1" || rest.Next != nil {
			t.Errorf("pages of %d and %d", len(page.Items), len(rest.Items))
		}
		servertest.Refused(w, "reader", api.ListIntegrations, api.ListIntegrationsInput{
			ListOptions: api.ListOptions{Page: page.Next.Page}, Blocks: yes,
		}, http.StatusBadRequest, api.ReasonInvalidCursor)
	})
}

// TestInstallationStatus checks that an installation is pending until it is configured, and paused while the
// integration is not published.
func TestInstallationStatus(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		body := w.LinterIntegration("Linter")
		body.Visibility = api.IntegrationPublic
		body.Configurations.Account = &api.IntegrationConfiguration{
			Properties: map[string]api.IntegrationProperty{
				"level": {
					Type: api.PropertyString, Enum: []string{"low", "high"},
				}, "limit": {Type: api.PropertyNumber, Default: []byte("3")},
			},
			Required: []string{"level", "limit"},
		}
		w.Publish("acme.linter", body)
		w.NewSpace()
		id := w.Install("acme.linter")
		ref := api.InstallationRef{IntegrationRef: integrationRef("acme.linter"), Installation: id}
		servertest.Refused(w, "creator", api.CreateIntegrationInstallation, api.CreateInstallationInput{
			IntegrationRef: integrationRef("acme.linter"), Body: api.InstallationCreate{Organization: w.Org},
		}, http.StatusConflict, api.ReasonConflict)
		if made := servertest.Do(w, "creator", api.GetIntegrationInstallation, ref); made.Status != api.InstallationPending ||
			made.Spaces != 1 || made.Target.Organization != w.Org {
			t.Errorf("installed %+v", made)
		}
		configured := func(text string) api.UpdateInstallationInput {
			in := api.UpdateInstallationInput{InstallationRef: ref}
			w.Must(in.Body.Configuration.UnmarshalJSON([]byte(text)))
			return in
		}
		for text, path := range map[string]string{
			`{"level":"middle"}`: "configuration.level", `{"limit":"3"}`: "configuration.limit", `{"other":1}`: "configuration.other",
		} {
			if e := servertest.Refused(w, "creator", api.UpdateIntegrationInstallation, configured(text), http.StatusUnprocessableEntity,
				api.ReasonInvalid); e.Fields[0].Path != path {
				t.Errorf("%s: %v", text, e.Fields)
			}
		}
		if active := servertest.Do(w, "creator", api.UpdateIntegrationInstallation,
			configured(`{"level":"high"}`)); active.Status != api.InstallationActive {
			t.Errorf("configured: %s", active.Status)
		}
		servertest.Do(w, "creator", api.UpdateIntegrationInstallation,
			api.UpdateInstallationInput{InstallationRef: ref, Body: api.InstallationPatch{
				ExternalIDs: api.Some([]string{"T-1"}), SpaceSelection: api.Some(api.SelectSelected),
			}})
		theirs := servertest.Do(w, "stranger", api.CreateIntegrationInstallation, api.CreateInstallationInput{
			IntegrationRef: integrationRef("acme.linter"), Body: api.InstallationCreate{Organization: w.OtherOrg},
		})
		checkVisibleInstallations(w, map[string][]string{"admin": {id, theirs.ID}, "creator": {id}, "stranger": {theirs.ID}, "reader": nil})
		filtered := servertest.Do(w, "admin", api.ListIntegrationInstallations, api.ListInstallationsInput{
			IntegrationRef: integrationRef("acme.linter"), ExternalID: "T-1",
		})
		if filtered.Count != 1 || filtered.Items[0].ID != id || filtered.Items[0].Spaces != 0 {
			t.Errorf("with the external id: %+v", filtered)
		}
		foreign := api.InstallationRef{IntegrationRef: integrationRef("acme.linter"), Installation: theirs.ID}
		servertest.Do(w, "admin", api.GetIntegrationInstallation, foreign)
		servertest.Refused(w, "admin", api.DeleteIntegrationInstallation, foreign, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "creator", api.GetIntegrationInstallation, foreign, http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "admin", api.UnpublishIntegration, integrationRef("acme.linter"))
		if paused := servertest.Do(w, "stranger", api.GetIntegrationInstallation, foreign); paused.Status != api.InstallationPaused {
			t.Errorf("unpublished: %s", paused.Status)
		}
		servertest.Do(w, "stranger", api.DeleteIntegrationInstallation, foreign)
		servertest.Refused(w, "stranger", api.DeleteIntegrationInstallation, foreign, http.StatusNotFound, api.ReasonNotFound)
		w.Publish("acme.linter", body)
		if active := servertest.Do(w, "creator", api.GetIntegrationInstallation, ref); active.Status != api.InstallationActive {
			t.Errorf("published again: %s", active.Status)
		}
	})
}

// checkVisibleInstallations compares the installations of acme.linter that each user lists with want.
func checkVisibleInstallations(w *servertest.World, want map[string][]string) {
	w.T.Helper()
	for who, ids := range want {
		var got []string
		for _, i := range servertest.Do(w, who, api.ListIntegrationInstallations, api.ListInstallationsInput{
			IntegrationRef: integrationRef("acme.linter"),
		}).Items {
			got = append(got, i.ID)
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			w.T.Errorf("the %s sees (-want +got)\n%s", who, diff)
		}
	}
}

// TestConcurrentInstallationsCreateOne checks that of many concurrent installations one succeeds.
func TestConcurrentInstallationsCreateOne(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Publish("acme.linter", w.LinterIntegration("Linter"))
		statuses := make([]int, 6)
		servertest.Concurrently(len(statuses), func(i int) {
			statuses[i] = servertest.Try(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
				IntegrationRef: integrationRef("acme.linter"), Body: api.InstallationCreate{Organization: w.Org},
			}).Status
		})
		slices.Sort(statuses)
		if got := fmt.Sprint(statuses); got != "[201 409 409 409 409 409]" {
			t.Error(got)
		}
	})
}

// TestPublicEndpointRunsNoCode checks that the public endpoint responds that the code is not run, for any method and
// caller, whether or not the integration exists.
func TestPublicEndpointRunsNoCode(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		endpoint := strings.TrimPrefix(w.Publish("acme.linter", w.LinterIntegration("Linter")).URLs.PublicEndpoint, servertest.PublicURL)
		servertest.Equal(t, "endpoint", "/integrations/acme.linter", endpoint)
		for _, path := range []string{endpoint, endpoint + "/webhook?x=1", "/integrations/nobody.nothing"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
				for _, as := range []string{"", "admin"} {
					a := w.Send(as, method, path, nil)
					servertest.Equal(t, method+" "+path, api.ReasonNotRun, a.Error().Reason)
					servertest.Equal(t, method+" "+path, http.StatusNotImplemented, a.Status)
				}
			}
		}
	})
}
