package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
)

// ownChangeRequest sets the author of the change request to the user.
func ownChangeRequest(s *testScreen) { s.fake.author = newUser("u_1", "Ada") }

func writePage(s *testScreen, old, now string) {
	s.editFile = func(path string) {
		s.files.texts[path] = strings.ReplaceAll(s.files.texts[path], old, now)
	}
}

func TestPageEditIsOneRevision(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(120, 40)
	writePage(s, "green.", "green, and stays so.\r\n\n\n")
	s.fake.editConflicts = true
	s.keys("enter", "e")
	s.want(t, "✓ Quick start saved")
	if got := s.fake.texts["cr_2"]["p_quick"]; !strings.Contains(got, "green, and stays so.\r\n\n\n") {
		t.Errorf("the text is %q", got)
	}
	if n := len(s.fake.writes); n != 1 || len(s.files.edits) != 0 {
		t.Errorf("%d writes, kept %v", n, s.files.edits)
	}
}

// An unchanged text creates neither a revision nor a change request. A page of the space gets a change request on
// save.
func TestEditInSpaceCreatesChangeRequest(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 120, 40)
	s.keys("enter", "e")
	s.want(t, "nothing was changed, and nothing saved")
	if len(s.fake.writes)+len(s.files.edits) != 0 {
		t.Errorf("wrote %v, kept %v", s.fake.writes, s.files.edits)
	}
	writePage(s, "Welcome", "Welcome!")
	s.keys("e")
	want := []string{"create-request s_1: Edit Welcome", `edit update_page p_welcome "# Welcome!\n"`}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.want(t, "#2 Firmware", "✓ Welcome saved in a new change request")
}

