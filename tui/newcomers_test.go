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
	s := newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.fake.approved = true
	s.open(140, 40)
	writePage(s, "green", "red")
	s.keys("enter", "e")
	s.want(t, "Lin approved it; when you save an edit, the approval may no longer count.", "Edit it?")
	s.keys("y")
	s.want(t, "✓ Quick start saved · the approval of Lin no longer counts: i asks again")
}

// A page that changed after it was read is marked in lists, on the page and before a review is submitted.
func TestPageChangedSinceReadIsMarked(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.changedSinceRead = "p_quick"
	s.open(150, 40)
	s.want(t, "▏     changed since you read it")
	s.keys("S")
	s.want(t, "◌ Quick start · changed since you read it", "◌ Old page · deleted")
	s.keys("esc", "enter")
	s.want(t, "Quick start · edited · changed since you read it")
}

// The inbox and its preview show the same number of read pages, also after reading one.
func TestReadCountsAgree(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.want(t, "●3   0/4")
	s.keys("enter", "enter", " ", " ", " ", " ", "esc")
	read := s.page().Base().Session.Read.ShortCount(remote.Target{Space: "s_1", ChangeRequest: "cr_2"})
	if read == "read 0/4" {
		t.Fatal("nothing was read")
	}
	for len(s.model.Pages()) > 2 {
		s.keys("esc")
	}
	s.want(t, "●3   "+strings.TrimPrefix(read, "read "))
}

// A draft is not shown as ready to merge, and requesting a review announces that it opens the change request.
func TestDraftIsNotReadyToMerge(t *testing.T) {
	t.Parallel()
	s := newTestScreen(Options{Organization: "o_1", Space: "s_1", ChangeRequest: "cr_2"})
	s.fake.status = "draft"
	s.open(140, 40)
	s.want(t, "Merge [DRAFT]  open it for review first", "!CAN BE MERGED")
	s.keys("m")
	s.want(t, "It is still a draft: open it for review first")
	s.keys("esc", "i")
	s.want(t, "it is a draft, and asking opens it for review")
}

// The preview shows the thread, check or event under the cursor, and the help explains the signs.
func TestPreviewShowsCurrentRow(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("/", `"Is green right`, "enter")
	s.want(t, "│  Thread", "│  ┃ ↳ you")
	s.keys("esc", "/", `"comments to resolve`, "enter")
	s.want(t, "│  ▌ ! 2 open comments to resolve (only")
	s.keys("?")
	s.want(t, "Signs here", "not read yet, or changed since you read it")
}

// A tab keeps its page, and the inbox is not part of its path.
func TestTabKeepsCursor(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys("alt+2", "j", "j")
	at, _ := s.page().Base().List.Position()
	s.keys("alt+1", "alt+2")
	if now, _ := s.page().Base().List.Position(); now != at {
		t.Errorf("the cursor is at %d, not %d", now, at)
	}
	s.keys("k", "enter")
	s.want(t, "Spaces › ", "!Inbox › ")
}

func TestSuggestionWithoutCommentShowsChange(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	now := "three weeks"
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, About: "suggestion for “two weeks”"}
	s.drafts.all[d.ID()] = d
	s.open(120, 40)
	s.want(t, "suggests “three weeks”", "!“”")
	s.keys("p")
	if shown := s.screen(); !strings.Contains(shown, "suggestion for “two weeks”: suggests “three weeks”") {
		t.Error(shown)
	}
}

// The footer shows the actions for the row under the cursor by importance, including those of the menu.
func TestFooterShowsRowActions(t *testing.T) {
	t.Parallel()
	bar := func(s *testScreen, says ...string) {
		t.Helper()
		lines := strings.Split(s.screen(), "\n")
		for _, what := range append(says, "? more") {
			if last := lines[len(lines)-1]; !strings.Contains(last, what) {
				t.Errorf("%q is not in %q", what, last)
			}
		}
	}
	s := start(Options{Space: "s_1"}, 120, 40)
	bar(s, "⏎ open", "e edit", "w new request", "H history")
	s.keys("j", "enter")
	bar(s, "c comment", "e edit", "H history", "w new request", ". blame, links")
	s.keys(":", `"who wrote`, "enter")
	bar(s, "⏎ its request")
	s = start(reviewOptions, 120, 40)
	bar(s, "⏎ read", "a approve", "S submit review", "m merge")
	s.keys("enter", "]")
	bar(s, "c comment", "v select", "s suggest", "S submit review")
	s = newTestScreen(reviewOptions)
	ownChangeRequest(s)
	s.open(120, 40)
	bar(s, "⏎ read", "m merge", "i ask for review", "e edit")
}

