package integrations_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// installLinter publishes acme.linter, a public integration that requires a configuration for each space and site, and installs
// it in the organization.
func installLinter(w *servertest.World, scopes ...api.IntegrationScope) api.InstallationRef {
	w.T.Helper()
	body := w.LinterIntegration("Linter")
	body.Visibility, body.Scopes = api.IntegrationPublic, scopes
	level := &api.IntegrationConfiguration{
		Properties: map[string]api.IntegrationProperty{
			"level": {Type: api.PropertyString, Enum: []string{"low", "high"}},
		}, Required: []string{"level"},
	}
	body.Configurations = api.IntegrationConfigurations{Space: level, Site: level}
	w.Publish("acme.linter", body)
	return api.InstallationRef{IntegrationRef: integrationRef("acme.linter"), Installation: w.Install("acme.linter")}
}

func selectSpaces(w *servertest.World, ref api.InstallationRef, selection api.InstallationSelection) api.IntegrationInstallation {
	w.T.Helper()
	return servertest.Do(w, "creator", api.UpdateIntegrationInstallation, api.UpdateInstallationInput{
		InstallationRef: ref, Body: api.InstallationPatch{SpaceSelection: api.Some(selection), SiteSelection: api.Some(selection)},
	})
}

func spaceRef(ref api.InstallationRef, space string) api.InstallationSpaceRef {
	return api.InstallationSpaceRef{InstallationRef: ref, Space: space}
}

func installOnSpace(w *servertest.World, as string, ref api.InstallationRef, space string) api.IntegrationSpaceInstallation {
	w.T.Helper()
	return servertest.Do(w, as, api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
		InstallationRef: ref, Body: api.InstallationSpaceCreate{Space: space},
	})
}

// listedSpaces returns the spaces that the list of an installation contains and checks its count.
func listedSpaces(w *servertest.World, as string, ref api.InstallationRef) (spaces []string) {
	w.T.Helper()
	list := servertest.Do(w, as, api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: ref})
	for _, item := range list.Items {
		spaces = append(spaces, item.Space.ID)
	}
	servertest.Equal(w.T, "the count", len(spaces), list.Count)
	return spaces
}

// TestInstallationSelection checks that an installation for all spaces is listed on each of them, and one for a
// selection on the selected spaces.
func TestInstallationSelection(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		first, second := w.NewSpace().ID, w.NewSpace().ID
		servertest.Equal(t, "for all", []string{first, second}, listedSpaces(w, "creator", ref))
		covered := installOnSpace(w, "creator", ref, first)
		if covered.Space.ID != first || covered.Status != api.InstallationPending || covered.Installation != ref.Installation ||
			covered.Integration != "acme.linter" {
			t.Errorf("installed on what all covers: %+v", covered)
		}
		servertest.Refused(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, first), http.StatusConflict, api.ReasonState)
		servertest.Equal(t, "spaces of a narrower selection", 1, selectSpaces(w, ref, api.SelectSelected).Spaces)
		servertest.Equal(t, "what was installed by name", []string{first}, listedSpaces(w, "creator", ref))
		servertest.Refused(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{
			InstallationSpaceRef: spaceRef(ref, second),
		}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Equal(t, "location", covered.URLs.Location, servertest.PublicURL+"/v1/integrations/acme.linter/installations/"+
			ref.Installation+"/spaces/"+first)
		installOnSpace(w, "creator", ref, second)
		installOnSpace(w, "creator", ref, second)
		servertest.Equal(t, "both", []string{first, second}, listedSpaces(w, "creator", ref))
		servertest.Do(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, first))
		servertest.Equal(t, "one", []string{second}, listedSpaces(w, "creator", ref))
		a := servertest.Try(w, "admin", api.DeleteInstallationSpace, spaceRef(ref, first))
		if a.Status != http.StatusNoContent || a.Header.Get(api.AbsentHeader) == "" {
			t.Errorf("deleted again: %d %v", a.Status, a.Header)
		}
		servertest.Refused(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, first), http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: second})
		servertest.Equal(t, "what lies in the trash", []string(nil), listedSpaces(w, "creator", ref))
		servertest.Equal(t, "and is not counted", 0, servertest.Do(w, "creator", api.GetIntegrationInstallation, ref).Spaces)
	})
}

