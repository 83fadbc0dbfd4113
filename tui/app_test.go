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

var ReviewOptions = Options{Space: "s_1", ChangeRequest: "cr_2"}

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
	s := Start(Options{Organization: "o_1"}, 80, 24)
	s.Keys("alt+2")
	s.Want(t, "▌     🛠 ", "b requests") // the first space
	s.Keys("g")
	s.Want(t, "!requests", "⏎ fold")
	s.Keys("b")
	s.Want(t, "put the cursor on a space first")
	s.Keys("m")
	s.Want(t, "m does nothing here; on “change request” it is: merge")
	s.Keys("G", "k", "k", "k")
	s.Want(t, "b requests")
	s.Keys("ö")
	s.Want(t, "!nothing to do")
}

func TestRowMenu(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("enter", ".")
	s.Want(t, "comment on the page as a whole", "!reply")
	s.Keys("esc", "n", ".")
	s.Want(t, "reply", "resolve or reopen")
	s.Keys(`"reply`, "enter")
	s.Want(t, "reply to Grace")
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
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Keys("b")
	s.Press("tab") // drafts: requested, no response yet
	late := s.Waiting[0]
	s.Waiting = nil
	s.Server.Status = api.StatusDraft
	answer := late()
	s.Press("tab") // merged: the tab whose response is expected
	s.Drain()
	s.Want(t, "[MERGED]", "There is no merged change request")
	shown := s.View()
	s.Send(answer)
	if diff := cmp.Diff(shown, s.View()); diff != "" {
		t.Errorf("the late answer changed the screen:\n%s", diff)
	}
}

func TestSelectionIsKeptByID(t *testing.T) {
	t.Parallel()
	s := Start(Options{Organization: "o_1"}, 80, 24)
	s.Keys("alt+2", "G", "k", "k")
	s.Want(t, "▌ 📘 Team Guide")
	s.Keys("g", "z", "R") // the collection above is folded, which moves the rows
	s.Keys("G", "k", "k", "k", "j")
	s.Want(t, "▌ 📘 Team Guide", "!Skylark")
	s.Keys("g", "z", "G", "k", "k")
	s.Send(WindowSize(60, 10))
	s.Want(t, "▌ 📘 Team Guide")
}

func TestEscapeNeverQuits(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("enter", "esc", "esc", "esc", "esc", "esc", "esc")
	s.Want(t, "Tidemark Instruments", "this is the top")
	if s.Quit {
		t.Error("esc quit")
	}
	s.Keys("q")
	if !s.Quit {
		t.Error("q did not quit")
	}
}

func TestRejectedTextIsKept(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"offline": ErrUnreachable, "denied": api.Errorf(403, api.ReasonForbidden, "You may not comment here."), "invalid": api.InvalidField("body.markdown", "is too long"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Start(Options{Space: "s_1"}, 80, 24)
			s.Server.Fail["comment"] = failure
			s.Keys("enter", "c", `"A thought`, "ctrl+s")
			s.Want(t, "A thought", "the text is kept")
			if len(s.Journal.Drafts) != 1 {
				t.Fatalf("the journal has %v", s.Journal.Drafts)
			}
			s.Keys("esc")
			s.Want(t, "!A thought█", "┆ A thought")
			s.Keys("e")
			s.Want(t, "A thought█")
			delete(s.Server.Fail, "comment")
			s.Keys("ctrl+s")
			s.Want(t, "✓ comment posted", "!kept")
			if diff := cmp.Diff([]string{"comment p_welcome/b_0: A thought"}, s.Server.Writes); diff != "" {
				t.Error(diff)
			}
			if len(s.Journal.Drafts) != 0 {
				t.Errorf("the journal still has %v", s.Journal.Drafts)
			}
		})
	}
}

// A sent text is under the cursor, even if it was outside of the window before.
func TestSentTextIsShown(t *testing.T) {
	t.Parallel()
	s := NewScreen(Options{Space: "s_1"})
	thread := s.Server.NewComment("c_9", "On the page.\n\nIn\n\nmany\n\nlines.", api.CommentTarget{Space: "s_1", Page: &api.CommentPage{ID: "p_welcome"}})
	s.Server.CommentList = append(s.Server.CommentList, thread)
	s.Open(80, 12)
	s.Keys("enter", "n", "r", `"So be it.`, "ctrl+s")
	s.Want(t, "▌ ┃ ↳ you · just now", "So be it.")
	s.Keys("g", "R")
	s.Want(t, "!So be it.")
}

