package spaces_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const bidiTitle = "in\u202evoice"

// TestNewTitlesRejectFormatCharacters checks that new titles have no characters that change the display of other
// text.
func TestNewTitlesRejectFormatCharacters(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for path, body := range map[string]map[string]any{
		"/v1/orgs/" + w.Org + "/spaces":              {"title": bidiTitle},
		"/v1/orgs/" + w.Org + "/collections":         {"title": "a\u0085"},
		"/v1/user/tokens":                            {"name": "\u2067open"},
		"/v1/spaces/" + s.Notes + "/change-requests": {"subject": bidiTitle},
		"/v1/spaces/" + s.Handbook + "/change-requests/2/content": {"changes": []any{map[string]any{
			"operation": "update_page", "page": s.Pages["Usage"], "title": bidiTitle,
		}}},
	} {
		a := w.Call("admin", http.MethodPost, path, body, http.StatusUnprocessableEntity)
		if len(a.Error().Fields) != 1 || !strings.Contains(a.Error().Message, "U+") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	w.Call("admin", http.MethodPost, "/v1/orgs/"+w.Org+"/spaces", map[string]any{"title": "ن\u200cم \u2067א\u2069 👩\u200d💻"},
		http.StatusCreated)
}

// TestStoredTitlesAreAccepted checks that an already stored title may be sent again, and does not block other
// changes.
func TestStoredTitlesAreAccepted(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		record, _, err := tx.Record(store.SpaceKey(w.Org, s.Notes))
		if err != nil {
			return err
		}
		var d store.SpaceDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		d.Fields.Title = bidiTitle
		_, err = tx.PutSpace(d)
		return err
	}))
	path := "/v1/spaces/" + s.Notes
	w.Call("admin", http.MethodPatch, path, map[string]any{"emoji": "🧾"}, http.StatusOK)
	w.Call("admin", http.MethodPatch, path, map[string]any{"title": bidiTitle, "emoji": "📘"}, http.StatusOK)
	w.Call("admin", http.MethodPatch, path, map[string]any{"title": bidiTitle + "!"}, http.StatusUnprocessableEntity)
	w.Call("admin", http.MethodPost, path+"/duplicate", nil, http.StatusCreated)
	servertest.Equal(t, "the title", bidiTitle, servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Notes}).Title)
}
