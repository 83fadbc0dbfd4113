package review_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// createAt returns the input of the creation of a change request that begins at a revision.
func createAt(space, base string) api.CreateChangeRequestInput {
	return api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Revision: base}}
}

// newRequestAt creates a change request of the editor that begins at a revision.
func newRequestAt(w *servertest.World, space, base string) (api.ChangeRequestRef, api.ChangeRequest) {
	w.T.Helper()
	made := servertest.Do(w, "editor", api.CreateChangeRequest, createAt(space, base))
	return api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}, made
}

// spaceHead returns the head of a space.
func spaceHead(w *servertest.World, space string) string {
	w.T.Helper()
	return servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
}

// TestRequestsFromOneBaseLoseNothing pushes from two copies of the same revision while the space changes, too: what both sides
// changed alike is no conflict, what they changed differently is one, and nothing is lost.
func TestRequestsFromOneBaseLoseNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		extra := w.NewRequest("editor", space)
		other := w.InsertPage(extra, servertest.NewPage("Other", "Other.\n"))
		w.MustMerge(extra)
		base := spaceHead(w, space)
		meanwhile := w.NewRequest("editor", space)
		w.Change(meanwhile, servertest.Write(page, "The lamp is red. The door is shut. The cat is asleep.\n"),
			servertest.NewPage("Late", "Late.\n"))
		w.MustMerge(meanwhile)

		first, made := newRequestAt(w, space, base)
		servertest.Equal(t, "revisionInitial", base, made.RevisionInitial)
		servertest.Equal(t, "revision", base, made.Revision)
		servertest.Equal(t, "outdated", true, made.Outdated)
		servertest.Equal(t, "as it is read", made, w.ReadRequest(first))
		servertest.Equal(t, "pages", []string{"Page", "Other"}, servertest.Outline(w.Pages(first)))
		servertest.Equal(t, "text", servertest.ThreeSentences, *w.DraftPage(first, page).Markdown)
		servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: first}, 409, api.ReasonState)
		second, _ := newRequestAt(w, space, base)

		w.Change(first, servertest.Write(page, "The lamp is red. The door is open. The cat is asleep.\n"))
		w.Change(second, servertest.Write(page, "The lamp is red. The door is gone. The cat is asleep.\n"), servertest.DeletePage(other))
		changes := servertest.Do(w, "commenter", api.GetChangeRequestChanges, api.ChangeRequestChangesInput{ChangeRequestRef: first})
		servertest.Equal(t, "changes", 1, len(changes.Changes))
		servertest.Equal(t, "conflicts of the first", 0, len(getConflicts(w, first).Conflicts))
		servertest.Equal(t, "up to date", api.GateAdvice, getGate(w, "reviewer", first, api.GateUpToDate).State)
		w.MustMerge(first)
		servertest.Equal(t, "text after the first", "The lamp is red. The door is open. The cat is asleep.\n", w.PageText(space, page))
		revisions := servertest.Do(w, "commenter", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: first})
		servertest.Equal(t, "revisions of the first", [2]int{1, 1}, [2]int{revisions.Count, len(revisions.Items)})

		conflicts := w.TryMerge(second).Conflicts
		if len(conflicts) != 1 || conflicts[0].Page != page {
			t.Fatalf("conflicts of the second: %+v", conflicts)
		}
		servertest.Equal(t, "text after the conflict", "The lamp is red. The door is open. The cat is asleep.\n", w.PageText(space, page))
		w.Pull(second, api.Resolution{Conflict: conflicts[0].ID, Take: api.TakeTheirs})
		servertest.Equal(t, "outdated after the update", false, w.ReadRequest(second).Outdated)
		w.MustMerge(second)
		servertest.Equal(t, "text after the second", "The lamp is red. The door is gone. The cat is asleep.\n", w.PageText(space, page))
		tree := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space})
		servertest.Equal(t, "pages after the second", []string{"Page", "Late"}, servertest.Outline(tree.Pages))
		w.CollectGarbage()
		w.WantClean()
	})
}

