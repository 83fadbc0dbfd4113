package review_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestMergeKeepsEditsOfDifferentSentences checks that edits of different sentences of a paragraph do not conflict.
func TestMergeKeepsEditsOfDifferentSentences(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.Change(second, servertest.Write(page, "The lamp is green. The door is shut. The cat is awake now.\n"))
		w.MustMerge(first)
		servertest.Equal(t, "outdated", true, w.ReadRequest(second).Outdated)
		w.MustMerge(second)
		servertest.Equal(t, "text", "The lamp is red. The door is shut. The cat is awake now.\n", w.PageText(space, page))
	})
}

// newConflictingRequest creates a space in which a merged change request edited the same sentence as the returned
// one.
func newConflictingRequest(w *servertest.World) (ref api.ChangeRequestRef, page string) {
	w.T.Helper()
	space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
	first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
	w.Change(first, servertest.Write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
	w.Change(second, servertest.Write(page, "The lamp is blue. The door is shut. The cat is asleep.\n"))
	w.MustMerge(first)
	return second, page
}

func TestMergeConflictAppliesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, page := newConflictingRequest(w)
		head := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision
		var result api.MergeResult
		w.WantUntouched(func() api.Error {
			result = w.TryMerge(ref)
			return api.Error{}
		})
		servertest.Equal(t, "result", api.OutcomeConflicts, result.Result)
		servertest.Equal(t, "revision", head, result.Revision)
		if len(result.Conflicts) != 1 {
			t.Fatalf("conflicts: %+v", result.Conflicts)
		}
		c := result.Conflicts[0]
		servertest.Equal(t, "page", page, c.Page)
		servertest.Equal(t, "title", "Page", c.Title)
		for name, side := range map[string]*api.ConflictSide{"green": c.Base, "red": &c.Ours, "blue": &c.Theirs} {
			if side == nil || !slices.Contains(servertest.Words(side.Value), name) {
				t.Errorf("a side of the conflict lacks %q: %v", name, side)
			}
		}
		servertest.Equal(t, "text", "The lamp is red. The door is shut. The cat is asleep.\n", w.PageText(ref.Space, page))
		servertest.Equal(t, "status", api.StatusDraft, w.ReadRequest(ref).Status)
	})
}

func TestMergeAfterResolution(t *testing.T) {
	t.Parallel()
	mine := "The lamp is purple."
	for _, test := range []struct {
		take api.ResolutionTake
		text api.Optional[string]
		want string
	}{
		{api.TakeOurs, api.Optional[string]{}, "The lamp is red. The door is shut. The cat is asleep.\n"},
		{api.TakeTheirs, api.Optional[string]{}, "The lamp is blue. The door is shut. The cat is asleep.\n"},
		{api.TakeText, api.Some(mine), mine + " The door is shut. The cat is asleep.\n"},
	} {
		t.Run(string(test.take), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				ref, page := newConflictingRequest(w)
				conflict, before := w.TryMerge(ref).Conflicts[0].ID, w.ReadRequest(ref).Revision
				result := w.Pull(ref, api.Resolution{Conflict: conflict, Take: test.take, Text: test.text})
				servertest.Equal(t, "result", api.OutcomeUpdate, result.Result)
				servertest.Equal(t, "text in the change request", test.want, *w.DraftPage(ref, page).Markdown)
				request := w.ReadRequest(ref)
				servertest.Equal(t, "outdated", false, request.Outdated)
				revision := servertest.Do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref})
				servertest.Equal(t, "type", api.RevisionUpdate, revision.Type)
				servertest.Equal(t, "parents", []string{before, request.RevisionMergedAncestor}, revision.Parents)
				servertest.Equal(t, "revision", result.Revision, request.Revision)
				servertest.Equal(t, "revisionMergedAncestor",
					servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision, request.RevisionMergedAncestor)
				if test.take == api.TakeOurs {
					servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
					return
				}
				w.MustMerge(ref)
				servertest.Equal(t, "text in the space", test.want, w.PageText(ref.Space, page))
			})
		})
	}
}

