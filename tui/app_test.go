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

var review = Options{Space: "s_1", ChangeRequest: "cr_2"}

// exceptions are where keys mean something else, by the names of their actions: n and N in a search, n and N among
// conflicts, space and tab where something is chosen.
var exceptions = []map[string]string{
	{"n": "find-next", "N": "find-previous"},
	{"n": "conflict-next", "N": "conflict-previous"},
	{" ": "choose", "tab": "verdict", "shift+tab": "verdict-back"},
}

// One letter has one meaning, on every screen; the table of keys in the papers is closed.
func TestAKeyMeansTheSameOnEveryScreen(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, table := range keyTables() {
		if table.where == "writing" { // letters are text there
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

func TestEveryActionCanBeFoundAndAvoidsKeysThatTerminalsKeep(t *testing.T) {
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

// A key of another screen says what it is for, a key of nothing stays silent.
func TestAKeyThatCannotActSaysWhy(t *testing.T) {
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

// The menu has what the row under the cursor admits, and no more.
func TestTheMenuOfARow(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.keys("enter", ".")
	s.want(t, "comment on the page as a whole", "!reply")
	s.keys("esc", "n", ".")
	s.want(t, "reply", "resolve or reopen")
	s.keys(`"reply`, "enter")
	s.want(t, "reply to Grace")
}

// all are the actions of a page, and those that it shares with all pages.
func (k keyTable) all() []components.Action {
	if k.where == "everywhere" || k.where == "searching" || k.where == "writing" {
		return k.actions
	}
	return append(k.actions, keyTables()[0].actions...)
}

func TestAnAnswerToAnEarlierRequestChangesNothing(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("b")
	s.press("tab") // drafts: asked, not answered
	late := s.waiting[0]
	s.waiting = nil
	s.fake.status = api.StatusDraft
	answer := late()
	s.press("tab") // merged: this is what is wanted now
	s.settle()
	s.want(t, "[MERGED]", "There is no merged change request")
	shown := s.screen()
	s.tell(answer)
	if diff := cmp.Diff(shown, s.screen()); diff != "" {
		t.Errorf("the late answer changed the screen:\n%s", diff)
	}
}

func TestTheSelectionIsKeptById(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1"}, 80, 24)
	s.keys("alt+2", "G", "k", "k")
	s.want(t, "▌ 📘 Team Guide")
	s.keys("g", "z", "R") // the collection above is folded: the rows move
	s.keys("G", "k", "k", "k", "j")
	s.want(t, "▌ 📘 Team Guide", "!Skylark")
	s.keys("g", "z", "G", "k", "k")
	s.tell(sized(60, 10))
	s.want(t, "▌ 📘 Team Guide")
}

func TestEscapeGoesUpAndNeverQuits(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
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

func TestARefusedTextIsKeptOnTheScreenAndOnDisk(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"offline": errOffline, "denied": api.Errorf(403, api.ReasonForbidden, "You may not comment here."), "invalid": api.InvalidField("body.markdown", "is too long"),
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

// What was sent is under the cursor, also where there was no room for it before.
func TestWhatWasSentIsShown(t *testing.T) {
	t.Parallel()
	s := newStage(Options{Space: "s_1"})
	thread := s.fake.comment("c_9", "On the page.\n\nIn\n\nmany\n\nlines.", api.CommentTarget{Space: "s_1", Page: &api.CommentPage{ID: "p_welcome"}})
	s.fake.comments = append(s.fake.comments, thread)
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(80, 12))
	s.settle()
	s.keys("enter", "n", "r", `"So be it.`, "ctrl+s")
	s.want(t, "▌ ┃ ↳ you · just now", "So be it.")
	s.keys("g", "R")
	s.want(t, "!So be it.")
}

func TestATextIsJournaledWhileItIsWrittenAndSentOnce(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("enter", "c", `"first`)
	s.press(`" second`) // its journal is not written yet
	s.press("ctrl+s")
	s.press("ctrl+s")
	if got := oneDraft(t, s); got.Text != "first" {
		t.Errorf("the journal has %q before it is written", got.Text)
	}
	s.settle()
	if diff := cmp.Diff([]string{"comment p_welcome/b_0: first second"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}

func oneDraft(t *testing.T, s *stage) drafts.Draft {
	t.Helper()
	all, _ := s.drafts.All()
	if len(all) != 1 {
		t.Fatalf("the journal has %v", all)
	}
	return all[0]
}

// The answer was lost, not the write: the same text goes out under the same key, and is one comment.
func TestARepeatedTextHasTheSameKey(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.fake.fail["comment"] = errOffline
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
	s := start(review, 80, 24)
	s.keys("c", `"first`)
	s.press(`" second`)
	s.press(`" third`)
	s.press("ctrl+c")
	if s.quit {
		t.Fatal("it quit before the text was in the journal")
	}
	s.settle()
	if got := oneDraft(t, s).Text; got != "first second third" || !s.quit {
		t.Errorf("quit %v, the journal has %q", s.quit, got)
	}
}

// ctrl+x drops as X does: at once, and u brings it back.
func TestATextIsDroppedAtOnce(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
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

func TestAJournalThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
	s.drafts.fail = errors.New("disk full")
	s.keys("c", `"text`)
	s.want(t, "not kept on disk: disk full")
}

func TestUnsentTextsAreOfferedAtTheStart(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, About: "comment on the change request", Text: "from yesterday", Key: "k"}
	if err := s.drafts.Save(d); err != nil {
		t.Fatal(err)
	}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(80, 24))
	s.settle()
	s.want(t, "you have drafts that are not sent: p")
	s.keys("p")
	s.want(t, "from yesterday")
	s.keys("enter")
	s.want(t, "from yesterday█")
}

func TestThreadsAreAnsweredResolvedReopenedAndReactedTo(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
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
	s := start(review, 80, 24)
	s.keys("enter", "n", "e")
	s.want(t, "only its author")
}

// An editor that fails is not a server that is away, and what was being written stays.
func TestAnEditorThatFails(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.broken = errors.New("no editor: set VISUAL or EDITOR")
	s.keys("enter", "]", "c", `"Words.`, "ctrl+e")
	s.want(t, "Words.", "no editor: set VISUAL or EDITOR", "!offline")
}

func TestACommentStandsOnTheBlockUnderTheCursor(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.keys("enter", "]", "c", "ctrl+e", "ctrl+s")
	s.keys(":", `"on the page`, "enter", `"whole`, "ctrl+s", "S", "ctrl+s")
	want := []string{"submit  of r_7\n  p_quick/ at r_7: whole\n  p_quick/b_1 at r_7: from the editor"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// A text that is gone cannot be commented on; its page can.
func TestACommentOnATextThatIsGone(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.keys("enter", "/", `"Old words`, "enter", "c")
	s.want(t, "this text is gone; comment on the new text, or on the page")
	s.keys(":", `"on the page`, "enter", `"why`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/ at r_7: why"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestAFailedWriteIsSaidAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.fake.fail["update-comment"] = api.Errorf(403, api.ReasonForbidden, "Only its author may resolve it.")
	s.keys("enter", "n", "x", "enter")
	s.want(t, "not allowed: Only its author may resolve it.", "● open Grace")
}

func TestAMergeNeedsItsLetter(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
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

func TestAMergeOnItsWayIsNotLeftByAccident(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
	s.keys("m", `"yes`)
	s.press("enter")
	s.run(0) // confirmed; the merge itself waits
	s.press("esc")
	s.want(t, "has not answered yet", "Changed pages")
	s.settle()
	s.want(t, "✓ merged into the space")
	s.keys("esc")
	s.want(t, "[OPEN]")
}

func TestConflictsAreDecidedAndTheRequestUpdated(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.edited = " by day"
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

func TestBothSidesAreTakenWhereThatMakesSense(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "n", "4")
	s.want(t, "this conflict takes another answer: 1, 2")
	s.keys("1", "4")
	s.want(t, "✓ 4 It is as both says.", "Answer within 10 minutes. Answer within 25 minutes")
	s.keys("A")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=both,x_2=ours"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyWhatIsNewSinceTheLastReview(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.keys("d")
	s.want(t, "you have not reviewed it: all of it is new to you", "Changed pages (3)")
	s = opens(review, 100, 40, func(s *stage) { s.fake.reviewed = true })
	s.want(t, "Changed pages (3)", "Quick start")
	s.keys("d")
	s.want(t, "Changed since your last review (1)", "Power and battery")
	s.keys("enter")
	s.want(t, "(1 of 1)", "since your last review", "[-Old-]")
	s.keys("esc", "d")
	s.want(t, "Changed pages (3)")
}

func TestAgesGrowWhileTheScreenIsOpen(t *testing.T) {
	t.Parallel()
	now := clock
	o := review
	o.Now = func() time.Time { return now }
	s := start(o, 100, 40)
	s.want(t, "last change 2h ago")
	now = now.Add(time.Hour)
	s.tell(TimeMsg{})
	s.want(t, "last change 3h ago")
}

func TestDecisionsSurviveARefusedUpdate(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "3", "1")
	s.fake.fail["pull"] = errOffline
	s.keys("A")
	s.want(t, "offline", "✓ 1 It is as ours says.", "✓ 3 It is as text says.", "from the editor")
	delete(s.fake.fail, "pull")
	s.keys("A")
	s.want(t, "✓ updated with your decisions")
}

func TestTheTextOfADecisionSurvivesTheScreen(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.fake.outcome = []api.MergeResult{conflicting(), conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.edited = "worded with care"
	s.keys("m", `"yes`, "enter", "3", "esc") // and away
	if oneDraft(t, s).Text != s.edited {
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

func TestOldContentStaysWhenTheServerGoesAway(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.fake.fail["*"] = errOffline
	s.keys("R")
	s.want(t, "Quick start", "offline, as of just now")
	delete(s.fake.fail, "*")
	s.keys("R")
	s.want(t, "Quick start", "!offline")
}

func TestSearchInAPage(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 20)
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

func TestTheFilterOfAListAndThePalette(t *testing.T) {
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

func TestAPasteIsTextEvenIfItLooksLikeKeys(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 24)
	s.keys("c")
	s.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("one\r\ntwo\x1b[31m"), Paste: true})
	s.settle()
	s.want(t, "one", "two█", "!31m")
	s.keys("esc")
	s.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
	if s.settle(); s.quit {
		t.Error("pasting q quit")
	}
}

func TestNothingFromTheServerReachesTheTerminalAsItCame(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\u0085"
	for _, o := range []Options{{}, {Organization: "o_1"}, {Space: "s_1"}, review} {
		s := newStage(o)
		s.fake.fail["page"] = api.Errorf(422, api.ReasonInvalid, "%s", evil).WithHint("%s", evil)
		s.fake.comments[2].Body.Markdown = evil
		s.fake.comments[2].PostedBy.DisplayName = evil
		s.fake.trees["cr_2"][1].Title = evil
		s.waiting = append(s.waiting, s.model.Init())
		s.tell(sized(200, 50))
		s.settle()
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

// What is typed faster than it is read arrives as one message; pasted text is no row of actions.
func TestKeysThatArriveTogetherAreTakenApart(t *testing.T) {
	t.Parallel()
	apart, together, pasted := start(Options{}, 80, 24), start(Options{}, 80, 24), start(Options{}, 80, 24)
	first := apart.screen()
	apart.keys("j", "j", "b")
	together.keys(`"jjb`)
	if diff := cmp.Diff(apart.screen(), together.screen()); diff != "" || together.screen() == first {
		t.Errorf("one by one (-) and together (+):\n%s", diff)
	}
	pasted.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjc"), Paste: true})
	pasted.settle()
	if diff := cmp.Diff(first, pasted.screen()); diff != "" {
		t.Errorf("a paste did something:\n%s", diff)
	}
}

// What is typed before the composer is there is text, and no row of actions; so are keys that come together.
func TestWhatIsTypedAheadIsText(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"one by one": {"c", "m", " ", "X", "x", "ctrl+s"}, "together": {`"cm Xx`, "ctrl+s"}, "on words": {"v", "v", "c", `"m Xx`, "ctrl+s"},
	} {
		s := start(review, 120, 60)
		s.keys("enter", "]")
		for _, key := range typed {
			s.press(key)
		}
		s.settle()
		if s.want(t, "┆ m Xx", "1 draft not sent"); len(s.fake.writes) > 0 {
			t.Errorf("%s: wrote %q", name, s.fake.writes)
		}
	}
}

// So is the answer to a question, which is there when its key was pressed: yes is no copy, edit and suggestion.
func TestAnAnswerThatIsTypedAhead(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	for _, key := range []string{"m", "y", "e", "s", "enter"} {
		s.press(key)
	}
	s.settle()
	if diff := cmp.Diff([]string{"merge "}, s.fake.writes); diff != "" || s.copied != "" {
		t.Errorf("copied %q, and wrote %s", s.copied, diff)
	}
}

// What was typed for a composer that cannot open does nothing else; esc leaves one, however early it comes.
func TestWhatWasTypedForNothingDoesNothing(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.keys("enter", "]")
	s.press("c")
	s.press("esc")
	s.press("n")
	s.settle()
	s.want(t, "!comment on")
	d := newDesk(t)
	one, other := d.written(), d.screen()
	one.keys("/", `"On a block.`, "enter", "esc", "e")
	other.keys("enter", "/", `"On a block.`, "enter", "esc")
	for _, key := range []string{"e", "X", "x"} {
		other.press(key)
	}
	other.settle()
	other.want(t, "being written on another screen of yours", "┆ On a block.", "3 drafts not sent")
}
