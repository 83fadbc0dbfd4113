package tui

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// newPreparedScreen returns a screen with a fake prepared by as.
func newPreparedScreen(o Options, width, height int, as func(*testScreen)) *testScreen {
	s := newTestScreen(o)
	as(s)
	s.open(width, height)
	return s
}

// addDrafts adds drafts to the journal.
func addDrafts(s *testScreen, all ...drafts.Draft) {
	for _, d := range all {
		d.Key = "k"
		s.drafts.all[d.ID()] = d
	}
}

// All screens show the same number of unsent drafts: those of the change request and those of others.
func TestDraftCountsAgree(t *testing.T) {
	t.Parallel()
	here, there := remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, remote.Target{Space: "s_1", ChangeRequest: "cr_9"}
	s := newPreparedScreen(reviewOptions, 120, 40, func(s *testScreen) {
		addDrafts(s, drafts.Draft{Target: here, Text: "On all.", About: "comment"}, drafts.Draft{Target: here, Review: true, Text: "In short.", About: "your review"},
			drafts.Draft{Target: there, Text: "Elsewhere.", About: "comment"}, drafts.Draft{Target: there, Review: true, Verdict: "approved", About: "your review"})
	})
	s.want(t, "✎ 2 not sent here, 1 in another request · S sends · p lists")
	s.keys("enter")
	s.want(t, "✎ 2 not sent here, 1 in another request")
	s.keys("S")
	s.want(t, "✎ 2 not sent here, 1 in another request", "Drafts  2 not sent, the text above among them · all are sent together")
	s.keys("esc", "esc", "C")
	s.want(t, "✎ 2 not sent here, 1 in another request")
	s.keys("esc", "esc")
	s.want(t, "2 drafts on #2 not sent", "✎ 3 drafts not sent · p lists")
	s.keys("alt+1")
	s.want(t, "UNSENT, ON THIS MACHINE 3", "Skylark Handbook #2 · comment", "✎ 3 drafts not sent · p lists")
	s.keys("q")
	s.want(t, "3 drafts not sent; they are kept")
}

// The row of a page edit does not mention the submit key.
func TestEditRowHasNoSubmitKey(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 40, func(s *testScreen) {
		_, _, _ = s.files.Begin(drafts.Edit{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: oldMarkdown})
	})
	s.want(t, "✎ 1 draft not sent · p lists", "!S sends")
}

// A page with an unsaved edit is listed with the unsent drafts and can be resumed there.
func TestEditIsListedWithDrafts(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(inboxOptions, 120, 50, func(s *testScreen) {
		_, _, _ = s.files.Begin(drafts.Edit{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: oldMarkdown})
	})
	s.want(t, "UNSENT, ON THIS MACHINE 1", "page Quick start: edited, not saved", "✎ 1 draft not sent · p lists")
	s.editFails = true
	s.keys("G", "k")
	s.want(t, "Edited, not saved", "⏎ opens the editor again")
	s.keys("enter")
	s.want(t, "the editor failed")
}

// The tabs show their keys, and a digit explains which key to press.
func TestTabsShowKeys(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.want(t, "[alt+1 Inbox]  alt+2 Spaces ")
	s.keys("2")
	s.want(t, "alt+2 goes to Spaces")
	s.keys("7")
	s.want(t, "digits choose where choices are offered", "!alt+7")
	s.send(windowSize(50, 20))
	s.keys("j")
	s.want(t, "[Inbox]  Spaces ")
	s.send(windowSize(60, 20))
	s.want(t, "[alt+1 Inbox]  2 Spaces ")
}

// Blocking gates and advice are distinguished, also for requested changes that no rule enforces.
func TestAdviceDoesNotBlockMerge(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 200, 50, func(s *testScreen) { s.fake.asksForChanges = true })
	s.want(t, "Merge [NOT YET]  changes requested, 2 warnings", "! Piet requested changes (no rule stops it: m asks first, and takes a typed yes) · stands until Piet approves: i asks", "2 open comments to resolve (only a warning)", "!✗ 2 open", "▸ 1 of 4 checks pass", "!✓ 1 of 4")
	s = start(reviewOptions, 140, 50)
	s.want(t, "Merge [CAN BE MERGED]  2 warnings", "!NOT YET", "!✗ 2 open")
}

// Revisions of a change request are numbered from its first, whatever the server numbers are after an update.
func TestRevisionsAreNumberedConsecutively(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.want(t, "revision 7", "edited Quick start r3")
}

func TestAuthorGivesNoVerdict(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 140, 60, ownChangeRequest)
	s.want(t, "S send comments", "!submit review")
	s.keys("S")
	s.want(t, "› send your comments", "Your own change request", "A comment on all of it (optional)", "!verdict", "!( )", "!review")
	s.keys("ctrl+s")
	s.want(t, "nothing to send yet: c comments where you read, r replies")
	s.keys("esc", "enter", "n", "r", `"Measured.`, "ctrl+s")
	s.want(t, "your reply is kept here, not sent yet: S sends it")
	s.keys("S")
	s.want(t, "→ 1 reply posted")
	s.keys("ctrl+s")
	s.want(t, "✓ 1 reply posted", "!› send your comments")
}

