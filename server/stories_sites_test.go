package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// section adds a section.
func section(w *world, site api.SiteRef, space, title string) api.SiteSection {
	w.t.Helper()
	return do(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
		SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space, Title: api.Some(title)},
	})
}

// shownSpaces are the paths of a site's spaces as somebody sees them, the defaults with a star.
func shownSpaces(w *world, as string, site api.SiteRef) (paths []string) {
	w.t.Helper()
	for _, s := range do(w, as, api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items {
		path := s.Path
		if s.Default {
			path += "*"
		}
		paths = append(paths, path)
	}
	return paths
}

// shownSections are the paths of a site's sections with those of their spaces.
func shownSections(w *world, as string, site api.SiteRef) (texts []string) {
	w.t.Helper()
	for _, s := range do(w, as, api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items {
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

func TestStoryOfASite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		guide, other := w.newSpaceIn("User Guide", "").ID, w.newSpaceIn("User guide", "").ID
		site := newSite(w, api.SitePublic, guide, other)
		shown := do(w, "reader", api.GetSite, site)
		equal(t, "type", api.SiteBasic, shown.Type)
		equal(t, "site spaces", 2, shown.SiteSpaces)
		equal(t, "published URL before publishing", "", shown.URLs.Published)
		equal(t, "a slug that is taken gets a number", []string{"user-guide*", "user-guide-2"}, shownSpaces(w, "reader", site))
		equal(t, "visibility of the space", api.VisibilityPrivate, spaceAs(w, "reader", guide).Visibility)

		do(w, "creator", api.PublishSite, site)
		address := publicURL + "/sites/" + w.org + "/" + site.Site
		equal(t, "published URL", address, do(w, "reader", api.GetSite, site).URLs.Published)
		space := spaceAs(w, "reader", guide)
		equal(t, "visibility of the published space", api.VisibilityPublic, space.Visibility)
		equal(t, "published URL of the space", address+"/user-guide", space.URLs.Published)
		w.call("", "GET", strings.TrimPrefix(address, publicURL), nil, 200)

		do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{
			Basename: api.Some("docs"), Proxy: api.Some("example.com/docs"), Icon: api.Some(api.SiteIcon{Emoji: "📚"}),
		}})
		shown = do(w, "reader", api.GetSite, site)
		equal(t, "proxy", api.SiteProxy{Origin: "example.com/docs", Target: publicURL + "/sites/" + w.org + "/docs"}, *shown.Proxy)
		equal(t, "published URL behind the proxy", "https://example.com/docs", shown.URLs.Published)
		equal(t, "icon", "📚", shown.Icon.Emoji)
		patched := do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{
			Proxy: api.Null[string](), Icon: api.Null[api.SiteIcon](),
		}})
		if patched.Proxy != nil || patched.Icon != nil {
			t.Errorf("null removes nothing: %+v", patched)
		}

		do(w, "creator", api.UnpublishSite, site)
		equal(t, "visibility when it is off the air", api.VisibilityPrivate, spaceAs(w, "reader", guide).Visibility)
		do(w, "creator", api.DeleteSite, site)
		refused(w, "admin", api.GetSite, site, 404, api.ReasonNotFound)
		refused(w, "admin", api.DeleteSite, site, 404, api.ReasonNotFound)
		spaceAs(w, "reader", guide)
	})
}

// A site may be made with a space of its own, empty or with pages to start from.
func TestStoryOfASiteWithANewSpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		for word, pages := range map[string]int{api.SpaceEmpty: 0, api.SpaceSample: 2} {
			site := newSite(w, api.SitePublic, word)
			equal(t, "site spaces", 1, do(w, "creator", api.GetSite, site).SiteSpaces)
			shown := do(w, "creator", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
			equal(t, "title", "The site", shown.Space.Title)
			equal(t, word+" pages", pages, len(do(w, "reader", api.ListContentPages, api.GetContentInput{Space: shown.Space.ID}).Pages))
		}
		w.untouched(func() api.Error {
			return w.call("creator", "POST", "/v1/orgs/"+w.org+"/sites", []byte(`{"spaces":"other"}`), 422).Error()
		})
	})
}

