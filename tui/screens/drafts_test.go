package screens_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// TestDraftsAreShownInPlace checks that a draft is shown where its comment will appear, and can be edited, discarded and
// restored there.
func TestDraftsAreShownInPlace(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("enter", "]", "c", `"Kept here.`, "esc")
	s.Want(t, "▌ ┆ ✎ draft · not sent · comment on", "┆ Kept here.", "kept, not sent: e on it, or p, goes on with it; S sends it")
	s.Keys("[", "N", "r", `"A reply.`, "esc")
	s.Want(t, "┆ ✎ draft · not sent · reply to Grace", "✎ 2 drafts not sent")
	s.Keys("/", `"Kept`, "enter", "esc", "v")
	s.Want(t, "this is a draft of yours: c and e edit it")
	s.Keys("X")
	s.Want(t, "dropped: u brings it back", "!Kept here.", "✎ 1 draft not sent")
	s.Keys("u")
	s.Want(t, "┆ Kept here.")
	s.Keys("/", `"Kept`, "enter", "esc", "e", `"!`, "ctrl+s")
	s.Want(t, "┆ Kept here.!", "not sent yet: S sends", "✎ 2 drafts not sent")
	s.Keys("S")
	s.Want(t, "[x] Quick start · “Plug", "[x] ↳ reply to Grace", "Drafts  2 not sent · all are sent together")
	s.Keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 at r_7: Kept here.!\n  reply c_1: A reply."}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Want(t, "✓ 1 comment and 1 reply posted", "!┆ Kept here", "!not sent")
}

// TestDraftCountsAgree checks that all screens show the same number of unsent drafts: those of the change request and those of
// others.
func TestDraftCountsAgree(t *testing.T) {
	t.Parallel()
	here, there := remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, remote.Target{Space: "s_1", ChangeRequest: "cr_9"}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 40, func(s *tuitest.Screen) {
		tuitest.AddDrafts(s, drafts.Draft{
			Target: here, Text: "On all.", About: "comment",
		}, drafts.Draft{Target: here, Review: true, Text: "In short.", About: "your review"},
			drafts.Draft{
				Target: there, Text: "Elsewhere.", About: "comment",
			}, drafts.Draft{Target: there, Review: true, Verdict: "approved", About: "your review"})
	})
	s.Want(t, "✎ 2 not sent here, 1 in another request · S sends · p lists")
	s.Keys("enter")
	s.Want(t, "✎ 2 not sent here, 1 in another request")
	s.Keys("S")
	s.Want(t, "✎ 2 not sent here, 1 in another request", "Drafts  2 not sent, the text above among them · all are sent together")
	s.Keys("esc", "esc", "C")
	s.Want(t, "✎ 2 not sent here, 1 in another request")
	s.Keys("esc", "esc")
	s.Want(t, "2 drafts on #2 not sent", "✎ 3 drafts not sent · p lists")
	s.Keys("alt+1")
	s.Want(t, "UNSENT, ON THIS MACHINE 3", "Skylark Handbook #2 · comment", "✎ 3 drafts not sent · p lists")
	s.Keys("q")
	s.Want(t, "3 drafts not sent; they are kept")
}

// TestEditRowHasNoSubmitKey checks that the row of a page edit does not mention the submit key.
func TestEditRowHasNoSubmitKey(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 40, func(s *tuitest.Screen) {
		_, _, _ = s.Files.Begin(drafts.Edit{
			Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: tuitest.OldMarkdown,
		})
	})
	s.Want(t, "✎ 1 draft not sent · p lists", "!S sends")
}

// TestNewDraftIsScrolledIntoView checks that a new draft below the window is scrolled into view without moving the cursor.
func TestNewDraftIsScrolledIntoView(t *testing.T) {
	t.Parallel()
	for height := 14; height < 40; height++ {
		s := tuitest.Start(tuitest.ReviewOptions, 100, height)
		s.Keys("enter")
		s.Keys("]", "c", `"Why?`, "ctrl+s")
		s.Want(t, "✎ draft · not sent", "Why?", "▌ ")
	}
	s := tuitest.Start(tuitest.ReviewOptions, 100, 16)
	s.Keys("enter", "]", "]")
	row, _ := s.Page().Base().Selected()
	s.Keys("c", `"Why?`, "ctrl+s")
	s.Want(t, "✎ draft", "Why?")
	if now, _ := s.Page().Base().Selected(); now.Key != row.Key && !strings.HasPrefix(now.Key, "draft/") {
		t.Errorf("the cursor went from %q to %q", row.Key, now.Key)
	}
}
