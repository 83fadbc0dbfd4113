package screens_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

func TestConflictDecisionsAreApplied(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.EditorText = " by day"
	s.Keys("m", `"yes`, "enter", "A")
	s.Want(t, "2 conflicts not decided yet; decide all the rest", "as in the space: 2 conflicts")
	s.Keys("esc")
	s.Want(t, "A apply (2 open)", "[-15-]{+10+}", "(Deleted)", "paragraph 1, sentence 2 of 3", "Then write it down.",
		"in your request  #2, you, 3h ago")
	s.Keys("3", "2", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions", "Changed pages")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=text by day,x_2=theirs"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestKeepBothSides(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Keys("m", `"yes`, "enter", "n", "4")
	s.Want(t, "this conflict takes another answer: 1, 2")
	s.Keys("1", "4")
	s.Want(t, "✓ 4 It is as both says.", "Answer within 10 minutes. Answer within 25 minutes")
	s.Keys("A", "tab", "enter")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=both,x_2=ours"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestDecisionsSurviveRejectedUpdate(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Keys("m", `"yes`, "enter", "3", "1")
	s.Server.Fail["pull"] = tuitest.ErrUnreachable
	s.Keys("A", "tab", "enter")
	s.Want(t, "offline", "✓ 1 It is as ours says.", "✓ 3 It is as text says.", "from the editor")
	delete(s.Server.Fail, "pull")
	s.Keys("A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
}

func TestDecisionTextSurvivesExit(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Server.MergeResults = []api.MergeResult{
		tuitest.ConflictResult(), tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate},
	}
	s.EditorText = "worded with care"
	s.Keys("m", `"yes`, "enter", "3", "esc") // leave the page
	if tuitest.OneDraft(t, s).Text != s.EditorText {
		t.Error("the text is not in the journal")
	}
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "1 decided", "worded with care")
	s.Keys("G", "1", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

// TestUndoDecision checks that a decision moves the cursor to the next open conflict, and can be undone together with its text.
func TestUndoDecision(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.EditorText = " by day"
	s.Keys("m", `"yes`, "enter", "u")
	s.Want(t, "nothing is decided yet")
	s.Unchanged = true
	s.Keys("3")
	s.Want(t, "0 decided", "nothing was saved, and nothing decided")
	s.Unchanged = false
	s.Keys("2", "1")
	s.Want(t, "2 decided")
	s.Keys("u", "u", "3")
	s.Want(t, "1 decided", "by day")
	s.Keys("u")
	s.Want(t, "0 decided")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
	s.Keys("1", "2", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=ours,x_2=theirs"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestReplacedConflictIsShown checks that the conflicts that replace a decided one are shown, and that all other decisions are
// kept.
func TestReplacedConflictIsShown(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	now := tuitest.ConflictResult()
	now.Conflicts[0].ID, now.Conflicts[0].Place = "x_3", "paragraph 1, sentence 3 of 4"
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Server.ConflictList = now.Conflicts
	s.Keys("m", `"yes`, "enter", "1", "2")
	gone := api.InvalidField("resolutions[0].conflict", "is not there any more")
	gone.Fields[0].Conflict = "x_3"
	s.Server.FailOnce["pull"] = gone
	s.Keys("A", "tab", "enter")
	s.Want(t, "sentence 3 of 4", "1 decided")
	s.Keys("g", "n", "1", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
}

// TestAllConflictKinds checks that the conflicts of all kinds are drawn. The input was recorded by a test of the server.
func TestAllConflictKinds(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "server", "app", "review", "testdata", "conflicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list api.ConflictList
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.MergeResults = []api.MergeResult{{Revision: "r_1", Result: api.OutcomeConflicts, Conflicts: list.Conflicts}}
	s.Open(100, 500)
	s.Keys("m", `"yes`, "enter")
	screen := s.View()
	tuitest.Golden(t, "conflicts-kinds.txt", strings.TrimRight(screen, " \n"))
	if found := regexp.MustCompile(`\b[a-z]{1,4}_[0-9a-z]{8,}|[0-9a-z]{32,}|\{"`).FindString(screen); found != "" {
		t.Errorf("the screen shows %q", found)
	}
}

// TestConflictShowsThreadsAndResult checks that the page of a conflict shows the threads on the passage and the resulting text,
// and links to the threads.
func TestConflictShowsThreadsAndResult(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult()}
	s.Open(120, 40)
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "conflict 1 of 2 · 0 decided", "Threads on this paragraph", "“How long is that?”", "!as it will read")
	s.Keys("4")
	s.Want(t, "┄┄ as it will read", "Keep the phone on. Answer within 10 minutes. Answer within 25 minutes at night.",
		"conflict 2 of 2 · 1 decided")
	s.Keys("k", "enter")
	s.Want(t, "about “until the light is green”")
	s.Keys("esc")
	s.Want(t, "1 decided")
}

// TestConflictResultKeepsParagraphs checks that paragraphs inserted by both sides at the same position are separate paragraphs
// in the result.
func TestConflictResultKeepsParagraphs(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	both := tuitest.ConflictResult()
	both.Conflicts[0].Theirs.Value, both.Conflicts[0].Theirs.Runs = "One.\n\nTwo.", nil
	both.Conflicts[0].Ours.Runs = []api.TextRun{{Change: api.TextSame, Text: "Three."}, {Change: api.TextAdded, Text: "\n\nFour."}}
	both.Conflicts[0].Kind, both.Conflicts[0].Proposed = "inserted", new("Ask Piet for the key.\n\nIt hangs behind the door.")
	s.Server.MergeResults = []api.MergeResult{both}
	s.Open(120, 60)
	s.Keys("m", `"yes`, "enter", "4")
	s.Want(t, "│ One.", "│ Two.", "│ Three.", "│ {+Four.+}", "!key. It", "!Keep the phone on. Ask")
	_, result, _ := strings.Cut(s.View(), "as it will read")
	var read []string
	for _, line := range strings.Split(result, "\n")[1:8] {
		_, line, _ = strings.Cut(line, "│")
		read = append(read, strings.TrimSpace(line))
	}
	want := []string{"Keep the phone on.", "", "Ask Piet for the key.", "", "It hangs behind the door.", "", "Then write it down."}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Error(diff)
	}
}

func TestMoveConflictHasNoResultText(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	both := tuitest.ConflictResult()
	both.Conflicts[0].Kind, both.Conflicts[0].Before, both.Conflicts[0].After = "moved", "", ""
	s.Server.MergeResults = []api.MergeResult{both}
	s.Open(120, 60)
	s.Keys("m", `"yes`, "enter", "1")
	s.Want(t, "1 decided", "!as it will read")
}

// TestBulkDecisionPrecedesNextKey checks that all remaining conflicts are decided before the next key is handled.
func TestBulkDecisionPrecedesNextKey(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.Keys("m", `"yes`, "enter", "!")
	s.Press("2")
	s.Press("A")
	s.Press("tab")
	s.Press("enter")
	s.Drain()
	s.Want(t, "✓ updated with your decisions")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=theirs,x_2=theirs"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestDecisionsAreRestored checks that decisions are restored when the conflicts or the screen are opened again, until they are
// applied.
func TestDecisionsAreRestored(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), tuitest.ConflictResult()}
	s.EditorText = " by day"
	s.Keys("m", `"yes`, "enter", "3", "esc")
	s.Want(t, "1 decision kept; A on the conflicts applies it")
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "1 of 2 decided, kept from before", "conflict 2 of 2")
	s.Press("1")
	s.Press("ctrl+c")

	again := tuitest.ReviewOptions
	again.Drafts = s.Journal
	next := tuitest.Start(again, 120, 60)
	next.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	next.Keys("m", `"yes`, "enter")
	next.Want(t, "2 of 2 decided, kept from before", "by day")
	next.Keys("q")
	next.Want(t, "2 decisions kept; A applies them. q again quits")
	next.Keys("A", "tab", "enter")
	next.Want(t, "✓ updated with your decisions", "!kept")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=text by day,x_2=ours"}, next.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

func TestUndoRestoredDecision(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), tuitest.ConflictResult(), tuitest.ConflictResult()}
	s.Keys("m", `"yes`, "enter", "1", "esc", "m", `"yes`, "enter", "u")
	s.Want(t, "0 of 2 decided")
	s.Keys("esc")
	s.Want(t, "!kept")
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "0 of 2 decided", "!kept")
}

