package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

var reviewOptions = Options{Space: "s_1", ChangeRequest: "cr_2"}

// exceptions lists keys with several meanings, by action name: n and N in searches and among conflicts, and space and
// tab where something is selected.
var exceptions = []map[string]string{
	{"n": "find-next", "N": "find-previous"},
	{"n": "conflict-next", "N": "conflict-previous"},
	{" ": "choose", "tab": "verdict", "shift+tab": "verdict-back"},
}

// A key has one meaning on all screens, and the key table of the documentation is complete.
func TestKeysHaveOneMeaning(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, table := range keyTables() {
		if table.where == "writing" { // letters are text while writing
			continue
		}
		for _, a := range table.actions {
			for _, key := range a.Keys {
				if slices.ContainsFunc(exceptions, func(e map[string]string) bool { return e[key] == a.Name }) {
					continue
				}
				if other, taken := meaning[key]; taken && other != a.Name {
					t.Errorf("%s: %q means %s here, and %s elsewhere", table.where, key, a.Name, other)
				}
				meaning[key] = a.Name
			}
		}
	}
	if len(exceptions) > 3 {
		t.Errorf("%d exceptions", len(exceptions))
	}
}

func TestActionsAreListedAndAvoidTerminalKeys(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for _, table := range keyTables() {
		names := map[string]bool{}
		for _, a := range table.all() {
			if names[a.Name] || a.Help == "" || a.Do == nil {
				t.Errorf("%s: %+v is not complete, or named twice", table.where, a)
			}
			names[a.Name] = true
			says := components.KeyNames(a.Keys) + " " + a.Help
			if known[a.Name] != "" && known[a.Name] != says {
				t.Errorf("%s means %q and %q", a.Name, known[a.Name], says)
			}
			known[a.Name] = says
			for _, key := range a.Keys {
				if slices.Contains([]string{"ctrl+q", "ctrl+z", "ctrl+i", "ctrl+m"}, key) {
					t.Errorf("%s is on %s", a.Name, key)
				}
			}
		}
	}
}

// An unavailable key is explained if another screen uses it, and otherwise ignored.
func TestUnavailableKeyIsExplained(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1"}, 80, 24)
	s.keys("alt+2")
	s.want(t, "▌     🛠 ", "b requests") // the first space
	s.keys("g")
	s.want(t, "!requests", "⏎ fold")
	s.keys("b")
	s.want(t, "put the cursor on a space first")
	s.keys("m")
	s.want(t, "m does nothing here; on “change request” it is: merge")
	s.keys("G", "k", "k", "k")
	s.want(t, "b requests")
	s.keys("ö")
	s.want(t, "!nothing to do")
}

func TestRowMenu(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", ".")
	s.want(t, "comment on the page as a whole", "!reply")
	s.keys("esc", "n", ".")
	s.want(t, "reply", "resolve or reopen")
	s.keys(`"reply`, "enter")
	s.want(t, "reply to Grace")
}

// all returns the actions of a page and the shared ones.
func (k keyTable) all() []components.Action {
	if k.where == "everywhere" || k.where == "searching" || k.where == "writing" {
		return k.actions
	}
	return append(k.actions, keyTables()[0].actions...)
}

func TestLateResponseIsIgnored(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("b")
	s.press("tab") // drafts: requested, no response yet
	late := s.waiting[0]
	s.waiting = nil
	s.fake.status = api.StatusDraft
	answer := late()
	s.press("tab") // merged: the tab whose response is expected
	s.drain()
	s.want(t, "[MERGED]", "There is no merged change request")
	shown := s.screen()
	s.send(answer)
	if diff := cmp.Diff(shown, s.screen()); diff != "" {
		t.Errorf("the late answer changed the screen:\n%s", diff)
	}
}

