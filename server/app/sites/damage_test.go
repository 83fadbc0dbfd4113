package sites_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestSpaceWithLostRecordIsNotAddedToSite checks that a space whose record is lost cannot be added to a site, like one that
// does not exist.
func TestSpaceWithLostRecordIsNotAddedToSite(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	site := servertest.NewSite(w, api.SitePublic, w.CreateSpace("Shown", "", ""))
	space := w.CreateSpace("Lost", "", "")
	w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.SpaceKey(w.Org, space))).Err())
	w.SkipFsck = true
	e := servertest.Refused(w, "creator", api.CreateSiteSpace, api.CreateSiteSpaceInput{
		SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space},
	}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	servertest.Equal(t, "field", "spaceId", e.Fields[0].Path)
	servertest.Equal(t, "message", "is not a space of this organization", e.Fields[0].Message)
}

// TestDeleteSiteWithLostShareLink checks that a site is deleted with its share links if the record of one is lost.
func TestDeleteSiteWithLostShareLink(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	site := servertest.PublishedSite(w, api.SiteShareLink, w.CreateSpace("Shown", "", ""))
	link := servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: site, Body: api.ShareLinkCreate{Name: "Lost"},
	})
	w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.ShareLinkKey(w.Org, link.ID))).Err())
	w.SkipFsck = true // the quota counts the lost record
	response := servertest.Try(w, "admin", api.DeleteSite, site)
	if !servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	servertest.Equal(t, "keys of the share link", 0, len(servertest.KeysWithID(w, link.ID)))
}