// A submitted form is removed from the path, also if another page was opened from it.
func TestFinishedFormLeavesPath(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 200, 60)
	s.keys("S", "/", `"◌ Quick start`, "enter", "esc", "enter")
	s.want(t, "› submit your review › Quick start")
	s.keys("S", "tab", "tab", "ctrl+s", "ctrl+s")
	s.want(t, "✓ requested changes", "› Quick start (1 of 3)", "!submit your review")
}

// An error names the draft and its field as the screen does, not by API names.
func TestRejectionUsesScreenTerms(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.failOnce["submit"] = api.Invalid(api.FieldError{Path: "drafts[0].quote", Message: "stands in the block 3 times"}, api.FieldError{Path: "comment.markdown", Message: "is too long"})
	s.keys("S", "ctrl+s")
	s.want(t, "refused: Quick start · “Plug the gateway in and wait", "✗ refused: the quote stands in the block 3 times", "!drafts[", "!markdown")
	d.fake.failOnce["update-request"] = api.InvalidField("subject", "must have at most 200 characters")
	s.keys("esc", "esc", ":", `"change the subject`, "enter", `"!`, "enter")
	s.want(t, "refused: the subject must have at most 200 characters")
}

// An empty change request explains how to continue.
func TestEmptyChangeRequestExplainsNextStep(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(Options{Space: "s_1"}, 120, 40, func(s *testScreen) { s.fake.unchanged = true; ownChangeRequest(s) })
	writePage(s, "Welcome", "Hello")
	s.keys("w", `"Tidy up`, "enter")
	s.want(t, "✓ #2 was made: ⏎ lists the pages, and e edits the one under the cursor", "▌ It changes nothing yet: ⏎ lists the pages", "!Changed pages (3)")
	s.keys("e")
	s.want(t, "it changes no page: ⏎ lists the pages")
	s.keys("enter")
	s.want(t, "▌ Welcome", "e edit")
	s.fake.unchanged = false
	s.keys("e")
	s.want(t, "✓ Welcome saved")
	s.keys("esc")
	s.want(t, "▌ ~   Quick start", "Changed pages (3)")
}

func TestSuggestionsAreMarkedInLists(t *testing.T) {
	t.Parallel()
	now := "three weeks"
	s := newPreparedScreen(reviewOptions, 200, 60, func(s *testScreen) {
		addSuggestions(s)
		addDrafts(s, drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, Text: "Longer.", About: "comment on “two weeks”"})
	})
	s.want(t, "● Grace suggested an edit nit “Is green right?")
	s.keys("p")
	s.want(t, "comment on “two weeks”: suggests “three weeks”: Longer.")
	s.keys("esc", "enter")
	s.want(t, "● edit “")
	s.keys("alt+1")
	s.want(t, "suggests “three weeks”: Longer.")
}

// The columns of the inbox are aligned with their headings, and an objection shows its author.
func TestInboxColumnsAreAligned(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 40}, {80, 40}, {120, 40}} {
		s := start(inboxOptions, size[0], size[1])
		var ends []int
		for line := range strings.SplitSeq(s.screen(), "\n") {
			line, _, _ = strings.Cut(line, "│")
			line, heading := strings.CutSuffix(strings.TrimRight(line, " "), " checks threads  read")
			if heading {
				ends = append(ends, len([]rune(line))+len(" checks"))
			}
			for _, checks := range []string{"✗6/9", "✓9/9", "✗5/9"} {
				if before, _, has := strings.Cut(line, checks); has {
					ends = append(ends, len([]rune(before))+len([]rune(checks)))
				}
			}
		}
		if len(ends) < 4 || len(slices.Compact(ends)) != 1 {
			t.Errorf("the checks end at %v in\n%s", ends, s.screen())
		}
	}
}

// Merged change requests are sorted by merge time. The order chosen for this tab is independent of the others.
func TestMergedTabIsSortedByMergeTime(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys("shift+tab")
	s.want(t, "[Merged]", "newest first", "▌  Skylark Handbook #5")
	s.keys("tab")
	s.want(t, "[Needs you]", "oldest first")
}

// The help is never cut and scrolls to its end in any window.
func TestHelpScrollsInSmallWindow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 10}, {60, 20}, {24, 6}} {
		s := start(reviewOptions, size[0], size[1])
		s.keys("?")
		var read strings.Builder
		seen := map[string]bool{}
		for range 400 {
			for line := range strings.SplitSeq(s.screen(), "\n") {
				if !seen[line] {
					seen[line] = true
					read.WriteString(strings.TrimSpace(line) + " ")
				}
			}
			s.keys("j")
		}
		words := map[string]bool{}
		for word := range strings.FieldsSeq(read.String()) {
			words[word] = true
		}
		for _, a := range slices.Concat(s.page().Actions(), s.model.SharedActions()) {
			for word := range strings.FieldsSeq(a.Help) {
				if !words[word] {
					t.Errorf("%v: %q of %q cannot be read", size, word, a.Help)
				}
			}
		}
	}
}

// The footer shows the most important keys of a row and the key for all others.
func TestFooterShowsImportantKeys(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 40, ownChangeRequest)
	s.want(t, "⏎ read  n open thread  S send comments  m merge  i ask for review", "? more")
	s = start(reviewOptions, 120, 40)
	s.want(t, "a approve  S submit review  m merge", "? more")
	s = start(Options{Organization: "o_1"}, 120, 40)
	s.keys("alt+2", "j")
	s.want(t, "b requests  H history  w new request", "? more")
	s.keys("m")
	s.want(t, "m does nothing here; on “change request” it is: merge")
}