// TestMergeRecordsParents checks that a merge and an update record their parents in the history.
func TestMergeRecordsParents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		main := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Something else.\n"))
		request := w.ReadRequest(ref)
		servertest.Equal(t, "revisionInitial", main, request.RevisionInitial)
		result := w.MustMerge(ref)
		request = w.ReadRequest(ref)
		servertest.Equal(t, "status", api.StatusMerged, request.Status)
		servertest.Equal(t, "revisionMerged", result.Revision, request.RevisionMerged)
		servertest.Equal(t, "outdated", false, request.Outdated)
		revision := servertest.Do(w, "commenter", api.GetContent, api.GetContentInput{Space: space})
		servertest.Equal(t, "revision", result.Revision, revision.ID)
		servertest.Equal(t, "type", api.RevisionMerge, revision.Type)
		servertest.Equal(t, "parents", []string{main, request.Revision}, revision.Parents)
		servertest.Equal(t, "mergedFrom", &request, revision.MergedFrom)
		if hidden := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).MergedFrom; hidden != nil {
			t.Errorf("readers see the change request: %+v", hidden)
		}
	})
}

// TestPullKeepsRevisionNumbersIncreasing checks that the revision numbers of a change request increase even if it is updated
// from a space with fewer revisions.
func TestPullKeepsRevisionNumbersIncreasing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		for _, words := range []string{"One.", "Two.", "Three.", "Four."} {
			w.Change(ref, servertest.Write(page, words+"\n"))
		}
		other := w.NewRequest("editor", space)
		w.Change(other, servertest.NewPage("Other", "Other.\n"))
		w.MustMerge(other)
		w.Pull(ref)
		w.Change(ref, servertest.Write(page, "Five.\n"))
		revisions := servertest.Do(w, "commenter", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: ref})
		servertest.Equal(t, "how many", [2]int{6, 6}, [2]int{revisions.Count, len(revisions.Items)})
		for i, r := range revisions.Items[1:] {
			servertest.Equal(t, "the number before", revisions.Items[i].Number-1, r.Number)
		}
	})
}

func TestMergeRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
		})
		w.Change(ref, servertest.Write(page, "Something else.\n"))
		w.MustMerge(ref)
		insertion := api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{servertest.NewPage("x", "x")}},
		}
		w.WantUntouched(func() api.Error {
			servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
			servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref}, 409, api.ReasonState)
			return servertest.Refused(w, "editor", api.EditChangeRequestContent, insertion, 409, api.ReasonState)
		})
		archived := w.NewRequest("editor", space)
		w.Change(archived, servertest.Write(page, "Third.\n"))
		servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: archived, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)},
		})
		insertion.ChangeRequestRef = archived
		w.WantUntouched(func() api.Error {
			servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: archived}, 409, api.ReasonState)
			servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: archived}, 409, api.ReasonState)
			return servertest.Refused(w, "editor", api.EditChangeRequestContent, insertion, 409, api.ReasonState)
		})
	})
}

// TestPullOfCurrentRequestChangesNothing checks that updating a change request that is up to date changes nothing and reports
// this.
func TestPullOfCurrentRequestChangesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Something else.\n"))
		w.WantUntouched(func() api.Error {
			result := w.Pull(ref)
			servertest.Equal(t, "result", api.OutcomeUpdate, result.Result)
			servertest.Equal(t, "revision", w.ReadRequest(ref).Revision, result.Revision)
			return api.Error{}
		})
	})
}

