package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestListWithDamagedRecordReturnsError checks that a list with a damaged record is an error: the item is not left out as if it
// did not exist.
func TestListWithDamagedRecordReturnsError(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true // records are damaged
	s := w.Populate()
	org := "/v1/orgs/" + w.Org
	for path, key := range map[string]redis.Key{
		org + "/sites/" + s.Site + "/share-links": store.ShareLinkKey(w.Org, s.ShareLink),
		org + "/saml":        store.SAMLProviderKey(w.Org, s.SAMLProvider),
		org + "/oidc":        store.OIDCProviderKey(w.Org, s.OIDCProvider),
		org + "/identities":  store.IdentityKey(w.Org, s.Identity),
		org + "/collections": store.CollectionKey(w.Org, s.Nested),
		"/v1/spaces/" + s.Handbook + "/comments/" + s.Comment.ID + "/replies": store.ReplyKey(w.Org, s.Reply.ID),
	} {
		w.Call("admin", http.MethodGet, path, nil, http.StatusOK)
		w.Must(w.Store.Client.Set(t.Context(), w.Store.Name(key), "damaged", 0).Err())
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
		recorder := httptest.NewRecorder() // Send fails the test after any internal error
		w.Handler.ServeHTTP(recorder, r)
		if recorder.Code != http.StatusInternalServerError {
			t.Errorf("%s with a damaged record: %d %s", path, recorder.Code, recorder.Body)
		}
	}
}
