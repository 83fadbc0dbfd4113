package sites_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// addSection adds a section.
func addSection(w *servertest.World, site api.SiteRef, space, title string) api.SiteSection {
	w.T.Helper()
	return servertest.Do(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
		SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space, Title: api.Some(title)},
	})
}

// shownSpaces returns the paths of a site's spaces as visible to a user, the defaults with a star.
func shownSpaces(w *servertest.World, as string, site api.SiteRef) (paths []string) {
	w.T.Helper()
	for _, s := range servertest.Do(w, as, api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items {
		path := s.Path
		if s.Default {
			path += "*"
		}
		paths = append(paths, path)
	}
	return paths
}

// shownSections returns the paths of a site's sections with those of their spaces.
func shownSections(w *servertest.World, as string, site api.SiteRef) (texts []string) {
	w.T.Helper()
	for _, s := range servertest.Do(w, as, api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items {
		text := s.Path
		if s.Default {
			text += "*"
		}
		var spaces []string
		for _, shown := range s.SiteSpaces {
			spaces = append(spaces, shown.Path)
		}
		texts = append(texts, text+"="+strings.Join(spaces, ","))
	}
	return texts
}

func TestSiteLifecycle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		guide, other := w.NewSpaceIn("User Guide", "").ID, w.NewSpaceIn("User guide", "").ID
		site := servertest.NewSite(w, api.SitePublic, guide, other)
		shown := servertest.Do(w, "reader", api.GetSite, site)
		servertest.Equal(t, "type", api.SiteBasic, shown.Type)
		servertest.Equal(t, "site spaces", 2, shown.SiteSpaces)
		servertest.Equal(t, "published URL before publishing", "", shown.URLs.Published)
		servertest.Equal(t, "a slug that is taken gets a number", []string{"user-guide*", "user-guide-2"}, shownSpaces(w, "reader", site))
		servertest.Equal(t, "visibility of the space", api.VisibilityPrivate, servertest.ReadSpaceAs(w, "reader", guide).Visibility)

		servertest.Do(w, "creator", api.PublishSite, site)
		address := servertest.PublicURL + "/sites/" + w.Org + "/" + site.Site
		servertest.Equal(t, "published URL", address, servertest.Do(w, "reader", api.GetSite, site).URLs.Published)
		space := servertest.ReadSpaceAs(w, "reader", guide)
		servertest.Equal(t, "visibility of the published space", api.VisibilityPublic, space.Visibility)
		servertest.Equal(t, "published URL of the space", address+"/user-guide", space.URLs.Published)
		w.Call("", "GET", strings.TrimPrefix(address, servertest.PublicURL), nil, 200)

		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{
			Basename: api.Some("docs"), Proxy: api.Some("example.com/docs"), Icon: api.Some(api.SiteIcon{Emoji: "📚"}),
		}})
		shown = servertest.Do(w, "reader", api.GetSite, site)
		servertest.Equal(t, "proxy", api.SiteProxy{Origin: "example.com/docs", Target: servertest.PublicURL + "/sites/" + w.Org + "/docs"},
			*shown.Proxy)
		servertest.Equal(t, "published URL with a proxy", "https://example.com/docs", shown.URLs.Published)
		servertest.Equal(t, "icon", "📚", shown.Icon.Emoji)
		patched := servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{
			Proxy: api.Null[string](), Icon: api.Null[api.SiteIcon](),
		}})
		if patched.Proxy != nil || patched.Icon != nil {
			t.Errorf("null removes nothing: %+v", patched)
		}

		servertest.Do(w, "creator", api.UnpublishSite, site)
		servertest.Equal(t, "visibility when it is off the air", api.VisibilityPrivate,
			servertest.ReadSpaceAs(w, "reader", guide).Visibility)
		servertest.Do(w, "creator", api.DeleteSite, site)
		servertest.Refused(w, "admin", api.GetSite, site, 404, api.ReasonNotFound)
		servertest.DeleteAbsent(w, "admin", api.DeleteSite, site)
		servertest.ReadSpaceAs(w, "reader", guide)
	})
}

