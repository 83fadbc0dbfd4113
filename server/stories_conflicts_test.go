package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

func conflicts(w *world, ref api.ChangeRequestRef) api.ConflictList {
	w.t.Helper()
	return do(w, "commenter", api.GetChangeRequestConflicts, ref)
}

// Who may not merge can see what a merge would meet, and nothing happens.
func TestConflictsAreShownBeforehand(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref, page := conflicting(w)
		var shown api.ConflictList
		w.untouched(func() api.Error {
			shown = conflicts(w, ref)
			return api.Error{}
		})
		equal(t, "as a merge tells them", w.attempt(ref).Conflicts, shown.Conflicts)
		equal(t, "revision", w.shown(ref).Revision, shown.Revision)
		equal(t, "revision of the space", do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision, shown.SpaceRevision)
		w.pull(ref, api.Resolution{Conflict: shown.Conflicts[0].ID, Take: api.TakeTheirs})
		equal(t, "none left", []api.Conflict{}, conflicts(w, ref).Conflicts)
		w.merged(ref)
		equal(t, "text", "The lamp is blue. The door is shut. The cat is asleep.\n", w.text(ref.Space, page))
		refused(w, "commenter", api.GetChangeRequestConflicts, ref, 409, api.ReasonState)
	})
}

// A merge takes the decisions, too; only all of them, and only for the heads that they were made for.
func TestMergeWithResolutions(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref, page := conflicting(w)
		shown := conflicts(w, ref)
		both := api.Merge{
			Resolutions: []api.Resolution{{Conflict: shown.Conflicts[0].ID, Take: api.TakeBoth}},
			Revision:    shown.Revision, SpaceRevision: shown.SpaceRevision,
		}
		attempt := func(body api.Merge, status int, reason api.Reason) {
			w.untouched(func() api.Error {
				return refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref, Body: body}, status, reason)
			})
		}
		attempt(api.Merge{Resolutions: []api.Resolution{{Conflict: "c_other", Take: api.TakeOurs}}}, 422, api.ReasonInvalid)
		other := w.newRequest("editor", ref.Space)
		w.insertPage(other, newPage("Beside", "x\n"))
		w.merged(other)
		attempt(both, 409, api.ReasonConflict)
		both.SpaceRevision = conflicts(w, ref).SpaceRevision
		w.insertPage(ref, newPage("Mine", "y\n"))
		attempt(both, 409, api.ReasonConflict)
		both.Revision = conflicts(w, ref).Revision
		result := do(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref, Body: both})
		equal(t, "result", api.OutcomeMerge, result.Result)
		equal(t, "text", *shown.Conflicts[0].Proposed+"\n", w.text(ref.Space, page))
		equal(t, "status", api.StatusMerged, w.shown(ref).Status)
	})
}

// Both is for texts.
func TestBothIsForTexts(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, remove(page))
		w.change(second, write(page, "Other.\n"))
		w.merged(first)
		c := conflicts(w, second).Conflicts[0]
		equal(t, "kind", "deleted", c.Kind)
		body := api.Merge{Resolutions: []api.Resolution{{Conflict: c.ID, Take: api.TakeBoth}}}
		e := refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: second, Body: body}, 422, api.ReasonInvalid)
		equal(t, "field", "resolutions[0].take", e.Fields[0].Path)
	})
}