func TestEditAsksForOwnChangeRequest(t *testing.T) {
	t.Parallel()
	s := newTestScreen(Options{Space: "s_1"})
	ownChangeRequest(s)
	s.open(120, 40)
	writePage(s, "Welcome", "Welcome!")
	s.keys("enter", "e")
	s.want(t, "Edit Welcome in", "#2 Firmware 2.4", "a new change request")
	s.keys("1")
	if diff := cmp.Diff([]string{`edit update_page p_welcome "# Welcome!\n"`}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestEditConfirmsForeignChangeRequest(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	writePage(s, "green", "red")
	s.keys("enter", "e")
	s.want(t, "#2 is a change request of Grace.")
	s.keys("n")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
	s.keys("n", "e")
	s.want(t, "only its author can edit it")
}

// The text is kept if the server rejects it, the editor fails or the screen ends. p resumes the edit.
func TestUnsavedPageIsKept(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(140, 40)
	writePage(s, "green", "red")
	s.fake.fail["edit"] = api.Errorf(403, api.ReasonForbidden, "The request is locked.")
	s.keys("enter", "e")
	s.want(t, "not saved (not allowed)", "The request is locked.", "✎ 1 draft not sent")
	s.keys("p")
	s.want(t, "page Quick start: edited, not saved")
	delete(s.fake.fail, "edit")
	s.editFile = nil
	s.keys("1")
	s.want(t, "✓ Quick start saved", "!not sent")
	if got := s.fake.texts["cr_2"]["p_quick"]; !strings.Contains(got, "the light is red") {
		t.Errorf("the text is %q", got)
	}
}

func TestEditorErrorKeepsPage(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(140, 40)
	s.editFails = true
	s.keys("enter", "e")
	s.want(t, "the editor failed; nothing was written", "!draft")
	if len(s.files.edits) != 0 {
		t.Errorf("kept %v", s.files.edits)
	}
	writePage(s, "green", "red")
	s.keys("e")
	s.want(t, "the text is kept in s_1/cr_2/p_quick")
	if len(s.files.edits) != 1 || len(s.fake.writes) != 0 {
		t.Errorf("kept %v, wrote %v", s.files.edits, s.fake.writes)
	}
}

// Concurrent changes are merged and reviewed in the editor. Nothing is overwritten.
func TestConcurrentlyChangedPageIsMerged(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(140, 40)
	s.editFile = func(path string) {
		s.files.texts[path] = strings.ReplaceAll(s.files.texts[path], "1. Open the box.", "1. Open the box gently.")
		s.fake.texts["cr_2"]["p_quick"] = strings.ReplaceAll(s.fake.texts["cr_2"]["p_quick"], "| green | ready |", "| green | all is well |")
	}
	s.keys("enter", "e")
	s.want(t, "Quick start was changed meanwhile")
	if len(s.fake.writes) > 0 {
		t.Fatalf("wrote %v", s.fake.writes)
	}
	s.editFile = nil
	s.keys("1")
	s.want(t, "✓ Quick start saved")
	got := s.fake.texts["cr_2"]["p_quick"]
	if !strings.Contains(got, "box gently") || !strings.Contains(got, "all is well") {
		t.Errorf("the text is %q", got)
	}
}

func TestConflictMarkersAreNotSaved(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(140, 40)
	s.editFile = func(path string) {
		s.files.texts[path] = strings.ReplaceAll(s.files.texts[path], "Open the box", "Open it")
		s.fake.texts["cr_2"]["p_quick"] = strings.ReplaceAll(s.fake.texts["cr_2"]["p_quick"], "Open the box", "Unpack it")
	}
	s.keys("enter", "e")
	s.editFile = nil
	s.keys("1")
	s.want(t, "not saved: there are lines with <<<<<<<")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
}

// The description is edited in place. Leaving keeps the draft, and an empty text removes the description.
func TestEditDescription(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("g", "e")
	s.want(t, "description", "The field test is in OPS-311.")
	s.keys("esc")
	s.want(t, "!✎ 1 draft")
	s.keys("e", `" Thanks`, "esc")
	s.want(t, "✎ 1 draft")
	s.keys("e", "ctrl+s")
	s.want(t, "The field test is in OPS-311. Thanks", "!✎ 1 draft")
	s.fake.fail["update-request"] = api.Errorf(403, api.ReasonForbidden, "Only the author.")
	s.keys("e")
	s.keys(slices.Repeat([]string{"backspace"}, 90)...)
	s.keys("ctrl+s")
	s.want(t, "Only the author.")
	delete(s.fake.fail, "update-request")
	s.keys("ctrl+s")
	s.want(t, "No description yet")
	if s.fake.description != "" || len(s.drafts.all) != 0 {
		t.Errorf("the description is %q, kept %v", s.fake.description, s.drafts.all)
	}
}

func TestUnrelatedFileIsNotSaved(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.send(page.FileEditedMsg{Path: "elsewhere"})
	s.drain()
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
}

func TestChangeRequestLifecycle(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(Options{Space: "s_1"}, 140, 40, ownChangeRequest)
	s.keys("w", `"Tidy up`, "enter")
	s.want(t, "#2 Firmware")
	s.keys(":", `"change the subject`, "enter", `"!`, "enter", "u")
	s.keys(":", `"archive it`, "enter", "u", "i", "1")
	s.keys(":", `"new page`, "enter", `"Frost`, "enter", "/", `"Quick start`, "enter", "esc", ":", `"rename the page`, "enter", `"er`, "enter", "u")
	want := []string{
		"create-request s_1: Tidy up", "update-request Firmware 2.4: faster readings, longer battery life!",
		"update-request Firmware 2.4: faster readings, longer battery life", "update-request archived", "update-request open", "ask u_3",
		`edit insert_page Frost ""`, "edit update_page p_quickQuick starter", "edit update_page p_quickQuick start",
	}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// The new parent is selected by title and cannot be the page itself or a descendant.
func TestMovePage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 140, 40)
	s.keys(":", `"move the page`, "enter")
	s.want(t, "Move “Quick start” below which page? It will be the last one there.", "the top level", "“Welcome”", "“Reference”", "!  “Quick start”", "where it is now")
	s.keys(`"reference`, "enter")
	s.want(t, "#2 is a change request of Grace.", "Change it?")
	s.keys("y")
	s.want(t, "“Quick start” is now the last page below “Reference”", "update-page p_quick --into p_group", "u undo")
	s.keys("u")
	s.want(t, "undone: “Quick start” is now the last page below “Reference”", "--into p_welcome --at 0")
	s.keys(":", `"move the page`, "enter", "enter", "y")
	s.want(t, "“Quick start” is now the last page at the top level", "update-page p_quick --no-into")
	want := []string{"edit update_page p_quick into /p_group", "edit update_page p_quick into /p_welcome", "edit update_page p_quick into /"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// Edits are on disk before the editor opens, byte for byte, and are removed when the server has the text.
func TestEditsOnDisk(t *testing.T) {
	t.Parallel()
	dir := drafts.Dir(t.TempDir())
	e := drafts.Edit{Page: "p", Title: "Page", Base: "a\r\nb", Key: "k"}
	kept, again, err := dir.Begin(e)
	if err != nil || again {
		t.Fatal(again, err)
	}
	if err := dir.Rewrite(kept, "c\n\n"); err != nil {
		t.Fatal(err)
	}
	kept.Target.ChangeRequest = "cr" // created in the meantime
	if err := dir.Keep(kept); err != nil {
		t.Fatal(err)
	}
	resumed, again, err := dir.Begin(e)
	if text, _ := dir.Written(resumed); err != nil || !again || text != "c\n\n" || resumed.Target.ChangeRequest != "cr" || resumed.Base != e.Base {
		t.Errorf("%+v %v %v %q", resumed, again, err, text)
	}
	if err := dir.Drop(resumed); err != nil {
		t.Fatal(err)
	}
	if left, err := dir.Edits(); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A page is deleted with its descendants after confirmation, and undo restores all of them. PageEditor of a space cannot
// be deleted.
func TestDeletePageAndUndo(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 160, 60)
	s.fake.approved = true
	s.keys(":", `"all pages with`, "enter")
	s.want(t, "Welcome", "Quick start", "Reference")
	s.keys(":", `"delete the page`, "enter")
	s.want(t, "#2 is a change request of Grace.", "Lin approved it; when you delete it, the approval may no longer count.", "Delete “Welcome” with 1 page below it in #2?")
	s.keys("y")
	s.want(t, "✓ Welcome deleted with 1 page below it", "delete-page p_welcome", "u undo")
	s.keys("u")
	want := []string{"edit delete_page p_welcome", "edit revert_page p_welcomerevert_page p_quick"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.want(t, "✓ undone: Welcome deleted with 1 page below it")
	s = start(Options{Space: "s_1"}, 120, 40)
	s.keys(":", `"delete the page`, "enter")
	s.want(t, "pages are deleted in a change request: w makes one")
}