// Of several sites that show a space, the widest audience counts, and published ones only.
func TestStoryOfTheWidestVisibility(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpaceIn("Guide", w.newCollection("Books", "").ID).ID
		seen := func() api.Visibility { return spaceAs(w, "admin", space).Visibility }
		equal(t, "on no site", api.VisibilityInCollection, seen())
		old := api.RevisionRef{Space: space, Revision: spaceAs(w, "admin", space).Revision}
		edit := w.newRequest("admin", space)
		w.change(edit, newPage("Page", "x\n"))
		w.merged(edit)
		var sites []api.SiteRef
		order := []api.SiteVisibility{api.SiteShareLink, api.SiteVisitorAuth, api.SiteUnlisted, api.SitePublic}
		for _, visibility := range order {
			site := newSite(w, visibility, space)
			do(w, "creator", api.PublishSite, site)
			sites = append(sites, site)
			equal(t, "with another site", api.Visibility(visibility), seen())
			got := spaceAs(w, "admin", space)
			equal(t, "whether visitors sign in", visibility == api.SiteVisitorAuth, got.VisitorAuth != nil && got.VisitorAuth.Backend == "custom")
			equal(t, "whether it is public", visibility == api.SitePublic, got.URLs.Public != "")
			revision := do(w, "admin", api.GetContent, api.GetContentInput{Space: space})
			past := do(w, "admin", api.GetRevision, api.RevisionInput{RevisionRef: old})
			equal(t, "addresses of what it was", [2]string{}, [2]string{past.URLs.Published, past.URLs.Public})
			equal(t, "addresses of the content", []string{got.URLs.Published, got.URLs.Public}, []string{revision.URLs.Published, revision.URLs.Public})
		}
		for i := len(order) - 1; i > 0; i-- {
			if i%2 == 0 {
				do(w, "creator", api.DeleteSite, sites[i])
			} else {
				do(w, "creator", api.UnpublishSite, sites[i])
			}
			equal(t, "with one less", api.Visibility(order[i-1]), seen())
		}
		do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: sites[0], Body: api.SitePatch{Visibility: api.Some(api.SiteUnlisted)}})
		equal(t, "after its only site changed", api.VisibilityUnlisted, seen())
	})
}

// A site that excludes agents is not there for tokens that were made for agents, whoever made them, published or not;
// nor are the spaces that only the site gives them.
func TestStoryOfExcludedAgents(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		site := newSite(w, api.SitePublic, space)
		do(w, "creator", api.PublishSite, site)
		token := func(name, maker string, agent bool) {
			made := do(w, maker, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: name, Agent: agent}})
			equal(t, "whether it is an agent's", true, made.Agent)
			w.tokens[name] = made.Token
		}
		token("the admin's agent", "admin", true)
		token("the guest's agent", "guest", true)
		token("an agent's agent", "the admin's agent", false)
		sees := func(who string) (seen [4]int) {
			listed := do(w, who, api.ListSites, api.ListSitesInput{Organization: w.org})
			return [4]int{
				listed.Count, try(w, who, api.GetSitePublished, api.SiteVisit{SiteRef: site}).Status,
				try(w, who, api.GetSite, site).Status, try(w, who, api.GetSpace, api.GetSpaceInput{Space: space}).Status,
			}
		}
		equal(t, "what the admin's agent sees", [4]int{1, 200, 200, 200}, sees("the admin's agent"))
		equal(t, "what the guest's agent sees", [4]int{0, 200, 404, 200}, sees("the guest's agent"))
		context := func(to api.AgentsContext) {
			do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{AgentsContext: api.Some(to)}})
		}
		context(api.AgentsExcluded)
		equal(t, "what the admin's agent still sees", [4]int{0, 404, 404, 200}, sees("the admin's agent"))
		equal(t, "what the agent's agent still sees", [4]int{0, 404, 404, 200}, sees("an agent's agent"))
		equal(t, "what the guest's agent still sees", [4]int{0, 404, 404, 404}, sees("the guest's agent"))
		refused(w, "the admin's agent", api.DeleteSite, site, 404, api.ReasonNotFound)
		equal(t, "what the admin sees", [4]int{1, 200, 200, 200}, sees("admin"))
		equal(t, "what the guest sees", [4]int{0, 200, 404, 200}, sees("guest"))
		context(api.AgentsIncluded)
		equal(t, "what the admin's agent sees again", [4]int{1, 200, 200, 200}, sees("the admin's agent"))
	})
}

