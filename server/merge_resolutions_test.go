package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// A clash of slugs can be settled by taking a side, too.
func TestMergeSlugClashTaken(t *testing.T) {
	t.Parallel()
	for _, take := range []api.ResolutionTake{api.TakeOurs, api.TakeTheirs} {
		t.Run(string(take), func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				space, _ := w.seed(threeSentences)
				first, second := w.newRequest("editor", space), w.newRequest("editor", space)
				w.insertPage(first, newPage("Install", "One way.\n"))
				w.insertPage(second, newPage("Install", "Another way.\n"))
				w.merged(first)
				c := w.attempt(second).Conflicts[0]
				equal(t, "update", api.OutcomeUpdate, w.pull(second, api.Resolution{Conflict: c.ID, Take: take}).Result)
				equal(t, "slug", show(c.Proposed), w.draftPage(second, c.Page).Slug)
				w.merged(second)
			})
		})
	}
}

// Only what a text can stand for is settled by a text, and only by one that could have been written by an edit.
func TestMergeTextOfAResolution(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		titled := func(title string) api.ContentChange {
			return api.ContentChange{Operation: api.UpdatePage, Page: page, Title: api.Some(title)}
		}
		first, second, third := w.newRequest("editor", space), w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, titled("First"))
		w.change(second, titled("Second"))
		w.change(third, remove(page))
		w.merged(first)
		c := w.attempt(second).Conflicts[0]
		equal(t, "conflict", [4]string{"attribute", "title", "First", "Second"}, [4]string{c.Kind, c.Attribute, show(c.Ours), show(c.Theirs)})
		text := func(text string) api.Resolution {
			return api.Resolution{Conflict: c.ID, Take: api.TakeText, Text: api.Some(text)}
		}
		w.untouched(func() api.Error {
			return refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: []api.Resolution{text(strings.Repeat("x", 251))}}}, 422, api.ReasonInvalid)
		})
		w.pull(second, text(`Both "of" them`))
		equal(t, "title", `Both "of" them`, w.draftPage(second, page).Title)
		c = w.attempt(third).Conflicts[0]
		equal(t, "kind", "deleted", c.Kind)
		w.untouched(func() api.Error {
			return refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: third, Body: api.Pull{Resolutions: []api.Resolution{text("{}")}}}, 422, api.ReasonInvalid)
		})
	})
}
