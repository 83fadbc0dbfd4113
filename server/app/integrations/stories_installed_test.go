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

// installedLinter is a public integration that asks for a configuration everywhere, installed in the organization.
func installedLinter(w *servertest.World, scopes ...api.IntegrationScope) api.InstallationRef {
	w.T.Helper()
	body := w.Linter("Linter")
	body.Visibility, body.Scopes = api.IntegrationPublic, scopes
	level := &api.IntegrationConfiguration{
		Properties: map[string]api.IntegrationProperty{"level": {Type: api.PropertyString, Enum: []string{"low", "high"}}}, Required: []string{"level"},
	}
	body.Configurations = api.IntegrationConfigurations{Space: level, Site: level}
	w.Publish("acme.linter", body)
	return api.InstallationRef{IntegrationRef: integrationRef("acme.linter"), Installation: w.Install("acme.linter")}
}

func selectSpaces(w *servertest.World, at api.InstallationRef, selection api.InstallationSelection) api.IntegrationInstallation {
	w.T.Helper()
	return servertest.Do(w, "creator", api.UpdateIntegrationInstallation, api.UpdateInstallationInput{
		InstallationRef: at, Body: api.InstallationPatch{SpaceSelection: api.Some(selection), SiteSelection: api.Some(selection)},
	})
}

func onSpace(at api.InstallationRef, space string) api.InstallationSpaceRef {
	return api.InstallationSpaceRef{InstallationRef: at, Space: space}
}

func installOn(w *servertest.World, as string, at api.InstallationRef, space string) api.IntegrationSpaceInstallation {
	w.T.Helper()
	return servertest.Do(w, as, api.CreateInstallationSpace, api.CreateInstallationSpaceInput{InstallationRef: at, Body: api.InstallationSpaceCreate{Space: space}})
}

// seenOn are the spaces that the list of an installation has, with its count.
func seenOn(w *servertest.World, as string, at api.InstallationRef) (spaces []string) {
	w.T.Helper()
	list := servertest.Do(w, as, api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: at})
	for _, item := range list.Items {
		spaces = append(spaces, item.Space.ID)
	}
	servertest.Equal(w.T, "the count", len(spaces), list.Count)
	return spaces
}

// An installation for all spaces is on each of them; one for selected ones is where it was installed by name.
func TestStoryOfASelection(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w)
		first, second := w.NewSpace().ID, w.NewSpace().ID
		servertest.Equal(t, "for all", []string{first, second}, seenOn(w, "creator", at))
		covered := installOn(w, "creator", at, first)
		if covered.Space.ID != first || covered.Status != api.InstallationPending || covered.Installation != at.Installation || covered.Integration != "acme.linter" {
			t.Errorf("installed on what all covers: %+v", covered)
		}
		servertest.Refused(w, "creator", api.DeleteInstallationSpace, onSpace(at, first), http.StatusConflict, api.ReasonState)
		servertest.Equal(t, "spaces of a narrower selection", 1, selectSpaces(w, at, api.SelectSelected).Spaces)
		servertest.Equal(t, "what was installed by name", []string{first}, seenOn(w, "creator", at))
		servertest.Refused(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{InstallationSpaceRef: onSpace(at, second)}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Equal(t, "location", covered.URLs.Location, servertest.PublicURL+"/v1/integrations/acme.linter/installations/"+at.Installation+"/spaces/"+first)
		installOn(w, "creator", at, second)
		installOn(w, "creator", at, second)
		servertest.Equal(t, "both", []string{first, second}, seenOn(w, "creator", at))
		servertest.Do(w, "creator", api.DeleteInstallationSpace, onSpace(at, first))
		servertest.Equal(t, "one", []string{second}, seenOn(w, "creator", at))
		a := servertest.Try(w, "admin", api.DeleteInstallationSpace, onSpace(at, first))
		if a.Status != http.StatusNoContent || a.Header.Get(api.AbsentHeader) == "" {
			t.Errorf("deleted again: %d %v", a.Status, a.Header)
		}
		servertest.Refused(w, "creator", api.DeleteInstallationSpace, onSpace(at, first), http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: second})
		servertest.Equal(t, "what lies in the trash", []string(nil), seenOn(w, "creator", at))
		servertest.Equal(t, "and is not counted", 0, servertest.Do(w, "creator", api.GetIntegrationInstallation, at).Spaces)
	})
}