func TestPullResolutionsAreAtomic(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, one := w.NewSpaceWithPage("One is green.\n")
		extra := w.NewRequest("editor", space)
		two := w.InsertPage(extra, servertest.NewPage("Two", "Two is green.\n"))
		w.MustMerge(extra)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(one, "One is red.\n"), servertest.Write(two, "Two is red.\n"))
		w.Change(second, servertest.Write(one, "One is blue.\n"), servertest.Write(two, "Two is blue.\n"))
		w.MustMerge(first)
		conflicts := w.TryMerge(second).Conflicts
		if len(conflicts) != 2 {
			t.Fatalf("conflicts: %+v", conflicts)
		}
		takeTheirs := func(i int) api.Resolution {
			return api.Resolution{Conflict: conflicts[i].ID, Take: api.TakeTheirs}
		}
		w.WantUntouched(func() api.Error {
			result := w.Pull(second, takeTheirs(0))
			servertest.Equal(t, "result", api.OutcomeConflicts, result.Result)
			servertest.Equal(t, "conflicts", conflicts, result.Conflicts)
			servertest.Equal(t, "revision", w.ReadRequest(second).Revision, result.Revision)
			return api.Error{}
		})
		wrong := func(path string, resolutions ...api.Resolution) {
			t.Helper()
			w.WantUntouched(func() api.Error {
				e := servertest.Refused(w, "editor", api.PullChangeRequest, api.PullInput{
					ChangeRequestRef: second, Body: api.Pull{Resolutions: resolutions},
				}, 422, api.ReasonInvalid)
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

		// The space changes in the same position, so the earlier resolutions are outdated.
		third := w.NewRequest("editor", space)
		w.Change(third, servertest.Write(one, "One is yellow.\n"))
		w.MustMerge(third)
		wrong("resolutions[0].conflict", takeTheirs(slices.IndexFunc(conflicts, func(c api.Conflict) bool { return c.Page == one })))

		conflicts = w.TryMerge(second).Conflicts
		servertest.Equal(t, "result", api.OutcomeUpdate, w.Pull(second, takeTheirs(0), takeTheirs(1)).Result)
		w.MustMerge(second)
		servertest.Equal(t, "one", "One is blue.\n", w.PageText(space, one))
		servertest.Equal(t, "two", "Two is blue.\n", w.PageText(space, two))
	})
}

// TestMergeKeepsMoveAndEdit checks that moving a page does not conflict with editing it.
func TestMergeKeepsMoveAndEdit(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		extra := w.NewRequest("editor", space)
		parent := w.InsertPage(extra, servertest.NewPage("Parent", "Above.\n"))
		w.MustMerge(extra)
		mover, editor := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(mover, servertest.MovePage(page, parent, 0))
		w.Change(editor, servertest.Write(page, "Edited where it was.\n"))
		w.MustMerge(mover)
		w.MustMerge(editor)
		servertest.Equal(t, "text", "Edited where it was.\n", w.PageText(space, page))
		servertest.Equal(t, "path", "parent/page", w.ReadPage(space, page).Path)
	})
}

// TestMergeReportsDeletionOfEditedPage checks that a page that one side deleted and the other edited is a conflict in either
// order.
func TestMergeReportsDeletionOfEditedPage(t *testing.T) {
	t.Parallel()
	for name, deleteFirst := range map[string]bool{"deleted in the space": true, "deleted in the change request": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
				first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
				edits := []api.ContentChange{servertest.Write(page, "Still needed.\n"), servertest.DeletePage(page)}
				if deleteFirst {
					slices.Reverse(edits)
				}
				w.Change(first, edits[0])
				w.Change(second, edits[1])
				w.MustMerge(first)
				var result api.MergeResult
				w.WantUntouched(func() api.Error { result = w.TryMerge(second); return api.Error{} })
				if len(result.Conflicts) != 1 || result.Conflicts[0].Kind != "deleted" || result.Conflicts[0].Page != page {
					t.Fatalf("conflicts: %+v", result.Conflicts)
				}
				servertest.Equal(t, "title", "Page", result.Conflicts[0].Title)
				absent, present := result.Conflicts[0].Ours, result.Conflicts[0].Theirs
				if !deleteFirst {
					absent, present = present, absent
				}
				if !absent.Absent || present.Absent {
					t.Errorf("sides: %+v", result.Conflicts[0])
				}
				take := api.TakeTheirs
				if !deleteFirst {
					take = api.TakeOurs
				}
				servertest.Equal(t, "update", api.OutcomeUpdate,
					w.Pull(second, api.Resolution{Conflict: result.Conflicts[0].ID, Take: take}).Result)
				servertest.Equal(t, "text", "Still needed.\n", *w.DraftPage(second, page).Markdown)
			})
		})
	}
}

