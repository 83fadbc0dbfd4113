package screens_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/tuitest"
)

// TestSubmittedFormLeavesPath checks that a submitted form is removed from the path, also if another page was opened from it.
func TestSubmittedFormLeavesPath(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 200, 60)
	s.Keys("S", "/", `"◌ Quick start`, "enter", "esc", "enter")
	s.Want(t, "› submit your review › Quick start")
	s.Keys("S", "tab", "tab", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ requested changes", "› Quick start (1 of 3)", "!submit your review")
}

// TestRejectionUsesScreenTerms checks that an error names the draft and its field as they are named on the screen, not as in
// the API.
func TestRejectionUsesScreenTerms(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.FailOnce["submit"] = api.Invalid(api.FieldError{Path: "drafts[0].quote", Message: "stands in the block 3 times"},
		api.FieldError{Path: "comment.markdown", Message: "is too long"})
	s.Keys("S", "ctrl+s")
	s.Want(t, "refused: Quick start · “Plug the gateway in and wait", "✗ refused: the quote stands in the block 3 times", "!drafts[",
		"!markdown")
	d.Server.FailOnce["update-request"] = api.InvalidField("subject", "must have at most 200 characters")
	s.Keys("esc", "esc", ":", `"change the subject`, "enter", `"!`, "enter")
	s.Want(t, "refused: the subject must have at most 200 characters")
}

// TestFormUndoesOwnActionsOnly checks that u undoes only actions of the form on a form.
func TestFormUndoesOwnActionsOnly(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 50)
	s.Keys("c", `"Words.`, "ctrl+s", "enter", "G", " ")
	s.Want(t, "✓ read", "u undo")
	s.Keys("S", "u")
	s.Want(t, "nothing to undo", "!u undo")
	if slices.ContainsFunc(s.Server.MarkWrites, func(m string) bool { return !strings.HasSuffix(m, " -") }) {
		t.Errorf("a mark was taken back: %v", s.Server.MarkWrites)
	}
	s.Keys("j", "j", "X")
	s.Want(t, "dropped", "u undo", "!Words.")
	s.Keys("u")
	s.Want(t, "Words.")
	s.Keys("esc", "esc")
	s.Want(t, "Changed pages")
}

// TestSubmitKeyWorksWhereShown checks that S submits from every page that mentions it: those of a change request.
func TestSubmitKeyWorksWhereShown(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"the request": nil, "changes": {"enter"}, "page": {"enter", "enter"}, "threads": {"C"}, "threads from changes": {"enter", "C"},
		"pages": {
			":", `"all pages with`, "enter",
		}, "links": {"enter", "enter", ":", `"links of the page`, "enter"}, "blame": {"enter", "enter", ":", `"who wrote`, "enter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 50, func(s *tuitest.Screen) {
				tuitest.AddDrafts(s, drafts.Draft{Target: onRequest, Text: "On all.", About: "comment"})
			})
			s.Keys(keys...)
			s.Want(t, "✎ 1 draft not sent")
			offered := strings.Contains(s.View(), "S sends")
			s.Keys("S")
			if opened := strings.Contains(s.View(), "Your review of #2"); opened != offered {
				t.Errorf("offered %v, opened %v:\n%s", offered, opened, s.View())
			}
			if lists := name == "links" || name == "blame"; offered == lists {
				t.Errorf("offered %v on %s", offered, name)
			}
		})
	}
}

func TestSaveMessageNamesItem(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 60, tuitest.OwnChangeRequest)
	s.Keys("/", `"Check the`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.Want(t, "✓ description saved")
	s = tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Server.CommentList[3].PostedBy = tuitest.UserAda
	s.Keys("R", "/", `"“How long`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.Want(t, "✓ comment saved")
}

// TestTooLongTextIsReportedBeforeSending checks that the length of a text is shown while it is written, and that a text that is
// too long is named before it is sent.
func TestTooLongTextIsReportedBeforeSending(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.OpenScreen()
	s.Keys("enter", "c", `"`+strings.Repeat("word word word word\n", 2000))
	s.Want(t, "40000 of 65536 characters", "!are allowed")
	s.Keys(`"` + strings.Repeat("word word word word\n", 2000))
	s.Want(t, "80000 of 65536 characters", "the text has 80000 characters, at most 65536 are allowed. It is kept.")
	s.Keys("ctrl+s", "S")
	s.Want(t, "✗ the text has 80000 characters")
	s.Keys("tab", "ctrl+s")
	s.Want(t, "at most 65536 are allowed: shorten it (e) or hold it back (space)")
	if len(d.Server.Writes) > 0 {
		t.Errorf("wrote %d texts", len(d.Server.Writes))
	}
	s.Keys(" ", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ approved")
	if texts, _ := d.Journaled(t); len(texts) != 1 {
		t.Errorf("%d texts are kept", len(texts))
	}
}
