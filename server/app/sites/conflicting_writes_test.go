package sites_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// A space that is hidden from the caller between the check and the commit is not shown on a site, which would give the
// readers of the site access to it.
func TestHiddenSpaceIsNotShown(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	answer := i.Before(func() { w.Hide(space) }, func() servertest.Answer {
		return servertest.Try(w, "creator", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Title: "Site", Visibility: api.SitePublic, Spaces: []string{space}},
		})
	})
	if servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	servertest.Equal(t, "visibility", api.VisibilityPrivate, servertest.ReadSpaceAs(w, "admin", space).Visibility)
}

// A share link that is made between the check and the commit of the deletion of its site does not outlive the site.
func TestShareLinkDoesNotOutliveSite(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	site := servertest.PublishedSite(w, api.SiteShareLink, w.CreateSpace("Shown", "", ""))
	var link api.ShareLink
	answer := i.Before(func() {
		link = servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: "Late"},
		})
	}, func() servertest.Answer { return servertest.Try(w, "admin", api.DeleteSite, site) })
	if !servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	servertest.Equal(t, "keys of the share link", 0, len(servertest.KeysWithID(w, link.ID)))
}
