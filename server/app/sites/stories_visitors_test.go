package sites_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// visitorPaths returns the paths of the operations that visitors of a site may call, for its first space.
func visitorPaths(site api.SiteRef, space string) map[string]string {
	path := "/v1/orgs/" + site.Organization + "/sites/" + site.Site
	return map[string]string{
		"space": "/v1/spaces/" + space, "published": path + "/published", "structure": path + "/structure",
		"sections": path + "/sections", "site spaces": path + "/site-spaces",
	}
}

// checkVisitorStatus fails the test unless each visitor operation of a site responds with the status.
func checkVisitorStatus(w *servertest.World, as string, site api.SiteRef, space, query string, status int) {
	w.T.Helper()
	for name, path := range visitorPaths(site, space) {
		if a := w.Send(as, "GET", servertest.WithQuery(path, query), nil); a.Status != status {
			w.T.Errorf("%s as %q with %q: %d, want %d\n%s", name, as, query, a.Status, status, a.Body)
		}
	}
}

// TestPublicSiteServesVisitors checks that a public site is readable without a token, and gives no access to the rest
// of the organization.
func TestPublicSiteServesVisitors(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("Secret.")},
		})
		site := servertest.NewSite(w, api.SitePublic, space)
		for _, visibility := range []api.SiteVisibility{api.SitePublic, api.SiteUnlisted} {
			servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
				SiteRef: site, Body: api.SitePatch{Visibility: api.Some(visibility)},
			})
			checkVisitorStatus(w, "", site, space, "", 401)
			checkVisitorStatus(w, "stranger", site, space, "", 404)
			servertest.Do(w, "creator", api.PublishSite, site)
			for _, as := range []string{"", "stranger", "guest", "reader"} {
				checkVisitorStatus(w, as, site, space, "", 200)
			}
			shown := servertest.ReadSpaceAs(w, "", space)
			if shown.Comments != 0 || shown.ChangeRequests != 0 || !shown.Permissions.View || shown.Permissions.Access {
				t.Errorf("a visitor sees %+v", shown)
			}
			servertest.Equal(t, "comments to a reader", 1, servertest.ReadSpaceAs(w, "reader", space).Comments)
			for _, path := range []string{
				"/v1/spaces/" + space + "/content", "/v1/spaces/" + space + "/content/page/" + page, "/v1/spaces/" + space + "/comments",
				"/v1/orgs/" + w.Org + "/sites", "/v1/orgs/" + w.Org + "/sites/" + site.Site, "/v1/orgs/" + w.Org + "/sites/" + site.Site +
					"/share-links",
				"/v1/orgs/" + w.Org + "/sites/" + site.Site + "/section-groups",
			} {
				w.Call("", "GET", path, nil, 401)
				w.Call("stranger", "GET", path, nil, 404)
			}
			servertest.Do(w, "creator", api.UnpublishSite, site)
		}
		checkVisitorStatus(w, "", site, space, "", 401)
	})
}

// TestVisitorWithInvalidTokenIsRefused checks that even sites that need no token refuse an invalid visitor token.
func TestVisitorWithInvalidTokenIsRefused(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		servertest.AddInvalidTokens(w)
		space := w.NewSpace().ID
		site := servertest.PublishedSite(w, api.SitePublic, space)
		for name := range w.Tokens {
			if strings.HasPrefix(name, "wrong: ") {
				checkVisitorStatus(w, name, site, space, "", 401)
			}
		}
	})
}