func TestTextIsJournaledAndSentOnce(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Keys("enter", "c", `"first`)
	s.Press(`" second`) // its journal entry is not written yet
	s.Press("ctrl+s")
	s.Press("ctrl+s")
	if got := OneDraft(t, s); got.Text != "first" {
		t.Errorf("the journal has %q before it is written", got.Text)
	}
	s.Drain()
	if diff := cmp.Diff([]string{"comment p_welcome/b_0: first second"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

func OneDraft(t *testing.T, s *Screen) drafts.Draft {
	t.Helper()
	all, _ := s.Journal.All()
	if len(all) != 1 {
		t.Fatalf("the journal has %v", all)
	}
	return all[0]
}

// If only the response was lost, the same text is sent with the same idempotency key and creates one comment.
func TestRetriedTextKeepsIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Server.Fail["comment"] = ErrUnreachable
	s.Keys("enter", "c", `"text`, "ctrl+s")
	first := OneDraft(t, s).Key
	s.Keys("ctrl+s")
	if again := OneDraft(t, s).Key; again != first || first == "" {
		t.Errorf("keys %q and %q", first, again)
	}
	s.Keys(`"!`, "ctrl+s")
	if other := OneDraft(t, s).Key; other == first {
		t.Error("another text has the same key")
	}
}

func TestQuittingWaitsForTheJournal(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("c", `"first`)
	s.Press(`" second`)
	s.Press(`" third`)
	s.Press("ctrl+c")
	if s.Quit {
		t.Fatal("it quit before the text was in the journal")
	}
	s.Drain()
	if got := OneDraft(t, s).Text; got != "first second third" || !s.Quit {
		t.Errorf("quit %v, the journal has %q", s.Quit, got)
	}
}

// ctrl+x discards a text immediately, like X, and u restores it.
func TestDiscardText(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("c", `"text`, "ctrl+x")
	s.Want(t, "!text█", "dropped: u brings it back")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
	s.Keys("u", "c")
	s.Want(t, "text█")
	s.Keys("esc", "c", "esc", "n", "r", "ctrl+x")
	s.Want(t, "!dropped")
}

func TestJournalErrorIsReported(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Journal.Fail = errors.New("disk full")
	s.Keys("c", `"text`)
	s.Want(t, "not kept on disk: disk full")
}

func TestUnsentTextsAreOfferedAtStart(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, About: "comment on the change request", Text: "from yesterday", Key: "k"}
	if err := s.Journal.Save(d); err != nil {
		t.Fatal(err)
	}
	s.Open(80, 24)
	s.Want(t, "you have drafts that are not sent: p")
	s.Keys("p")
	s.Want(t, "from yesterday")
	s.Keys("enter")
	s.Want(t, "from yesterday█")
}

func TestThreadActions(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("enter", "n", "x", "3", "x", "+", "2", "+", "1", "j", "j", "j", "+", "3", "e", `"!`, "ctrl+s")
	want := []string{
		"update-comment c_1 resolved true declined", "update-comment c_1 resolved false", "update-comment c_1👎",
		"update-comment c_1👍", "update-reply c_1/r_1🎉", "update-reply c_1/r_1 text Yes.!",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheAuthorEdits(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("enter", "n", "e")
	s.Want(t, "only its author")
}

// A failing editor is not reported as a connection failure, and the text is kept.
func TestEditorError(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.EditorErr = errors.New("no editor: set VISUAL or EDITOR")
	s.Keys("enter", "]", "c", `"Words.`, "ctrl+e")
	s.Want(t, "Words.", "no editor: set VISUAL or EDITOR", "!offline")
}

func TestCommentOnBlockUnderCursor(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("enter", "]", "c", "ctrl+e", "ctrl+s")
	s.Keys(":", `"on the page`, "enter", `"whole`, "ctrl+s", "S", "ctrl+s")
	want := []string{"submit  of r_7\n  p_quick/ at r_7: whole\n  p_quick/b_1 at r_7: from the editor"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// A removed text cannot be commented on, but its page can.
func TestCommentOnRemovedText(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("enter", "/", `"Old words`, "enter", "c")
	s.Want(t, "this text is gone; comment on the new text, or on the page")
	s.Keys(":", `"on the page`, "enter", `"why`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/ at r_7: why"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestFailedWriteIsReported(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Server.Fail["update-comment"] = api.Errorf(403, api.ReasonForbidden, "Only its author may resolve it.")
	s.Keys("enter", "n", "x", "enter")
	s.Want(t, "not allowed: Only its author may resolve it.", "● open Grace")
}

func TestMergeNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("m", "y", "enter")
	s.Want(t, "you did not type yes")
	s.Keys("m", "esc")
	if len(s.Server.Writes) != 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "✓ merged into the space")
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestPendingMergeIsNotLeft(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("m", `"yes`)
	s.Press("enter")
	s.Run(0) // confirmed; the merge is pending
	s.Press("esc")
	s.Want(t, "has not answered yet", "Changed pages")
	s.Drain()
	s.Want(t, "✓ merged into the space")
	s.Keys("esc")
	s.Want(t, "[OPEN]")
}

func TestConflictDecisionsAreApplied(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.EditorText = " by day"
	s.Keys("m", `"yes`, "enter", "A")
	s.Want(t, "2 conflicts not decided yet; decide all the rest", "as in the space: 2 conflicts")
	s.Keys("esc")
	s.Want(t, "A apply (2 open)", "[-15-]{+10+}", "(Deleted)", "paragraph 1, sentence 2 of 3", "Then write it down.", "in your request  #2, you, 3h ago")
	s.Keys("3", "2", "A")
	s.Want(t, "✓ updated with your decisions", "Changed pages")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=text by day,x_2=theirs"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestKeepBothSides(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Keys("m", `"yes`, "enter", "n", "4")
	s.Want(t, "this conflict takes another answer: 1, 2")
	s.Keys("1", "4")
	s.Want(t, "✓ 4 It is as both says.", "Answer within 10 minutes. Answer within 25 minutes")
	s.Keys("A")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=both,x_2=ours"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestChangesSinceLastReview(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("d")
	s.Want(t, "you have not reviewed it: all of it is new to you", "Changed pages (3)")
	s = StartPrepared(ReviewOptions, 100, 40, func(s *Screen) { s.Server.Reviewed = true })
	s.Want(t, "Changed pages (3)", "Quick start")
	s.Keys("d")
	s.Want(t, "Changed since your last review (1)", "Power and battery")
	s.Keys("enter")
	s.Want(t, "(1 of 1)", "since your last review", "[-Old-]")
	s.Keys("esc", "d")
	s.Want(t, "Changed pages (3)")
}

func TestAgesAreRefreshed(t *testing.T) {
	t.Parallel()
	now := Clock
	o := ReviewOptions
	o.Now = func() time.Time { return now }
	s := Start(o, 100, 40)
	s.Want(t, "last change 2h ago")
	now = now.Add(time.Hour)
	s.Send(TimeMsg{})
	s.Want(t, "last change 3h ago")
}

func TestDecisionsSurviveRejectedUpdate(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Keys("m", `"yes`, "enter", "3", "1")
	s.Server.Fail["pull"] = ErrUnreachable
	s.Keys("A")
	s.Want(t, "offline", "✓ 1 It is as ours says.", "✓ 3 It is as text says.", "from the editor")
	delete(s.Server.Fail, "pull")
	s.Keys("A")
	s.Want(t, "✓ updated with your decisions")
}

func TestDecisionTextSurvivesExit(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{ConflictResult(), ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.EditorText = "worded with care"
	s.Keys("m", `"yes`, "enter", "3", "esc") // leave the page
	if OneDraft(t, s).Text != s.EditorText {
		t.Error("the text is not in the journal")
	}
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "1 decided", "worded with care")
	s.Keys("G", "1", "A")
	s.Want(t, "✓ updated with your decisions")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

func TestContentStaysWhenServerIsUnreachable(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Server.Fail["*"] = ErrUnreachable
	s.Keys("R")
	s.Want(t, "Quick start", "offline, as of just now")
	delete(s.Server.Fail, "*")
	s.Keys("R")
	s.Want(t, "Quick start", "!offline")
}

func TestSearchInPage(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 20)
	s.Keys("enter", "V", "V")
	s.Want(t, "result")
	s.Keys("/", `"open`, "enter")
	s.Want(t, "▌ ┃ ● open")
	s.Keys("n", "n")
	s.Want(t, "▌ 1. Open the box", "!n open thread")
	s.Keys("N", "N", "N")
	s.Want(t, "Do not open it")
	s.Keys("esc")
	s.Want(t, "(1 of 3)")
}

func TestListFilterAndPalette(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Keys("/", `"quick`, "enter")
	s.Want(t, "▌ │ Quick start", "!Welcome")
	s.Keys("enter")
	s.Want(t, "Plug the gateway in")
	s.Keys("esc", "esc")
	s.Want(t, "Welcome")
	s.Keys(":", `"change requests of`, "enter")
	s.Want(t, "[OPEN]")
}

func TestPasteIsText(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys("c")
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("one\r\ntwo\x1b[31m"), Paste: true})
	s.Drain()
	s.Want(t, "one", "two█", "!31m")
	s.Keys("esc")
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
	if s.Drain(); s.Quit {
		t.Error("pasting q quit")
	}
}

func TestServerTextIsSanitized(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\u0085"
	for _, o := range []Options{{}, {Organization: "o_1"}, {Space: "s_1"}, ReviewOptions} {
		s := NewScreen(o)
		s.Server.Fail["page"] = api.Errorf(422, api.ReasonInvalid, "%s", evil).WithHint("%s", evil)
		s.Server.CommentList[2].Body.Markdown = evil
		s.Server.CommentList[2].PostedBy.DisplayName = evil
		s.Server.Trees["cr_2"][1].Title = evil
		s.Open(200, 50)
		for _, key := range []string{"", "enter", "C"} {
			if key != "" {
				s.Keys(key)
			}
			if strings.ContainsAny(s.View(), "\x1b\x07\u202e\u0085") {
				t.Errorf("%+v %q: %q", o, key, s.View())
			}
		}
	}
}

// Keys typed faster than they are read arrive as one message. Pasted text does not run actions.
func TestJoinedKeysAreSplit(t *testing.T) {
	t.Parallel()
	apart, together, pasted := Start(Options{}, 80, 24), Start(Options{}, 80, 24), Start(Options{}, 80, 24)
	first := apart.View()
	apart.Keys("j", "j", "b")
	together.Keys(`"jjb`)
	if diff := cmp.Diff(apart.View(), together.View()); diff != "" || together.View() == first {
		t.Errorf("one by one (-) and together (+):\n%s", diff)
	}
	pasted.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjc"), Paste: true})
	pasted.Drain()
	if diff := cmp.Diff(first, pasted.View()); diff != "" {
		t.Errorf("a paste did something:\n%s", diff)
	}
}

// Text typed before the composer is open does not run actions, and neither do keys that arrive in one message.
func TestTypeAheadIsText(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"one by one": {"c", "m", " ", "X", "x", "ctrl+s"}, "together": {`"cm Xx`, "ctrl+s"}, "on words": {"v", "v", "c", `"m Xx`, "ctrl+s"},
	} {
		s := Start(ReviewOptions, 120, 60)
		s.Keys("enter", "]")
		for _, key := range typed {
			s.Press(key)
		}
		s.Drain()
		if s.Want(t, "┆ m Xx", "1 draft not sent"); len(s.Server.Writes) > 0 {
			t.Errorf("%s: wrote %q", name, s.Server.Writes)
		}
	}
}

// An answer typed before the question is shown is not interpreted as keys for copy, edit and suggest.
func TestTypeAheadAnswersQuestion(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	for _, key := range []string{"m", "y", "e", "s", "enter"} {
		s.Press(key)
	}
	s.Drain()
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" || s.Copied != "" {
		t.Errorf("copied %q, and wrote %s", s.Copied, diff)
	}
}

// Text typed for a composer that cannot open is dropped. esc closes a composer before it is open.
func TestTypeAheadIsDroppedOnFailure(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	s.Keys("enter", "]")
	s.Press("c")
	s.Press("esc")
	s.Press("n")
	s.Drain()
	s.Want(t, "!comment on")
	d := NewReviewer(t)
	one, other := d.DraftReview(), d.OpenScreen()
	one.Keys("/", `"On a block.`, "enter", "esc", "e")
	other.Keys("enter", "/", `"On a block.`, "enter", "esc")
	for _, key := range []string{"e", "X", "x"} {
		other.Press(key)
	}
	other.Drain()
	other.Want(t, "being written on another screen of yours", "┆ On a block.", "3 drafts not sent")
}
