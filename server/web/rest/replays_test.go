package rest_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const idempotencyHeader = "Idempotency-Key"

// TestRepeatAfterLostAccessIsRefused checks that a repeated request of a caller who has lost access gets the error of
// any other caller instead of the stored response.
func TestRepeatAfterLostAccessIsRefused(t *testing.T) { //nolint:tparallel // one world
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	commentPath, comment := "/v1/spaces/"+s.Notes+"/comments", api.CommentCreate{Body: servertest.CommentBody("Mine.")}
	subject := api.ChangeRequestCreate{Subject: "Mine"}
	requests := "/v1/spaces/" + s.Notes + "/change-requests"
	w.Call("editor", http.MethodPost, commentPath, comment, http.StatusOK, idempotencyHeader, "a")
	w.Call("editor", http.MethodPost, requests, subject, http.StatusCreated, idempotencyHeader, "b")
	w.Call("editor", http.MethodPost, commentPath, comment, http.StatusOK, idempotencyHeader, "a")

	t.Run("role in the space lost", func(t *testing.T) { //nolint:paralleltest // one world
		w.Call("admin", http.MethodPatch, "/v1/spaces/"+s.Notes, map[string]any{"defaultLevel": nil}, http.StatusOK)
		w.Call("editor", http.MethodPost, commentPath, comment, http.StatusNotFound, idempotencyHeader, "a")
		w.Call("editor", http.MethodPost, requests, subject, http.StatusNotFound, idempotencyHeader, "b")
	})
	t.Run("space deleted", func(t *testing.T) { //nolint:paralleltest // one world
		w.Call("admin", http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusResetContent, idempotencyHeader, "c")
		w.Call("editor", http.MethodPost, commentPath, comment, http.StatusNotFound, idempotencyHeader, "a")
		again := w.Call("admin", http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusResetContent, idempotencyHeader, "c")
		servertest.Equal(t, "replayed to who may delete it", "true", again.Header.Get("Idempotency-Replayed"))
		w.Call(servertest.AdminReading, http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusNotFound, idempotencyHeader, "c")
	})
	t.Run("membership ended", func(t *testing.T) { //nolint:paralleltest // one world
		path := "/v1/orgs/" + w.Org + "/collections"
		made := w.Call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusCreated, idempotencyHeader, "d")
		var collection api.Collection
		servertest.Decode(w, made, &collection)
		w.Call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusResetContent, idempotencyHeader, "e")
		w.Call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusResetContent, idempotencyHeader, "e")
		w.SetMember("creator", api.RoleRead)
		w.Call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusNotFound, idempotencyHeader, "e")
		w.Call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusForbidden, idempotencyHeader, "d")
		w.Call("admin", http.MethodDelete, "/v1/orgs/"+w.Org+"/members/"+w.Users["creator"].ID, nil, http.StatusNoContent)
		w.Call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusNotFound, idempotencyHeader, "d")
	})
	t.Run("membership in an organization of the body ended", func(t *testing.T) { //nolint:paralleltest // one world
		w.SetMember("creator", api.RoleAdmin)
		w.Call("creator", http.MethodPost, "/v1/integrations/mine", w.LinterIntegration("Mine"), http.StatusOK, idempotencyHeader, "f")
		w.Call("creator", http.MethodPost, "/v1/integrations/mine", w.LinterIntegration("Mine"), http.StatusOK, idempotencyHeader, "f")
		w.Call("admin", http.MethodDelete, "/v1/orgs/"+w.Org+"/members/"+w.Users["creator"].ID, nil, http.StatusNoContent)
		w.Call("creator", http.MethodPost, "/v1/integrations/mine", w.LinterIntegration("Mine"), http.StatusNotFound, idempotencyHeader,
			"f")
	})
}

// TestRepeatDuringLossOfAccessIsRefused checks that the stored response is not sent to a caller who loses access before
// any write of the repeated request.
func TestRepeatDuringLossOfAccessIsRefused(t *testing.T) {
	t.Parallel()
	for n := int64(1); ; n++ {
		i := servertest.NewInterference(t)
		space := i.CreateSpace("Notes", "", "")
		path, comment := "/v1/spaces/"+space+"/comments", api.CommentCreate{Body: servertest.CommentBody("Mine.")}
		i.Call("editor", http.MethodPost, path, comment, http.StatusOK, idempotencyHeader, "a")
		response, more := i.BeforeWrite(n, func() { i.Hide(space) }, func() servertest.Response {
			return i.Send("editor", http.MethodPost, path, comment, idempotencyHeader, "a")
		})
		if !more {
			servertest.Equal(t, "writes", true, n > 1)
			return
		}
		servertest.Refusal(i.World, response, http.StatusNotFound, api.ReasonNotFound)
	}
}