// TestShareLinkOpensSite checks that a share key gives access to its own site while its link is active and the site
// is published.
func TestShareLinkOpensSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, hidden := w.NewSpaceIn("Shared", "").ID, w.NewSpaceIn("Hidden", "").ID
		site, other := servertest.NewSite(w, api.SiteShareLink, space), servertest.PublishedSite(w, api.SiteShareLink, hidden)
		link := func(site api.SiteRef, name string) api.ShareLink {
			return servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{
				SiteRef: site, Body: api.ShareLinkCreate{Name: name},
			})
		}
		first, second, foreign := link(site, "Partner"), link(site, "Customer"), link(other, "Else")
		key := servertest.ShareKeyOf(t, first)
		checkVisitorStatus(w, "", site, space, key, 401)
		servertest.Do(w, "creator", api.PublishSite, site)
		for _, as := range []string{"", "stranger", "guest"} {
			checkVisitorStatus(w, as, site, space, key, 200)
		}
		checkVisitorStatus(w, "reader", site, space, "", 200)
		for _, wrong := range []string{
			"", "shareKey=", "shareKey=AAAA", key + "A", "shareKey=" + strings.ToLower(strings.TrimPrefix(key, "shareKey=")),
			servertest.ShareKeyOf(t, foreign),
		} {
			checkVisitorStatus(w, "", site, space, wrong, 401)
			checkVisitorStatus(w, "guest", site, space, wrong, 404)
		}
		w.Call("", "GET", "/v1/spaces/"+hidden+"?"+key, nil, 401)

		shown := servertest.Do(w, "", api.GetSpace, api.GetSpaceInput{Space: space, ShareKey: strings.TrimPrefix(key, "shareKey=")})
		servertest.Equal(t, "the URL of the space goes on with the key", servertest.PublicURL+"/sites/"+w.Org+"/"+site.Site+"/shared?"+key,
			shown.URLs.Published)
		servertest.Equal(t, "visibility", api.VisibilityShareLink, shown.Visibility)
		servertest.Equal(t, "the URL without a key has none", false,
			strings.Contains(servertest.ReadSpaceAs(w, "reader", space).URLs.Published, "shareKey"))

		wider := servertest.PublishedSite(w, api.SiteUnlisted, space)
		shown = servertest.Do(w, "", api.GetSpace, api.GetSpaceInput{Space: space, ShareKey: strings.TrimPrefix(key, "shareKey=")})
		servertest.Equal(t, "the URL on the site of the key, though another one is for more people", servertest.PublicURL+"/sites/"+w.Org+
			"/"+site.Site+"/shared?"+key, shown.URLs.Published)
		servertest.Do(w, "creator", api.UnpublishSite, wider)

		ref := api.ShareLinkRef{SiteRef: site, ShareLink: first.ID}
		off := servertest.Do(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{
			ShareLinkRef: ref, Body: api.ShareLinkPatch{Active: api.Some(false)},
		})
		servertest.Equal(t, "active", false, off.Active)
		checkVisitorStatus(w, "", site, space, key, 401)
		checkVisitorStatus(w, "", site, space, servertest.ShareKeyOf(t, second), 200)
		on := servertest.Do(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{ShareLinkRef: ref, Body: api.ShareLinkPatch{
			Active: api.Some(true), Name: api.Some("Old partner"),
		}})
		servertest.Equal(t, "name", "Old partner", on.Name)
		checkVisitorStatus(w, "", site, space, key, 200)
		servertest.Equal(t, "links", 2, servertest.Do(w, "creator", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Count)
		servertest.Do(w, "creator", api.DeleteShareLink, ref)
		checkVisitorStatus(w, "", site, space, key, 401)
		servertest.DeleteAbsent(w, "creator", api.DeleteShareLink, ref)
		servertest.Refused(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{
			ShareLinkRef: api.ShareLinkRef{SiteRef: other, ShareLink: second.ID},
		}, 404, api.ReasonNotFound)

		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{Visibility: api.Some(api.SiteVisitorAuth)},
		})
		checkVisitorStatus(w, "", site, space, servertest.ShareKeyOf(t, second), 401)
		servertest.Do(w, "creator", api.DeleteSite, site)
		checkVisitorStatus(w, "", site, space, servertest.ShareKeyOf(t, second), 401)
	})
}

// TestShareKeysAreNotStored checks that the stored form of a share link gives no access.
func TestShareKeysAreNotStored(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site := servertest.PublishedSite(w, api.SiteShareLink, w.NewSpace().ID)
		made := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}, "Idempotency-Key", "once")
		secret := strings.TrimPrefix(servertest.ShareKeyOf(t, made), "shareKey=")
		for key, value := range w.Dump() {
			if strings.Contains(key+value, secret) {
				t.Errorf("%s holds the key", key)
			}
		}
		listed := servertest.Do(w, "creator", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items
		servertest.Equal(t, "the listed link", []api.ShareLink{made}, listed)
	})
}

