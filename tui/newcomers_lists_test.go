package tui

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// StartPrepared returns a screen with a server that as has prepared.
func StartPrepared(o Options, width, height int, as func(*Screen)) *Screen {
	s := NewScreen(o)
	as(s)
	s.Open(width, height)
	return s
}

// AddDrafts adds drafts to the journal.
func AddDrafts(s *Screen, all ...drafts.Draft) {
	for _, d := range all {
		d.Key = "k"
		s.Journal.Drafts[d.ID()] = d
	}
}

// All screens show the same number of unsent drafts: those of the change request and those of others.
func TestDraftCountsAgree(t *testing.T) {
	t.Parallel()
	here, there := remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, remote.Target{Space: "s_1", ChangeRequest: "cr_9"}
	s := StartPrepared(ReviewOptions, 120, 40, func(s *Screen) {
		AddDrafts(s, drafts.Draft{Target: here, Text: "On all.", About: "comment"}, drafts.Draft{Target: here, Review: true, Text: "In short.", About: "your review"},
			drafts.Draft{Target: there, Text: "Elsewhere.", About: "comment"}, drafts.Draft{Target: there, Review: true, Verdict: "approved", About: "your review"})
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

// The row of a page edit does not mention the submit key.
func TestEditRowHasNoSubmitKey(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 40, func(s *Screen) {
		_, _, _ = s.Files.Begin(drafts.Edit{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: OldMarkdown})
	})
	s.Want(t, "✎ 1 draft not sent · p lists", "!S sends")
}

// A page with an unsaved edit is listed with the unsent drafts and can be resumed there.
func TestEditIsListedWithDrafts(t *testing.T) {
	t.Parallel()
	s := StartPrepared(InboxOptions, 120, 50, func(s *Screen) {
		_, _, _ = s.Files.Begin(drafts.Edit{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: OldMarkdown})
	})
	s.Want(t, "UNSENT, ON THIS MACHINE 1", "page Quick start: edited, not saved", "✎ 1 draft not sent · p lists")
	s.EditFails = true
	s.Keys("G", "k")
	s.Want(t, "Edited, not saved", "⏎ opens the editor again")
	s.Keys("enter")
	s.Want(t, "the editor failed")
}

// The tabs show their keys, and a digit explains which key to press.
func TestTabsShowKeys(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Want(t, "[alt+1 Inbox]  alt+2 Spaces ")
	s.Keys("2")
	s.Want(t, "alt+2 goes to Spaces")
	s.Keys("7")
	s.Want(t, "digits choose where choices are offered", "!alt+7")
	s.Send(WindowSize(50, 20))
	s.Keys("j")
	s.Want(t, "[Inbox]  Spaces ")
	s.Send(WindowSize(60, 20))
	s.Want(t, "[alt+1 Inbox]  2 Spaces ")
}

// Blocking gates and advice are distinguished, also for requested changes that no rule enforces.
func TestAdviceDoesNotBlockMerge(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 200, 50, func(s *Screen) { s.Server.AsksForChanges = true })
	s.Want(t, "Merge [NOT YET]  changes requested, 2 warnings", "! Piet requested changes (no rule stops it: m asks first, and takes a typed yes) · stands until Piet approves: i asks", "2 open comments to resolve (only a warning)", "!✗ 2 open", "▸ 1 of 4 checks pass", "!✓ 1 of 4")
	s = Start(ReviewOptions, 140, 50)
	s.Want(t, "Merge [CAN BE MERGED]  2 warnings", "!NOT YET", "!✗ 2 open")
}

// Revisions of a change request are numbered from its first, whatever the server numbers are after an update.
func TestRevisionsAreNumberedConsecutively(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	s.Want(t, "revision 7", "edited Quick start r3")
}

func TestAuthorGivesNoVerdict(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 140, 60, OwnChangeRequest)
	s.Want(t, "S send comments", "!submit review")
	s.Keys("S")
	s.Want(t, "› send your comments", "Your own change request", "A comment on all of it (optional)", "!verdict", "!( )", "!review")
	s.Keys("ctrl+s")
	s.Want(t, "nothing to send yet: c comments where you read, r replies")
	s.Keys("esc", "enter", "n", "r", `"Measured.`, "ctrl+s")
	s.Want(t, "your reply is kept here, not sent yet: S sends it")
	s.Keys("S")
	s.Want(t, "→ 1 reply posted")
	s.Keys("ctrl+s")
	s.Want(t, "✓ 1 reply posted", "!› send your comments")
}

// A submitted form is removed from the path, also if another page was opened from it.
func TestFinishedFormLeavesPath(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 200, 60)
	s.Keys("S", "/", `"◌ Quick start`, "enter", "esc", "enter")
	s.Want(t, "› submit your review › Quick start")
	s.Keys("S", "tab", "tab", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ requested changes", "› Quick start (1 of 3)", "!submit your review")
}