// TestSpaceConfigurationDeterminesStatus checks that the configuration for a space is validated against the schema of
// the integration and determines its status.
func TestSpaceConfigurationDeterminesStatus(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		space := w.NewSpace().ID
		configured := func(text string) api.UpdateInstallationSpaceInput {
			in := api.UpdateInstallationSpaceInput{InstallationSpaceRef: spaceRef(ref, space)}
			w.Must(in.Body.Configuration.UnmarshalJSON([]byte(text)))
			return in
		}
		e := servertest.Refused(w, "creator", api.UpdateInstallationSpace, configured(`{"level":"middle"}`), http.StatusUnprocessableEntity,
			api.ReasonInvalid)
		servertest.Equal(t, "the field", "configuration.level", e.Fields[0].Path)
		servertest.Equal(t, "status", api.InstallationActive, servertest.Do(w, "creator", api.UpdateInstallationSpace,
			configured(`{"level":"low"}`)).Status)
		ids := api.UpdateInstallationSpaceInput{InstallationSpaceRef: spaceRef(ref, space), Extended: api.Extended{Extended: true}}
		ids.Body.ExternalIDs = api.Some([]string{"T-1"})
		whole := servertest.Do(w, "creator", api.UpdateInstallationSpace, ids)
		if whole.Space.Thing == nil || whole.Space.Thing.ID != space || whole.Space.Thing.Title == "" ||
			string(whole.Configuration["level"]) != `"low"` || !slices.Equal(whole.ExternalIDs, []string{"T-1"}) {
			t.Errorf("extended %+v", whole)
		}
		tag := servertest.Try(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{
			InstallationSpaceRef: spaceRef(ref, space),
		}).Header.Get("Etag")
		servertest.Do(w, "creator", api.UpdateInstallationSpace, configured(`{"level":"high"}`), "If-Match", tag)
		response := servertest.Try(w, "creator", api.UpdateInstallationSpace, configured(`{}`), "If-Match", tag)
		servertest.Refusal(w, response, http.StatusPreconditionFailed, api.ReasonPrecondition)
		selectSpaces(w, ref, api.SelectSelected)
		kept := servertest.Do(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{
			InstallationSpaceRef: spaceRef(ref, space),
		})
		servertest.Equal(t, "what was configured by name stays", `"high"`, string(kept.Configuration["level"]))
		servertest.Do(w, "admin", api.UnpublishIntegration, ref.IntegrationRef)
		servertest.Equal(t, "status", api.InstallationPaused, servertest.Do(w, "creator", api.GetInstallationSpace,
			api.GetInstallationSpaceInput{InstallationSpaceRef: spaceRef(ref, space)}).Status)
		servertest.Do(w, "creator", api.DeleteIntegrationInstallation, ref)
		b := w.Store.NewBatch()
		left := b.Record(store.InstalledKey(ref.Installation, space))
		w.Must(b.Do(t.Context()))
		if _, ok, err := left.Get(); ok || err != nil {
			t.Errorf("uninstalled, its configuration is there: %v", err)
		}
	})
}

// TestInstallOnSite checks that sites are selected like spaces; an integration can be installed only on targets that
// it supports.
func TestInstallOnSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		space := w.NewSpace().ID
		site := servertest.NewSite(w, api.SitePublic, space).Site
		selectSpaces(w, ref, api.SelectSelected)
		in := api.CreateInstallationSiteInput{
			InstallationRef: ref, Body: api.InstallationSiteCreate{Site: site}, Extended: api.Extended{Extended: true},
		}
		made := servertest.Do(w, "creator", api.CreateInstallationSite, in)
		if made.Site.ID != site || made.Site.Thing == nil || made.Site.Thing.Title == "" {
			t.Errorf("installed on a site: %+v", made)
		}
		list := servertest.Do(w, "creator", api.ListInstallationSites, api.ListInstallationContentsInput{InstallationRef: ref})
		if len(list.Items) != 1 || list.Items[0].Site.ID != site || list.Items[0].Site.Thing != nil {
			t.Errorf("listed %+v", list.Items)
		}
		siteRef := api.InstallationSiteRef{InstallationRef: ref, Site: site}
		patch := api.UpdateInstallationSiteInput{InstallationSiteRef: siteRef}
		w.Must(patch.Body.Configuration.UnmarshalJSON([]byte(`{"level":"low"}`)))
		servertest.Equal(t, "status", api.InstallationActive, servertest.Do(w, "creator", api.UpdateInstallationSite, patch).Status)
		servertest.Do(w, "creator", api.DeleteInstallationSite, siteRef)
		servertest.Refused(w, "creator", api.GetInstallationSite, api.GetInstallationSiteInput{InstallationSiteRef: siteRef},
			http.StatusNotFound, api.ReasonNotFound)
		in.Body.Site = space
		servertest.Refused(w, "creator", api.CreateInstallationSite, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
		forSites := w.LinterIntegration("For sites")
		forSites.Target = api.TargetSite
		w.Publish("acme.sites", forSites)
		other := api.InstallationRef{IntegrationRef: integrationRef("acme.sites"), Installation: w.Install("acme.sites")}
		e := servertest.Refused(w, "creator", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
			InstallationRef: other, Body: api.InstallationSpaceCreate{Space: space},
		}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		if !strings.Contains(e.Fields[0].Message, "site") {
			t.Errorf("the error is %v", e.Fields)
		}
		servertest.Equal(t, "spaces of an integration for sites", 0, len(listedSpaces(w, "creator", other)))
	})
}

