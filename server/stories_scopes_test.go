package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
)

// What everybody may do in a space or a collection is a grant as any other: to change it takes the scope admin, to say
// it again does not.
func TestLevelsAreGrants(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		space, collection := w.newSpace(), w.newCollection("Books", "")
		to := func(level *api.Level) (api.UpdateSpaceInput, api.UpdateCollectionInput) {
			wanted := api.Null[api.Level]()
			if level != nil {
				wanted = api.Some(*level)
			}
			return api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{DefaultLevel: wanted}},
				api.UpdateCollectionInput{Collection: collection.ID, Body: api.CollectionPatch{DefaultLevel: wanted}}
		}
		ofSpace, ofCollection := to(space.DefaultLevel)
		do(w, adminWriting, api.UpdateSpace, ofSpace)
		do(w, adminWriting, api.UpdateCollection, ofCollection)
		everybody := api.Level(api.RoleAdmin)
		ofSpace, ofCollection = to(&everybody)
		w.untouched(func() api.Error {
			return refused(w, adminWriting, api.UpdateSpace, ofSpace, http.StatusForbidden, api.ReasonForbidden)
		})
		w.untouched(func() api.Error {
			return refused(w, adminWriting, api.UpdateCollection, ofCollection, http.StatusForbidden, api.ReasonForbidden)
		})
		do(w, "admin", api.UpdateSpace, ofSpace)
	})
}

// The key that signs the tokens of visitors is shown to nobody who only reads: neither the row without its key, nor
// the key.
func TestKeysAreNotReadWithScopeRead(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		site := publishedSite(w, api.SiteVisitorAuth, w.newSpace().ID)
		do(w, "admin", api.RegenerateSiteAuth, site)
		refused(w, adminReading, api.GetSiteAuth, site, http.StatusForbidden, api.ReasonForbidden)
		if key := do(w, adminWriting, api.GetSiteAuth, site).PrivateKey; key == "" {
			t.Error("there is no key")
		}
		link := do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		listed := do(w, adminReading, api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items[0]
		equal(t, "address of a share link", link.URLs, listed.URLs)
	})
}
