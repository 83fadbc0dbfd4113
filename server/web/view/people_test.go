package view

import (
	"strings"
	"testing"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
)

// TestPersonShowsPublicFieldsOnly checks that members are shown with their public fields, and others with a
// placeholder.
func TestPersonShowsPublicFieldsOnly(t *testing.T) {
	t.Parallel()
	w, model := newWriter(), newModel(t)
	apply(t, model, "u_1", store.Person{
		User:   api.UserFields{Object: "user", ID: "u_1", DisplayName: "A <b> & \"c\""},
		Member: &store.Membership{Role: api.RoleEdit},
	})
	for id, name := range map[string]string{"u_1": "A <b> & \"c\"", "u_2": "Former member", SystemUser: "wsd"} {
		data := w.Person(model, id)
		user := decode[map[string]any](t, data)
		wantEqual(t, "id", id, user["id"].(string))
		wantEqual(t, "name of "+id, name, user["displayName"].(string))
		wantEqual(t, "display name of "+id, name, w.DisplayName(model, id))
		if strings.Contains(string(data), `"role"`) {
			t.Errorf("the membership is shown: %s", data)
		}
		urls := decode[struct{ URLs api.LocationURLs }](t, data).URLs
		wantEqual(t, "address", publicURL+"/v1/orgs/o_1/members/"+id, urls.Location)
	}
}

func TestPreviewIsOneShortLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " a\n\tb  c\n": "a b c", strings.Repeat("ä", 120): strings.Repeat("ä", 120),
		strings.Repeat("ä", 121): strings.Repeat("ä", 119) + "…",
	} {
		got := Preview([]byte(text))
		wantEqual(t, "preview", want, got)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxPreviewRunes {
			t.Errorf("%q is not a valid preview", got)
		}
	}
}

// newModel returns the access model of an organization without objects.
func newModel(t *testing.T) *access.Model {
	t.Helper()
	m, ok := access.NewModel(org).(*access.Model)
	if !ok {
		t.Fatal("New returns another model")
	}
	return m
}