// TestCreateSiteWithNewSpace checks that a site can be created with a new space, which is empty or has sample pages.
func TestCreateSiteWithNewSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for word, pages := range map[string]int{api.SpaceEmpty: 0, api.SpaceSample: 2} {
			site := servertest.NewSite(w, api.SitePublic, word)
			servertest.Equal(t, "site spaces", 1, servertest.Do(w, "creator", api.GetSite, site).SiteSpaces)
			shown := servertest.Do(w, "creator", api.ListSiteSpaces, api.ListSiteSpacesInput{
				SiteVisit: api.SiteVisit{SiteRef: site},
			}).Items[0]
			servertest.Equal(t, "title", "The site", shown.Space.Title)
			servertest.Equal(t, word+" pages", pages,
				len(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: shown.Space.ID}).Pages))
		}
		w.WantUntouched(func() api.Error {
			return w.Call("creator", "POST", "/v1/orgs/"+w.Org+"/sites", []byte(`{"spaces":"other"}`), 422).Error()
		})
	})
}

// TestSpaceVisibilityIsWidestOfItsSites checks that of several published sites that show a space, the one with the
// widest audience determines its visibility.
func TestSpaceVisibilityIsWidestOfItsSites(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Guide", w.NewCollection("Books", "").ID).ID
		seen := func() api.Visibility { return servertest.ReadSpaceAs(w, "admin", space).Visibility }
		servertest.Equal(t, "on no site", api.VisibilityInCollection, seen())
		old := api.RevisionRef{Space: space, Revision: servertest.ReadSpaceAs(w, "admin", space).Revision}
		edit := w.NewRequest("admin", space)
		w.Change(edit, servertest.NewPage("Page", "x\n"))
		w.MustMerge(edit)
		var sites []api.SiteRef
		order := []api.SiteVisibility{api.SiteShareLink, api.SiteVisitorAuth, api.SiteUnlisted, api.SitePublic}
		for _, visibility := range order {
			site := servertest.NewSite(w, visibility, space)
			servertest.Do(w, "creator", api.PublishSite, site)
			sites = append(sites, site)
			servertest.Equal(t, "with another site", api.Visibility(visibility), seen())
			got := servertest.ReadSpaceAs(w, "admin", space)
			servertest.Equal(t, "whether visitors sign in", visibility == api.SiteVisitorAuth, got.VisitorAuth != nil &&
				got.VisitorAuth.Backend == "custom")
			servertest.Equal(t, "whether it is public", visibility == api.SitePublic, got.URLs.Public != "")
			revision := servertest.Do(w, "admin", api.GetContent, api.GetContentInput{Space: space})
			past := servertest.Do(w, "admin", api.GetRevision, api.RevisionInput{RevisionRef: old})
			servertest.Equal(t, "addresses of what it was", [2]string{}, [2]string{past.URLs.Published, past.URLs.Public})
			servertest.Equal(t, "addresses of the content", []string{
				got.URLs.Published, got.URLs.Public,
			}, []string{revision.URLs.Published, revision.URLs.Public})
		}
		for i := len(order) - 1; i > 0; i-- {
			if i%2 == 0 {
				servertest.Do(w, "creator", api.DeleteSite, sites[i])
			} else {
				servertest.Do(w, "creator", api.UnpublishSite, sites[i])
			}
			servertest.Equal(t, "with one less", api.Visibility(order[i-1]), seen())
		}
		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: sites[0], Body: api.SitePatch{Visibility: api.Some(api.SiteUnlisted)},
		})
		servertest.Equal(t, "after its only site changed", api.VisibilityUnlisted, seen())
	})
}