// TestDecisionsForChangedConflictsAreDropped checks that a decision is dropped with a message if its conflict changed, and that
// its text can be restored.
func TestDecisionsForChangedConflictsAreDropped(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 160, 60)
	now := tuitest.ConflictResult()
	now.Conflicts[0].ID = "x_3"
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), now, tuitest.ConflictResult()}
	s.EditorText = " by day"
	s.Keys("m", `"yes`, "enter", "3", "1", "esc", "m", `"yes`, "enter")
	s.Want(t, "1 of 2 decided, kept from before; 1 decision dropped, as what it was about has changed; p has what you wrote, for a week")
	if dropped, err := s.Journal.Dropped(tuitest.Clock); err != nil || len(dropped) != 1 || dropped[0].Draft.Text != " by day" {
		t.Errorf("dropped: %v, %v", dropped, err)
	}
	s.Keys("esc", "m", `"yes`, "enter")
	s.Want(t, "1 of 2 decided, kept from before", "!dropped")
}

// TestBulkDecisionNamesSkippedConflict checks that the message of a bulk decision names a conflict that does not accept the
// answer for all remaining ones.
func TestBulkDecisionNamesSkippedConflict(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	now := tuitest.ConflictResult()
	now.Conflicts[1].AttributeLabel, now.Conflicts[1].Answers = "Address", []api.ConflictAnswer{
		{Take: api.TakeTheirs}, {Take: api.TakeText},
	}
	s.Server.MergeResults = []api.MergeResult{now}
	s.Keys("m", `"yes`, "enter", "!")
	s.Want(t, "as in the space: 1 conflict; 1 has no such answer: the address of “Old page”", "as in the request: 2 conflicts")
	s.Keys("1")
	s.Want(t, "1 of 2 decided")
}

