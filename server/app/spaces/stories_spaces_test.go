package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestSpaceIconAndLanguage checks that a space keeps its icon and language until they are removed; its emoji is not
// affected.
func TestSpaceIconAndLanguage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		create := "/v1/orgs/" + w.Org + "/spaces"
		const picture, other = "https://example.com/a.png?x=1", "https://example.com/b.svg"
		a := w.Send("admin", "POST", create, map[string]any{
			"title": "Docs", "icon": picture, "language": "pt-br", "empty": true, "emoji": "📗",
		})
		servertest.Equal(t, "status", http.StatusCreated, a.Status)
		var made api.Space
		servertest.Decode(w, a, &made)
		is := func(what, icon string, language api.Language, emoji string) {
			t.Helper()
			got := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: made.ID})
			servertest.Equal(t, what, []string{
				icon, icon, string(language), emoji,
			}, []string{got.URLs.Icon, got.Icon, string(got.Language), got.Emoji})
		}
		is("made", picture, "pt-br", "📗")
		servertest.Equal(t, "no pages", 0, len(servertest.Do(w, "admin", api.ListContentPages, api.GetContentInput{Space: made.ID}).Pages))
		patch := func(body map[string]any) servertest.Response {
			return w.Send("admin", "PATCH", "/v1/spaces/"+made.ID, body, "Prefer", "return=minimal")
		}
		a = patch(map[string]any{"icon": other, "language": "yue"})
		servertest.Equal(t, "status of a patch with return=minimal", http.StatusOK, a.Status)
		servertest.Decode(w, a, &made)
		servertest.Equal(t, "body of it", other, made.URLs.Icon)
		is("changed", other, "yue", "📗")
		listed := servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
		servertest.Equal(t, "listed", other, listed.Items[len(listed.Items)-1].URLs.Icon)
		patch(map[string]any{"emoji": "📕"})
		is("another emoji", other, "yue", "📕")
		patch(map[string]any{"emoji": nil, "icon": nil})
		is("taken away", "", "yue", "📘")
		patch(map[string]any{"language": nil})
		is("without a language", "", "", "📘")

		for field, body := range map[string]map[string]any{
			"icon":           {"icon": "http://example.com/a.png"},
			"language":       {"language": "tlh"},
			"template":       {"template": map[string]any{"id": "x"}},
			"computedSource": {"computedSource": map[string]any{"type": "builtin:openapi"}},
			"empty":          {"empty": false},
		} {
			refused := w.Send("admin", "POST", create, body, "Prefer", "handling=lenient")
			servertest.Equal(t, "status with "+field, http.StatusUnprocessableEntity, refused.Status)
			servertest.Equal(t, "what is at fault", field, refused.Error().Fields[0].Path)
		}
		servertest.Equal(t, "an icon that is not secure", http.StatusUnprocessableEntity,
			patch(map[string]any{"icon": "http://example.com/a.png"}).Status)
	})
}
