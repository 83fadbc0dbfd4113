package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// Translation settings are made, renamed, given languages and deleted; what changes nothing moves no version.
func TestTranslationSettings(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		made := w.newTranslation()
		at := api.TranslationRef{Organization: w.org, Translation: made.ID}
		german := api.TranslationLanguageRef{TranslationRef: at, Language: "de"}
		if made.Object != "translation-settings" || len(made.Languages) != 0 || made.CreatedAt != made.UpdatedAt {
			t.Errorf("made %+v", made)
		}
		w.clock.Advance(time.Second)
		renamed := do(w, "admin", api.UpdateTranslation, api.UpdateTranslationInput{TranslationRef: at, Body: api.TranslationCreate{Title: "Neu"}})
		if renamed.Title != "Neu" || !renamed.UpdatedAt.After(made.UpdatedAt.Time) || renamed.CreatedAt != made.CreatedAt {
			t.Errorf("renamed %+v", renamed)
		}
		first := try(w, "admin", api.AddTranslationLanguage, german)
		w.clock.Advance(time.Second)
		if again := try(w, "admin", api.AddTranslationLanguage, german); string(again.Body) != string(first.Body) {
			t.Errorf("adding a language twice changes the settings: %s, then %s", first.Body, again.Body)
		}
		do(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{TranslationRef: at, Language: "fr"})
		if got := do(w, "admin", api.GetTranslation, at); !cmp.Equal(got.Languages, []api.Language{"de", "fr"}) {
			t.Errorf("languages %v", got.Languages)
		}
		do(w, "admin", api.RemoveTranslationLanguage, german)
		refused(w, "admin", api.RemoveTranslationLanguage, german, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{TranslationRef: at, Language: "xx"}, http.StatusBadRequest, api.ReasonInvalidParam)
		refused(w, "admin", api.UpdateTranslation, api.UpdateTranslationInput{TranslationRef: at}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		do(w, "admin", api.DeleteTranslation, at)
		refused(w, "admin", api.DeleteTranslation, at, http.StatusNotFound, api.ReasonNotFound)
		if list := do(w, "admin", api.ListTranslations, api.ListTranslationsInput{Organization: w.org}); list.Count != 0 {
			t.Errorf("%d are left", list.Count)
		}
	})
}