// TestRequestBeginsAtMergedRevision checks that a change request can begin at a revision of a change request that was merged:
// what others changed before that merge is kept.
func TestRequestBeginsAtMergedRevision(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		pushed, others := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(pushed, servertest.Write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
		base := w.ReadRequest(pushed).Revision
		w.Change(pushed, servertest.NewPage("Review", "Added in a review.\n"))
		last := w.ReadRequest(pushed).Revision
		w.Change(others, servertest.Write(page, "The lamp is green. The door is shut. The cat is awake.\n"))
		e := servertest.Refused(w, "editor", api.CreateChangeRequest, createAt(space, base), 422, api.ReasonInvalid)
		servertest.Equal(t, "before the merge", "revision is not in the history of the space: it belongs to a change request that was not "+
			"merged", e.Fields[0].Path+" "+e.Fields[0].Message)
		w.MustMerge(others)
		w.MustMerge(pushed)
		for _, from := range []string{base, last} {
			again, made := newRequestAt(w, space, from)
			servertest.Equal(t, "outdated", true, made.Outdated)
			w.Change(again, servertest.NewPage("From "+from[:6], "New.\n"))
			w.MustMerge(again)
		}
		servertest.Equal(t, "text", "The lamp is red. The door is shut. The cat is awake.\n", w.PageText(space, page))
		tree := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space})
		servertest.Equal(t, "pages", []string{"Page", "Review", "From " + base[:6], "From " + last[:6]}, servertest.Outline(tree.Pages))
	})
}

// TestCreateRefusesOtherRevisions checks that a change request does not begin at what is not an ancestor of the head.
func TestCreateRefusesOtherRevisions(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		elsewhere, _ := w.NewSpaceWithPage("Elsewhere.\n")
		open := w.NewRequest("editor", space)
		w.Change(open, servertest.Write(page, "Open.\n"))
		text := servertest.Do(w, "reader", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
		for name, wrong := range map[string]string{
			"unknown": "r_0123", "no revision": "r_" + text, "a page": page, "of another space": spaceHead(w, elsewhere),
			"of an open change request": w.ReadRequest(open).Revision, "malformed": "r_/", "long": strings.Repeat("r", 101),
		} {
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "editor", api.CreateChangeRequest, createAt(space, wrong), 422, api.ReasonInvalid)
			})
			if len(e.Fields) != 1 || e.Fields[0].Path != "revision" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		_, made := newRequestAt(w, space, spaceHead(w, space))
		servertest.Equal(t, "outdated at the head", false, made.Outdated)
	})
}

// TestCreateRefusesLostBase checks that a change request does not begin at a revision that was given up in a repair, nor at
// one whose texts were and have changed since.
func TestCreateRefusesLostBase(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(base, text string, r revision.Revision) string{
		"revision": func(base, _ string, _ revision.Revision) string { return revision.ObjectHash(base) },
		"text":     func(_, text string, _ revision.Revision) string { return text },
		"pages":    func(_, _ string, r revision.Revision) string { return r.Pages },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			space, page := w.NewSpaceWithPage("Green.\n")
			base := spaceHead(w, space)
			text := servertest.Do(w, "reader", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
			r, err := revision.New(w.Store, 1<<20).Revision(t.Context(), w.Store.Content(space), base)
			w.Must(err)
			change := w.NewRequest("editor", space)
			w.Change(change, servertest.Write(page, "Red.\n"))
			w.MustMerge(change)
			hash := lost(base, text, r)
			removeObject(space, hash)
			w.Must(w.Store.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{hash: {}}))
			w.Serve()
			e := servertest.Refused(w, "editor", api.CreateChangeRequest, createAt(space, base), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
			if len(e.Fields) != 1 || e.Fields[0].Path != "revision" || !strings.Contains(e.Fields[0].Message, "given up in a repair") {
				t.Errorf("%+v", e)
			}
			newRequestAt(w, space, spaceHead(w, space))
		})
	}
}

// TestCreateWhileHeadMoves checks that change requests can begin at an old base while others merge.
func TestCreateWhileHeadMoves(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Text.\n")
		base := spaceHead(w, space)
		const n = 6
		var ready []api.ChangeRequestRef
		for i := range n {
			ref := w.NewRequest("editor", space)
			w.Change(ref, servertest.NewPage(fmt.Sprintf("Page %d", i), "Text.\n"))
			ready = append(ready, ref)
		}
		made := make([]api.ChangeRequest, n)
		servertest.Concurrently(2*n, func(i int) {
			if i < n {
				w.MustMerge(ready[i])
				return
			}
			made[i-n] = servertest.Do(w, "editor", api.CreateChangeRequest, createAt(space, base))
		})
		var numbers []int
		for _, r := range made {
			servertest.Equal(t, "revisionInitial", base, r.RevisionInitial)
			servertest.Equal(t, "outdated", true, w.ReadRequest(api.ChangeRequestRef{Space: space, ChangeRequest: r.ID}).Outdated)
			numbers = append(numbers, r.Number)
		}
		slices.Sort(numbers)
		servertest.Equal(t, "numbers", n, len(slices.Compact(numbers)))
	})
}
