package sites_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// findContent returns the content that a user finds at an address; ok is false for not_found.
func findContent(w *servertest.World, as, address string) (at api.FoundContent, ok bool) {
	w.T.Helper()
	a := w.Send(as, http.MethodGet, "/v1/urls/content?url="+url.QueryEscape(address), nil)
	if a.Status == http.StatusOK {
		servertest.Decode(w, a, &at)
	} else if a.Status != http.StatusNotFound || a.Error().Message != "Not found." {
		w.T.Errorf("%s as %s: %d %s", address, as, a.Status, a.Body)
	}
	return at, a.Status == http.StatusOK
}

// TestFindContentResolvesResponseURLs checks that every URL in a response resolves to its object, for users who may
// see it.
func TestFindContentResolvesResponseURLs(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		path := w.ReadPage(space, page).Path
		ref := w.NewRequest("editor", space)
		shown := servertest.Do(w, "editor", api.GetSpace, api.GetSpaceInput{Space: space})
		request := w.ReadRequest(ref)
		for _, address := range []string{
			shown.URLs.App, shown.URLs.Location, shown.URLs.Location + "/comments?limit=1", shown.URLs.App + "/#top",
		} {
			if at, ok := findContent(w, "reader", address); !ok || at.Space.ID != space || at.Page != nil {
				t.Errorf("%s: %+v", address, at)
			}
		}
		for _, address := range []string{
			w.ReadPage(space, page).URLs.App, shown.URLs.Location + "/content/page/" + page, shown.URLs.Location + "/content/path/" + path,
		} {
			if at, ok := findContent(w, "reader", address); !ok || at.Space.ID != space || at.Page.ID != page || at.Page.Markdown != nil {
				t.Errorf("%s: %+v", address, at)
			}
		}
		for _, address := range []string{request.URLs.App, request.URLs.Location, request.URLs.Location + "/reviews"} {
			if at, ok := findContent(w, "commenter", address); !ok || at.ChangeRequest.ID != request.ID {
				t.Errorf("%s: %+v", address, at)
			}
			if _, ok := findContent(w, "reader", address); ok {
				t.Errorf("%s is shown to a reader", address)
			}
		}
		for _, nowhere := range []string{
			servertest.PublicURL, servertest.PublicURL + "/app/spaces/", servertest.PublicURL + "/app/pages/" + space +
				"~p_none", servertest.PublicURL + "/v1/orgs/" + w.Org,
			servertest.PublicURL + "/app/spaces/s_none", servertest.PublicURL + "/app/spaces/" +
				servertest.AbsentID(space), "https://elsewhere.example.com/app/spaces/" + space, "https://" + strings.Repeat("a", 300) +
				".example.com/",
		} {
			if at, ok := findContent(w, "admin", nowhere); ok {
				t.Errorf("%s: %+v", nowhere, at)
			}
		}
	})
}

// TestFindContentHidesInaccessibleContent checks that addresses of content that a user may not see are not_found.
func TestFindContentHidesInaccessibleContent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "")
		space := w.NewSpaceIn("Secret", books.ID)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: space.ID, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		if at, ok := findContent(w, "reader", books.URLs.App); !ok || at.Collection.ID != books.ID || at.Space != nil {
			t.Errorf("the collection: %+v", at)
		}
		for _, who := range []string{"reader", "guest", "stranger"} {
			if _, ok := findContent(w, who, space.URLs.App); ok {
				t.Errorf("the space is shown to the %s", who)
			}
		}
		if _, ok := findContent(w, "admin", space.URLs.App); !ok {
			t.Error("the admin does not find the space")
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space.ID})
		if _, ok := findContent(w, "admin", space.URLs.App); ok {
			t.Error("a space in the trash has an address")
		}
	})
}

// TestFindContentResolvesSiteAddresses checks that the URL of a published site resolves to the space that it shows
// there, also with a share key.
func TestFindContentResolvesSiteAddresses(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		path := w.ReadPage(space, page).Path
		site := servertest.PublishedSite(w, api.SiteShareLink, space)
		address := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).URLs.Published
		if at, ok := findContent(w, "reader", address+"/"+path); !ok || at.Space.ID != space || at.Page.ID != page {
			t.Errorf("%s/%s: %+v", address, path, at)
		}
		root := servertest.Do(w, "admin", api.GetSite, site).URLs.Published
		for _, same := range []string{
			root, root + "/", root + "#top", strings.Replace(strings.ToUpper(address[:8]), "HTTP", "hTTp", 1) + address[8:],
		} {
			if at, ok := findContent(w, "reader", same); !ok || at.Space.ID != space || at.Page != nil {
				t.Errorf("%s: %+v", same, at)
			}
		}
		if _, ok := findContent(w, "reader", root+"/none"); ok {
			t.Error("what a site has nothing at has an address")
		}
		if _, ok := findContent(w, "reader", address+"/no/such/page"); ok {
			t.Error("a page that there is not has an address")
		}
		if _, ok := findContent(w, "stranger", address); ok {
			t.Error("a stranger finds what takes a share link")
		}
		shared := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		key := servertest.ShareKeyOf(t, shared)
		if at, ok := findContent(w, "stranger", address+"?"+key); !ok || at.Space.ID != space || at.Page != nil {
			t.Errorf("with a share link: %+v", at)
		}
		servertest.Do(w, "admin", api.UnpublishSite, site)
		if _, ok := findContent(w, "stranger", address+"?"+key); ok {
			t.Error("a site that is not published has an address")
		}
	})
}