// TestInstallationHidesInaccessibleSpaces checks that users with the role create in the organization can read and
// change an installation for the spaces that they may see.
func TestInstallationHidesInaccessibleSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w)
		open, hidden := w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		servertest.Equal(t, "the admin's", []string{open, hidden}, listedSpaces(w, "admin", ref))
		servertest.Equal(t, "the creator's", []string{open}, listedSpaces(w, "creator", ref))
		absent := servertest.AbsentID(hidden)
		for _, id := range []string{hidden, absent} {
			servertest.Refused(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{
				InstallationSpaceRef: spaceRef(ref, id),
			}, http.StatusNotFound, api.ReasonNotFound)
			servertest.Refused(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, id), http.StatusNotFound, api.ReasonNotFound)
			servertest.Refused(w, "creator", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
				InstallationRef: ref, Body: api.InstallationSpaceCreate{Space: id},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
		for _, who := range []string{"reader", "editor", "reviewer"} {
			servertest.Refused(w, who, api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: ref},
				http.StatusForbidden, api.ReasonForbidden)
		}
		servertest.Refused(w, "stranger", api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: ref},
			http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestInstallationTokenIsLimitedToScopesAndSelection checks that the token of an installation gives access according
// to the scopes and the selection at the time of each request.
func TestInstallationTokenIsLimitedToScopesAndSelection(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w, "space:content:read")
		space, _ := w.NewSpaceWithPage("Text.\n")
		other, _ := w.NewSpaceWithPage("Text.\n")
		selectSpaces(w, ref, api.SelectSelected)
		installOnSpace(w, "admin", ref, space)
		for _, who := range []string{"creator", servertest.AdminWriting} {
			servertest.Refused(w, who, api.CreateInstallationToken, ref, http.StatusForbidden, api.ReasonForbidden)
		}
		w.Tokens["it"] = servertest.Do(w, "admin", api.CreateInstallationToken, ref).Token
		status := func(method, path string, body any) int { return w.Send("it", method, "/v1"+path, body).Status }
		opens := func(when string, want map[string]int) {
			t.Helper()
			for line, code := range want {
				method, path, _ := strings.Cut(line, " ")
				var body any
				if method != http.MethodGet {
					body = map[string]any{}
				}
				if got := status(method, path, body); got != code {
					t.Errorf("%s, %s answers %d, want %d", when, line, got, code)
				}
			}
		}
		opens("with content:read", map[string]int{
			"GET /spaces/" + space: 200, "GET /spaces/" + space + "/content": 200, "GET /spaces/" + space + "/content/pages": 200,
			"GET /spaces/" + other: 404, "GET /spaces/" + other + "/content": 404,
			"POST /spaces/" + space + "/change-requests": 403, "GET /spaces/" + space + "/comments": 403, "GET /user": 403,
			"GET /orgs/" + w.Org + "/spaces": 403, "GET /integrations": 403, "POST /user/tokens": 403, "GET /orgs/" + w.Org +
				"/openapi": 403,
		})
		body := w.LinterIntegration("Linter")
		body.Scopes = []api.IntegrationScope{"space:content:write", "openapi:read"}
		w.Publish("acme.linter", body)
		opens("with content:write", map[string]int{
			"GET /spaces/" + space: 200, "GET /spaces/" + space + "/content": 403, "POST /spaces/" + space + "/change-requests": 201,
			"GET /orgs/" + w.Org + "/openapi": 200, "PATCH /spaces/" + space: 403,
		})
		w.Clock.Advance(59 * time.Minute)
		selectSpaces(w, ref, api.SelectAll)
		opens("for all", map[string]int{"GET /spaces/" + other: 200})
		selectSpaces(w, ref, api.SelectSelected)
		opens("for selected ones again", map[string]int{"GET /spaces/" + other: 404, "GET /spaces/" + space: 200})
		w.Clock.Advance(time.Minute)
		opens("after an hour", map[string]int{"GET /spaces/" + space: 401})
	})
}

// TestInstallationTokenIsLimitedToItsAuthor checks that the token of an installation never has more access than the
// user who created it.
func TestInstallationTokenIsLimitedToItsAuthor(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := installLinter(w, "space:metadata:read", "space:metadata:write")
		space := w.NewSpace().ID
		servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
		w.Tokens["it"] = servertest.Do(w, "short", api.CreateInstallationToken, ref).Token
		rename := api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{Title: api.Some("By it")}}
		servertest.Do(w, "it", api.UpdateSpace, rename)
		w.Clock.Advance(time.Minute)
		servertest.Refused(w, "it", api.UpdateSpace, rename, http.StatusUnauthorized, api.ReasonUnauthenticated)
		w.SetMember("creator", api.RoleAdmin)
		w.Tokens["it"] = servertest.Do(w, "creator", api.CreateInstallationToken, ref).Token
		w.SetMember("creator", api.RoleRead)
		servertest.Refused(w, "it", api.UpdateSpace, rename, http.StatusForbidden, api.ReasonForbidden)
		listed := servertest.Do(w, "creator", api.ListTokens, api.ListTokensInput{}).Items
		if last := listed[len(listed)-1]; last.Installation != ref.Installation || last.Organization != w.Org || last.ExpiresAt.IsZero() {
			t.Errorf("listed as %+v", last)
		}
		servertest.Do(w, "admin", api.UnpublishIntegration, ref.IntegrationRef)
		servertest.Refused(w, "admin", api.CreateInstallationToken, ref, http.StatusConflict, api.ReasonState)
	})
}
