package tui

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// The approvals that an edit may outdate are named before it, and those that it outdated afterwards.
func TestEditNamesOutdatedApprovals(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	OwnChangeRequest(s)
	s.Server.Approved = true
	s.Open(140, 40)
	WritePage(s, "green", "red")
	s.Keys("enter", "e")
	s.Want(t, "Lin approved it; when you save an edit, the approval may no longer count.", "Edit it?")
	s.Keys("y")
	s.Want(t, "✓ Quick start saved · the approval of Lin no longer counts: i asks again")
}

// A page that changed after it was read is marked in lists, on the page and before a review is submitted.
func TestPageChangedSinceReadIsMarked(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	s.Server.ChangedSinceRead = "p_quick"
	s.Open(150, 40)
	s.Want(t, "▏     changed since you read it")
	s.Keys("S")
	s.Want(t, "◌ Quick start · changed since you read it", "◌ Old page · deleted")
	s.Keys("esc", "enter")
	s.Want(t, "Quick start · edited · changed since you read it")
}

// The inbox and its preview show the same number of read pages, also after reading one.
func TestReadCountsAgree(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Want(t, "●3   0/4")
	s.Keys("enter", "enter", " ", " ", " ", " ", "esc")
	read := s.Page().Base().Session.Read.ShortCount(remote.Target{Space: "s_1", ChangeRequest: "cr_2"})
	if read == "read 0/4" {
		t.Fatal("nothing was read")
	}
	for len(s.Model.Pages()) > 2 {
		s.Keys("esc")
	}
	s.Want(t, "●3   "+strings.TrimPrefix(read, "read "))
}

// A draft is not shown as ready to merge, and requesting a review announces that it opens the change request.
func TestDraftIsNotReadyToMerge(t *testing.T) {
	t.Parallel()
	s := NewScreen(Options{Organization: "o_1", Space: "s_1", ChangeRequest: "cr_2"})
	s.Server.Status = "draft"
	s.Open(140, 40)
	s.Want(t, "Merge [DRAFT]  open it for review first", "!CAN BE MERGED")
	s.Keys("m")
	s.Want(t, "It is still a draft: open it for review first")
	s.Keys("esc", "i")
	s.Want(t, "it is a draft, and asking opens it for review")
}

// The preview shows the thread, check or event under the cursor, and the help explains the signs.
func TestPreviewShowsCurrentRow(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("/", `"Is green right`, "enter")
	s.Want(t, "│  Thread", "│  ┃ ↳ you")
	s.Keys("esc", "/", `"comments to resolve`, "enter")
	s.Want(t, "│  ▌ ! 2 open comments to resolve (only")
	s.Keys("?")
	s.Want(t, "Signs here", "not read yet, or changed since you read it")
}

// A tab keeps its page, and the inbox is not part of its path.
func TestTabKeepsCursor(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Keys("alt+2", "j", "j")
	at, _ := s.Page().Base().List.Position()
	s.Keys("alt+1", "alt+2")
	if now, _ := s.Page().Base().List.Position(); now != at {
		t.Errorf("the cursor is at %d, not %d", now, at)
	}
	s.Keys("k", "enter")
	s.Want(t, "Spaces › ", "!Inbox › ")
}

func TestSuggestionWithoutCommentShowsChange(t *testing.T) {
	t.Parallel()
	s := NewScreen(InboxOptions)
	now := "three weeks"
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, About: "suggestion for “two weeks”"}
	s.Journal.Drafts[d.ID()] = d
	s.Open(120, 40)
	s.Want(t, "suggests “three weeks”", "!“”")
	s.Keys("p")
	if shown := s.View(); !strings.Contains(shown, "suggestion for “two weeks”: suggests “three weeks”") {
		t.Error(shown)
	}
}

// The footer shows the actions for the row under the cursor by importance, including those of the menu.
func TestFooterShowsRowActions(t *testing.T) {
	t.Parallel()
	bar := func(s *Screen, says ...string) {
		t.Helper()
		lines := strings.Split(s.View(), "\n")
		for _, what := range append(says, "? more") {
			if last := lines[len(lines)-1]; !strings.Contains(last, what) {
				t.Errorf("%q is not in %q", what, last)
			}
		}
	}
	s := Start(Options{Space: "s_1"}, 120, 40)
	bar(s, "⏎ open", "e edit", "w new request", "H history")
	s.Keys("j", "enter")
	bar(s, "c comment", "e edit", "H history", "w new request", ". blame, links")
	s.Keys(":", `"who wrote`, "enter")
	bar(s, "⏎ its request")
	s = Start(ReviewOptions, 120, 40)
	bar(s, "⏎ read", "a approve", "S submit review", "m merge")
	s.Keys("enter", "]")
	bar(s, "c comment", "v select", "s suggest", "S submit review")
	s = NewScreen(ReviewOptions)
	OwnChangeRequest(s)
	s.Open(120, 40)
	bar(s, "⏎ read", "m merge", "i ask for review", "e edit")
}