// What is on its way to another organization is shown on no site from then on.
func TestMovingSpaceOnSite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, other := w.newSpace().ID, w.newSpaceIn("Other", "").ID
		site := newSite(w, api.SitePublic, other)
		shown := do(w, "creator", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
		state := func(state store.NodeState) {
			w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				d, err := tx.Space(w.org, space)
				w.must(err)
				d.Private.State = state
				_, err = tx.PutSpace(d)
				return err
			}))
		}
		add := api.CreateSiteSpaceInput{SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space}}
		swap := api.UpdateSiteSpaceInput{
			SiteSpaceRef: api.SiteSpaceRef{SiteRef: site, SiteSpace: shown.ID}, Body: api.SiteSpacePatch{SpaceID: api.Some(space)},
		}
		state(store.NodeMoving)
		w.untouched(func() api.Error { return refused(w, "creator", api.CreateSiteSpace, add, 503, api.ReasonUnavailable) })
		w.untouched(func() api.Error { return refused(w, "creator", api.UpdateSiteSpace, swap, 503, api.ReasonUnavailable) })
		w.untouched(func() api.Error {
			return refused(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
				SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space},
			}, 503, api.ReasonUnavailable)
		})
		w.untouched(func() api.Error {
			return refused(w, "creator", api.CreateSite, api.CreateSiteInput{
				Organization: w.org, Body: api.SiteCreate{Spaces: api.SpaceSelection{space}},
			}, 503, api.ReasonUnavailable)
		})
		state("")
		do(w, "creator", api.CreateSiteSpace, add)
	})
}

// A hostname and a basename belong to one site; given up, another can have them.
func TestStoryOfAddresses(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		first, second := newSite(w, api.SitePublic), newSite(w, api.SitePublic)
		patch := func(site api.SiteRef, p api.SitePatch) api.UpdateSiteInput {
			return api.UpdateSiteInput{SiteRef: site, Body: p}
		}
		host, name := api.SitePatch{Hostname: api.Some("docs.example.com")}, api.SitePatch{Basename: api.Some("docs")}
		do(w, "creator", api.UpdateSite, patch(first, host))
		do(w, "creator", api.UpdateSite, patch(first, name))
		do(w, "creator", api.UpdateSite, patch(first, host)) // its own
		do(w, "creator", api.UpdateSite, patch(first, name))
		foreign := api.SiteRef{Organization: w.otherOrg, Site: do(w, "stranger", api.CreateSite, api.CreateSiteInput{Organization: w.otherOrg}).ID}
		w.untouched(func() api.Error {
			return refused(w, "creator", api.UpdateSite, patch(second, host), 409, api.ReasonConflict)
		})
		w.untouched(func() api.Error {
			return refused(w, "stranger", api.UpdateSite, patch(foreign, host), 409, api.ReasonConflict)
		})
		w.untouched(func() api.Error {
			return refused(w, "creator", api.UpdateSite, patch(second, name), 422, api.ReasonInvalid)
		})
		do(w, "stranger", api.UpdateSite, patch(foreign, name)) // another organization's sites are others

		do(w, "creator", api.PublishSite, first)
		equal(t, "published URL", "https://docs.example.com", do(w, "reader", api.GetSite, first).URLs.Published)
		do(w, "creator", api.UpdateSite, patch(first, api.SitePatch{Hostname: api.Null[string](), Basename: api.Some("other")}))
		do(w, "stranger", api.UpdateSite, patch(foreign, host))
		do(w, "creator", api.UpdateSite, patch(second, name))
		do(w, "stranger", api.DeleteSite, foreign)
		do(w, "creator", api.UpdateSite, patch(second, host))
		do(w, "creator", api.DeleteSite, first)
	})
}

// A claim of a hostname whose site never came to be, or was deleted by a node that died, is taken over after a while.
func TestAbandonedHostname(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site := newSite(w, api.SitePublic)
		w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.Claim(store.HostnameKey("docs.example.com"), w.org+"-site_gone")
			tx.Event(map[string]string{"type": "test"})
			return nil
		}))
		in := api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: api.Some("docs.example.com")}}
		refused(w, "creator", api.UpdateSite, in, 409, api.ReasonConflict)
		w.clock.Advance(txn.ClaimGrace + time.Minute)
		equal(t, "hostname", "docs.example.com", do(w, "creator", api.UpdateSite, in).Hostname)
	})
}