func TestSelectionIsKeptByID(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1"}, 80, 24)
	s.keys("alt+2", "G", "k", "k")
	s.want(t, "▌ 📘 Team Guide")
	s.keys("g", "z", "R") // the collection above is folded, which moves the rows
	s.keys("G", "k", "k", "k", "j")
	s.want(t, "▌ 📘 Team Guide", "!Skylark")
	s.keys("g", "z", "G", "k", "k")
	s.send(windowSize(60, 10))
	s.want(t, "▌ 📘 Team Guide")
}

func TestEscapeNeverQuits(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("enter", "esc", "esc", "esc", "esc", "esc", "esc")
	s.want(t, "Tidemark Instruments", "this is the top")
	if s.quit {
		t.Error("esc quit")
	}
	s.keys("q")
	if !s.quit {
		t.Error("q did not quit")
	}
}

func TestRejectedTextIsKept(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"offline": errUnreachable, "denied": api.Errorf(403, api.ReasonForbidden, "You may not comment here."), "invalid": api.InvalidField("body.markdown", "is too long"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(Options{Space: "s_1"}, 80, 24)
			s.fake.fail["comment"] = failure
			s.keys("enter", "c", `"A thought`, "ctrl+s")
			s.want(t, "A thought", "the text is kept")
			if len(s.drafts.all) != 1 {
				t.Fatalf("the journal has %v", s.drafts.all)
			}
			s.keys("esc")
			s.want(t, "!A thought█", "┆ A thought")
			s.keys("e")
			s.want(t, "A thought█")
			delete(s.fake.fail, "comment")
			s.keys("ctrl+s")
			s.want(t, "✓ comment posted", "!kept")
			if diff := cmp.Diff([]string{"comment p_welcome/b_0: A thought"}, s.fake.writes); diff != "" {
				t.Error(diff)
			}
			if len(s.drafts.all) != 0 {
				t.Errorf("the journal still has %v", s.drafts.all)
			}
		})
	}
}

// A sent text is under the cursor, even if it was outside of the window before.
func TestSentTextIsShown(t *testing.T) {
	t.Parallel()
	s := newTestScreen(Options{Space: "s_1"})
	thread := s.fake.comment("c_9", "On the page.\n\nIn\n\nmany\n\nlines.", api.CommentTarget{Space: "s_1", Page: &api.CommentPage{ID: "p_welcome"}})
	s.fake.comments = append(s.fake.comments, thread)
	s.open(80, 12)
	s.keys("enter", "n", "r", `"So be it.`, "ctrl+s")
	s.want(t, "▌ ┃ ↳ you · just now", "So be it.")
	s.keys("g", "R")
	s.want(t, "!So be it.")
}

