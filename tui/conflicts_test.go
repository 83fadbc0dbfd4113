package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// A decision goes on to the next conflict that is open, and can be taken back, with the text that was written for it.
func TestDecisionsCanBeUndone(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 60)
	s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.edited = " by day"
	s.keys("m", `"yes`, "enter", "u")
	s.want(t, "nothing is decided yet")
	s.left = true
	s.keys("3")
	s.want(t, "0 decided", "nothing was saved, and nothing decided")
	s.left = false
	s.keys("2", "1")
	s.want(t, "2 decided")
	s.keys("u", "u", "3")
	s.want(t, "1 decided", "by day")
	s.keys("u")
	s.want(t, "0 decided")
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
	s.keys("1", "2", "A")
	s.want(t, "✓ updated with your decisions")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=ours,x_2=theirs"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// When others stand in the place of a conflict that was decided, they are shown, and what was decided of the rest stays.
func TestWhatStandsInThePlaceOfADecidedConflict(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 60)
	now := conflicting()
	now.Conflicts[0].ID, now.Conflicts[0].Place = "x_3", "paragraph 1, sentence 3 of 4"
	s.fake.outcome = []api.MergeResult{conflicting(), now, {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "1", "2")
	gone := api.InvalidField("resolutions[0].conflict", "is not there any more")
	gone.Fields[0].Conflict = "x_3"
	s.fake.once["pull"] = gone
	s.keys("A")
	s.want(t, "sentence 3 of 4", "1 decided")
	s.keys("g", "n", "1", "A")
	s.want(t, "✓ updated with your decisions")
}

// What the server says of each kind of conflict can be read and decided: its own test made the answer.
func TestEveryKindOfConflictOnTheScreen(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "server", "app", "review", "testdata", "conflicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list api.ConflictList
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	s := newStage(review)
	s.fake.outcome = []api.MergeResult{{Revision: "r_1", Result: api.OutcomeConflicts, Conflicts: list.Conflicts}}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(100, 500))
	s.settle()
	s.keys("m", `"yes`, "enter")
	screen := s.screen()
	golden(t, "conflicts-kinds.txt", strings.TrimRight(screen, " \n"))
	if found := regexp.MustCompile(`\b[a-z]{1,4}_[0-9a-z]{8,}|[0-9a-z]{32,}|\{"`).FindString(screen); found != "" {
		t.Errorf("the screen shows %q", found)
	}
}

// Who decides reads what was said about the place, and how it will read; the thread is one key away.
func TestAConflictShowsItsThreadsAndItsResult(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	s.fake.outcome = []api.MergeResult{conflicting()}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
	s.keys("m", `"yes`, "enter")
	s.want(t, "conflict 1 of 2 · 0 decided", "Threads on this paragraph", "“How long is that?”", "!as it will read")
	s.keys("4")
	s.want(t, "┄┄ as it will read", "Keep the phone on. Answer within 10 minutes. Answer within 25 minutes at night.", "conflict 2 of 2 · 1 decided")
	s.keys("k", "enter")
	s.want(t, "about “until the light is green”")
	s.keys("esc")
	s.want(t, "1 decided")
}

// Paragraphs that both sides put in the same place stay paragraphs where the result is shown.
func TestTheResultOfAConflictKeepsItsParagraphs(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	both := conflicting()
	both.Conflicts[0].Theirs.Value, both.Conflicts[0].Theirs.Runs = "One.\n\nTwo.", nil
	both.Conflicts[0].Ours.Runs = []api.TextRun{{Change: api.TextSame, Text: "Three."}, {Change: api.TextAdded, Text: "\n\nFour."}}
	both.Conflicts[0].Kind, both.Conflicts[0].Proposed = "inserted", new("Ask Piet for the key.\n\nIt hangs behind the door.")
	s.fake.outcome = []api.MergeResult{both}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 60))
	s.settle()
	s.keys("m", `"yes`, "enter", "4")
	s.want(t, "│ One.", "│ Two.", "│ Three.", "│ {+Four.+}", "!key. It", "!Keep the phone on. Ask")
	_, result, _ := strings.Cut(s.screen(), "as it will read")
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

// A place where a paragraph was moved to is no text that will be read.
func TestAMoveHasNoResultToRead(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	both := conflicting()
	both.Conflicts[0].Kind, both.Conflicts[0].Before, both.Conflicts[0].After = "moved", "", ""
	s.fake.outcome = []api.MergeResult{both}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 60))
	s.settle()
	s.keys("m", `"yes`, "enter", "1")
	s.want(t, "1 decided", "!as it will read")
}

// All the rest is decided before the next key, however fast that comes.
func TestTheRestIsDecidedBeforeTheNextKey(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 60)
	s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	s.keys("m", `"yes`, "enter", "!")
	s.press("2")
	s.press("A")
	s.settle()
	s.want(t, "✓ updated with your decisions")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=theirs,x_2=theirs"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// What was decided is there when the conflicts are opened again, here or after the screen was ended, until it is applied.
