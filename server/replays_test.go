package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

const repeated = "Idempotency-Key"

// Who repeats a request after they lost what it takes is told what everybody else is, not what they were told before.
func TestRepeatAfterAccessIsLost(t *testing.T) { //nolint:tparallel // one world
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	commentPath, comment := "/v1/spaces/"+s.Notes+"/comments", api.CommentCreate{Body: says("Mine.")}
	subject := api.ChangeRequestCreate{Subject: "Mine"}
	requests := "/v1/spaces/" + s.Notes + "/change-requests"
	w.call("editor", http.MethodPost, commentPath, comment, http.StatusOK, repeated, "a")
	w.call("editor", http.MethodPost, requests, subject, http.StatusCreated, repeated, "b")
	w.call("editor", http.MethodPost, commentPath, comment, http.StatusOK, repeated, "a")

	t.Run("the role in the space", func(t *testing.T) { //nolint:paralleltest // one world
		w.call("admin", http.MethodPatch, "/v1/spaces/"+s.Notes, map[string]any{"defaultLevel": nil}, http.StatusOK)
		w.call("editor", http.MethodPost, commentPath, comment, http.StatusNotFound, repeated, "a")
		w.call("editor", http.MethodPost, requests, subject, http.StatusNotFound, repeated, "b")
	})
	t.Run("the space lies in the trash meanwhile", func(t *testing.T) { //nolint:paralleltest // one world
		w.call("admin", http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusResetContent, repeated, "c")
		w.call("editor", http.MethodPost, commentPath, comment, http.StatusNotFound, repeated, "a")
		again := w.call("admin", http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusResetContent, repeated, "c")
		equal(t, "replayed to who may delete it", "true", again.Header.Get("Idempotency-Replayed"))
		w.call(adminReading, http.MethodDelete, "/v1/spaces/"+s.Notes, nil, http.StatusNotFound, repeated, "c")
	})
	t.Run("the membership", func(t *testing.T) { //nolint:paralleltest // one world
		path := "/v1/orgs/" + w.org + "/collections"
		made := w.call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusCreated, repeated, "d")
		var collection api.Collection
		decode(w, made, &collection)
		w.call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusResetContent, repeated, "e")
		w.call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusResetContent, repeated, "e")
		w.member("creator", api.RoleRead)
		w.call("creator", http.MethodDelete, "/v1/collections/"+collection.ID, nil, http.StatusNotFound, repeated, "e")
		w.call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusForbidden, repeated, "d")
		w.call("admin", http.MethodDelete, "/v1/orgs/"+w.org+"/members/"+w.users["creator"].ID, nil, http.StatusNoContent)
		w.call("creator", http.MethodPost, path, api.CollectionCreate{Title: "Mine"}, http.StatusNotFound, repeated, "d")
	})
	t.Run("the membership in an organization that the body names", func(t *testing.T) { //nolint:paralleltest // one world
		w.member("creator", api.RoleAdmin)
		w.call("creator", http.MethodPost, "/v1/integrations/mine", w.linter("Mine"), http.StatusOK, repeated, "f")
		w.call("creator", http.MethodPost, "/v1/integrations/mine", w.linter("Mine"), http.StatusOK, repeated, "f")
		w.call("admin", http.MethodDelete, "/v1/orgs/"+w.org+"/members/"+w.users["creator"].ID, nil, http.StatusNoContent)
		w.call("creator", http.MethodPost, "/v1/integrations/mine", w.linter("Mine"), http.StatusNotFound, repeated, "f")
	})
}