// An error names the draft and its field as the screen does, not by API names.
func TestRejectionUsesScreenTerms(t *testing.T) {
	t.Parallel()
	d := NewReviewer(t)
	s := d.DraftReview()
	d.Server.FailOnce["submit"] = api.Invalid(api.FieldError{Path: "drafts[0].quote", Message: "stands in the block 3 times"}, api.FieldError{Path: "comment.markdown", Message: "is too long"})
	s.Keys("S", "ctrl+s")
	s.Want(t, "refused: Quick start · “Plug the gateway in and wait", "✗ refused: the quote stands in the block 3 times", "!drafts[", "!markdown")
	d.Server.FailOnce["update-request"] = api.InvalidField("subject", "must have at most 200 characters")
	s.Keys("esc", "esc", ":", `"change the subject`, "enter", `"!`, "enter")
	s.Want(t, "refused: the subject must have at most 200 characters")
}

// An empty change request explains how to continue.
func TestEmptyChangeRequestExplainsNextStep(t *testing.T) {
	t.Parallel()
	s := StartPrepared(Options{Space: "s_1"}, 120, 40, func(s *Screen) { s.Server.Unchanged = true; OwnChangeRequest(s) })
	WritePage(s, "Welcome", "Hello")
	s.Keys("w", `"Tidy up`, "enter")
	s.Want(t, "✓ #2 was made: ⏎ lists the pages, and e edits the one under the cursor", "▌ It changes nothing yet: ⏎ lists the pages", "!Changed pages (3)")
	s.Keys("e")
	s.Want(t, "it changes no page: ⏎ lists the pages")
	s.Keys("enter")
	s.Want(t, "▌ Welcome", "e edit")
	s.Server.Unchanged = false
	s.Keys("e")
	s.Want(t, "✓ Welcome saved")
	s.Keys("esc")
	s.Want(t, "▌ ~   Quick start", "Changed pages (3)")
}

func TestSuggestionsAreMarkedInLists(t *testing.T) {
	t.Parallel()
	now := "three weeks"
	s := StartPrepared(ReviewOptions, 200, 60, func(s *Screen) {
		AddSuggestions(s)
		AddDrafts(s, drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, Text: "Longer.", About: "comment on “two weeks”"})
	})
	s.Want(t, "● Grace suggested an edit nit “Is green right?")
	s.Keys("p")
	s.Want(t, "comment on “two weeks”: suggests “three weeks”: Longer.")
	s.Keys("esc", "enter")
	s.Want(t, "● edit “")
	s.Keys("alt+1")
	s.Want(t, "suggests “three weeks”: Longer.")
}

// The columns of the inbox are aligned with their headings, and an objection shows its author.
func TestInboxColumnsAreAligned(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 40}, {80, 40}, {120, 40}} {
		s := Start(InboxOptions, size[0], size[1])
		var ends []int
		for line := range strings.SplitSeq(s.View(), "\n") {
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
			t.Errorf("the checks end at %v in\n%s", ends, s.View())
		}
	}
}

// Merged change requests are sorted by merge time. The order chosen for this tab is independent of the others.
func TestMergedTabIsSortedByMergeTime(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Keys("shift+tab")
	s.Want(t, "[Merged]", "newest first", "▌  Skylark Handbook #5")
	s.Keys("tab")
	s.Want(t, "[Needs you]", "oldest first")
}

// The help is never cut and scrolls to its end in any window.
func TestHelpScrollsInSmallWindow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 10}, {60, 20}, {24, 6}} {
		s := Start(ReviewOptions, size[0], size[1])
		s.Keys("?")
		var read strings.Builder
		seen := map[string]bool{}
		for range 400 {
			for line := range strings.SplitSeq(s.View(), "\n") {
				if !seen[line] {
					seen[line] = true
					read.WriteString(strings.TrimSpace(line) + " ")
				}
			}
			s.Keys("j")
		}
		words := map[string]bool{}
		for word := range strings.FieldsSeq(read.String()) {
			words[word] = true
		}
		for _, a := range slices.Concat(s.Page().Actions(), s.Model.SharedActions()) {
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
	s := StartPrepared(ReviewOptions, 120, 40, OwnChangeRequest)
	s.Want(t, "⏎ read  n open thread  S send comments  m merge  i ask for review", "? more")
	s = Start(ReviewOptions, 120, 40)
	s.Want(t, "a approve  S submit review  m merge", "? more")
	s = Start(Options{Organization: "o_1"}, 120, 40)
	s.Keys("alt+2", "j")
	s.Want(t, "b requests  H history  w new request", "? more")
	s.Keys("m")
	s.Want(t, "m does nothing here; on “change request” it is: merge")
}
