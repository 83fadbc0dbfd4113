package tui_test

import (
	"errors"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

func TestRejectedTextIsKept(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"offline": tuitest.ErrUnreachable, "denied": api.Errorf(403, api.ReasonForbidden, "You may not comment here."),
		"invalid": api.InvalidField("body.markdown", "is too long"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
			s.Server.Fail["comment"] = failure
			s.Keys("enter", "c", `"A thought`, "ctrl+s")
			s.Want(t, "A thought", "the text is kept")
			if len(s.Journal.Drafts) != 1 {
				t.Fatalf("the journal has %v", s.Journal.Drafts)
			}
			s.Keys("esc")
			s.Want(t, "!A thought█", "┆ A thought")
			s.Keys("e")
			s.Want(t, "A thought█")
			delete(s.Server.Fail, "comment")
			s.Keys("ctrl+s")
			s.Want(t, "✓ comment posted", "!kept")
			if diff := cmp.Diff([]string{"comment p_welcome/b_0: A thought"}, s.Server.Writes); diff != "" {
				t.Error(diff)
			}
			if len(s.Journal.Drafts) != 0 {
				t.Errorf("the journal still has %v", s.Journal.Drafts)
			}
		})
	}
}

// TestSentTextIsShown checks that a sent text is under the cursor, even if it was outside of the window before.
func TestSentTextIsShown(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Space: "s_1"})
	thread := s.Server.NewComment("c_9", "On the page.\n\nIn\n\nmany\n\nlines.", api.CommentTarget{
		Space: "s_1", Page: &api.CommentPage{ID: "p_welcome"},
	})
	s.Server.CommentList = append(s.Server.CommentList, thread)
	s.Open(80, 12)
	s.Keys("enter", "n", "r", `"So be it.`, "ctrl+s")
	s.Want(t, "▌ ┃ ↳ you · just now", "So be it.")
	s.Keys("g", "R")
	s.Want(t, "!So be it.")
}

func TestTextIsJournaledAndSentOnce(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Keys("enter", "c", `"first`)
	s.Press(`" second`) // its journal entry is not written yet
	s.Press("ctrl+s")
	s.Press("ctrl+s")
	if got := tuitest.OneDraft(t, s); got.Text != "first" {
		t.Errorf("the journal has %q before it is written", got.Text)
	}
	s.Drain()
	if diff := cmp.Diff([]string{"comment p_welcome/b_0: first second"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

// TestRetriedTextKeepsIdempotencyKey checks that the same text is sent with the same idempotency key and creates one comment if
// only the response was lost.
func TestRetriedTextKeepsIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Server.Fail["comment"] = tuitest.ErrUnreachable
	s.Keys("enter", "c", `"text`, "ctrl+s")
	first := tuitest.OneDraft(t, s).Key
	s.Keys("ctrl+s")
	if again := tuitest.OneDraft(t, s).Key; again != first || first == "" {
		t.Errorf("keys %q and %q", first, again)
	}
	s.Keys(`"!`, "ctrl+s")
	if other := tuitest.OneDraft(t, s).Key; other == first {
		t.Error("another text has the same key")
	}
}

// TestDiscardText checks that ctrl+x discards a text immediately, like X, and that u restores it.
func TestDiscardText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("c", `"text`, "ctrl+x")
	s.Want(t, "!text█", "dropped: u brings it back")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
	s.Keys("u", "c")
	s.Want(t, "text█")
	s.Keys("esc", "c", "esc", "n", "r", "ctrl+x")
	s.Want(t, "!dropped")
}

func TestJournalErrorIsReported(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Journal.Fail = errors.New("disk full")
	s.Keys("c", `"text`)
	s.Want(t, "not kept on disk: disk full")
}

func TestUnsentTextsAreOfferedAtStart(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	d := drafts.Draft{
		Target: remote.Target{
			Space: "s_1", ChangeRequest: "cr_2",
		}, About: "comment on the change request", Text: "from yesterday", Key: "k",
	}
	if err := s.Journal.Save(d); err != nil {
		t.Fatal(err)
	}
	s.Open(80, 24)
	s.Want(t, "you have drafts that are not sent: p")
	s.Keys("p")
	s.Want(t, "from yesterday")
	s.Keys("enter")
	s.Want(t, "from yesterday█")
}

// TestEditorError checks that a failing editor is not reported as a connection failure, and that the text is kept.
func TestEditorError(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.EditorErr = errors.New("no editor: set VISUAL or EDITOR")
	s.Keys("enter", "]", "c", `"Words.`, "ctrl+e")
	s.Want(t, "Words.", "no editor: set VISUAL or EDITOR", "!offline")
}

func TestPasteIsText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("c")
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("one\r\ntwo\x1b[31m"), Paste: true})
	s.Drain()
	s.Want(t, "one", "two█", "!31m")
	s.Keys("esc")
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
	if s.Drain(); s.Quit {
		t.Error("pasting q quit")
	}
}

func TestRestoreDiscardedDraft(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("c", `"Words.`, "ctrl+x")
	s.Want(t, "dropped: u brings it back", "!not sent")
	s.Keys("u", "c")
	s.Want(t, "Words.█")
	s.Keys("esc")
	s.Want(t, "✎ 1 draft not sent")
	s.Keys("q")
	s.Want(t, "1 draft not sent; it is kept. q again quits")
	if s.Quit {
		t.Fatal("q quit at once")
	}
	if s.Keys("q"); !s.Quit {
		t.Error("q again did not quit")
	}
}

func TestSingleDraftMessage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("c", `"Words.`, "ctrl+s", "q")
	s.Want(t, "1 draft not sent; it is kept")
}

// TestTextIsWrittenWithoutJournal checks that a text that cannot be journaled can be written and sent, and that it is shown
// again if it would be lost.
func TestTextIsWrittenWithoutJournal(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 24)
	s.Journal.Fail, s.Journal.FailHold = full, full
	s.Keys("enter", "c")
	s.Want(t, "not kept on disk: no space left on device")
	s.Keys(`"A thought`, "esc")
	s.Want(t, "A thought█", "not kept on disk: the text is only here")
	s.Keys("ctrl+s")
	s.Want(t, "✓ comment posted")
	if diff := cmp.Diff([]string{"comment p_welcome/b_0: A thought"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestUndoEditOfComment checks that u restores the text of an edited comment, and that an edit without changes is not sent.
func TestUndoEditOfComment(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("C", "/", `"Yes.`, "enter", "esc", "e", "ctrl+s")
	s.Want(t, "nothing was changed, and nothing sent")
	s.Keys("e", `" Really`, "ctrl+s")
	s.Want(t, "✓ reply saved", "u undo")
	s.Keys("u")
	s.Want(t, "✓ undone: reply saved")
	if diff := cmp.Diff([]string{"update-reply c_1/r_1 text Yes. Really", "update-reply c_1/r_1 text Yes."}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}