func TestTextIsJournaledAndSentOnce(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("enter", "c", `"first`)
	s.press(`" second`) // its journal entry is not written yet
	s.press("ctrl+s")
	s.press("ctrl+s")
	if got := oneDraft(t, s); got.Text != "first" {
		t.Errorf("the journal has %q before it is written", got.Text)
	}
	s.drain()
	if diff := cmp.Diff([]string{"comment p_welcome/b_0: first second"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}

func oneDraft(t *testing.T, s *testScreen) drafts.Draft {
	t.Helper()
	all, _ := s.drafts.All()
	if len(all) != 1 {
		t.Fatalf("the journal has %v", all)
	}
	return all[0]
}

// If only the response was lost, the same text is sent with the same idempotency key and creates one comment.
func TestRetriedTextKeepsIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.fake.fail["comment"] = errUnreachable
	s.keys("enter", "c", `"text`, "ctrl+s")
	first := oneDraft(t, s).Key
	s.keys("ctrl+s")
	if again := oneDraft(t, s).Key; again != first || first == "" {
		t.Errorf("keys %q and %q", first, again)
	}
	s.keys(`"!`, "ctrl+s")
	if other := oneDraft(t, s).Key; other == first {
		t.Error("another text has the same key")
	}
}

func TestQuittingWaitsForTheJournal(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("c", `"first`)
	s.press(`" second`)
	s.press(`" third`)
	s.press("ctrl+c")
	if s.quit {
		t.Fatal("it quit before the text was in the journal")
	}
	s.drain()
	if got := oneDraft(t, s).Text; got != "first second third" || !s.quit {
		t.Errorf("quit %v, the journal has %q", s.quit, got)
	}
}

// ctrl+x discards a text immediately, like X, and u restores it.
func TestDiscardText(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("c", `"text`, "ctrl+x")
	s.want(t, "!text█", "dropped: u brings it back")
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
	s.keys("u", "c")
	s.want(t, "text█")
	s.keys("esc", "c", "esc", "n", "r", "ctrl+x")
	s.want(t, "!dropped")
}

func TestJournalErrorIsReported(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.drafts.fail = errors.New("disk full")
	s.keys("c", `"text`)
	s.want(t, "not kept on disk: disk full")
}

func TestUnsentTextsAreOfferedAtStart(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, About: "comment on the change request", Text: "from yesterday", Key: "k"}
	if err := s.drafts.Save(d); err != nil {
		t.Fatal(err)
	}
	s.open(80, 24)
	s.want(t, "you have drafts that are not sent: p")
	s.keys("p")
	s.want(t, "from yesterday")
	s.keys("enter")
	s.want(t, "from yesterday█")
}

func TestThreadActions(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", "n", "x", "3", "x", "+", "2", "+", "1", "j", "j", "j", "+", "3", "e", `"!`, "ctrl+s")
	want := []string{
		"update-comment c_1 resolved true declined", "update-comment c_1 resolved false", "update-comment c_1👎",
		"update-comment c_1👍", "update-reply c_1/r_1🎉", "update-reply c_1/r_1 text Yes.!",
	}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheAuthorEdits(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("enter", "n", "e")
	s.want(t, "only its author")
}

// A failing editor is not reported as a connection failure, and the text is kept.
func TestEditorError(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.editorErr = errors.New("no editor: set VISUAL or EDITOR")
	s.keys("enter", "]", "c", `"Words.`, "ctrl+e")
	s.want(t, "Words.", "no editor: set VISUAL or EDITOR", "!offline")
}

