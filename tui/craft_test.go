package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

func TestCopyAndOpenInBrowser(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("y", "o")
	if s.Copied != "https://docs.example/cr/2" || s.Browsed != s.Copied {
		t.Errorf("copied %q, opened %q", s.Copied, s.Browsed)
	}
	s.Keys("enter", "n", "Y")
	if s.Copied != "Is **green** right? \x1b[31mred\x1b[0m" {
		t.Errorf("copied %q", s.Copied)
	}
	s.Keys("]", "Y", ":", `"copy the wsctl`, "enter")
	if s.Copied != "wsctl change-requests diff cr_2 --space s_1 --page p_quick" {
		t.Errorf("copied %q", s.Copied)
	}
	s.Keys("C", "o")
	s.Want(t, "no address")
}

// The message of an action contains its command and, if available, the undo hint.
func TestUndoResolve(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("enter", "u")
	s.Want(t, "nothing to undo")
	s.Keys("n", "x")
	s.Want(t, "Resolve it as (⏎: answered)", "  1 done: the text says it now", "▌ 2 answered: the replies say it", "  3 declined") // Ada replied
	s.Keys("enter")
	s.Want(t, "✓ resolved as answered", "┃ ✓ answered · comment by Grace 3h ago", "same as: wsctl change-request-comments update c_1 --resolved=true --outcome answered --space s_1 --change-request cr_2", "u undo")
	s.Keys("u")
	s.Want(t, "✓ undone: resolved as answered", "!u undo", "● open Grace")
	want := []string{"update-comment c_1 resolved true answered", "update-comment c_1 resolved false"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreDiscardedDraft(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
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

func TestMouse(t *testing.T) {
	t.Parallel()
	o := Options{Space: "s_1", Mouse: true}
	s := Start(o, 80, 24)
	s.Want(t, "▌ Welcome")
	at := func(y int, button tea.MouseButton) {
		s.Send(tea.MouseMsg{X: 5, Y: y, Action: tea.MouseActionPress, Button: button})
		s.Drain()
	}
	at(3, tea.MouseButtonLeft)
	s.Want(t, "▌ │ Quick start")
	at(3, tea.MouseButtonLeft)
	s.Want(t, "Plug the gateway in")
	s.Keys("esc")
	at(3, tea.MouseButtonWheelUp)
	s.Want(t, "▌ Welcome")
	s.Keys(":", `"mouse`, "enter")
	s.Want(t, "mouse off")
	at(3, tea.MouseButtonLeft)
	s.Want(t, "▌ Welcome")
}

func TestCheckOpensItsCause(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("/", `"comments to resolve`, "enter", "esc")
	s.Want(t, "▌ ! 2 open comments to resolve (only", "⏎ the threads")
	s.Keys("enter")
	s.Want(t, "▌ ● Grace “Is green right? red”")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "✓ Your role, review, may merge.")
}

func TestCursorSkipsPassiveRows(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 40)
	s.Keys("G")
	s.Keys("g")
	s.Want(t, "[OPEN] Firmware 2.4", "▌ ")
	s.Keys("j", "j", "j", "j")
	s.Want(t, "▌ ! 2 open comments")
	s.Keys("j", "j", "j")
	s.Want(t, "▌ ◌ ~   Quick start")
}

func TestFilteredListIsMarked(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Keys("/", `"quick`, "enter")
	s.Want(t, "/quick · hit 1 of 1 · esc clears")
	s.Keys("esc")
	s.Want(t, "row 2 of 4")
}

// The path is the same from a link and from the list of spaces.
func TestBreadcrumbIsIndependentOfEntry(t *testing.T) {
	t.Parallel()
	s := Start(Options{Organization: "o_1"}, 120, 24)
	s.Keys("alt+2", "/", `"skylark`, "enter", "b")
	s.Want(t, "Spaces › Skylark Handbook › change requests")
	s = Start(ReviewOptions, 160, 24)
	s.Want(t, "wsctl › Skylark Handbook › change requests › #2")
}

func TestRevokedToken(t *testing.T) {
	t.Parallel()
	s := NewScreen(Options{Space: "s_1"})
	s.Server.Fail["pages"] = api.Errorf(401, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
	s.Open(80, 24)
	s.Want(t, "wsctl auth login", "drafts are kept", "!Bearer")
}

// A draft is shown where its comment will appear, and can be edited, discarded and restored there.
func TestDraftsAreShownInPlace(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("enter", "]", "c", `"Kept here.`, "esc")
	s.Want(t, "▌ ┆ ✎ draft · not sent · comment on", "┆ Kept here.", "kept, not sent: e on it, or p, goes on with it; S sends it")
	s.Keys("[", "N", "r", `"A reply.`, "esc")
	s.Want(t, "┆ ✎ draft · not sent · reply to Grace", "✎ 2 drafts not sent")
	s.Keys("/", `"Kept`, "enter", "esc", "c")
	s.Want(t, "this is a draft of yours: e edits it")
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

// A rejected write reloads the page, because its content may be outdated.
func TestRejectedWriteReloadsPage(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Server.Fail["merge"] = api.Errorf(409, api.ReasonConflict, "The change request is merged.")
	s.Server.Status = api.StatusMerged // concurrently by another user
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "The change request is merged.", "[MERGED]", "!m merge")
}

func TestMergeListsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("c", `"Wait.`, "esc", "m")
	s.Want(t, "✎ 1 draft of yours on it not sent", "type yes")
}

// The first rows of a long list are drawn before the rest is loaded, and the cursor does not move.
func TestLongListIsDrawnEarly(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 24)
	s.Server.ManyRequests = true
	s.Press("b")
	s.Run(0) // show the page
	s.Run(0) // load the first rows
	s.Want(t, "▌ #2   Firmware 2.4", "loading", "!The last of many")
	s.Drain()
	s.Want(t, "▌ #2    Firmware 2.4", "#1000 The last of many", "!loading")
}
