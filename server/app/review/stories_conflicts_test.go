package review_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

func getConflicts(w *servertest.World, ref api.ChangeRequestRef) api.ConflictList {
	w.T.Helper()
	return servertest.Do(w, "commenter", api.GetChangeRequestConflicts, ref)
}

// TestGetConflictsChangesNothing checks that conflicts can be read without permission to merge, and reading them changes
// nothing.
func TestGetConflictsChangesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, page := newConflictingRequest(w)
		var shown api.ConflictList
		w.WantUntouched(func() api.Error {
			shown = getConflicts(w, ref)
			return api.Error{}
		})
		servertest.Equal(t, "as a merge tells them", w.TryMerge(ref).Conflicts, shown.Conflicts)
		servertest.Equal(t, "revision", w.ReadRequest(ref).Revision, shown.Revision)
		servertest.Equal(t, "revision of the space", servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision,
			shown.SpaceRevision)
		w.Pull(ref, api.Resolution{Conflict: shown.Conflicts[0].ID, Take: api.TakeTheirs})
		servertest.Equal(t, "none left", []api.Conflict{}, getConflicts(w, ref).Conflicts)
		w.MustMerge(ref)
		servertest.Equal(t, "text", "The lamp is blue. The door is shut. The cat is asleep.\n", w.PageText(ref.Space, page))
		servertest.Refused(w, "commenter", api.GetChangeRequestConflicts, ref, 409, api.ReasonState)
	})
}

// TestMergeWithResolutions checks that a merge accepts resolutions only if they cover all conflicts and were made for the
// current heads.
func TestMergeWithResolutions(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, page := newConflictingRequest(w)
		shown := getConflicts(w, ref)
		both := api.Merge{
			Resolutions: []api.Resolution{{Conflict: shown.Conflicts[0].ID, Take: api.TakeBoth}},
			Revision:    shown.Revision, SpaceRevision: shown.SpaceRevision,
		}
		attempt := func(body api.Merge, status int, reason api.Reason) {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref, Body: body},
					status, reason)
			})
		}
		attempt(api.Merge{Resolutions: []api.Resolution{{Conflict: "c_other", Take: api.TakeOurs}}}, 422, api.ReasonInvalid)
		other := w.NewRequest("editor", ref.Space)
		w.InsertPage(other, servertest.NewPage("Beside", "x\n"))
		w.MustMerge(other)
		attempt(both, 409, api.ReasonConflict)
		both.SpaceRevision = getConflicts(w, ref).SpaceRevision
		w.InsertPage(ref, servertest.NewPage("Mine", "y\n"))
		attempt(both, 409, api.ReasonConflict)
		both.Revision = getConflicts(w, ref).Revision
		result := servertest.Do(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref, Body: both})
		servertest.Equal(t, "result", api.OutcomeMerge, result.Result)
		servertest.Equal(t, "text", *shown.Conflicts[0].Proposed+" The door is shut. The cat is asleep.\n", w.PageText(ref.Space, page))
		servertest.Equal(t, "status", api.StatusMerged, w.ReadRequest(ref).Status)
	})
}

func TestTakeBothRequiresTextConflict(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.DeletePage(page))
		w.Change(second, servertest.Write(page, "Other.\n"))
		w.MustMerge(first)
		c := getConflicts(w, second).Conflicts[0]
		servertest.Equal(t, "kind", "deleted", c.Kind)
		body := api.Merge{Resolutions: []api.Resolution{{Conflict: c.ID, Take: api.TakeBoth}}}
		e := servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: second, Body: body}, 422,
			api.ReasonInvalid)
		servertest.Equal(t, "field", "resolutions[0].take", e.Fields[0].Path)
	})
}

