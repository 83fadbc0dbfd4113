package sites_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestPreviewShowsSiteToVisitor checks that a preview URL shows a site to a visitor with the given claims for an hour.
func TestPreviewShowsSiteToVisitor(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, _, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		preview := func(in api.SitePreviewInput) *url.URL {
			t.Helper()
			in.SiteRef = site
			u, err := url.Parse(servertest.Do(w, "creator", api.GetSitePreview, in).URL)
			w.Must(err)
			return u
		}
		plain := preview(api.SitePreviewInput{})
		servertest.Equal(t, "path", "/sites/"+w.Org+"/"+site.Site, plain.Path)
		servertest.Equal(t, "sections without claims", "All", visibleSections(w, site, plain.Query().Get("jwt_token")))
		token := preview(api.SitePreviewInput{Claims: "(plan:pro)"}).Query().Get("jwt_token")
		servertest.Equal(t, "sections with claims", "All Pro", visibleSections(w, site, token))
		shown := servertest.Do(w, "reader", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[1]
		servertest.Equal(t, "path of a site space", strings.TrimPrefix(shown.URLs.Published, servertest.PublicURL),
			preview(api.SitePreviewInput{SiteSpace: shown.ID}).Path)

		servertest.Refused(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site, Claims: "(plan"}, 400,
			api.ReasonInvalidParam)
		servertest.Refused(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site, SiteSpace: "ssp_none"}, 400,
			api.ReasonInvalidParam)
		servertest.Refused(w, "editor", api.GetSitePreview, api.SitePreviewInput{SiteRef: site}, 403, api.ReasonForbidden)
		w.Clock.Advance(time.Hour)
		servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: token}, 401, api.ReasonUnauthenticated)
	})
}

// TestPreviewNeedsKey checks that a preview of a site that needs a token or share key fails if there is no key to
// create it with.
func TestPreviewNeedsKey(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		_, site := newCustomizedSite(w, "Site")
		preview := func() string {
			return servertest.Do(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site}).URL
		}
		audience := func(v api.SiteVisibility) {
			servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Visibility: api.Some(v)}})
		}
		servertest.Equal(t, "of a site for everybody", servertest.PublicURL+"/sites/"+w.Org+"/"+site.Site, preview())
		servertest.Refused(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site, Claims: "a:b"}, 409, api.ReasonState)
		audience(api.SiteVisitorAuth)
		servertest.Refused(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site}, 409, api.ReasonState)
		audience(api.SiteShareLink)
		servertest.Refused(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site}, 409, api.ReasonState)
		link := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: "Friends"},
		})
		servertest.Do(w, "creator", api.PublishSite, site)
		servertest.Equal(t, "by a share link", link.URLs.Published, preview())
	})
}