// Who may not do more than read a space does not give it to the world; and nobody shows what is not there.
func TestOnlyCreatorsShowSpaces(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		private, weak, gone := w.newSpaceIn("Private", "").ID, w.newSpaceIn("Weak", "").ID, w.newSpaceIn("Gone", "").ID
		level := func(space string, l api.Optional[api.Level]) {
			do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{DefaultLevel: l}})
		}
		level(private, api.Null[api.Level]())
		level(weak, api.Some(api.Level(api.RoleReview)))
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: gone})
		foreign := do(w, "stranger", api.CreateSpace, api.CreateSpaceInput{Organization: w.otherOrg}).ID
		shown := w.newSpaceIn("Shown", "").ID
		site := newSite(w, api.SitePublic, shown)
		for _, space := range []string{private, gone, foreign, "s_1"} {
			e := w.untouched(func() api.Error {
				return refused(w, "creator", api.CreateSiteSpace, api.CreateSiteSpaceInput{SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space}}, 422, api.ReasonInvalid)
			})
			equal(t, "field", "spaceId", e.Fields[0].Path)
		}
		in := api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{Spaces: api.SpaceSelection{shown, weak}}}
		w.untouched(func() api.Error { return refused(w, "creator", api.CreateSite, in, 403, api.ReasonForbidden) })
		in.Body.Spaces = api.SpaceSelection{shown, shown}
		w.untouched(func() api.Error { return refused(w, "creator", api.CreateSite, in, 422, api.ReasonInvalid) })
	})
}

// What somebody may not see of a site they do not see: not in its spaces, not in the counts, not in the lists.
func TestSitesShowWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		open, private, trashed := w.newSpaceIn("Open", "").ID, w.newSpaceIn("Private", "").ID, w.newSpaceIn("Trashed", "").ID
		in := api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{Title: "Handbook for all", Spaces: api.SpaceSelection{private, trashed, open}}}
		site := api.SiteRef{Organization: w.org, Site: do(w, "admin", api.CreateSite, in).ID}
		do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: private, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: trashed})
		equal(t, "the admin sees", []string{"private*", "open"}, shownSpaces(w, "admin", site))
		equal(t, "the reader sees", []string{"open*"}, shownSpaces(w, "reader", site))
		equal(t, "and counts", 1, do(w, "reader", api.GetSite, site).SiteSpaces)
		do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: trashed})
		equal(t, "restored", []string{"private*", "trashed", "open"}, shownSpaces(w, "admin", site))

		publishedSite(w, api.SitePublic, open)
		list := func(as string, l api.ListSitesInput) int {
			l.Organization = w.org
			found := do(w, as, api.ListSites, l)
			equal(t, "count", len(found.Items), found.Count)
			return found.Count
		}
		for as, want := range map[string]int{"admin": 2, "reader": 2, "guest": 0} {
			equal(t, "sites of the "+as, want, list(as, api.ListSitesInput{}))
		}
		equal(t, "sites with the private space, to the admin", 1, list("admin", api.ListSitesInput{Space: private}))
		equal(t, "and to the reader", 0, list("reader", api.ListSitesInput{Space: private}))
		equal(t, "sites with the open one", 2, list("reader", api.ListSitesInput{Space: open}))
		equal(t, "published", 1, list("reader", api.ListSitesInput{Published: api.Some(true)}))
		equal(t, "not published", 1, list("reader", api.ListSitesInput{Published: api.Some(false)}))
		equal(t, "by title", 1, list("reader", api.ListSitesInput{Title: "BOOK"}))
		page := do(w, "reader", api.ListSites, api.ListSitesInput{Organization: w.org, Title: "h", ListOptions: api.ListOptions{Limit: api.Some(1)}})
		if page.Count != 2 || len(page.Items) != 1 || page.Next == nil {
			t.Errorf("a page by title: %d of %d", len(page.Items), page.Count)
		}
	})
}

// A site can be big, and no bigger.
func TestSiteHasLimits(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		site := newSite(w, api.SitePublic)
		for range 200 {
			do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		}
		refused(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}, 409, api.ReasonState)
		var spaces []string
		for i := range 100 {
			spaces = append(spaces, w.newSpaceIn(fmt.Sprintf("Space %d", i), "").ID)
		}
		full := newSite(w, api.SitePublic, spaces...)
		section(w, full, spaces[0], "First")
		for _, space := range slices.Backward(spaces) {
			section(w, full, space, "More")
		}
		refused(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: full, Body: api.SiteSectionCreate{SpaceID: spaces[0]}}, 409, api.ReasonState)
		w.call("reader", "GET", "/v1/orgs/"+w.org+"/sites/"+full.Site+"/published", nil, 200)
		do(w, "creator", api.DeleteSite, site)
	})
}
