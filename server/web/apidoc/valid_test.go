package apidoc_test

import (
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestOpenAPIDocumentIsValid validates the OpenAPI document with kin-openapi, except for the examples:
// it takes a schema of any value as one without null. The test world has validated them, see TestExamplesAreCurrent.
func TestOpenAPIDocumentIsValid(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	document, err := openapi3.NewLoader().LoadFromData(w.Send("", http.MethodGet, "/v1/openapi.json", nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
}
