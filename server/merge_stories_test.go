package server_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Two people who edit different sentences of one paragraph do not get into each other's way.
func TestMergeDifferentSentences(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.change(second, write(page, "The lamp is green. The door is shut. The cat is awake now.\n"))
		w.merged(first)
		equal(t, "outdated", true, w.shown(second).Outdated)
		w.merged(second)
		equal(t, "text", "The lamp is red. The door is shut. The cat is awake now.\n", w.text(space, page))
	})
}

// conflicting makes a space where a first change request was merged that edited the sentence that the second edits.
func conflicting(w *world) (ref api.ChangeRequestRef, page string) {
	w.t.Helper()
	space, page := w.seed(threeSentences)
	first, second := w.newRequest("editor", space), w.newRequest("editor", space)
	w.change(first, write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
	w.change(second, write(page, "The lamp is blue. The door is shut. The cat is asleep.\n"))
	w.merged(first)
	return second, page
}

func TestMergeConflictAppliesNothing(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref, page := conflicting(w)
		head := do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision
		var result api.MergeResult
		w.untouched(func() api.Error {
			result = w.attempt(ref)
			return api.Error{}
		})
		equal(t, "result", api.OutcomeConflicts, result.Result)
		equal(t, "revision", head, result.Revision)
		if len(result.Conflicts) != 1 {
			t.Fatalf("conflicts: %+v", result.Conflicts)
		}
		c := result.Conflicts[0]
		equal(t, "page", page, c.Page)
		equal(t, "title", "Page", c.Title)
		for name, side := range map[string]*string{"green": c.Base, "red": c.Ours, "blue": c.Theirs} {
			if side == nil || !slices.Contains(words(*side), name) {
				t.Errorf("a side of the conflict lacks %q: %v", name, side)
			}
		}
		equal(t, "text", "The lamp is red. The door is shut. The cat is asleep.\n", w.text(ref.Space, page))
		equal(t, "status", api.StatusDraft, w.shown(ref).Status)
	})
}

func TestMergeAfterResolution(t *testing.T) {
	t.Parallel()
	mine := "The lamp is purple. The door is shut. The cat is asleep."
	for _, test := range []struct {
		take api.ResolutionTake
		text api.Optional[string]
		want string
	}{
		{api.TakeOurs, api.Optional[string]{}, "The lamp is red. The door is shut. The cat is asleep.\n"},
		{api.TakeTheirs, api.Optional[string]{}, "The lamp is blue. The door is shut. The cat is asleep.\n"},
		{api.TakeText, api.Some(mine), mine + "\n"},
	} {
		t.Run(string(test.take), func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				ref, page := conflicting(w)
				conflict, before := w.attempt(ref).Conflicts[0].ID, w.shown(ref).Revision
				result := w.pull(ref, api.Resolution{Conflict: conflict, Take: test.take, Text: test.text})
				equal(t, "result", api.OutcomeUpdate, result.Result)
				equal(t, "text in the change request", test.want, *w.draftPage(ref, page).Markdown)
				request := w.shown(ref)
				equal(t, "outdated", false, request.Outdated)
				revision := do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref})
				equal(t, "type", api.RevisionUpdate, revision.Type)
				equal(t, "parents", []string{before, request.RevisionMergedAncestor}, revision.Parents)
				equal(t, "revision", result.Revision, request.Revision)
				equal(t, "revisionMergedAncestor", do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision, request.RevisionMergedAncestor)
				if test.take == api.TakeOurs {
					refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
					return
				}
				w.merged(ref)
				equal(t, "text in the space", test.want, w.text(ref.Space, page))
			})
		})
	}
}

// A merge and an update leave a history that can be walked through the parents.
func TestMergeHistory(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		main := do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "Something else.\n"))
		request := w.shown(ref)
		equal(t, "revisionInitial", main, request.RevisionInitial)
		result := w.merged(ref)
		request = w.shown(ref)
		equal(t, "status", api.StatusMerged, request.Status)
		equal(t, "revisionMerged", result.Revision, request.RevisionMerged)
		equal(t, "outdated", false, request.Outdated)
		revision := do(w, "commenter", api.GetContent, api.GetContentInput{Space: space})
		equal(t, "revision", result.Revision, revision.ID)
		equal(t, "type", api.RevisionMerge, revision.Type)
		equal(t, "parents", []string{main, request.Revision}, revision.Parents)
		equal(t, "mergedFrom", &request, revision.MergedFrom)
		if hidden := do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).MergedFrom; hidden != nil {
			t.Errorf("readers see the change request: %+v", hidden)
		}
	})
}