// TestPublishedStructureForVisitors checks that a visitor gets the data that a renderer needs, without data that is
// not public.
func TestPublishedStructureForVisitors(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a, b, c := w.NewSpaceIn("A", "").ID, w.NewSpaceIn("B", "").ID, w.NewSpaceIn("C", "").ID
		site := servertest.PublishedSite(w, api.SitePublic, a)
		visit := api.SiteVisit{SiteRef: site}
		plain := servertest.Do(w, "", api.GetSitePublished, visit)
		servertest.Equal(t, "type", api.StructureSiteSpaces, plain.Structure.Type)
		servertest.Equal(t, "object", "site-space", plain.Structure.Structure[0].Object)
		servertest.Equal(t, "space", a, plain.Structure.Structure[0].Space.ID)

		second, third := addSection(w, site, b, "Second"), addSection(w, site, c, "Third")
		first := servertest.Do(w, "reader", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: visit}).Items[0]
		group := servertest.Do(w, "creator", api.CreateSiteSectionGroup,
			api.CreateSiteSectionGroupInput{SiteRef: site, Body: api.SiteSectionGroupCreate{
				Title: "Group", Sections: []string{second.ID, third.ID},
			}})
		full := servertest.Do(w, "", api.GetSitePublished, visit)
		servertest.Equal(t, "type", api.StructureSections, full.Structure.Type)
		servertest.Equal(t, "items", 2, len(full.Structure.Structure))
		servertest.Equal(t, "the group's sections", 2, len(*full.Structure.Structure[1].Sections))
		servertest.Equal(t, "title of the customization", "The site", full.Customizations.Site.Title)
		servertest.Equal(t, "the same structure", full.Structure, servertest.Do(w, "", api.GetSiteStructure, visit))

		servertest.Do(w, "creator", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: first.ID},
			Body:           api.SiteSectionPatch{Condition: api.Some(`visitor.claims.beta == "yes"`)},
		})
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: b})
		servertest.Equal(t, "what a visitor sees", []string{"third*=c"}, shownSections(w, "", site))
		servertest.Equal(t, "what a member sees", []string{"untitled*=a", "second=", "third=c"}, shownSections(w, "reader", site))
		w.Call("", "GET", "/v1/spaces/"+a, nil, 401)
		w.Call("", "GET", "/v1/spaces/"+c, nil, 200)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: c})
		servertest.Equal(t, "an empty group is not shown", 0, len(servertest.Do(w, "", api.GetSiteStructure, visit).Structure))
		servertest.Equal(t, "but to members", 2, len(servertest.Do(w, "reader", api.GetSiteStructure, visit).Structure))
		servertest.Do(w, "creator", api.DeleteSiteSectionGroup, api.SiteSectionGroupRef{SiteRef: site, SiteSectionGroup: group.ID})
	})
}

// TestVisitorAccessToEveryOperation checks that of all operations, a visitor may call those that read a published
// site and none that write. Content of other organizations is not_found with a share key.
func TestVisitorAccessToEveryOperation(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	site := api.SiteRef{Organization: w.Org, Site: s.Site}
	servertest.Do(w, "admin", api.UpdateSite, api.UpdateSiteInput{
		SiteRef: site, Body: api.SitePatch{Visibility: api.Some(api.SiteShareLink)},
	})
	servertest.Do(w, "admin", api.PublishSite, site)
	key := servertest.ShareKeyOf(t, servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: site, Body: api.ShareLinkCreate{Name: "Visitor"},
	}))
	doors := visitorPaths(site, s.Handbook)
	open := map[string]bool{}
	for _, path := range doors {
		open[path] = true
	}
	for _, row := range api.Rows() {
		path, _, _ := strings.Cut(w.SamplePath(row, s), "?")
		if row.Name == api.AcceptInvite.Name || row.Name == api.ListSAMLProviderLogins.Name || row.Name == api.ListIntegrations.Name ||
			row.Name == api.GetServer.Name {
			continue // public, with or without a key
		}
		a := w.Send("", row.Method, path+"?"+key, w.SampleBody(row, s))
		refusal := a.Status == 401 || a.Status == 400 && a.Error().Fields[0].Path == "shareKey" // an operation that takes no share key
		if isOpen := row.Method == "GET" && open[path]; isOpen != (a.Status == 200) || isOpen == refusal {
			t.Errorf("%s for a visitor: %d %s", row.Name, a.Status, a.Body)
		}
	}
	w.Call("", "GET", "/v1/spaces/"+s.Notes+"?"+key, nil, 200)
	w.Call("", "GET", "/v1/spaces/"+s.Plain+"?"+key, nil, 401)
	w.Call("", "GET", "/v1/orgs/"+w.OtherOrg+"/sites/"+s.Site+"/published?"+key, nil, 401)
	w.Call("", "GET", "/v1/orgs/"+w.Org+"/sites/"+s.Published+"/published?"+key, nil, 401)
}