func TestDecisionsAreKept(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.fake.outcome = []api.MergeResult{conflicting(), conflicting()}
	s.edited = " by day"
	s.keys("m", `"yes`, "enter", "3", "esc")
	s.want(t, "1 decision kept; A on the conflicts applies it")
	s.keys("m", `"yes`, "enter")
	s.want(t, "1 of 2 decided, kept from before", "conflict 2 of 2")
	s.press("1")
	s.press("ctrl+c")

	again := review
	again.Drafts = s.drafts
	next := start(again, 120, 60)
	next.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	next.keys("m", `"yes`, "enter")
	next.want(t, "2 of 2 decided, kept from before", "by day")
	next.keys("q")
	next.want(t, "2 decisions kept; A applies them. q again quits")
	next.keys("A")
	next.want(t, "✓ updated with your decisions", "!kept")
	if diff := cmp.Diff([]string{"merge ", "pull x_1=text by day,x_2=ours"}, next.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}

// A decision that was kept can be taken back, and is gone then.
func TestAKeptDecisionIsUndone(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.fake.outcome = []api.MergeResult{conflicting(), conflicting(), conflicting()}
	s.keys("m", `"yes`, "enter", "1", "esc", "m", `"yes`, "enter", "u")
	s.want(t, "0 of 2 decided")
	s.keys("esc")
	s.want(t, "!kept")
	s.keys("m", `"yes`, "enter")
	s.want(t, "0 of 2 decided", "!kept")
}

// What was decided of a conflict that is another one now is dropped with a word; what was written for it can be fetched back.
func TestDecisionsOfOtherConflictsAreDropped(t *testing.T) {
	t.Parallel()
	s := start(review, 160, 60)
	now := conflicting()
	now.Conflicts[0].ID = "x_3"
	s.fake.outcome = []api.MergeResult{conflicting(), now, conflicting()}
	s.edited = " by day"
	s.keys("m", `"yes`, "enter", "3", "1", "esc", "m", `"yes`, "enter")
	s.want(t, "1 of 2 decided, kept from before; 1 decision dropped, as what it was about has changed; p has what you wrote, for a week")
	if len(s.drafts.shelf.dropped) != 1 || s.drafts.shelf.dropped[0].Draft.Text != " by day" {
		t.Errorf("dropped: %v", s.drafts.shelf.dropped)
	}
	s.keys("esc", "m", `"yes`, "enter")
	s.want(t, "1 of 2 decided, kept from before", "!dropped")
}

// An answer for all the rest that some conflicts do not take names one that it leaves open.
func TestTheRestThatTakesAnotherAnswerIsNamed(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	now := conflicting()
	now.Conflicts[1].AttributeLabel, now.Conflicts[1].Answers = "Address", []api.ConflictAnswer{{Take: api.TakeTheirs}, {Take: api.TakeText}}
	s.fake.outcome = []api.MergeResult{now}
	s.keys("m", `"yes`, "enter", "!")
	s.want(t, "as in the space: 1 conflict; 1 has no such answer: the address of “Old page”", "as in the request: 2 conflicts")
	s.keys("1")
	s.want(t, "1 of 2 decided")
}

// What was decided at once is taken back at once, here and on disk, and what was decided before stays.
func TestTheRestIsUndoneAtOnce(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 60)
	three := conflicting()
	more := three.Conflicts[1]
	more.ID = "x_3"
	three.Conflicts = append(three.Conflicts, more)
	s.fake.outcome = []api.MergeResult{three}
	s.keys("m", `"yes`, "enter", "2", "!", "1")
	s.want(t, "3 decided")
	s.keys("u")
	s.want(t, "1 decided", "▌ ● open 2 of 3")
	if len(s.drafts.all) != 1 {
		t.Errorf("the journal has %v", s.drafts.all)
	}
	s.keys("u")
	s.want(t, "0 decided")
}

// Decisions that are kept are named where the conflicts are not shown: by their check, at the end, and at the next start.
func TestKeptDecisionsAreNamed(t *testing.T) {
	t.Parallel()
	blocked := func(s *stage) {
		s.fake.gates = []api.MergeGate{{Rule: api.GateConflicts, State: api.GateAdvice, Message: "2 conflicts to decide."}}
		s.fake.outcome = []api.MergeResult{conflicting(), {Revision: "r_3", Result: api.OutcomeUpdate}}
	}
	s := opens(review, 90, 60, blocked)
	s.want(t, "2 conflicts to decide", "!decided, not applied", "!kept")
	s.keys("m", `"yes`, "enter", "1", "esc")
	s.want(t, "1 decided, not applied")
	s.keys("esc", "q")
	s.want(t, "1 decision of a conflict is kept, not applied. q again quits")

	again := review
	again.Drafts = s.drafts
	s = opens(again, 90, 60, blocked)
	s.want(t, "1 decision of a conflict is kept, not applied", "1 decided, not applied")
	s.keys("m", `"yes`, "enter")
	s.want(t, "1 of 2 decided, kept from before")
	s.keys("1", "q")
	s.want(t, "2 decisions kept; A applies them. q again quits", "!not applied")

	s = opens(again, 90, 60, blocked)
	s.want(t, "2 decisions of conflicts are kept, not applied", "2 decided, not applied")
	s.keys("m", `"yes`, "enter", "A")
	s.want(t, "✓ updated with your decisions", "!decided, not applied")
	if kept := s.model.unsent(); len(kept) > 0 {
		t.Errorf("it still says %v", kept)
	}
}

// Decisions of a request that somebody else has merged are of no use any more: they are not named at every start.
func TestDecisionsOfWhatIsMergedAreDropped(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.fake.outcome = []api.MergeResult{conflicting()}
	s.keys("m", `"yes`, "enter", "1", "esc")
	s.want(t, "1 decision kept")
	s.fake.status = api.StatusMerged
	s.keys("R", "q")
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}