func TestMergeRefusals(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		ref := w.newRequest("editor", space)
		w.untouched(func() api.Error {
			return refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
		})
		w.change(ref, write(page, "Something else.\n"))
		w.merged(ref)
		insertion := api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{newPage("x", "x")}}}
		w.untouched(func() api.Error {
			refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
			refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref}, 409, api.ReasonState)
			return refused(w, "editor", api.EditChangeRequestContent, insertion, 409, api.ReasonState)
		})
		archived := w.newRequest("editor", space)
		w.change(archived, write(page, "Third.\n"))
		do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{ChangeRequestRef: archived, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)}})
		insertion.ChangeRequestRef = archived
		w.untouched(func() api.Error {
			refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: archived}, 409, api.ReasonState)
			refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: archived}, 409, api.ReasonState)
			return refused(w, "editor", api.EditChangeRequestContent, insertion, 409, api.ReasonState)
		})
	})
}

// An update of what is current changes nothing and says so.
func TestPullWhenCurrent(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "Something else.\n"))
		w.untouched(func() api.Error {
			result := w.pull(ref)
			equal(t, "result", api.OutcomeUpdate, result.Result)
			equal(t, "revision", w.shown(ref).Revision, result.Revision)
			return api.Error{}
		})
	})
}

func TestPullResolutionsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, one := w.seed("One is green.\n")
		extra := w.newRequest("editor", space)
		two := w.insertPage(extra, newPage("Two", "Two is green.\n"))
		w.merged(extra)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, write(one, "One is red.\n"), write(two, "Two is red.\n"))
		w.change(second, write(one, "One is blue.\n"), write(two, "Two is blue.\n"))
		w.merged(first)
		conflicts := w.attempt(second).Conflicts
		if len(conflicts) != 2 {
			t.Fatalf("conflicts: %+v", conflicts)
		}
		takeTheirs := func(i int) api.Resolution {
			return api.Resolution{Conflict: conflicts[i].ID, Take: api.TakeTheirs}
		}
		w.untouched(func() api.Error {
			result := w.pull(second, takeTheirs(0))
			equal(t, "result", api.OutcomeConflicts, result.Result)
			equal(t, "conflicts", conflicts, result.Conflicts)
			equal(t, "revision", w.shown(second).Revision, result.Revision)
			return api.Error{}
		})
		wrong := func(path string, resolutions ...api.Resolution) {
			t.Helper()
			w.untouched(func() api.Error {
				e := refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: resolutions}}, 422, api.ReasonInvalid)
				if len(e.Fields) != 1 || e.Fields[0].Path != path {
					t.Errorf("fields %v, want %s", e.Fields, path)
				}
				return e
			})
		}
		wrong("resolutions[1].conflict", takeTheirs(0), api.Resolution{Conflict: "c_nonsense", Take: api.TakeOurs})
		wrong("resolutions[1].conflict", takeTheirs(0), takeTheirs(0))
		wrong("resolutions[0].text", api.Resolution{Conflict: conflicts[0].ID, Take: api.TakeText}, takeTheirs(1))
		wrong("resolutions[0].text", api.Resolution{Conflict: conflicts[0].ID, Take: api.TakeOurs, Text: api.Some("x")}, takeTheirs(1))

		// The space moves on in the same place: what was decided before was about another state.
		third := w.newRequest("editor", space)
		w.change(third, write(one, "One is yellow.\n"))
		w.merged(third)
		wrong("resolutions[0].conflict", takeTheirs(slices.IndexFunc(conflicts, func(c api.Conflict) bool { return c.Page == one })))

		conflicts = w.attempt(second).Conflicts
		equal(t, "result", api.OutcomeUpdate, w.pull(second, takeTheirs(0), takeTheirs(1)).Result)
		w.merged(second)
		equal(t, "one", "One is blue.\n", w.text(space, one))
		equal(t, "two", "Two is blue.\n", w.text(space, two))
	})
}

// Moving a page and editing it are not in each other's way.
func TestMergeMoveWithEdit(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		extra := w.newRequest("editor", space)
		parent := w.insertPage(extra, newPage("Parent", "Above.\n"))
		w.merged(extra)
		mover, editor := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(mover, move(page, parent, 0))
		w.change(editor, write(page, "Edited where it was.\n"))
		w.merged(mover)
		w.merged(editor)
		equal(t, "text", "Edited where it was.\n", w.text(space, page))
		equal(t, "path", "parent/page", w.published(space, page).Path)
	})
}