// What is configured for a space is held against what the integration asks for there, and decides its status.
func TestStoryOfAConfiguredSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w)
		space := w.NewSpace().ID
		configured := func(text string) api.UpdateInstallationSpaceInput {
			in := api.UpdateInstallationSpaceInput{InstallationSpaceRef: onSpace(at, space)}
			w.Must(in.Body.Configuration.UnmarshalJSON([]byte(text)))
			return in
		}
		e := servertest.Refused(w, "creator", api.UpdateInstallationSpace, configured(`{"level":"middle"}`), http.StatusUnprocessableEntity, api.ReasonInvalid)
		servertest.Equal(t, "the field", "configuration.level", e.Fields[0].Path)
		servertest.Equal(t, "status", api.InstallationActive, servertest.Do(w, "creator", api.UpdateInstallationSpace, configured(`{"level":"low"}`)).Status)
		ids := api.UpdateInstallationSpaceInput{InstallationSpaceRef: onSpace(at, space), Extended: api.Extended{Extended: true}}
		ids.Body.ExternalIDs = api.Some([]string{"T-1"})
		whole := servertest.Do(w, "creator", api.UpdateInstallationSpace, ids)
		if whole.Space.Thing == nil || whole.Space.Thing.ID != space || whole.Space.Thing.Title == "" || string(whole.Configuration["level"]) != `"low"` || !slices.Equal(whole.ExternalIDs, []string{"T-1"}) {
			t.Errorf("extended %+v", whole)
		}
		tag := servertest.Try(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{InstallationSpaceRef: onSpace(at, space)}).Header.Get("Etag")
		servertest.Do(w, "creator", api.UpdateInstallationSpace, configured(`{"level":"high"}`), "If-Match", tag)
		servertest.Refused(w, "creator", api.UpdateInstallationSpace, configured(`{}`), http.StatusPreconditionFailed, api.ReasonPrecondition, "If-Match", tag)
		selectSpaces(w, at, api.SelectSelected)
		kept := servertest.Do(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{InstallationSpaceRef: onSpace(at, space)})
		servertest.Equal(t, "what was configured by name stays", `"high"`, string(kept.Configuration["level"]))
		servertest.Do(w, "admin", api.UnpublishIntegration, at.IntegrationRef)
		servertest.Equal(t, "status", api.InstallationPaused, servertest.Do(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{InstallationSpaceRef: onSpace(at, space)}).Status)
		servertest.Do(w, "creator", api.DeleteIntegrationInstallation, at)
		b := w.Store.Pipeline()
		left := b.Record(store.InstalledKey(at.Installation, space))
		w.Must(b.Do(t.Context()))
		if _, ok, err := left.Get(); ok || err != nil {
			t.Errorf("uninstalled, its configuration is there: %v", err)
		}
	})
}

// Sites are selected as spaces are; an integration is installed only where it is meant for.
func TestStoryOfAnInstallationOnASite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w)
		space := w.NewSpace().ID
		site := servertest.NewSite(w, api.SitePublic, space).Site
		selectSpaces(w, at, api.SelectSelected)
		in := api.CreateInstallationSiteInput{InstallationRef: at, Body: api.InstallationSiteCreate{Site: site}, Extended: api.Extended{Extended: true}}
		made := servertest.Do(w, "creator", api.CreateInstallationSite, in)
		if made.Site.ID != site || made.Site.Thing == nil || made.Site.Thing.Title == "" {
			t.Errorf("installed on a site: %+v", made)
		}
		list := servertest.Do(w, "creator", api.ListInstallationSites, api.ListInstallationContentsInput{InstallationRef: at})
		if len(list.Items) != 1 || list.Items[0].Site.ID != site || list.Items[0].Site.Thing != nil {
			t.Errorf("listed %+v", list.Items)
		}
		ref := api.InstallationSiteRef{InstallationRef: at, Site: site}
		patch := api.UpdateInstallationSiteInput{InstallationSiteRef: ref}
		w.Must(patch.Body.Configuration.UnmarshalJSON([]byte(`{"level":"low"}`)))
		servertest.Equal(t, "status", api.InstallationActive, servertest.Do(w, "creator", api.UpdateInstallationSite, patch).Status)
		servertest.Do(w, "creator", api.DeleteInstallationSite, ref)
		servertest.Refused(w, "creator", api.GetInstallationSite, api.GetInstallationSiteInput{InstallationSiteRef: ref}, http.StatusNotFound, api.ReasonNotFound)
		in.Body.Site = space
		servertest.Refused(w, "creator", api.CreateInstallationSite, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
		forSites := w.Linter("For sites")
		forSites.Target = api.TargetSite
		w.Publish("acme.sites", forSites)
		other := api.InstallationRef{IntegrationRef: integrationRef("acme.sites"), Installation: w.Install("acme.sites")}
		e := servertest.Refused(w, "creator", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{InstallationRef: other, Body: api.InstallationSpaceCreate{Space: space}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		if !strings.Contains(e.Fields[0].Message, "site") {
			t.Errorf("the error is %v", e.Fields)
		}
		servertest.Equal(t, "spaces of an integration for sites", 0, len(seenOn(w, "creator", other)))
	})
}

