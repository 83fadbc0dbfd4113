package search_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestSearchSite checks that a search of a site covers those of the selected spaces that the site shows and the
// caller may read.
func TestSearchSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		write := func(title, text string) string {
			space := w.CreateSpace(title, "", "")
			r := w.CreateRequest("creator", space, "All")
			w.Edit("creator", r, servertest.WithRef("top", servertest.Insert("Top of "+title, "", "# Top\n")),
				servertest.Insert("Walrus", "top", "# Walrus\n\n"+text+"\n\n## Habits\n\nThe walrus sleeps.\n"))
			w.Merge("creator", r)
			return space
		}
		first, second, secret := write("First", "A walrus."), write("Second", "Another walrus."), write("Secret", "A hidden walrus.")
		write("Elsewhere", "A walrus of no site.")
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: secret, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		site := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
			Title: "Docs", Spaces: api.SpaceSelection{first, second, secret},
		}})
		ref := api.SiteRef{Organization: w.Org, Site: site.ID}
		shown := map[string]string{}
		for _, s := range servertest.Do(w, "admin", api.ListSiteSpaces, api.ListSiteSpacesInput{
			SiteVisit: api.SiteVisit{SiteRef: ref},
		}).Items {
			shown[s.Space.ID] = s.ID
		}
		find := func(as string, body map[string]any) (spaces map[string]api.SiteHit) {
			t.Helper()
			var page api.Page[api.SiteHit]
			servertest.Decode(w, w.Call(as, http.MethodPost, "/v1/orgs/"+w.Org+"/sites/"+site.ID+"/search", body, http.StatusOK), &page)
			spaces = map[string]api.SiteHit{}
			for _, hit := range page.Items {
				spaces[hit.ID] = hit
			}
			servertest.Equal(t, "count", len(spaces), page.Count)
			return spaces
		}
		current := map[string]any{"mode": "default", "currentSiteSpace": shown[second]}
		only := map[string]any{"mode": "default", "currentSiteSpace": shown[second], "restrictTo": "currentSiteSpace"}
		others := map[string]any{"mode": "default", "currentSiteSpace": shown[second], "restrictTo": "otherSiteSpaces"}
		for _, test := range []struct {
			as   string
			body map[string]any
			want []string
		}{
			{"admin", map[string]any{}, []string{first, second, secret}},
			{"reader", map[string]any{}, []string{first, second}},
			{"reader", map[string]any{"mode": "all"}, []string{first, second}},
			{"reader", map[string]any{"mode": "current", "siteSpaceId": shown[second]}, []string{second}},
			{"reader", map[string]any{"mode": "specific", "siteSpaceIds": []string{shown[first], shown[secret]}}, []string{first}},
			{"reader", map[string]any{"scope": map[string]any{"mode": "all"}}, []string{first, second}},
			{
				"reader", map[string]any{
					"scope": map[string]any{"mode": "specific", "siteSpaceIds": []string{shown[first]}},
				}, []string{first},
			},
			{"reader", map[string]any{"scope": current}, []string{first, second}},
			{"reader", map[string]any{"scope": only}, []string{second}},
			{"reader", map[string]any{"scope": others}, []string{first}},
		} {
			test.body["query"] = "walrus"
			found := find(test.as, test.body)
			want := map[string]bool{}
			for _, space := range test.want {
				want[space] = true
			}
			for space := range found {
				if !want[space] {
					t.Errorf("%s with %v finds %s", test.as, test.body, found[space].Title)
				}
			}
			servertest.Equal(t, "spaces found", len(test.want), len(found))
		}

		hit := find("reader", map[string]any{"query": "walrus"})[first]
		page := hit.Pages[0]
		servertest.Equal(t, "types", []string{"space", "page", "section"}, []string{hit.Type, page.ResultType, page.Sections[0].ResultType})
		servertest.Equal(t, "ancestors", []api.PageAncestor{{Title: "Top of First"}}, page.Ancestors)
		if page.Score <= 0 || hit.Score < page.Score || page.Rank != 0 || page.Path == "" {
			t.Errorf("scores of %+v", hit)
		}
		for _, body := range []api.SiteSearch{
			{Query: "x", Mode: api.SearchCurrent},
			{Query: "x", Mode: api.SearchCurrent, SiteSpaceID: "ssp_none"},
			{Query: "x", SiteSpaceID: shown[first]},
			{Query: "x", Mode: api.SearchAll, Scope: &api.SiteSearchScope{Mode: api.ScopeAll}},
			{Query: "x", Scope: &api.SiteSearchScope{Mode: api.ScopeSpecific}},
			{Query: "x", Scope: &api.SiteSearchScope{Mode: api.ScopeDefault, RestrictTo: api.OnlyCurrent}},
			{},
		} {
			servertest.Refused(w, "reader", api.SearchSite, api.SearchSiteInput{SiteRef: ref, Body: body}, 422, api.ReasonInvalid)
		}
		servertest.Refused(w, "stranger", api.SearchSite, api.SearchSiteInput{SiteRef: ref, Body: api.SiteSearch{Query: "walrus"}}, 404,
			api.ReasonNotFound)
	})
}