// TestResolveRejectsSplitConflict checks that resolving a conflict that has been split returns the conflicts in its place, and
// nothing is applied.
func TestResolveRejectsSplitConflict(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One is here. Two is green. Three is green. Four is here.\n")
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(page, "One is here. Two and three are red. Four is here.\n"))
		w.Change(second, servertest.Write(page, "One is here. Two is blue. Three is blue. Four is here.\n"))
		w.MustMerge(first)
		before := getConflicts(w, second).Conflicts
		servertest.Equal(t, "places before", []string{"paragraph 1, sentence 2 of 3"}, conflictLocations(before))
		third := w.NewRequest("editor", space)
		w.Change(third, servertest.Write(page, "One is here. Two is red. Three is red. Four is here.\n"))
		w.MustMerge(third)
		after := getConflicts(w, second).Conflicts
		servertest.Equal(t, "places after", []string{"paragraph 1, sentence 2 of 4", "paragraph 1, sentence 3 of 4"},
			conflictLocations(after))
		answer := []api.Resolution{{Conflict: before[0].ID, Take: api.TakeTheirs}}
		for _, refuse := range []func() api.Error{
			func() api.Error {
				return servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{
					ChangeRequestRef: second, Body: api.Merge{Resolutions: answer},
				}, 422, api.ReasonInvalid)
			},
			func() api.Error {
				return servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{
					ChangeRequestRef: second, Body: api.Pull{Resolutions: answer},
				}, 422, api.ReasonInvalid)
			},
		} {
			e := w.WantUntouched(refuse)
			servertest.Equal(t, "conflicts named", []string{after[0].ID, after[1].ID}, []string{e.Fields[0].Conflict, e.Fields[1].Conflict})
			servertest.Equal(t, "message",
				"A conflict that was answered is not there any more: both sides have gone on, or it has been split. "+
					"In its place: “Page”, paragraph 1, sentence 2 of 4; “Page”, paragraph 1, sentence 3 of 4.", e.Message)
		}
	})
}

func conflictLocations(list []api.Conflict) (places []string) {
	for _, c := range list {
		places = append(places, c.Place)
	}
	return places
}

// TestConflictSidesShowAuthors checks that each side of a conflict names the author of its last change, rather than the first
// author or the user who merged it.
func TestConflictSidesShowAuthors(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		mine := w.NewRequest("editor", space)
		w.Change(mine, servertest.Write(page, "The lamp is blue. The door is shut. The cat is asleep.\n"))
		w.Clock.Advance(time.Minute)
		createdAt := w.Clock.Now()
		w.Change(mine, servertest.Write(page, "The lamp is violet. The door is shut. The cat is asleep.\n"))
		w.Clock.Advance(time.Minute)
		w.Change(mine, servertest.Write(page, "The lamp is violet. The door is shut. The cat is awake.\n"))
		for _, text := range []string{"The lamp is red. The door is shut.", "The lamp is red. The door is open."} {
			w.Clock.Advance(time.Minute)
			r := w.CreateRequest("creator", space, text)
			w.Edit("creator", r, servertest.Update(page, text+" The cat is asleep.\n"))
			w.Merge("reviewer", r)
		}
		c := getConflicts(w, mine).Conflicts[0]
		servertest.Equal(t, "the space's", []string{w.Users["creator"].ID, "The lamp is red. The door is shut."},
			[]string{c.Ours.By.ID, c.Ours.ChangeRequest.Subject})
		servertest.Equal(t, "the request's", []any{w.Users["editor"].ID, w.ReadRequest(mine).Number, api.At(createdAt)},
			[]any{c.Theirs.By.ID, c.Theirs.ChangeRequest.Number, *c.Theirs.At})
	})
}

// TestConflictOfMovedPassageListsBothPositions checks the conflicts of a paragraph that both sides cut and pasted elsewhere. It
// has a new identity, so a merge would duplicate it. Each of the two new positions is a conflict; its removal from the old
// position is not.
func TestConflictOfMovedPassageListsBothPositions(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const first, last, carried = "The first one stays here.\n", "The last one stays here.\n", "Write the date on every cell.\n"
		space, page := w.NewSpaceWithPage(first + "\nBetween.\n\n" + carried + "\n" + last)
		mine, other := w.NewRequest("editor", space), w.NewRequest("editor", space)
		for ref, after := range map[api.ChangeRequestRef]string{
			mine:  first + "\nBetween.\n\n" + last + "\n" + carried,
			other: carried + "\n" + first + "\nBetween.\n\n" + last,
		} {
			w.Change(ref, servertest.Write(page, first+"\nBetween.\n\n"+last))
			w.Change(ref, servertest.Write(page, after))
		}
		w.MustMerge(other)
		found := getConflicts(w, mine).Conflicts
		var summaries []string
		for _, c := range found {
			summaries = append(summaries, c.Summary+" "+c.Answers[0].Effect+" "+c.Answers[1].Effect)
		}
		servertest.Equal(t, "descriptions", []string{
			"The space added this passage. The change request did not, but changed where the same words stand. " +
				"The passage is there, as in the space. The passage is not there, as in the change request.",
			"The change request added this passage. The space did not, but changed where the same words stand. " +
				"The passage is not there, as in the space. The passage is there, as in the change request.",
		}, summaries)
		w.Pull(mine, api.Resolution{
			Conflict: found[0].ID, Take: api.TakeTheirs,
		}, api.Resolution{Conflict: found[1].ID, Take: api.TakeTheirs})
		w.MustMerge(mine)
		servertest.Equal(t, "text", first+"\nBetween.\n\n"+last+"\n"+carried, w.PageText(space, page))
	})
}