// TestUndoBulkDecision checks that bulk decisions are undone at once, on screen and on disk, and that earlier decisions are
// kept.
func TestUndoBulkDecision(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	three := tuitest.ConflictResult()
	more := three.Conflicts[1]
	more.ID = "x_3"
	three.Conflicts = append(three.Conflicts, more)
	s.Server.MergeResults = []api.MergeResult{three}
	s.Keys("m", `"yes`, "enter", "2", "!", "1")
	s.Want(t, "3 decided")
	s.Keys("u")
	s.Want(t, "1 decided", "▌ ● open 2 of 3")
	if len(s.Journal.Drafts) != 1 {
		t.Errorf("the journal has %v", s.Journal.Drafts)
	}
	s.Keys("u")
	s.Want(t, "0 decided")
}

// TestUnappliedDecisionsAreListed checks that unapplied decisions are listed by their check, on exit, and at the next start.
func TestUnappliedDecisionsAreListed(t *testing.T) {
	t.Parallel()
	blocked := func(s *tuitest.Screen) {
		s.Server.Gates = []api.MergeGate{{Rule: api.GateConflicts, State: api.GateAdvice, Message: "2 conflicts to decide."}}
		s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 90, 60, blocked)
	s.Want(t, "2 conflicts to decide", "!decided, not applied", "!kept")
	s.Keys("m", `"yes`, "enter", "1", "esc")
	s.Want(t, "1 decided, not applied")
	s.Keys("esc", "q")
	s.Want(t, "1 decision of a conflict is kept, not applied. q again quits")

	again := tuitest.ReviewOptions
	again.Drafts = s.Journal
	s = tuitest.StartPrepared(again, 90, 60, blocked)
	s.Want(t, "1 decision of a conflict is kept, not applied", "1 decided, not applied")
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "1 of 2 decided, kept from before")
	s.Keys("1", "q")
	s.Want(t, "2 decisions kept; A applies them. q again quits", "!not applied")

	s = tuitest.StartPrepared(again, 90, 60, blocked)
	s.Want(t, "2 decisions of conflicts are kept, not applied", "2 decided, not applied")
	s.Keys("m", `"yes`, "enter", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions", "!decided, not applied")
	if session := s.Page().Base().Session; len(session.Unsent)+len(session.Decisions) > 0 {
		t.Errorf("it still has %v and %v", session.Unsent, session.Decisions)
	}
}

// TestDecisionsForMergedChangeRequestAreDropped checks that decisions for a change request that another user has merged are
// dropped and not shown at every start.
func TestDecisionsForMergedChangeRequestAreDropped(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult()}
	s.Keys("m", `"yes`, "enter", "1", "esc")
	s.Want(t, "1 decision kept")
	s.Server.Status = api.StatusMerged
	s.Keys("R", "q")
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

func TestSlugIsCheckedWhileTyping(t *testing.T) {
	t.Parallel()
	both := tuitest.ConflictResult()
	proposed := "old-page-2"
	both.Conflicts = both.Conflicts[:1]
	both.Conflicts[0].Kind, both.Conflicts[0].Attribute, both.Conflicts[0].Proposed = "slug", "slug", &proposed
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 60, func(s *tuitest.Screen) {
		s.Server.MergeResults = []api.MergeResult{both, {Revision: "r_3", Result: api.OutcomeUpdate}}
	})
	s.Keys("m", `"yes`, "enter", "3")
	s.Want(t, "Address", "old-page-2█", "!an address has", "ctrl+u empties")
	s.Keys(`" two`)
	s.Want(t, "Address  ! an address has no spaces, /, ?, # or \\")
	s.Keys("enter")
	s.Want(t, "0 decided", "an address has no spaces")
	s.Keys("backspace", "backspace", "backspace", "backspace", `"b`, "enter", "A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
	if !slices.Contains(s.Server.Writes, "pull x_1=textold-page-2b") {
		t.Errorf("wrote %q", s.Server.Writes)
	}
}

// TestDecisionsOfMovedHeadAreNotApplied checks that decisions on conflicts of a head that has moved are not applied, but kept
// for the present conflicts.
func TestDecisionsOfMovedHeadAreNotApplied(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult(), {Revision: "r_9", Result: api.OutcomeUpdate}}
	s.Server.ConflictList = tuitest.ConflictResult().Conflicts
	s.Keys("m", `"yes`, "enter", "1", "2")
	s.Server.Head = "r_8"
	s.Keys("A", "tab", "enter")
	s.Want(t, "your decisions are kept", "2 decided")
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Keys("A", "tab", "enter")
	s.Want(t, "✓ updated with your decisions")
}
