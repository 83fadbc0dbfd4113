package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// doors are the operations that visitors of a site may call, on its first space.
func doors(w *world, site api.SiteRef, space string) map[string]string {
	path := "/v1/orgs/" + site.Organization + "/sites/" + site.Site
	return map[string]string{
		"space": "/v1/spaces/" + space, "published": path + "/published", "structure": path + "/structure",
		"sections": path + "/sections", "site spaces": path + "/site-spaces",
	}
}

// admitted fails the test unless each door of a site answers with the status.
func admitted(w *world, as string, site api.SiteRef, space, query string, status int) {
	w.t.Helper()
	for name, path := range doors(w, site, space) {
		if a := w.raw(as, "GET", withQuery(path, query), nil); a.Status != status {
			w.t.Errorf("%s as %q with %q: %d, want %d\n%s", name, as, query, a.Status, status, a.Body)
		}
	}
}

// A public site serves everybody, and nobody the rest of the workspace.
func TestStoryOfAPublicSite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("Secret.")}})
		site := newSite(w, api.SitePublic, space)
		for _, visibility := range []api.SiteVisibility{api.SitePublic, api.SiteUnlisted} {
			do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Visibility: api.Some(visibility)}})
			admitted(w, "", site, space, "", 401)
			admitted(w, "stranger", site, space, "", 404)
			do(w, "creator", api.PublishSite, site)
			for _, as := range []string{"", "stranger", "guest", "reader"} {
				admitted(w, as, site, space, "", 200)
			}
			shown := spaceAs(w, "", space)
			if shown.Comments != 0 || shown.ChangeRequests != 0 || !shown.Permissions.View || shown.Permissions.Access {
				t.Errorf("a visitor sees %+v", shown)
			}
			equal(t, "comments to a reader", 1, spaceAs(w, "reader", space).Comments)
			for _, path := range []string{
				"/v1/spaces/" + space + "/content", "/v1/spaces/" + space + "/content/page/" + page, "/v1/spaces/" + space + "/comments",
				"/v1/orgs/" + w.org + "/sites", "/v1/orgs/" + w.org + "/sites/" + site.Site, "/v1/orgs/" + w.org + "/sites/" + site.Site + "/share-links",
				"/v1/orgs/" + w.org + "/sites/" + site.Site + "/section-groups",
			} {
				w.call("", "GET", path, nil, 401)
				w.call("stranger", "GET", path, nil, 404)
			}
			do(w, "creator", api.UnpublishSite, site)
		}
		admitted(w, "", site, space, "", 401)
	})
}

// A wrong token is refused where none is welcome.
func TestWrongTokenOfAVisitor(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		wrongTokens(w)
		space := w.newSpace().ID
		site := publishedSite(w, api.SitePublic, space)
		for name := range w.tokens {
			if strings.HasPrefix(name, "wrong: ") {
				admitted(w, name, site, space, "", 401)
			}
		}
	})
}

// A share key opens its own site while its link is active and the site is published.
func TestStoryOfShareLinks(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, hidden := w.newSpaceIn("Shared", "").ID, w.newSpaceIn("Hidden", "").ID
		site, other := newSite(w, api.SiteShareLink, space), publishedSite(w, api.SiteShareLink, hidden)
		link := func(site api.SiteRef, name string) api.ShareLink {
			return do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: name}})
		}
		first, second, foreign := link(site, "Partner"), link(site, "Customer"), link(other, "Else")
		key := keyOf(t, first)
		admitted(w, "", site, space, key, 401)
		do(w, "creator", api.PublishSite, site)
		for _, as := range []string{"", "stranger", "guest"} {
			admitted(w, as, site, space, key, 200)
		}
		admitted(w, "reader", site, space, "", 200)
		for _, wrong := range []string{"", "shareKey=", "shareKey=AAAA", key + "A", "shareKey=" + strings.ToLower(strings.TrimPrefix(key, "shareKey=")), keyOf(t, foreign)} {
			admitted(w, "", site, space, wrong, 401)
			admitted(w, "guest", site, space, wrong, 404)
		}
		w.call("", "GET", "/v1/spaces/"+hidden+"?"+key, nil, 401)

		shown := do(w, "", api.GetSpace, api.GetSpaceInput{Space: space, ShareKey: strings.TrimPrefix(key, "shareKey=")})
		equal(t, "the URL of the space goes on with the key", publicURL+"/sites/"+w.org+"/"+site.Site+"/shared?"+key, shown.URLs.Published)
		equal(t, "visibility", api.VisibilityShareLink, shown.Visibility)
		equal(t, "the URL without a key has none", false, strings.Contains(spaceAs(w, "reader", space).URLs.Published, "shareKey"))

		wider := publishedSite(w, api.SiteUnlisted, space)
		shown = do(w, "", api.GetSpace, api.GetSpaceInput{Space: space, ShareKey: strings.TrimPrefix(key, "shareKey=")})
		equal(t, "the URL on the site of the key, though another one is for more people", publicURL+"/sites/"+w.org+"/"+site.Site+"/shared?"+key, shown.URLs.Published)
		do(w, "creator", api.UnpublishSite, wider)

		ref := api.ShareLinkRef{SiteRef: site, ShareLink: first.ID}
		off := do(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{ShareLinkRef: ref, Body: api.ShareLinkPatch{Active: api.Some(false)}})
		equal(t, "active", false, off.Active)
		admitted(w, "", site, space, key, 401)
		admitted(w, "", site, space, keyOf(t, second), 200)
		on := do(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{ShareLinkRef: ref, Body: api.ShareLinkPatch{
			Active: api.Some(true), Name: api.Some("Old partner"),
		}})
		equal(t, "name", "Old partner", on.Name)
		admitted(w, "", site, space, key, 200)
		equal(t, "links", 2, do(w, "creator", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Count)
		do(w, "creator", api.DeleteShareLink, ref)
		admitted(w, "", site, space, key, 401)
		refused(w, "creator", api.DeleteShareLink, ref, 404, api.ReasonNotFound)
		refused(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{ShareLinkRef: api.ShareLinkRef{SiteRef: other, ShareLink: second.ID}}, 404, api.ReasonNotFound)

		do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Visibility: api.Some(api.SiteVisitorAuth)}})
		admitted(w, "", site, space, keyOf(t, second), 401)
		do(w, "creator", api.DeleteSite, site)
		admitted(w, "", site, space, keyOf(t, second), 401)
	})
}

