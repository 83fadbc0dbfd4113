package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestDefaultLevelChangeNeedsScopeAdmin checks that the default level of a space or collection is a grant: changing
// it needs the scope admin, repeating the current value does not.
func TestDefaultLevelChangeNeedsScopeAdmin(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, collection := w.NewSpace(), w.NewCollection("Books", "")
		to := func(level *api.Level) (api.UpdateSpaceInput, api.UpdateCollectionInput) {
			wanted := api.Null[api.Level]()
			if level != nil {
				wanted = api.Some(*level)
			}
			return api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{DefaultLevel: wanted}},
				api.UpdateCollectionInput{Collection: collection.ID, Body: api.CollectionPatch{DefaultLevel: wanted}}
		}
		ofSpace, ofCollection := to(space.DefaultLevel)
		servertest.Do(w, servertest.AdminWriting, api.UpdateSpace, ofSpace)
		servertest.Do(w, servertest.AdminWriting, api.UpdateCollection, ofCollection)
		everybody := api.Level(api.RoleAdmin)
		ofSpace, ofCollection = to(&everybody)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, servertest.AdminWriting, api.UpdateSpace, ofSpace, http.StatusForbidden, api.ReasonForbidden)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, servertest.AdminWriting, api.UpdateCollection, ofCollection, http.StatusForbidden,
				api.ReasonForbidden)
		})
		servertest.Do(w, "admin", api.UpdateSpace, ofSpace)
	})
}

// TestSigningKeysAreHiddenFromScopeRead checks that the key that signs visitor tokens is not readable with the scope
// read: the site is shown without it, and the key itself is refused.
func TestSigningKeysAreHiddenFromScopeRead(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		site := servertest.PublishedSite(w, api.SiteVisitorAuth, w.NewSpace().ID)
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
		servertest.Refused(w, servertest.AdminReading, api.GetSiteAuth, site, http.StatusForbidden, api.ReasonForbidden)
		if key := servertest.Do(w, servertest.AdminWriting, api.GetSiteAuth, site).PrivateKey; key == "" {
			t.Error("there is no key")
		}
		link := servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		listed := servertest.Do(w, servertest.AdminReading, api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items[0]
		servertest.Equal(t, "address of a share link", link.URLs, listed.URLs)
	})
}