// A page that one side deleted and the other edited is a conflict, whichever side came first.
func TestMergeDeletionAgainstEdit(t *testing.T) {
	t.Parallel()
	for name, deleteFirst := range map[string]bool{"deleted in the space": true, "deleted in the change request": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				space, page := w.seed(threeSentences)
				first, second := w.newRequest("editor", space), w.newRequest("editor", space)
				edits := []api.ContentChange{write(page, "Still needed.\n"), remove(page)}
				if deleteFirst {
					slices.Reverse(edits)
				}
				w.change(first, edits[0])
				w.change(second, edits[1])
				w.merged(first)
				var result api.MergeResult
				w.untouched(func() api.Error { result = w.attempt(second); return api.Error{} })
				if len(result.Conflicts) != 1 || result.Conflicts[0].Kind != "deleted" || result.Conflicts[0].Page != page {
					t.Fatalf("conflicts: %+v", result.Conflicts)
				}
				equal(t, "title", "Page", result.Conflicts[0].Title)
				absent, present := result.Conflicts[0].Ours, result.Conflicts[0].Theirs
				if !deleteFirst {
					absent, present = present, absent
				}
				if absent != nil || present == nil {
					t.Errorf("sides: %+v", result.Conflicts[0])
				}
				take := api.TakeTheirs
				if !deleteFirst {
					take = api.TakeOurs
				}
				equal(t, "update", api.OutcomeUpdate, w.pull(second, api.Resolution{Conflict: result.Conflicts[0].ID, Take: take}).Result)
				equal(t, "text", "Still needed.\n", *w.draftPage(second, page).Markdown)
			})
		})
	}
}

// Two sides that give two pages the same place in the tree do not leave two pages with one address.
func TestMergeSlugClash(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, _ := w.seed(threeSentences)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.insertPage(first, newPage("Install", "One way.\n"))
		w.insertPage(second, newPage("Install", "Another way.\n"))
		w.merged(first)
		result := w.attempt(second)
		if len(result.Conflicts) != 1 || result.Conflicts[0].Kind != "slug" {
			t.Fatalf("%+v", result)
		}
		mine := api.Some("install-another-way")
		pulled := try(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: []api.Resolution{
			{Conflict: result.Conflicts[0].ID, Take: api.TakeText, Text: mine},
		}}})
		if pulled.Status != 200 {
			t.Fatalf("%d %s", pulled.Status, pulled.Body)
		}
		w.merged(second)
		slugs := map[string]bool{}
		for _, p := range do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages {
			if slugs[p.Slug] {
				t.Errorf("two pages have the slug %q", p.Slug)
			}
			slugs[p.Slug] = true
		}
		if !slugs["install"] || !slugs["install-another-way"] {
			t.Errorf("slugs: %v", slugs)
		}
	})
}

func TestMergeFiles(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, _ := w.seed(threeSentences)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		file := func(name string) api.ContentChange {
			return api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: name, ContentType: "text/plain", Base64: "aGVsbG8="}}}
		}
		kept := w.change(first, file("a.txt")).InsertedFiles[0].File.ID
		added := w.change(second, file("b.txt")).InsertedFiles[0].File.ID
		w.merged(first)
		w.merged(second)
		list := do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: space})
		equal(t, "count", 2, list.Count)
		third := w.newRequest("editor", space)
		w.change(third, api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{kept}})
		w.merged(third)
		list = do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: space})
		if list.Count != 1 || list.Items[0].ID != added {
			t.Errorf("files: %+v", list)
		}
		refused(w, "reader", api.GetContentFile, api.FileInput{Space: space, File: kept}, 404, api.ReasonNotFound)
	})
}

// A page below one that the other side deleted is not lost, nor does it bring the deleted one back by itself.
func TestMergePageBelowADeletedOne(t *testing.T) {
	t.Parallel()
	for take, want := range map[api.ResolutionTake][]string{
		api.TakeOurs: {"Other", "Child"}, api.TakeTheirs: {"Page", "  Child", "Other"},
	} {
		t.Run(string(take), func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				space, page := w.seed(threeSentences)
				first, second := w.newRequest("editor", space), w.newRequest("editor", space)
				w.change(first, remove(page), newPage("Other", "x\n"))
				child := w.insertPage(second, below(newPage("Child", "Not to be lost.\n"), page))
				w.merged(first)
				conflicts := w.attempt(second).Conflicts
				var resolutions []api.Resolution
				for _, c := range conflicts {
					resolutions = append(resolutions, api.Resolution{Conflict: c.ID, Take: take})
				}
				equal(t, "update", api.OutcomeUpdate, w.pull(second, resolutions...).Result)
				equal(t, "outline", want, outline(w.pages(second)))
				equal(t, "text", "Not to be lost.\n", *w.draftPage(second, child).Markdown)
			})
		})
	}
}