// TestSiteExcludesAgents checks that a site that excludes agents is hidden from tokens for agents, published or not,
// with the spaces that only the site makes readable.
func TestSiteExcludesAgents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		site := servertest.NewSite(w, api.SitePublic, space)
		servertest.Do(w, "creator", api.PublishSite, site)
		token := func(name, user string, agent bool) {
			made := servertest.Do(w, user, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: name, Agent: agent}})
			servertest.Equal(t, "whether it is an agent's", true, made.Agent)
			w.Tokens[name] = made.Token
		}
		token("the admin's agent", "admin", true)
		token("the guest's agent", "guest", true)
		token("an agent's agent", "the admin's agent", false)
		sees := func(user string) (seen [4]int) {
			listed := servertest.Do(w, user, api.ListSites, api.ListSitesInput{Organization: w.Org})
			return [4]int{
				listed.Count, servertest.Try(w, user, api.GetSitePublished, api.SiteVisit{SiteRef: site}).Status,
				servertest.Try(w, user, api.GetSite, site).Status, servertest.Try(w, user, api.GetSpace,
					api.GetSpaceInput{Space: space}).Status,
			}
		}
		servertest.Equal(t, "what the admin's agent sees", [4]int{1, 200, 200, 200}, sees("the admin's agent"))
		servertest.Equal(t, "what the guest's agent sees", [4]int{0, 200, 404, 200}, sees("the guest's agent"))
		context := func(to api.AgentsContext) {
			servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
				SiteRef: site, Body: api.SitePatch{AgentsContext: api.Some(to)},
			})
		}
		context(api.AgentsExcluded)
		servertest.Equal(t, "what the admin's agent still sees", [4]int{0, 404, 404, 200}, sees("the admin's agent"))
		servertest.Equal(t, "what the agent's agent still sees", [4]int{0, 404, 404, 200}, sees("an agent's agent"))
		servertest.Equal(t, "what the guest's agent still sees", [4]int{0, 404, 404, 404}, sees("the guest's agent"))
		servertest.Refused(w, "the admin's agent", api.DeleteSite, site, 404, api.ReasonNotFound)
		servertest.Equal(t, "what the admin sees", [4]int{1, 200, 200, 200}, sees("admin"))
		servertest.Equal(t, "what the guest sees", [4]int{0, 200, 404, 200}, sees("guest"))
		context(api.AgentsIncluded)
		servertest.Equal(t, "what the admin's agent sees again", [4]int{1, 200, 200, 200}, sees("the admin's agent"))
	})
}

// TestSiteExcludesInstallations checks that a site that excludes agents is hidden from tokens of installations that cover it.
func TestSiteExcludesInstallations(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site := servertest.PublishedSite(w, api.SitePublic, w.NewSpace().ID)
		reading := w.LinterIntegration("Reads sites")
		reading.Scopes = []api.IntegrationScope{"site:metadata:read"}
		name := w.Publish("acme.reader", reading).Name
		w.Tokens["installation"] = servertest.Do(w, "admin", api.CreateInstallationToken, api.InstallationRef{
			IntegrationRef: api.IntegrationRef{Integration: name}, Installation: w.Install(name),
		}).Token
		for _, step := range []struct {
			context api.AgentsContext
			status  int
		}{
			{api.AgentsIncluded, http.StatusOK}, {api.AgentsExcluded, http.StatusNotFound}, {api.AgentsIncluded, http.StatusOK},
		} {
			servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
				SiteRef: site, Body: api.SitePatch{AgentsContext: api.Some(step.context)},
			})
			servertest.Equal(t, "status of the site", step.status, servertest.Try(w, "installation", api.GetSite, site).Status)
			sections := api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}
			servertest.Equal(t, "status of its spaces", step.status, servertest.Try(w, "installation", api.ListSiteSpaces, sections).Status)
			servertest.Equal(t, "status for the admin", http.StatusOK, servertest.Try(w, "admin", api.GetSite, site).Status)
		}
	})
}

// TestSpaceInTransferIsNotShownOnSite checks that a space that is being transferred to another organization cannot be
// shown on a site.
func TestSpaceInTransferIsNotShownOnSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, other := w.NewSpace().ID, w.NewSpaceIn("Other", "").ID
		site := servertest.NewSite(w, api.SitePublic, other)
		shown := servertest.Do(w, "creator", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
		state := func(state store.EntryState) {
			w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				d, err := tx.Space(w.Org, space)
				w.Must(err)
				d.Private.State = state
				_, err = tx.PutSpace(d)
				return err
			}))
		}
		add := api.CreateSiteSpaceInput{SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space}}
		swap := api.UpdateSiteSpaceInput{
			SiteSpaceRef: api.SiteSpaceRef{SiteRef: site, SiteSpace: shown.ID}, Body: api.SiteSpacePatch{SpaceID: api.Some(space)},
		}
		state(store.EntryMoving)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSiteSpace, add, 503, api.ReasonUnavailable)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.UpdateSiteSpace, swap, 503, api.ReasonUnavailable)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
				SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space},
			}, 503, api.ReasonUnavailable)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSite, api.CreateSiteInput{
				Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{space}},
			}, 503, api.ReasonUnavailable)
		})
		state("")
		servertest.Do(w, "creator", api.CreateSiteSpace, add)
	})
}

