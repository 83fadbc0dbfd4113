package tui_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// textOpeners are the keys that open a text field.
var textOpeners = []string{"c", "r", "s", "v", "e", "w", "i"}

// isConsequential reports whether a write changes what readers see, deletes, sends or applies something. Changes of a thread
// that are chosen from a list, its outcome, place, weight and reactions, can be undone.
func isConsequential(write string) bool {
	verb, rest, _ := strings.Cut(write, " ")
	edits := verb == "update-comment" && strings.Contains(rest, " text ")
	return edits || !slices.Contains([]string{"ask", "create-request", "read", "reattach", "update-comment"}, verb)
}

// pick returns a random element.
func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// randomSentence returns English words with digits, punctuation and line breaks.
func randomSentence(r *rand.Rand) string {
	words := []string{
		"my", "question", "is", "where", "yes", "no", "merge", "quickly", "A", "X", "Apply", "a1", "3", "2.", "why?", "U", "m", "y", "!",
		"the", "gateway", "warns", "(twice)", "3:45", "don't", "publish", "delete", "rollback,", "S", "=", "#7", "100 %", "it's", "q",
		"“so”", "I", "ok.", "R", "V", "H", "over-all", "/etc", "e.g.",
	}
	var b strings.Builder
	for i := range 2 + r.IntN(14) {
		if i > 0 {
			b.WriteString(pick(r, " ", " ", " ", " ", "\n", "\n\n"))
		}
		b.WriteString(pick(r, words...))
	}
	return b.String()
}

// randomState returns a screen in a random state: the authors of the request and of the threads, open or closed, drafts,
// offline, read-only, an unwritable disk; the cursor is on a random row. description names the state.
func randomState(r *rand.Rand) (s *typingScreen, description string) {
	var words []string
	does := func(name string, one int, do func()) {
		if r.IntN(one) == 0 {
			words = append(words, name)
			do()
		}
	}
	page := r.IntN(4)
	options := []tui.Options{tuitest.ReviewOptions, tuitest.ReviewOptions, {Space: "s_1"}, tuitest.InboxOptions}[page]
	words = append(words, []string{"request", "request", "space", "inbox"}[page])
	s = &typingScreen{now: tuitest.Clock}
	options.Now = func() time.Time { return s.now }
	s.delayMessages(&options)
	s.Screen = tuitest.NewScreen(options)
	f := s.Server
	does("suggestions", 2, func() { tuitest.AddSuggestions(s.Screen) })
	does("approved", 2, func() { f.Approved = true })
	does("own", 2, func() { tuitest.OwnChangeRequest(s.Screen) })
	does("own threads", 3, func() {
		for i := range f.CommentList {
			f.CommentList[i].PostedBy = tuitest.UserAda
		}
	})
	does("closed", 4, func() { f.Status = pick(r, api.StatusMerged, api.StatusArchived) })
	does("drafts", 3, func() {
		at := remote.Target{Space: "s_1", ChangeRequest: "cr_2"}
		tuitest.AddDrafts(s.Screen, drafts.Draft{Target: at, Page: "p_quick", Node: "b_1", About: "x", Text: "A draft."},
			drafts.Draft{Target: at, Comment: "c_1", About: "y", Text: "A reply."})
	})
	s.Open(120, 60)
	start := pick(r, startSequences...)
	for _, key := range start {
		s.wait(time.Second)
		s.Keys(key)
	}
	words = append(words, strings.Join(start, " "))
	for range r.IntN(20) {
		key := pick(r, "down", "down", "up", "n", "]", "pgdown", "C", "esc", "right", "J")
		s.wait(time.Second)
		s.Keys(key)
		words = append(words, key)
	}
	does("offline", 6, func() { f.Fail["*"] = tuitest.ErrUnreachable })
	does("forbidden", 8, func() { f.Fail["*"] = api.Errorf(403, api.ReasonForbidden, "No.") })
	does("gone", 8, func() { f.Fail["*"] = api.NotFound() })
	does("read-only", 6, func() { f.ReadOnly = true })
	does("unwritable disk", 6, func() { s.Journal.Fail = errors.New("no space left on device") })
	does("no locks", 8, func() { s.Journal.FailHold = errors.New("permission denied") })
	return s, strings.Join(words, ", ")
}

// typedResult describes the effects of a typed text.
type typedResult struct {
	writes  []string // writes outside of the field that was open
	ignored bool     // the screen reported that it ignores keys
	chosen  bool     // an overlay took keys: a choice or the selection of words
}

// observeTyping types a text and returns its effects.
func (s *typingScreen) observeTyping(text string) (result typedResult) {
	for _, r := range text {
		_, wasOpen := s.Model.FieldText()
		before := len(s.Server.Writes)
		result.chosen = result.chosen || s.Model.HasOverlay() && !wasOpen
		s.typeText(string(r))
		if !wasOpen || r != '\n' {
			result.writes = append(result.writes, s.Server.Writes[before:]...)
		}
		result.ignored = result.ignored || strings.Contains(s.View(), " ignored: ")
	}
	result.writes = slices.DeleteFunc(result.writes, func(w string) bool { return !isConsequential(w) })
	return result
}

// A sentence typed after a key that opens a text field is in the field, or the screen reports that it was ignored. It causes no
// writes, except by the end of a line in a field of one line.
func TestTextAfterFieldKeyCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "typing", 150, 10_000)
	outcomes := map[string]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		s, state := randomState(r)
		for _, open := s.Model.FieldText(); open || s.Model.HasOverlay(); _, open = s.Model.FieldText() {
			s.wait(time.Second)
			s.Keys("esc")
		}
		key, sentence := pick(r, textOpeners...), randomSentence(r)
		s.wait(time.Second)
		edits := s.EditorStarts
		s.Press(key)
		if r.IntN(2) == 0 { // otherwise the responses come after the first keys
			s.Drain()
		}
		result := s.observeTyping(sentence)
		text, open := s.Model.FieldText()
		outcome := ""
		switch {
		case len(result.writes) > 0:
			t.Errorf("run %d (%s): %s, then %q wrote %q\n%s", i, state, key, sentence, result.writes, s.View())
		case s.Quit:
			t.Errorf("run %d (%s): %s, then %q quit", i, state, key, sentence)
		case open && strings.Contains(text, sentence):
			outcome = "in the field"
		case result.ignored:
			outcome = "ignored"
		case s.EditorStarts != edits:
			outcome = "in an editor"
		case result.chosen:
			outcome = "chosen with " + key
		default:
			t.Errorf("run %d (%s): %s, then %q: the field has %q, %v\n%s", i, state, key, sentence, text, open, s.View())
		}
		if t.Failed() {
			return
		}
		outcomes[outcome]++
	}
	t.Log(outcomes)
	if outcomes["in the field"] < runs/10 || outcomes["ignored"] < runs/10 {
		t.Error("few texts stand in fields, or few are ignored")
	}
}

// TestTypedTextHasNoEffectCampaign checks that sentences typed anywhere merge, roll back, delete, publish, send and apply
// nothing, and do not end the screen.
func TestTypedTextHasNoEffectCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "typing", 150, 10_000)
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		s, state := randomState(r)
		s.wait(time.Second)
		for range 1 + r.IntN(3) {
			sentence := randomSentence(r)
			if result := s.observeTyping(sentence); len(result.writes) > 0 || s.Quit {
				t.Errorf("run %d (%s): %q wrote %q, quit %v\n%s", i, state, sentence, result.writes, s.Quit, s.View())
				return
			}
			s.wait(time.Duration(r.IntN(2000)) * time.Millisecond)
		}
	}
}
