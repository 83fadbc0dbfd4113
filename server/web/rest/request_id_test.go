package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestRequestIDIsEchoedIfValid checks that a well-formed request id is returned, and a new one is generated
// otherwise.
func TestRequestIDIsEchoedIfValid(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	for given, kept := range map[string]bool{
		"abc-1.2_3": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a\"b": false, "ä": false,
	} {
		for _, path := range []string{"/v1/user", "/v1/nothing", "/v1/openapi.json", "/raw/x"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Header.Set("X-Request-Id", given)
			recorder := httptest.NewRecorder()
			w.Handler.ServeHTTP(recorder, r)
			got := recorder.Header().Get("X-Request-Id")
			if kept && got != given || !kept && (got == given || !strings.HasPrefix(got, "req_")) {
				t.Errorf("GET %s with X-Request-Id %q answers with %q", path, given, got)
			}
		}
	}
}
