package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestResponsesArePlainJSON checks that answers, repeated answers, content, errors and the OpenAPI document have <, > and & instead
// of escapes, and that the ETag of a plain answer works.
func TestResponsesArePlainJSON(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const title = "A <b> & c"
		body := api.SpaceCreate{Title: title}
		path := "/v1/orgs/" + w.Org + "/spaces"
		first := w.Send("admin", http.MethodPost, path, body, "Idempotency-Key", "once")
		again := w.Send("admin", http.MethodPost, path, body, "Idempotency-Key", "once")
		var space api.Space
		servertest.Decode(w, first, &space)
		one := w.Send("admin", http.MethodGet, "/v1/spaces/"+space.ID, nil)
		responses := map[string]servertest.Response{
			"created": first, "repeated": again, "read": one,
			"listed":  w.Send("admin", http.MethodGet, path, nil),
			"refused": w.Send("admin", http.MethodPost, path, []byte(`{"`+title+`":1}`)),
			"openapi": w.Send("admin", http.MethodGet, "/v1/openapi.json", nil),
		}
		for name, response := range responses {
			text := string(response.Body)
			if strings.Contains(text, `\u003c`) || strings.Contains(text, `\u003e`) || strings.Contains(text, `\u0026`) {
				t.Errorf("%s: %s", name, text)
			}
			if name != "openapi" && !strings.Contains(text, title) {
				t.Errorf("%s has no plain title: %s", name, text)
			}
		}
		servertest.Equal(t, "the repeat", string(first.Body), string(again.Body))
		tag := one.Header.Get("Etag")
		servertest.Equal(t, "status for the same ETag", http.StatusNotModified,
			w.Send("admin", http.MethodGet, "/v1/spaces/"+space.ID, nil, "If-None-Match", tag).Status)
	})
}