// Keys are kept nowhere: what is stored does not open anything.
func TestShareKeysAreNotStored(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site := publishedSite(w, api.SiteShareLink, w.newSpace().ID)
		made := do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}, "Idempotency-Key", "once")
		secret := strings.TrimPrefix(keyOf(t, made), "shareKey=")
		for key, value := range w.dump() {
			if strings.Contains(key+value, secret) {
				t.Errorf("%s holds the key", key)
			}
		}
		listed := do(w, "creator", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items
		equal(t, "the listed link", []api.ShareLink{made}, listed)
	})
}

// A visitor gets what a renderer needs, without what is not for everybody.
func TestStoryOfAPublishedStructure(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		a, b, c := w.newSpaceIn("A", "").ID, w.newSpaceIn("B", "").ID, w.newSpaceIn("C", "").ID
		site := publishedSite(w, api.SitePublic, a)
		visit := api.SiteVisit{SiteRef: site}
		plain := do(w, "", api.GetSitePublished, visit)
		equal(t, "type", api.StructureSiteSpaces, plain.Structure.Type)
		equal(t, "object", "site-space", plain.Structure.Structure[0].Object)
		equal(t, "space", a, plain.Structure.Structure[0].Space.ID)

		first, second, third := section(w, site, a, "First"), section(w, site, b, "Second"), section(w, site, c, "Third")
		group := do(w, "creator", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{SiteRef: site, Body: api.SiteSectionGroupCreate{
			Title: "Group", Sections: []string{second.ID, third.ID},
		}})
		full := do(w, "", api.GetSitePublished, visit)
		equal(t, "type", api.StructureSections, full.Structure.Type)
		equal(t, "items", 2, len(full.Structure.Structure))
		equal(t, "the group's sections", 2, len(*full.Structure.Structure[1].Sections))
		equal(t, "title of the customization", "The site", full.Customizations.Site.Title)
		equal(t, "the same structure", full.Structure, do(w, "", api.GetSiteStructure, visit))

		do(w, "creator", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: first.ID},
			Body:           api.SiteSectionPatch{Condition: api.Some(`visitor.claims.beta == "yes"`)},
		})
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: b})
		equal(t, "what a visitor sees", []string{"third*=c"}, shownSections(w, "", site))
		equal(t, "what a member sees", []string{"first*=a", "second=", "third=c"}, shownSections(w, "reader", site))
		w.call("", "GET", "/v1/spaces/"+a, nil, 401)
		w.call("", "GET", "/v1/spaces/"+c, nil, 200)
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: c})
		equal(t, "an empty group is not shown", 0, len(do(w, "", api.GetSiteStructure, visit).Structure))
		equal(t, "but to members", 2, len(do(w, "reader", api.GetSiteStructure, visit).Structure))
		do(w, "creator", api.DeleteSiteSectionGroup, api.SiteSectionGroupRef{SiteRef: site, SiteSectionGroup: group.ID})
	})
}

// Of all rows, a visitor is served by those that show a published site, and by none that writes. What belongs to another
// organization is not there for one's key.
func TestVisitorsOnEveryRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	site := api.SiteRef{Organization: w.org, Site: s.Site}
	do(w, "admin", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Visibility: api.Some(api.SiteShareLink)}})
	do(w, "admin", api.PublishSite, site)
	key := keyOf(t, do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: "Visitor"}}))
	doors := doors(w, site, s.Handbook)
	open := map[string]bool{}
	for _, path := range doors {
		open[path] = true
	}
	for _, row := range api.Rows() {
		path, _, _ := strings.Cut(w.pathOf(row, s), "?")
		if row.Name == api.AcceptInvite.Name || row.Name == api.ListSAMLProviderLogins.Name || row.Name == api.ListIntegrations.Name {
			continue // for everybody, with or without a key
		}
		a := w.raw("", row.Method, path+"?"+key, w.bodyOf(row, s))
		refusal := a.Status == 401 || a.Status == 400 && a.Error().Fields[0].Path == "shareKey" // a row takes no key
		if isOpen := row.Method == "GET" && open[path]; isOpen != (a.Status == 200) || isOpen == refusal {
			t.Errorf("%s for a visitor: %d %s", row.Name, a.Status, a.Body)
		}
	}
	w.call("", "GET", "/v1/spaces/"+s.Notes+"?"+key, nil, 200)
	w.call("", "GET", "/v1/spaces/"+s.Plain+"?"+key, nil, 401)
	w.call("", "GET", "/v1/orgs/"+w.otherOrg+"/sites/"+s.Site+"/published?"+key, nil, 401)
	w.call("", "GET", "/v1/orgs/"+w.org+"/sites/"+s.Published+"/published?"+key, nil, 401)
}
