package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

func TestCopyAndOpenInBrowser(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("y", "o")
	if s.copied != "https://docs.example/cr/2" || s.browsed != s.copied {
		t.Errorf("copied %q, opened %q", s.copied, s.browsed)
	}
	s.keys("enter", "n", "Y")
	if s.copied != "Is **green** right? \x1b[31mred\x1b[0m" {
		t.Errorf("copied %q", s.copied)
	}
	s.keys("]", "Y", ":", `"copy the wsctl`, "enter")
	if s.copied != "wsctl change-requests diff cr_2 --space s_1 --page p_quick" {
		t.Errorf("copied %q", s.copied)
	}
	s.keys("C", "o")
	s.want(t, "no address")
}

// The message of an action contains its command and, if available, the undo hint.
func TestUndoResolve(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("enter", "u")
	s.want(t, "nothing to undo")
	s.keys("n", "x")
	s.want(t, "Resolve it as (⏎: answered)", "  1 done: the text says it now", "▌ 2 answered: the replies say it", "  3 declined") // Ada replied
	s.keys("enter")
	s.want(t, "✓ resolved as answered", "┃ ✓ answered · comment by Grace 3h ago", "same as: wsctl change-request-comments update c_1 --resolved=true --outcome answered --space s_1 --change-request cr_2", "u undo")
	s.keys("u")
	s.want(t, "✓ undone: resolved as answered", "!u undo", "● open Grace")
	want := []string{"update-comment c_1 resolved true answered", "update-comment c_1 resolved false"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreDiscardedDraft(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("c", `"Words.`, "ctrl+x")
	s.want(t, "dropped: u brings it back", "!not sent")
	s.keys("u", "c")
	s.want(t, "Words.█")
	s.keys("esc")
	s.want(t, "✎ 1 draft not sent")
	s.keys("q")
	s.want(t, "1 draft not sent; it is kept. q again quits")
	if s.quit {
		t.Fatal("q quit at once")
	}
	if s.keys("q"); !s.quit {
		t.Error("q again did not quit")
	}
}

func TestMouse(t *testing.T) {
	t.Parallel()
	o := Options{Space: "s_1", Mouse: true}
	s := start(o, 80, 24)
	s.want(t, "▌ Welcome")
	at := func(y int, button tea.MouseButton) {
		s.send(tea.MouseMsg{X: 5, Y: y, Action: tea.MouseActionPress, Button: button})
		s.drain()
	}
	at(3, tea.MouseButtonLeft)
	s.want(t, "▌ │ Quick start")
	at(3, tea.MouseButtonLeft)
	s.want(t, "Plug the gateway in")
	s.keys("esc")
	at(3, tea.MouseButtonWheelUp)
	s.want(t, "▌ Welcome")
	s.keys(":", `"mouse`, "enter")
	s.want(t, "mouse off")
	at(3, tea.MouseButtonLeft)
	s.want(t, "▌ Welcome")
}

func TestCheckOpensItsCause(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("/", `"comments to resolve`, "enter", "esc")
	s.want(t, "▌ ! 2 open comments to resolve (only", "⏎ the threads")
	s.keys("enter")
	s.want(t, "▌ ● Grace “Is green right? red”")
	s.keys("/", `"checks pass`, "enter", "esc", "enter")
	s.want(t, "✓ Your role, review, may merge.")
}

func TestCursorSkipsPassiveRows(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 40)
	s.keys("G")
	s.keys("g")
	s.want(t, "[OPEN] Firmware 2.4", "▌ ")
	s.keys("j", "j", "j", "j")
	s.want(t, "▌ ! 2 open comments")
	s.keys("j", "j", "j")
	s.want(t, "▌ ◌ ~   Quick start")
}

func TestFilteredListIsMarked(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("/", `"quick`, "enter")
	s.want(t, "/quick · hit 1 of 1 · esc clears")
	s.keys("esc")
	s.want(t, "row 2 of 4")
}

// The path is the same from a link and from the list of spaces.
func TestBreadcrumbIsIndependentOfEntry(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1"}, 120, 24)
	s.keys("alt+2", "/", `"skylark`, "enter", "b")
	s.want(t, "Spaces › Skylark Handbook › change requests")
	s = start(reviewOptions, 160, 24)
	s.want(t, "wsctl › Skylark Handbook › change requests › #2")
}

func TestRevokedToken(t *testing.T) {
	t.Parallel()
	s := newTestScreen(Options{Space: "s_1"})
	s.fake.fail["pages"] = api.Errorf(401, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
	s.open(80, 24)
	s.want(t, "wsctl auth login", "drafts are kept", "!Bearer")
}

// A draft is shown where its comment will appear, and can be edited, discarded and restored there.
func TestDraftsAreShownInPlace(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("enter", "]", "c", `"Kept here.`, "esc")
	s.want(t, "▌ ┆ ✎ draft · not sent · comment on", "┆ Kept here.", "kept, not sent: e on it, or p, goes on with it; S sends it")
	s.keys("[", "N", "r", `"A reply.`, "esc")
	s.want(t, "┆ ✎ draft · not sent · reply to Grace", "✎ 2 drafts not sent")
	s.keys("/", `"Kept`, "enter", "esc", "c")
	s.want(t, "this is a draft of yours: e edits it")
	s.keys("X")
	s.want(t, "dropped: u brings it back", "!Kept here.", "✎ 1 draft not sent")
	s.keys("u")
	s.want(t, "┆ Kept here.")
	s.keys("/", `"Kept`, "enter", "esc", "e", `"!`, "ctrl+s")
	s.want(t, "┆ Kept here.!", "not sent yet: S sends", "✎ 2 drafts not sent")
	s.keys("S")
	s.want(t, "[x] Quick start · “Plug", "[x] ↳ reply to Grace", "Drafts  2 not sent · all are sent together")
	s.keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 at r_7: Kept here.!\n  reply c_1: A reply."}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.want(t, "✓ 1 comment and 1 reply posted", "!┆ Kept here", "!not sent")
}

// A rejected write reloads the page, because its content may be outdated.
func TestRejectedWriteReloadsPage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.fake.fail["merge"] = api.Errorf(409, api.ReasonConflict, "The change request is merged.")
	s.fake.status = api.StatusMerged // concurrently by another user
	s.keys("m", `"yes`, "enter")
	s.want(t, "The change request is merged.", "[MERGED]", "!m merge")
}

func TestMergeListsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("c", `"Wait.`, "esc", "m")
	s.want(t, "✎ 1 draft of yours on it not sent", "type yes")
}

// The first rows of a long list are drawn before the rest is loaded, and the cursor does not move.
func TestLongListIsDrawnEarly(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 100, 24)
	s.fake.manyRequests = true
	s.press("b")
	s.run(0) // show the page
	s.run(0) // load the first rows
	s.want(t, "▌ #2   Firmware 2.4", "loading", "!The last of many")
	s.drain()
	s.want(t, "▌ #2    Firmware 2.4", "#1000 The last of many", "!loading")
}
