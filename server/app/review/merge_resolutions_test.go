package review_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestMergeResolvesSlugClash checks that a slug clash can also be resolved by taking a side.
func TestMergeResolvesSlugClash(t *testing.T) {
	t.Parallel()
	for _, take := range []api.ResolutionTake{api.TakeOurs, api.TakeTheirs} {
		t.Run(string(take), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				space, _ := w.NewSpaceWithPage(servertest.ThreeSentences)
				first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
				w.InsertPage(first, servertest.NewPage("Install", "One way.\n"))
				w.InsertPage(second, servertest.NewPage("Install", "Another way.\n"))
				w.MustMerge(first)
				c := w.TryMerge(second).Conflicts[0]
				servertest.Equal(t, "update", api.OutcomeUpdate, w.Pull(second, api.Resolution{Conflict: c.ID, Take: take}).Result)
				servertest.Equal(t, "slug", servertest.FormatOptional(c.Proposed), w.DraftPage(second, c.Page).Slug)
				w.MustMerge(second)
			})
		})
	}
}

// TestMergeChecksResolutionText checks that a conflict is resolved with a text only if its kind permits one, and only with a
// text that an edit could have written.
func TestMergeChecksResolutionText(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		titled := func(title string) api.ContentChange {
			return api.ContentChange{Operation: api.UpdatePage, Page: page, Title: api.Some(title)}
		}
		first, second, third := w.NewRequest("editor", space), w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, titled("First"))
		w.Change(second, titled("Second"))
		w.Change(third, servertest.DeletePage(page))
		w.MustMerge(first)
		c := w.TryMerge(second).Conflicts[0]
		servertest.Equal(t, "conflict", [4]string{
			"attribute", "title", "First", "Second",
		}, [4]string{c.Kind, c.Attribute, c.Ours.Value, c.Theirs.Value})
		text := func(text string) api.Resolution {
			return api.Resolution{Conflict: c.ID, Take: api.TakeText, Text: api.Some(text)}
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{
				ChangeRequestRef: second, Body: api.Pull{Resolutions: []api.Resolution{text(strings.Repeat("x", 251))}},
			}, 422, api.ReasonInvalid)
		})
		w.Pull(second, text(`Both "of" them`))
		servertest.Equal(t, "title", `Both "of" them`, w.DraftPage(second, page).Title)
		c = w.TryMerge(third).Conflicts[0]
		servertest.Equal(t, "kind", "deleted", c.Kind)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{
				ChangeRequestRef: third, Body: api.Pull{Resolutions: []api.Resolution{text("{}")}},
			}, 422, api.ReasonInvalid)
		})
	})
}
