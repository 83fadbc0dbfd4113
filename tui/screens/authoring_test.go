package screens_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/tuitest"
)

func TestPageEditIsOneRevision(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(120, 40)
	tuitest.WritePage(s, "green.", "green, and stays so.\r\n\n\n")
	s.Server.EditConflicts = true
	s.Keys("enter", "e")
	s.Want(t, "✓ Quick start saved")
	if got := s.Server.Texts["cr_2"]["p_quick"]; !strings.Contains(got, "green, and stays so.\r\n\n\n") {
		t.Errorf("the text is %q", got)
	}
	if n := len(s.Server.Writes); n != 1 || len(s.Files.ByPath) != 0 {
		t.Errorf("%d writes, kept %v", n, s.Files.ByPath)
	}
}

// TestEditInSpaceCreatesChangeRequest checks that an unchanged text creates neither a revision nor a change request, and that a
// page of the space gets a change request on save.
func TestEditInSpaceCreatesChangeRequest(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	s.Keys("enter", "e")
	s.Want(t, "nothing was changed, and nothing saved")
	if len(s.Server.Writes)+len(s.Files.ByPath) != 0 {
		t.Errorf("wrote %v, kept %v", s.Server.Writes, s.Files.ByPath)
	}
	tuitest.WritePage(s, "Welcome", "Welcome!")
	s.Keys("e")
	want := []string{"create-request s_1: Edit Welcome", `edit update_page p_welcome "# Welcome!\n"`}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Want(t, "#2 Firmware", "✓ Welcome saved in a new change request")
}

func TestEditOffersOwnChangeRequest(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Space: "s_1"})
	tuitest.OwnChangeRequest(s)
	s.Open(120, 40)
	tuitest.WritePage(s, "Welcome", "Welcome!")
	s.Keys("enter", "e")
	s.Want(t, "Edit Welcome in", "#2 Firmware 2.4", "a new change request")
	s.Keys("1")
	if diff := cmp.Diff([]string{`edit update_page p_welcome "# Welcome!\n"`}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestForeignEditNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	tuitest.WritePage(s, "green", "red")
	s.Keys("enter", "e")
	s.Want(t, "#2 is a change request of Grace.")
	s.Keys("n")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys("n", "e") // on a thread of another user
	s.Want(t, "#2 is a change request of Grace.")
}

// TestUnsavedPageIsKept checks that the text is kept if the server rejects it, the editor fails or the screen ends, and that p
// resumes the edit.
func TestUnsavedPageIsKept(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(140, 40)
	tuitest.WritePage(s, "green", "red")
	s.Server.Fail["edit"] = api.Errorf(403, api.ReasonForbidden, "The request is locked.")
	s.Keys("enter", "e")
	s.Want(t, "not saved (not allowed)", "The request is locked.", "✎ 1 draft not sent")
	s.Keys("p")
	s.Want(t, "page Quick start: edited, not saved")
	delete(s.Server.Fail, "edit")
	s.OnEdit = nil
	s.Keys("1")
	s.Want(t, "✓ Quick start saved", "!not sent")
	if got := s.Server.Texts["cr_2"]["p_quick"]; !strings.Contains(got, "the light is red") {
		t.Errorf("the text is %q", got)
	}
}

func TestEditorErrorKeepsPage(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(140, 40)
	s.EditFails = true
	s.Keys("enter", "e")
	s.Want(t, "the editor failed; nothing was written", "!draft")
	if len(s.Files.ByPath) != 0 {
		t.Errorf("kept %v", s.Files.ByPath)
	}
	tuitest.WritePage(s, "green", "red")
	s.Keys("e")
	s.Want(t, "the text is kept in s_1/cr_2/p_quick")
	if len(s.Files.ByPath) != 1 || len(s.Server.Writes) != 0 {
		t.Errorf("kept %v, wrote %v", s.Files.ByPath, s.Server.Writes)
	}
}

// TestConcurrentlyChangedPageIsMerged checks that concurrent changes are merged and reviewed in the editor, and that nothing is
// overwritten.
func TestConcurrentlyChangedPageIsMerged(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(140, 40)
	s.OnEdit = func(path string) {
		s.Files.Texts[path] = strings.ReplaceAll(s.Files.Texts[path], "1. Open the box.", "1. Open the box gently.")
		s.Server.Texts["cr_2"]["p_quick"] = strings.ReplaceAll(s.Server.Texts["cr_2"]["p_quick"], "| green | ready |",
			"| green | all is well |")
	}
	s.Keys("enter", "e")
	s.Want(t, "Quick start was changed meanwhile")
	if len(s.Server.Writes) > 0 {
		t.Fatalf("wrote %v", s.Server.Writes)
	}
	s.OnEdit = nil
	s.Keys("1")
	s.Want(t, "✓ Quick start saved")
	got := s.Server.Texts["cr_2"]["p_quick"]
	if !strings.Contains(got, "box gently") || !strings.Contains(got, "all is well") {
		t.Errorf("the text is %q", got)
	}
}