// TestSiteHostnameAndBasenameAreUnique checks that a hostname and a basename belong to one site until they are
// released.
func TestSiteHostnameAndBasenameAreUnique(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		first, second := servertest.NewSite(w, api.SitePublic), servertest.NewSite(w, api.SitePublic)
		patch := func(site api.SiteRef, p api.SitePatch) api.UpdateSiteInput {
			return api.UpdateSiteInput{SiteRef: site, Body: p}
		}
		host, name := api.SitePatch{Hostname: api.Some("docs.example.com")}, api.SitePatch{Basename: api.Some("docs")}
		servertest.Do(w, "creator", api.UpdateSite, patch(first, host))
		servertest.Do(w, "creator", api.UpdateSite, patch(first, name))
		servertest.Do(w, "creator", api.UpdateSite, patch(first, host)) // its own hostname
		servertest.Do(w, "creator", api.UpdateSite, patch(first, name))
		foreign := api.SiteRef{
			Organization: w.OtherOrg, Site: servertest.Do(w, "stranger", api.CreateSite, api.CreateSiteInput{Organization: w.OtherOrg}).ID,
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.UpdateSite, patch(second, host), 409, api.ReasonConflict)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "stranger", api.UpdateSite, patch(foreign, host), 409, api.ReasonConflict)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.UpdateSite, patch(second, name), 422, api.ReasonInvalid)
		})
		servertest.Do(w, "stranger", api.UpdateSite, patch(foreign, name)) // basenames are unique within an organization

		servertest.Do(w, "creator", api.PublishSite, first)
		servertest.Equal(t, "published URL", "https://docs.example.com", servertest.Do(w, "reader", api.GetSite, first).URLs.Published)
		servertest.Do(w, "creator", api.UpdateSite, patch(first, api.SitePatch{Hostname: api.Null[string](), Basename: api.Some("other")}))
		servertest.Do(w, "stranger", api.UpdateSite, patch(foreign, host))
		servertest.Do(w, "creator", api.UpdateSite, patch(second, name))
		servertest.Do(w, "stranger", api.DeleteSite, foreign)
		servertest.Do(w, "creator", api.UpdateSite, patch(second, host))
		servertest.Do(w, "creator", api.DeleteSite, first)
	})
}

// TestStaleHostnameClaimIsReleased checks that the hostname claim of a site that was never created, or was deleted by
// a crashed node, is released after a while.
func TestStaleHostnameClaimIsReleased(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site := servertest.NewSite(w, api.SitePublic)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.Claim(store.HostnameKey("docs.example.com"), w.Org+"-site_gone")
			tx.Event(map[string]string{"type": "test"})
			return nil
		}))
		in := api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: api.Some("docs.example.com")}}
		servertest.Refused(w, "creator", api.UpdateSite, in, 409, api.ReasonConflict)
		w.Clock.Advance(txn.ClaimGrace + time.Minute)
		servertest.Equal(t, "hostname", "docs.example.com", servertest.Do(w, "creator", api.UpdateSite, in).Hostname)
	})
}

// TestShowingSpaceNeedsRoleCreate checks that showing a space on a site needs the role create in it, and the space
// has to exist.
func TestShowingSpaceNeedsRoleCreate(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		private, weak, gone := w.NewSpaceIn("Private", "").ID, w.NewSpaceIn("Weak", "").ID, w.NewSpaceIn("Gone", "").ID
		level := func(space string, l api.Optional[api.Level]) {
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{DefaultLevel: l}})
		}
		level(private, api.Null[api.Level]())
		level(weak, api.Some(api.Level(api.RoleReview)))
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: gone})
		foreign := servertest.Do(w, "stranger", api.CreateSpace, api.CreateSpaceInput{Organization: w.OtherOrg}).ID
		shown := w.NewSpaceIn("Shown", "").ID
		site := servertest.NewSite(w, api.SitePublic, shown)
		for _, space := range []string{private, gone, foreign, "s_1"} {
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "creator", api.CreateSiteSpace, api.CreateSiteSpaceInput{
					SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space},
				}, 422, api.ReasonInvalid)
			})
			servertest.Equal(t, "field", "spaceId", e.Fields[0].Path)
		}
		in := api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{shown, weak}}}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSite, in, 403, api.ReasonForbidden)
		})
		in.Body.Spaces = api.SpaceSelection{shown, shown}
		w.WantUntouched(func() api.Error { return servertest.Refused(w, "creator", api.CreateSite, in, 422, api.ReasonInvalid) })
	})
}

