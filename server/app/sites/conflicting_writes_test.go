package sites_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// TestSpaceHiddenDuringRequestIsNotAddedToSite checks that a space that is hidden from the caller between the check and the
// commit is not shown on a site, which would give the readers of the site access to it.
func TestSpaceHiddenDuringRequestIsNotAddedToSite(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	response := i.Before(func() { w.Hide(space) }, func() servertest.Response {
		return servertest.Try(w, "creator", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Title: "Site", Visibility: api.SitePublic, Spaces: []string{space}},
		})
	})
	if servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	servertest.Equal(t, "visibility", api.VisibilityPrivate, servertest.ReadSpaceAs(w, "admin", space).Visibility)
}

// TestShareLinkDoesNotOutliveSite checks that a share link that is created during the deletion of its site is deleted with the
// site, even if it replaces a deleted link.
func TestShareLinkDoesNotOutliveSite(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	for name, replaced := range map[string]bool{"made before the commit": false, "replaced after the list was read": true} {
		site := servertest.PublishedSite(w, api.SiteShareLink, w.CreateSpace("Shown", "", ""))
		create := func() string {
			return servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
				SiteRef: site, Body: api.ShareLinkCreate{Name: "Late"},
			}).ID
		}
		remove := func() servertest.Response { return servertest.Try(w, "admin", api.DeleteSite, site) }
		first, late, response := create(), "", servertest.Response{}
		if replaced {
			response = i.BeforeRead("zcard", store.ShareLinksKey(w.Org, site.Site), func() {
				servertest.Do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site, ShareLink: first})
				late = create()
			}, remove)
		} else {
			response = i.Before(func() { late = create() }, remove)
		}
		if !servertest.Succeeded(response) {
			t.Errorf("%s: answer %d %s", name, response.Status, response.Body)
		}
		servertest.Equal(t, "keys of the share link "+name, 0, len(servertest.KeysWithID(w, late)))
	}
}

// TestSpaceHiddenDuringRequestIsNotPublished checks that a site is not published by a caller from whom one of its spaces is
// hidden between the check and the commit.
func TestSpaceHiddenDuringRequestIsNotPublished(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	site := servertest.NewSite(w, api.SitePublic, space)
	link := api.CreateShareLinkInput{SiteRef: site}
	response := i.Before(func() { w.Hide(space) }, func() servertest.Response { return servertest.Try(w, "creator", api.PublishSite, site) })
	servertest.Equal(t, "status of publishing", 403, response.Status)
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: space, Body: api.SpacePatch{DefaultLevel: api.Some(api.LevelInherit)},
	})
	response = i.Before(func() { w.Hide(space) }, func() servertest.Response {
		return servertest.Try(w, "creator", api.CreateShareLink, link)
	})
	servertest.Equal(t, "status of creating a share link", 403, response.Status)
}