// After the last open thread comes the first again, with a message. Threads on the whole change request have no page
// and are named.
func TestNextThreadWrapsAround(t *testing.T) {
	t.Parallel()
	for beyond, whole := range map[string]api.CommentStatus{"; there is none": api.CommentResolved, " again; 1 about the request as a whole: C": api.CommentOpen} {
		s := openChange(t, func(s *testScreen) { s.fake.comments[2].Status = whole }, 100, 40)
		s.keys("n", "n")
		s.want(t, "▌ ┃ ● open Grace · 3h ago · about “until")
		s.keys("n")
		s.want(t, "▌ ┃ ● open Grace · 3h ago  ", "the first open thread", beyond)
		s.keys("N")
		s.want(t, "▌ ┃ ● open Grace · 3h ago · about “until", "the last open thread", beyond)
	}
	s := openChange(t, func(s *testScreen) { s.fake.comments = s.fake.comments[:1] }, 100, 40)
	s.keys("n", "n")
	s.want(t, "▌ ┃ ● open Grace", "this is the only open thread")
	s = openChange(t, func(s *testScreen) { s.fake.comments = s.fake.comments[:3] }, 100, 40)
	s.keys("n", "n")
	s.want(t, "▌ ┃ ● open Grace", "the only one on a page; 1 about the request as a whole: C")
	s = openChange(t, func(s *testScreen) { s.fake.comments = s.fake.comments[1:3] }, 100, 40)
	s.keys("n")
	s.want(t, "no more on pages; 1 about the request as a whole: C")
}

func TestLastPageNamesKeyToReturn(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", "K")
	s.want(t, "this is the first changed page: J goes to the next")
	s.keys("J", "J", "J")
	s.want(t, "this is the last changed page: K goes to the one before")
}

// The list of authors renders the page in columns, with the change request of each block.
func TestBlameRendersPage(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 120, 40)
	s.keys("j", "enter", ":", `"who wrote`, "enter")
	s.want(
		t, "who                 when               request                        text",
		"▌ Grace               1h    4 May 2026   #2 Firmware 2.4: faster read…  Press the button, see Power", "  somebody, long ago                     —                              Old words", "!**", "!](",
	)
}

// Links in edited paragraphs are rendered as text, and the side-by-side view does not ask for more width than it
// needs.
func TestEditedParagraphHidesLinkTargets(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.texts[""]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** first.\n"
	s.fake.texts["cr_2"]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** last.\n"
	s.open(120, 40)
	s.keys("enter")
	s.want(t, "~ See Power at noon [-first-]{+last+}.", "!/pages/")
	s.keys("V")
	s.want(t, "side by side", "!side by side needs", "- See Power at noon [-first-].", "!/pages/")
}

// The counts of added and removed words are shown on a page opened from its neighbour, but not for another
// comparison.
func TestChangedPageCountsWords(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 40, func(s *testScreen) { s.fake.reviewed = true })
	s.keys("enter")
	s.want(t, "~ Quick start · edited · +14 −6 words")
	s.keys("J")
	s.want(t, "- Old page · deleted · −1 words")
	s.keys("J")
	s.want(t, "· new · +160 words")
	s.keys("d")
	s.want(t, "!+160 words")
}

// A page that changed while it is shown is updated with its counts and description.
func TestDisplayedPageIsUpdated(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"enter"}, nil} { // the page and the preview of the change request
		s := start(reviewOptions, 120, 60)
		s.keys(keys...)
		s.want(t, "Quick start · edited · ", "+14 −6 words")
		s.fake.queue.words["p_quick"] = api.WordCount{Added: 18, Removed: 6}
		s.fake.renamed = true
		s.keys("R")
		s.want(t, "Quick start · edited, renamed · ", "+18 −6 words", "!+14 −6")
	}
}

func TestSearchHitInTableShowsCells(t *testing.T) {
	t.Parallel()
	s := newTestScreen(Options{Organization: "o_1"})
	s.fake.texts[""]["p_quick"] = "| Light | Meaning |\n| --- | :-: |\n| green | ready |\n"
	s.open(120, 40)
	s.keys("alt+3", `"green`)
	s.want(t, "Beginning · Light │ Meaning │ green │ ready", "!---", "!|")
}

// An edit in the timeline opens the changes of the page since the preceding revision, and d shows all changes.
func TestTimelineEditOpensItsChanges(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.keys("/", `"edited Quick start`, "enter", "esc", "enter")
	s.want(t, "Quick start · edited since revision 2", "--since r_2", "d all changes")
	s.keys("d")
	s.want(t, "everything that it changes on this page", "!since revision 2")
	s.keys("d")
	s.want(t, "Quick start · edited since revision 2", "--since r_2")
	s.keys("esc", "gg", "J", "enter", "d")
	s.want(t, "you have not reviewed it: all of it is new to you")
}

func TestUnsentVerdictIsRestored(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("a", "esc", "S")
	s.want(t, "(•) approve", "verdict: approve, kept from before")
}