// TestInterruptedMergeIsResumed checks that a merge that was not finished is resumed with the merged text and not merged again.
func TestInterruptedMergeIsResumed(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(140, 40)
	s.OnEdit = func(path string) {
		s.Files.Texts[path] = strings.ReplaceAll(s.Files.Texts[path], "1. Open the box.", "1. Open the box gently.")
		s.Server.Texts["cr_2"]["p_quick"] = strings.ReplaceAll(s.Server.Texts["cr_2"]["p_quick"], "| green | ready |",
			"| green | all is well |")
	}
	s.Keys("enter", "e")
	s.Want(t, "Quick start was changed meanwhile")
	s.OnEdit, s.EditFails = nil, true
	s.Keys("1")
	s.Want(t, "the editor failed; the text is kept")
	s.EditFails = false
	s.Keys("p", "1")
	s.Want(t, "✓ Quick start saved", "!meanwhile")
	got := s.Server.Texts["cr_2"]["p_quick"]
	if !strings.Contains(got, "box gently") || !strings.Contains(got, "all is well") {
		t.Errorf("the text is %q", got)
	}
}

func TestConflictMarkersAreNotSaved(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(140, 40)
	s.OnEdit = func(path string) {
		s.Files.Texts[path] = strings.ReplaceAll(s.Files.Texts[path], "Open the box", "Open it")
		s.Server.Texts["cr_2"]["p_quick"] = strings.ReplaceAll(s.Server.Texts["cr_2"]["p_quick"], "Open the box", "Unpack it")
	}
	s.Keys("enter", "e")
	s.OnEdit = nil
	s.Keys("1")
	s.Want(t, "not saved: there are lines with <<<<<<<")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

// TestEditDescription checks that the description is edited in place, that leaving keeps the draft, and that an empty text
// removes the description.
func TestEditDescription(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("g", "e")
	s.Want(t, "description", "The field test is in OPS-311.")
	s.Keys("esc")
	s.Want(t, "!✎ 1 draft")
	s.Keys("e", `" Thanks`, "esc")
	s.Want(t, "✎ 1 draft")
	s.Keys("e", "ctrl+s")
	s.Want(t, "The field test is in OPS-311. Thanks", "!✎ 1 draft")
	s.Server.Fail["update-request"] = api.Errorf(403, api.ReasonForbidden, "Only the author.")
	s.Keys("e")
	s.Keys(slices.Repeat([]string{"backspace"}, 90)...)
	s.Keys("ctrl+s")
	s.Want(t, "Only the author.")
	delete(s.Server.Fail, "update-request")
	s.Keys("ctrl+s")
	s.Want(t, "No description yet")
	if s.Server.Description != "" || len(s.Journal.Drafts) != 0 {
		t.Errorf("the description is %q, kept %v", s.Server.Description, s.Journal.Drafts)
	}
}

func TestUnrelatedFileIsNotSaved(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Send(page.FileEditedMsg{Path: "elsewhere"})
	s.Drain()
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

func TestChangeRequestLifecycle(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tui.Options{Space: "s_1"}, 140, 40, tuitest.OwnChangeRequest)
	s.Keys("w", `"Tidy up`, "enter")
	s.Want(t, "#2 Firmware")
	s.Keys(":", `"change the subject`, "enter", `"!`, "enter", "u")
	s.Keys(":", `"archive it`, "enter", "tab", "enter", "u", "i", "1")
	s.Keys(":", `"new page`, "enter", `"Frost`, "enter", "/", `"Quick start`, "enter", "esc", ":", `"rename the page`, "enter", `"er`,
		"enter", "u")
	want := []string{
		"create-request s_1: Tidy up", "update-request Firmware 2.4: faster readings, longer battery life!",
		"update-request Firmware 2.4: faster readings, longer battery life", "update-request archived", "update-request open", "ask u_3",
		`edit insert_page Frost ""`, "edit update_page p_quickQuick starter", "edit update_page p_quickQuick start",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestMovePage checks that the new parent is selected by title and cannot be the page itself or a descendant.
func TestMovePage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 140, 40)
	s.Keys(":", `"move the page`, "enter")
	s.Want(t, "Move “Quick start” below which page? It will be the last one there.", "leave it where it is", "the top level", "“Welcome”",
		"“Reference”", "!  “Quick start”", "where it is now")
	s.Keys("enter")
	s.Want(t, "not moved")
	s.Keys(":", `"move the page`, "enter")
	s.Keys(`"reference`, "enter")
	s.Want(t, "#2 is a change request of Grace.", "Change it?")
	s.Keys("tab", "enter")
	s.Want(t, "“Quick start” is now the last page below “Reference”", "update-page p_quick --into p_group", "u undo")
	s.Keys("u")
	s.Want(t, "undone: “Quick start” is now the last page below “Reference”", "--into p_welcome --at 0")
	s.Keys(":", `"move the page`, "enter", "down", "enter", "tab", "enter")
	s.Want(t, "“Quick start” is now the last page at the top level", "update-page p_quick --no-into")
	want := []string{
		"edit update_page p_quick into /p_group", "edit update_page p_quick into /p_welcome", "edit update_page p_quick into /",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestDeletedPageIsNotMoved checks that a page that the change request deletes is neither renamed nor moved.
func TestDeletedPageIsNotMoved(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 140, 40)
	for _, name := range []string{"move the page", "rename the page"} {
		s.Keys("g", "/", `"Old page`, "enter", ":", `"`+name, "enter")
		s.Want(t, "it is deleted in the change request")
		s.Keys("esc")
	}
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

// A page is deleted with its descendants after confirmation, and undo restores all of them. Pages of a space cannot
// be deleted.
func TestDeletePageAndUndo(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 160, 60)
	s.Server.Approved = true
	s.Keys(":", `"all pages with`, "enter")
	s.Want(t, "Welcome", "Quick start", "Reference")
	s.Keys(":", `"delete the page`, "enter")
	s.Want(t, "#2 is a change request of Grace.", "Lin approved it; when you delete it, the approval may no longer count.",
		"Delete “Welcome” with 1 page below it in #2?")
	s.Keys("tab", "enter")
	s.Want(t, "✓ Welcome deleted with 1 page below it", "delete-page p_welcome", "u undo")
	s.Keys("u")
	want := []string{"edit delete_page p_welcome", "edit revert_page p_welcomerevert_page p_quick"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Want(t, "✓ undone: Welcome deleted with 1 page below it")
	s = tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	s.Keys(":", `"delete the page`, "enter")
	s.Want(t, "pages are deleted in a change request: w makes one")
}

// The approvals that an edit may outdate are named before it, and those that it has outdated are named after it.
func TestEditNamesOutdatedApprovals(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Server.Approved = true
	s.Open(140, 40)
	tuitest.WritePage(s, "green", "red")
	s.Keys("enter", "e")
	s.Want(t, "Lin approved it; when you save an edit, the approval may no longer count.", "Edit it?")
	s.Keys("tab", "enter")
	s.Want(t, "✓ Quick start saved · the approval of Lin no longer counts: i asks again")
}

// An edit of another user's change request needs a confirmation, which names the owner and the effect on approvals.
func TestEditNamesOwner(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, func(s *tuitest.Screen) {
		tuitest.AddSuggestions(s)
		s.Server.Approved = true
	})
	s.Keys("U")
	s.Want(t, "#2 is a change request of Grace.", "Update #2 with what has changed in the space?")
	s.Keys("n", "enter", "n", "A", "1")
	s.Want(t, "#2 is a change request of Grace.", "Lin approved it; when you apply it, the approval may no longer count.",
		"Apply 1 suggestion to #2?")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, func(s *tuitest.Screen) {
		tuitest.AddSuggestions(s)
		tuitest.OwnChangeRequest(s)
	})
	s.Keys("U")
	s.Want(t, "Update #2 with", "!is a change request of")
	s.Keys("n", "enter", "n", "A", "1")
	s.Want(t, "Apply 1 suggestion to #2?", "!is a change request of")
	s.Keys("tab", "enter")
	s.Want(t, "✓ 1 suggestion applied")
}

// A new page is selected, and the message names the missing text. A renamed page can keep its heading.
func TestCreateAndRenamePage(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, tuitest.OwnChangeRequest)
	s.Keys(":", `"new page`, "enter", `"Power and battery, with a longer title`, "enter")
	s.Want(t, "“Power and battery, with a longer title” is now the last page at the top level: e on it writes its text, below the title")
	s.Keys("/", `"~   Quick start`, "enter", "esc", ":", `"rename the page`, "enter", `"er`, "enter")
	s.Want(t, "✓ renamed; the page's own heading still reads “Quick start”: e edits it", "▌ ~   Quick start")
}

// The editor opens at the block under the cursor.
func TestEditorOpensAtBlock(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) { addLongPage(s) }, 100, 40)
	s.Keys("]", "e", "tab", "enter")
	if s.EditLine != 3 {
		t.Errorf("the editor is opened at line %d", s.EditLine)
	}
}
