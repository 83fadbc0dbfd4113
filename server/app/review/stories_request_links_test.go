package review_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestChangeRequestLinks checks that a change request has the links of the last update, in order, and other fields keep their
// values.
func TestChangeRequestLinks(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		path := "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest
		link := func(id, url, title string) map[string]any {
			l := map[string]any{"ref": map[string]any{"kind": "url", "url": url}}
			if id != "" {
				l["id"] = id
			}
			if title != "" {
				l["title"] = title
			}
			return l
		}
		patch := func(links ...any) []api.ChangeRequestLink {
			t.Helper()
			a := w.Send("editor", "PATCH", path, map[string]any{"links": append([]any{}, links...)})
			servertest.Equal(t, "status", http.StatusOK, a.Status)
			var got api.ChangeRequest
			servertest.Decode(w, a, &got)
			servertest.Equal(t, "shown", got.Links, w.ReadRequest(ref).Links)
			return got.Links
		}
		first := patch(link("", "https://example.com/1", "Ticket"), link("own", "https://example.com/2", ""))
		servertest.Equal(t, "links", 2, len(first))
		if first[0].ID == "" || first[0].Title != "Ticket" || first[0].Ref != (api.URLRef{Kind: "url", URL: "https://example.com/1"}) ||
			first[1].ID != "own" {
			t.Errorf("%+v", first)
		}
		second := patch(link("own", "https://example.com/2", "Talk"), link(first[0].ID, "https://example.com/1", "Ticket"))
		servertest.Equal(t, "in the order that was sent", []string{"own", first[0].ID}, []string{second[0].ID, second[1].ID})
		w.Send("editor", "PATCH", path, map[string]any{"subject": "Other"})
		servertest.Equal(t, "after another patch", second, w.ReadRequest(ref).Links)
		for _, wrong := range []map[string]any{
			{"links": []any{map[string]any{"title": "No address"}}},
			{"links": []any{map[string]any{"ref": map[string]any{"kind": "page", "page": "p"}}}},
			{"links": []any{link("", "javascript:alert(1)", "")}},
			{"links": []any{link("a", "https://example.com", ""), link("a", "https://example.com", "")}},
			{"status": "merged"},
		} {
			a := w.Send("editor", "PATCH", path, wrong)
			servertest.Equal(t, "status", http.StatusUnprocessableEntity, a.Status)
		}
		servertest.Equal(t, "none", 0, len(patch()))
		refused := w.Send("editor", "POST", "/v1/spaces/"+ref.Space+"/change-requests", map[string]any{
			"template": map[string]any{"id": "x"},
		}, "Prefer", "handling=lenient")
		servertest.Equal(t, "a template", http.StatusUnprocessableEntity, refused.Status)
		servertest.Equal(t, "what is at fault", "template", refused.Error().Fields[0].Path)
	})
}