func TestCommentOnBlockUnderCursor(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", "]", "c", "ctrl+e", "ctrl+s")
	s.keys(":", `"on the page`, "enter", `"whole`, "ctrl+s", "S", "ctrl+s")
	want := []string{"submit  of r_7\n  p_quick/ at r_7: whole\n  p_quick/b_1 at r_7: from the editor"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// A removed text cannot be commented on, but its page can.
func TestCommentOnRemovedText(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", "/", `"Old words`, "enter", "c")
	s.want(t, "this text is gone; comment on the new text, or on the page")
	s.keys(":", `"on the page`, "enter", `"why`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/ at r_7: why"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestFailedWriteIsReported(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.fake.fail["update-comment"] = api.Errorf(403, api.ReasonForbidden, "Only its author may resolve it.")
	s.keys("enter", "n", "x", "enter")
	s.want(t, "not allowed: Only its author may resolve it.", "● open Grace")
}

func TestMergeNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("m", "y", "enter")
	s.want(t, "you did not type yes")
	s.keys("m", "esc")
	if len(s.fake.writes) != 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
	s.keys("m", `"yes`, "enter")
	s.want(t, "✓ merged into the space")
	if diff := cmp.Diff([]string{"merge "}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestPendingMergeIsNotLeft(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("m", `"yes`)
	s.press("enter")
	s.run(0) // confirmed; the merge is pending
	s.press("esc")
	s.want(t, "has not answered yet", "Changed pages")
	s.drain()
	s.want(t, "✓ merged into the space")
	s.keys("esc")
	s.want(t, "[OPEN]")
}

func TestConflictDecisionsAreApplied(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.fake.mergeResults = []api.MergeResult{conflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.editorText = " by day"
	s.keys("m", `"yes`, "enter", "A")
	s.want(t, "2 conflicts not decided yet; decide all the rest", "as in the space: 2 conflicts")
	s.keys("esc")
	s.want(t, "A apply (2 open)", "[-15-]{+10+}", "(Deleted)", "paragraph 1, sentence 2 of 3", "Then write it down.", "in your request  #2, you, 3h ago")
	s.keys("3", "2", "A")
	s.want(t, "✓ updated with your decisions", "Changed pages")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=text by day,x_2=theirs"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestKeepBothSides(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.fake.mergeResults = []api.MergeResult{conflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "n", "4")
	s.want(t, "this conflict takes another answer: 1, 2")
	s.keys("1", "4")
	s.want(t, "✓ 4 It is as both says.", "Answer within 10 minutes. Answer within 25 minutes")
	s.keys("A")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=both,x_2=ours"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestChangesSinceLastReview(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("d")
	s.want(t, "you have not reviewed it: all of it is new to you", "Changed pages (3)")
	s = newPreparedScreen(reviewOptions, 100, 40, func(s *testScreen) { s.fake.reviewed = true })
	s.want(t, "Changed pages (3)", "Quick start")
	s.keys("d")
	s.want(t, "Changed since your last review (1)", "Power and battery")
	s.keys("enter")
	s.want(t, "(1 of 1)", "since your last review", "[-Old-]")
	s.keys("esc", "d")
	s.want(t, "Changed pages (3)")
}

func TestAgesAreRefreshed(t *testing.T) {
	t.Parallel()
	now := clock
	o := reviewOptions
	o.Now = func() time.Time { return now }
	s := start(o, 100, 40)
	s.want(t, "last change 2h ago")
	now = now.Add(time.Hour)
	s.send(TimeMsg{})
	s.want(t, "last change 3h ago")
}

func TestDecisionsSurviveRejectedUpdate(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.fake.mergeResults = []api.MergeResult{conflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "3", "1")
	s.fake.fail["pull"] = errUnreachable
	s.keys("A")
	s.want(t, "offline", "✓ 1 It is as ours says.", "✓ 3 It is as text says.", "from the editor")
	delete(s.fake.fail, "pull")
	s.keys("A")
	s.want(t, "✓ updated with your decisions")
}

func TestDecisionTextSurvivesExit(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.fake.mergeResults = []api.MergeResult{conflictResult(), conflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.editorText = "worded with care"
	s.keys("m", `"yes`, "enter", "3", "esc") // leave the page
	if oneDraft(t, s).Text != s.editorText {
		t.Error("the text is not in the journal")
	}
	s.keys("m", `"yes`, "enter")
	s.want(t, "1 decided", "worded with care")
	s.keys("G", "1", "A")
	s.want(t, "✓ updated with your decisions")
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}

func TestContentStaysWhenServerIsUnreachable(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.fake.fail["*"] = errUnreachable
	s.keys("R")
	s.want(t, "Quick start", "offline, as of just now")
	delete(s.fake.fail, "*")
	s.keys("R")
	s.want(t, "Quick start", "!offline")
}

func TestSearchInPage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 20)
	s.keys("enter", "V", "V")
	s.want(t, "result")
	s.keys("/", `"open`, "enter")
	s.want(t, "▌ ┃ ● open")
	s.keys("n", "n")
	s.want(t, "▌ 1. Open the box", "!n open thread")
	s.keys("N", "N", "N")
	s.want(t, "Do not open it")
	s.keys("esc")
	s.want(t, "(1 of 3)")
}

func TestListFilterAndPalette(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("/", `"quick`, "enter")
	s.want(t, "▌ │ Quick start", "!Welcome")
	s.keys("enter")
	s.want(t, "Plug the gateway in")
	s.keys("esc", "esc")
	s.want(t, "Welcome")
	s.keys(":", `"change requests of`, "enter")
	s.want(t, "[OPEN]")
}

func TestPasteIsText(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys("c")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("one\r\ntwo\x1b[31m"), Paste: true})
	s.drain()
	s.want(t, "one", "two█", "!31m")
	s.keys("esc")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
	if s.drain(); s.quit {
		t.Error("pasting q quit")
	}
}

func TestServerTextIsSanitized(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\u0085"
	for _, o := range []Options{{}, {Organization: "o_1"}, {Space: "s_1"}, reviewOptions} {
		s := newTestScreen(o)
		s.fake.fail["page"] = api.Errorf(422, api.ReasonInvalid, "%s", evil).WithHint("%s", evil)
		s.fake.comments[2].Body.Markdown = evil
		s.fake.comments[2].PostedBy.DisplayName = evil
		s.fake.trees["cr_2"][1].Title = evil
		s.open(200, 50)
		for _, key := range []string{"", "enter", "C"} {
			if key != "" {
				s.keys(key)
			}
			if strings.ContainsAny(s.screen(), "\x1b\x07\u202e\u0085") {
				t.Errorf("%+v %q: %q", o, key, s.screen())
			}
		}
	}
}

// Keys typed faster than they are read arrive as one message. Pasted text does not run actions.
func TestJoinedKeysAreSplit(t *testing.T) {
	t.Parallel()
	apart, together, pasted := start(Options{}, 80, 24), start(Options{}, 80, 24), start(Options{}, 80, 24)
	first := apart.screen()
	apart.keys("j", "j", "b")
	together.keys(`"jjb`)
	if diff := cmp.Diff(apart.screen(), together.screen()); diff != "" || together.screen() == first {
		t.Errorf("one by one (-) and together (+):\n%s", diff)
	}
	pasted.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjc"), Paste: true})
	pasted.drain()
	if diff := cmp.Diff(first, pasted.screen()); diff != "" {
		t.Errorf("a paste did something:\n%s", diff)
	}
}

// Text typed before the composer is open does not run actions, and neither do keys that arrive in one message.
func TestTypeAheadIsText(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"one by one": {"c", "m", " ", "X", "x", "ctrl+s"}, "together": {`"cm Xx`, "ctrl+s"}, "on words": {"v", "v", "c", `"m Xx`, "ctrl+s"},
	} {
		s := start(reviewOptions, 120, 60)
		s.keys("enter", "]")
		for _, key := range typed {
			s.press(key)
		}
		s.drain()
		if s.want(t, "┆ m Xx", "1 draft not sent"); len(s.fake.writes) > 0 {
			t.Errorf("%s: wrote %q", name, s.fake.writes)
		}
	}
}

// An answer typed before the question is shown is not interpreted as keys for copy, edit and suggest.
func TestTypeAheadAnswersQuestion(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	for _, key := range []string{"m", "y", "e", "s", "enter"} {
		s.press(key)
	}
	s.drain()
	if diff := cmp.Diff([]string{"merge "}, s.fake.writes); diff != "" || s.copied != "" {
		t.Errorf("copied %q, and wrote %s", s.copied, diff)
	}
}

// Text typed for a composer that cannot open is dropped. esc closes a composer before it is open.
func TestTypeAheadIsDroppedOnFailure(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.keys("enter", "]")
	s.press("c")
	s.press("esc")
	s.press("n")
	s.drain()
	s.want(t, "!comment on")
	d := newReviewEnv(t)
	one, other := d.draftReview(), d.openScreen()
	one.keys("/", `"On a block.`, "enter", "esc", "e")
	other.keys("enter", "/", `"On a block.`, "enter", "esc")
	for _, key := range []string{"e", "X", "x"} {
		other.press(key)
	}
	other.drain()
	other.want(t, "being written on another screen of yours", "┆ On a block.", "3 drafts not sent")
}