// After the last open thread comes the first again, with a message. Threads on the whole change request have no page
// and are named.
func TestNextThreadWrapsAround(t *testing.T) {
	t.Parallel()
	for beyond, whole := range map[string]api.CommentStatus{"; there is none": api.CommentResolved, " again; 1 about the request as a whole: C": api.CommentOpen} {
		s := openChange(t, func(s *Screen) { s.Server.CommentList[2].Status = whole }, 100, 40)
		s.Keys("n", "n")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago · about “until")
		s.Keys("n")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago  ", "the first open thread", beyond)
		s.Keys("N")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago · about “until", "the last open thread", beyond)
	}
	s := openChange(t, func(s *Screen) { s.Server.CommentList = s.Server.CommentList[:1] }, 100, 40)
	s.Keys("n", "n")
	s.Want(t, "▌ ┃ ● open Grace", "this is the only open thread")
	s = openChange(t, func(s *Screen) { s.Server.CommentList = s.Server.CommentList[:3] }, 100, 40)
	s.Keys("n", "n")
	s.Want(t, "▌ ┃ ● open Grace", "the only one on a page; 1 about the request as a whole: C")
	s = openChange(t, func(s *Screen) { s.Server.CommentList = s.Server.CommentList[1:3] }, 100, 40)
	s.Keys("n")
	s.Want(t, "no more on pages; 1 about the request as a whole: C")
}

func TestLastPageNamesKeyToReturn(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("enter", "K")
	s.Want(t, "this is the first changed page: J goes to the next")
	s.Keys("J", "J", "J")
	s.Want(t, "this is the last changed page: K goes to the one before")
}

// The list of authors renders the page in columns, with the change request of each block.
func TestBlameRendersPage(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", ":", `"who wrote`, "enter")
	s.Want(
		t, "who                 when               request                        text",
		"▌ Grace               1h    4 May 2026   #2 Firmware 2.4: faster read…  Press the button, see Power", "  somebody, long ago                     —                              Old words", "!**", "!](",
	)
}

// Links in edited paragraphs are rendered as text, and the side-by-side view does not ask for more width than it
// needs.
func TestEditedParagraphHidesLinkTargets(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	s.Server.Texts[""]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** first.\n"
	s.Server.Texts["cr_2"]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** last.\n"
	s.Open(120, 40)
	s.Keys("enter")
	s.Want(t, "~ See Power at noon [-first-]{+last+}.", "!/pages/")
	s.Keys("V")
	s.Want(t, "side by side", "!side by side needs", "- See Power at noon [-first-].", "!/pages/")
}

// The counts of added and removed words are shown on a page opened from its neighbour, but not for another
// comparison.
func TestChangedPageCountsWords(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 40, func(s *Screen) { s.Server.Reviewed = true })
	s.Keys("enter")
	s.Want(t, "~ Quick start · edited · +14 −6 words")
	s.Keys("J")
	s.Want(t, "- Old page · deleted · −1 words")
	s.Keys("J")
	s.Want(t, "· new · +160 words")
	s.Keys("d")
	s.Want(t, "!+160 words")
}

// A page that changed while it is shown is updated with its counts and description.
func TestDisplayedPageIsUpdated(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"enter"}, nil} { // the page and the preview of the change request
		s := Start(ReviewOptions, 120, 60)
		s.Keys(keys...)
		s.Want(t, "Quick start · edited · ", "+14 −6 words")
		s.Server.Queue.Words["p_quick"] = api.WordCount{Added: 18, Removed: 6}
		s.Server.Renamed = true
		s.Keys("R")
		s.Want(t, "Quick start · edited, renamed · ", "+18 −6 words", "!+14 −6")
	}
}

func TestSearchHitInTableShowsCells(t *testing.T) {
	t.Parallel()
	s := NewScreen(Options{Organization: "o_1"})
	s.Server.Texts[""]["p_quick"] = "| Light | Meaning |\n| --- | :-: |\n| green | ready |\n"
	s.Open(120, 40)
	s.Keys("alt+3", `"green`)
	s.Want(t, "Beginning · Light │ Meaning │ green │ ready", "!---", "!|")
}

// An edit in the timeline opens the changes of the page since the preceding revision, and d shows all changes.
func TestTimelineEditOpensItsChanges(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	s.Keys("/", `"edited Quick start`, "enter", "esc", "enter")
	s.Want(t, "Quick start · edited since revision 2", "--since r_2", "d all changes")
	s.Keys("d")
	s.Want(t, "everything that it changes on this page", "!since revision 2")
	s.Keys("d")
	s.Want(t, "Quick start · edited since revision 2", "--since r_2")
	s.Keys("esc", "gg", "J", "enter", "d")
	s.Want(t, "you have not reviewed it: all of it is new to you")
}

func TestUnsentVerdictIsRestored(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("a", "esc", "S")
	s.Want(t, "(•) approve", "verdict: approve, kept from before")
}