// Who may see and change what an installation is for: creators of its organization, as far as they see the spaces.
func TestInstallationsOfHiddenSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w)
		open, hidden := w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		servertest.Equal(t, "the admin's", []string{open, hidden}, seenOn(w, "admin", at))
		servertest.Equal(t, "the creator's", []string{open}, seenOn(w, "creator", at))
		absent := servertest.Elsewhere(hidden)
		for _, id := range []string{hidden, absent} {
			servertest.Refused(w, "creator", api.GetInstallationSpace, api.GetInstallationSpaceInput{InstallationSpaceRef: onSpace(at, id)}, http.StatusNotFound, api.ReasonNotFound)
			servertest.Refused(w, "creator", api.DeleteInstallationSpace, onSpace(at, id), http.StatusNotFound, api.ReasonNotFound)
			servertest.Refused(w, "creator", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{InstallationRef: at, Body: api.InstallationSpaceCreate{Space: id}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
		for _, who := range []string{"reader", "editor", "reviewer"} {
			servertest.Refused(w, who, api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: at}, http.StatusForbidden, api.ReasonForbidden)
		}
		servertest.Refused(w, "stranger", api.ListInstallationSpaces, api.ListInstallationContentsInput{InstallationRef: at}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// The token of an installation opens what the scopes and the selections name, at every request as they are then.
func TestStoryOfAnInstallationToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w, "space:content:read")
		space, _ := w.Seed("Text.\n")
		other, _ := w.Seed("Text.\n")
		selectSpaces(w, at, api.SelectSelected)
		installOn(w, "admin", at, space)
		for _, who := range []string{"creator", servertest.AdminWriting} {
			servertest.Refused(w, who, api.CreateInstallationToken, at, http.StatusForbidden, api.ReasonForbidden)
		}
		w.Tokens["it"] = servertest.Do(w, "admin", api.CreateInstallationToken, at).Token
		status := func(method, path string, body any) int { return w.Raw("it", method, "/v1"+path, body).Status }
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
			"GET /orgs/" + w.Org + "/spaces": 403, "GET /integrations": 403, "POST /user/tokens": 403, "GET /orgs/" + w.Org + "/openapi": 403,
		})
		body := w.Linter("Linter")
		body.Scopes = []api.IntegrationScope{"space:content:write", "openapi:read"}
		w.Publish("acme.linter", body)
		opens("with content:write", map[string]int{
			"GET /spaces/" + space: 200, "GET /spaces/" + space + "/content": 403, "POST /spaces/" + space + "/change-requests": 201,
			"GET /orgs/" + w.Org + "/openapi": 200, "PATCH /spaces/" + space: 403,
		})
		w.Clock.Advance(59 * time.Minute)
		selectSpaces(w, at, api.SelectAll)
		opens("for all", map[string]int{"GET /spaces/" + other: 200})
		selectSpaces(w, at, api.SelectSelected)
		opens("for selected ones again", map[string]int{"GET /spaces/" + other: 404, "GET /spaces/" + space: 200})
		w.Clock.Advance(time.Minute)
		opens("after an hour", map[string]int{"GET /spaces/" + space: 401})
	})
}

// Whoever made the token of an installation is bounded by it, not it by them alone: it never does more than they may.
func TestInstallationTokensAreTheirMakers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := installedLinter(w, "space:metadata:read", "space:metadata:write")
		space := w.NewSpace().ID
		servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.In(w, time.Minute)})
		w.Tokens["it"] = servertest.Do(w, "short", api.CreateInstallationToken, at).Token
		rename := api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{Title: api.Some("By it")}}
		servertest.Do(w, "it", api.UpdateSpace, rename)
		w.Clock.Advance(time.Minute)
		servertest.Refused(w, "it", api.UpdateSpace, rename, http.StatusUnauthorized, api.ReasonUnauthenticated)
		w.Member("creator", api.RoleAdmin)
		w.Tokens["it"] = servertest.Do(w, "creator", api.CreateInstallationToken, at).Token
		w.Member("creator", api.RoleRead)
		servertest.Refused(w, "it", api.UpdateSpace, rename, http.StatusForbidden, api.ReasonForbidden)
		listed := servertest.Do(w, "creator", api.ListTokens, api.ListTokensInput{}).Items
		if last := listed[len(listed)-1]; last.Installation != at.Installation || last.Organization != w.Org || last.ExpiresAt.IsZero() {
			t.Errorf("listed as %+v", last)
		}
		servertest.Do(w, "admin", api.UnpublishIntegration, at.IntegrationRef)
		servertest.Refused(w, "admin", api.CreateInstallationToken, at, http.StatusConflict, api.ReasonState)
	})
}