// TestMergeReportsSlugClash checks that if two pages get the same path on the two sides, the merge does not give both the same
// address.
func TestMergeReportsSlugClash(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage(servertest.ThreeSentences)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.InsertPage(first, servertest.NewPage("Install", "One way.\n"))
		w.InsertPage(second, servertest.NewPage("Install", "Another way.\n"))
		w.MustMerge(first)
		result := w.TryMerge(second)
		if len(result.Conflicts) != 1 || result.Conflicts[0].Kind != "slug" {
			t.Fatalf("%+v", result)
		}
		mine := api.Some("install-another-way")
		pulled := servertest.Try(w, "editor", api.PullChangeRequest,
			api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: []api.Resolution{
				{Conflict: result.Conflicts[0].ID, Take: api.TakeText, Text: mine},
			}}})
		if pulled.Status != 200 {
			t.Fatalf("%d %s", pulled.Status, pulled.Body)
		}
		w.MustMerge(second)
		slugs := map[string]bool{}
		for _, p := range servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages {
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
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage(servertest.ThreeSentences)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		file := func(name string) api.ContentChange {
			return api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{{Name: name, ContentType: "text/plain", Base64: "aGVsbG8="}},
			}
		}
		fileID := w.Change(first, file("a.txt")).InsertedFiles[0].File.ID
		added := w.Change(second, file("b.txt")).InsertedFiles[0].File.ID
		w.MustMerge(first)
		w.MustMerge(second)
		list := servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: space})
		servertest.Equal(t, "count", 2, list.Count)
		third := w.NewRequest("editor", space)
		w.Change(third, api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{fileID}})
		w.MustMerge(third)
		list = servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: space})
		if list.Count != 1 || list.Items[0].ID != added {
			t.Errorf("files: %+v", list)
		}
		servertest.Refused(w, "reader", api.GetContentFile, api.FileInput{Space: space, File: fileID}, 404, api.ReasonNotFound)
	})
}

// TestMergeKeepsPageBelowDeletedPage checks that a page added below a page that the other side deleted is kept, without
// restoring the deleted page silently.
func TestMergeKeepsPageBelowDeletedPage(t *testing.T) {
	t.Parallel()
	for take, want := range map[api.ResolutionTake][]string{
		api.TakeOurs: {"Other", "Child"}, api.TakeTheirs: {"Page", "  Child", "Other"},
	} {
		t.Run(string(take), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
				first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
				w.Change(first, servertest.DeletePage(page), servertest.NewPage("Other", "x\n"))
				child := w.InsertPage(second, servertest.WithParent(servertest.NewPage("Child", "Not to be lost.\n"), page))
				w.MustMerge(first)
				conflicts := w.TryMerge(second).Conflicts
				var resolutions []api.Resolution
				for _, c := range conflicts {
					resolutions = append(resolutions, api.Resolution{Conflict: c.ID, Take: take})
				}
				servertest.Equal(t, "update", api.OutcomeUpdate, w.Pull(second, resolutions...).Result)
				servertest.Equal(t, "outline", want, servertest.Outline(w.Pages(second)))
				servertest.Equal(t, "text", "Not to be lost.\n", *w.DraftPage(second, child).Markdown)
			})
		})
	}
}
