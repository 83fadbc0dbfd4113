package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestLenientHandling checks that a request that prefers lenient handling may have unknown parameters and fields,
// which are ignored and listed, but no other violations.
func TestLenientHandling(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		path := "/v1/spaces/" + s.Notes
		lenient := func(method, path string, body any) servertest.Response {
			return w.Send("admin", method, path, body, api.PreferHeader, "return=minimal, "+api.Lenient)
		}
		ahead := map[string]any{"title": "Ahead", "brand new": true, "mergeRules": map[string]any{"type": "none", "then": []int{1}}}

		a := w.Send("admin", http.MethodPatch, path+"?view=full", ahead)
		servertest.Equal(t, "strict", http.StatusBadRequest, a.Status)
		a = w.Send("admin", http.MethodPatch, path, ahead)
		servertest.Equal(t, "strict body", http.StatusUnprocessableEntity, a.Status)
		servertest.Equal(t, "nothing was ignored", "", a.Header.Get(api.IgnoredHeader))

		a = lenient(http.MethodPatch, path+"?view=full", ahead)
		servertest.Equal(t, "status", http.StatusOK, a.Status)
		servertest.Equal(t, "applied", api.Lenient, a.Header.Get(api.PreferenceAppliedHeader))
		servertest.Equal(t, "ignored", "view, brand%20new, mergeRules.then", a.Header.Get(api.IgnoredHeader))
		var space api.Space
		w.Must(json.Unmarshal(a.Body, &space))
		servertest.Equal(t, "the rest is done, and answered whole", "Ahead", space.Title)

		a = lenient(http.MethodGet, path, nil)
		servertest.Equal(t, "known things", http.StatusOK, a.Status)
		servertest.Equal(t, "nothing to ignore", "", a.Header.Get(api.IgnoredHeader))
		servertest.Equal(t, "yet applied", api.Lenient, a.Header.Get(api.PreferenceAppliedHeader))

		for name, body := range map[string]any{
			"value": map[string]any{
				"defaultLevel": "emperor", "x": 1,
			}, "type": map[string]any{"title": 7, "x": 1}, "null": map[string]any{"title": nil, "x": 1},
		} {
			a = lenient(http.MethodPatch, path, body)
			servertest.Equal(t, name, http.StatusUnprocessableEntity, a.Status)
			servertest.Equal(t, name+": ignored", "x", a.Header.Get(api.IgnoredHeader))
		}
		content := "/v1/spaces/" + s.Handbook + "/change-requests/" + s.Request.ID + "/content"
		a = lenient(http.MethodPost, content, map[string]any{"changes": []any{map[string]any{"type": "brand_new_operation"}}})
		servertest.Equal(t, "operation", http.StatusUnprocessableEntity, a.Status)
		servertest.Equal(t, "row", http.StatusNotFound, lenient(http.MethodGet, path+"/brand-new", nil).Status)
	})
}
