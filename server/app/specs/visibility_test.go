package specs_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestPublicSpecificationIsReadableByAnybody checks that anybody can fetch the latest version of a public
// specification, and nobody a private one.
func TestPublicSpecificationIsReadableByAnybody(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		say := func(visibility api.SpecVisibility) api.OpenAPISpec {
			return servertest.Do(w, "creator", api.UpdateOpenAPISpec, api.UpdateOpenAPISpecInput{
				OpenAPISpecRef: servertest.SpecRef(w, "pets"), Body: api.OpenAPISpecPatch{Visibility: visibility},
			})
		}
		made := servertest.PutSpec(w, "pets", api.OpenAPISource{Text: servertest.PetsText})
		servertest.Equal(t, "visibility at first", api.SpecPrivate, made.Visibility)
		servertest.Equal(t, "no address", "", made.URLs.Public)
		public := "/openapi/" + w.Org + "/pets"
		w.Call("", http.MethodGet, public, nil, http.StatusNotFound)

		servertest.Equal(t, "address", servertest.PublicURL+public, say(api.SpecPublic).URLs.Public)
		w.Call("", http.MethodGet, public, nil, http.StatusNotFound) // not read yet
		servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "visibility after it was read", api.SpecPublic,
			servertest.Do(w, "reader", api.GetOpenAPISpec, servertest.SpecRef(w, "pets")).Visibility)
		latest := servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, "pets"))
		found := w.Call("", http.MethodGet, public, nil, http.StatusFound)
		servertest.Equal(t, "where it lies", latest.URL, found.Header.Get("Location"))
		w.Call("", http.MethodGet, strings.TrimPrefix(found.Header.Get("Location"), servertest.PublicURL), nil, http.StatusOK)
		w.Call("", http.MethodGet, "/openapi/o_none/pets", nil, http.StatusNotFound)
		w.Call("", http.MethodGet, "/openapi/"+w.Org+"/cats", nil, http.StatusNotFound)

		servertest.PutSpec(w, "pets", api.OpenAPISource{Text: servertest.PetsText}) // a new source does not change the visibility
		servertest.Equal(t, "no address again", "", say(api.SpecPrivate).URLs.Public)
		w.Call("", http.MethodGet, public, nil, http.StatusNotFound)
		servertest.Refused(w, "editor", api.UpdateOpenAPISpec, api.UpdateOpenAPISpecInput{
			OpenAPISpecRef: servertest.SpecRef(w, "pets"), Body: api.OpenAPISpecPatch{Visibility: api.SpecPublic},
		}, 403, api.ReasonForbidden)
	})
}
