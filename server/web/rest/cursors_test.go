package rest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestListsRejectModifiedCursors checks that all lists refuse truncated, doubled and modified cursors, and those of
// the previous version with a hint.
func TestListsRejectModifiedCursors(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	w.UpdateIndex()
	tried := 0
	servertest.EachRow(t, api.Row.IsList, func(t *testing.T, row api.Row) {
		path := w.SamplePath(row, s)
		var list struct{ Next struct{ Page string } }
		servertest.Decode(w, w.Call("admin", row.Method, servertest.WithQuery(path, "limit=1"), w.SampleBody(row, s), http.StatusOK), &list)
		cursor := list.Next.Page
		if cursor == "" {
			return
		}
		tried++
		w.Call("admin", row.Method, servertest.WithQuery(path, "limit=1&page="+cursor), w.SampleBody(row, s), http.StatusOK)
		first := map[bool]string{true: "B", false: "C"}[cursor[20] == 'C']
		for _, changed := range []string{cursor + cursor, cursor[:16], cursor[:len(cursor)-4], cursor[:20] + first + cursor[21:]} {
			a := w.Send("admin", row.Method, servertest.WithQuery(path, "limit=1&page="+changed), w.SampleBody(row, s))
			if a.Status != http.StatusBadRequest {
				t.Errorf("%s instead of %s: %d %s", changed, cursor, a.Status, a.Body)
			}
		}
	})
	if tried < 15 {
		t.Errorf("only %d lists gave out a cursor", tried)
	}

	path := "/v1/orgs/" + w.Org + "/collections"
	sum := sha256.Sum256([]byte(path + "\x00true\x00"))
	old := base64.RawURLEncoding.EncodeToString(append(append([]byte{1, 0}, sum[:6]...), s.Guides...))
	a := w.Call("admin", http.MethodGet, path+"?page="+old, nil, http.StatusBadRequest)
	if e := a.Error(); e.Reason != api.ReasonInvalidCursor || !strings.Contains(e.Message, "earlier version") || e.Hint == "" {
		t.Errorf("an old cursor: %s", a.Body)
	}
}