// TestSiteIsFilteredForCaller checks that the spaces, counts and lists of a site exclude content that the caller may
// not see.
func TestSiteIsFilteredForCaller(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		open, private, trashed := w.NewSpaceIn("Open", "").ID, w.NewSpaceIn("Private", "").ID, w.NewSpaceIn("Trashed", "").ID
		in := api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Title: "Handbook for all", Spaces: api.SpaceSelection{private, trashed, open}},
		}
		site := api.SiteRef{Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, in).ID}
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: private, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: trashed})
		servertest.Equal(t, "the admin sees", []string{"private*", "open"}, shownSpaces(w, "admin", site))
		servertest.Equal(t, "the reader sees", []string{"open*"}, shownSpaces(w, "reader", site))
		servertest.Equal(t, "and counts", 1, servertest.Do(w, "reader", api.GetSite, site).SiteSpaces)
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: trashed})
		servertest.Equal(t, "restored", []string{"private*", "trashed", "open"}, shownSpaces(w, "admin", site))

		servertest.PublishedSite(w, api.SitePublic, open)
		list := func(as string, l api.ListSitesInput) int {
			l.Organization = w.Org
			found := servertest.Do(w, as, api.ListSites, l)
			servertest.Equal(t, "count", len(found.Items), found.Count)
			return found.Count
		}
		for as, want := range map[string]int{"admin": 2, "reader": 2, "guest": 0} {
			servertest.Equal(t, "sites of the "+as, want, list(as, api.ListSitesInput{}))
		}
		servertest.Equal(t, "sites with the private space, to the admin", 1, list("admin", api.ListSitesInput{Space: private}))
		servertest.Equal(t, "and to the reader", 0, list("reader", api.ListSitesInput{Space: private}))
		servertest.Equal(t, "sites with the open one", 2, list("reader", api.ListSitesInput{Space: open}))
		servertest.Equal(t, "published", 1, list("reader", api.ListSitesInput{Published: api.Some(true)}))
		servertest.Equal(t, "not published", 1, list("reader", api.ListSitesInput{Published: api.Some(false)}))
		servertest.Equal(t, "by title", 1, list("reader", api.ListSitesInput{Title: "BOOK"}))
		page := servertest.Do(w, "reader", api.ListSites, api.ListSitesInput{
			Organization: w.Org, Title: "h", ListOptions: api.ListOptions{Limit: api.Some(1)},
		})
		if page.Count != 2 || len(page.Items) != 1 || page.Next == nil {
			t.Errorf("a page by title: %d of %d", len(page.Items), page.Count)
		}
	})
}

// TestSiteLimits checks that the number of parts of a site is limited.
func TestSiteLimits(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		site := servertest.NewSite(w, api.SitePublic)
		for range 200 {
			servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		}
		servertest.Refused(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}, 409, api.ReasonState)
		var spaces []string
		for i := range 100 {
			spaces = append(spaces, w.NewSpaceIn(fmt.Sprintf("Space %d", i), "").ID)
		}
		full := servertest.NewSite(w, api.SitePublic, spaces...)
		addSection(w, full, spaces[0], "First")
		for _, space := range slices.Backward(spaces[1:]) {
			addSection(w, full, space, "More")
		}
		servertest.Refused(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
			SiteRef: full, Body: api.SiteSectionCreate{SpaceID: spaces[0]},
		}, 409, api.ReasonState)
		w.Call("reader", "GET", "/v1/orgs/"+w.Org+"/sites/"+full.Site+"/published", nil, 200)
		servertest.Do(w, "creator", api.DeleteSite, site)
	})
}
