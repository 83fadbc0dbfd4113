package sites_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestTranslationSettingsLifecycle checks that translation settings are created, renamed, given languages and
// deleted; updates without changes keep the version.
func TestTranslationSettingsLifecycle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		made := w.NewTranslation()
		at := api.TranslationRef{Organization: w.Org, Translation: made.ID}
		german := api.TranslationLanguageRef{TranslationRef: at, Language: "de"}
		if made.Object != "translation-settings" || len(made.Languages) != 0 || made.CreatedAt != made.UpdatedAt {
			t.Errorf("made %+v", made)
		}
		w.Clock.Advance(time.Second)
		renamed := servertest.Do(w, "admin", api.UpdateTranslation, api.UpdateTranslationInput{
			TranslationRef: at, Body: api.TranslationCreate{Title: "Neu"},
		})
		if renamed.Title != "Neu" || !renamed.UpdatedAt.After(made.UpdatedAt.Time) || renamed.CreatedAt != made.CreatedAt {
			t.Errorf("renamed %+v", renamed)
		}
		first := servertest.Try(w, "admin", api.AddTranslationLanguage, german)
		w.Clock.Advance(time.Second)
		if again := servertest.Try(w, "admin", api.AddTranslationLanguage, german); string(again.Body) != string(first.Body) {
			t.Errorf("adding a language twice changes the settings: %s, then %s", first.Body, again.Body)
		}
		servertest.Do(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{TranslationRef: at, Language: "fr"})
		if got := servertest.Do(w, "admin", api.GetTranslation, at); !cmp.Equal(got.Languages, []api.Language{"de", "fr"}) {
			t.Errorf("languages %v", got.Languages)
		}
		servertest.Do(w, "admin", api.RemoveTranslationLanguage, german)
		servertest.DeleteAbsent(w, "admin", api.RemoveTranslationLanguage, german)
		servertest.Refused(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{TranslationRef: at, Language: "xx"},
			http.StatusBadRequest, api.ReasonInvalidParam)
		servertest.Refused(w, "admin", api.UpdateTranslation, api.UpdateTranslationInput{TranslationRef: at},
			http.StatusUnprocessableEntity, api.ReasonInvalid)
		servertest.Do(w, "admin", api.DeleteTranslation, at)
		servertest.DeleteAbsent(w, "admin", api.DeleteTranslation, at)
		if list := servertest.Do(w, "admin", api.ListTranslations, api.ListTranslationsInput{Organization: w.Org}); list.Count != 0 {
			t.Errorf("%d are left", list.Count)
		}
	})
}
