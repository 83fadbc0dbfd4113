package drafts_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/tuitest"
)

// sendReview submits to a server with random failures and ends the screen at a random step.
func sendReview(t *rapid.T, e *tuitest.Reviewer, s *tuitest.Screen) {
	refusal := api.InvalidField("drafts[0].body", "is refused")
	delete(e.Server.Fail, "submit")
	e.Server.LoseResponses = false
	switch rapid.IntRange(0, 3).Draw(t, "server") {
	case 0:
		e.Server.Fail["submit"] = tuitest.ErrUnreachable
	case 1:
		e.Server.Fail["submit"] = refusal
	case 2:
		e.Server.LoseResponses = true
	}
	s.Keys("S")
	s.Press("ctrl+s")
	for range rapid.IntRange(0, 12).Draw(t, "until") {
		if len(s.Queued) > 0 {
			s.Run(rapid.IntRange(0, len(s.Queued)-1).Draw(t, "answer"))
		}
	}
}

// checkTexts checks that each text is stored exactly once.
func checkTexts(t *rapid.T, e *tuitest.Reviewer, written []string) {
	all, err := e.Dir.All()
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := e.Dir.Dropped(e.Now)
	if err != nil {
		t.Fatal(err)
	}
	posted := strings.Join(e.Server.Writes, "\n")
	for _, said := range written {
		n, kept := strings.Count(posted, said), 0
		for _, draft := range all {
			kept += strings.Count(draft.Text, said)
		}
		for _, gone := range dropped {
			kept += strings.Count(gone.Draft.Text, said)
		}
		if n > 1 || n+kept == 0 {
			t.Fatalf("%q was posted %d times, and is kept %d times: %q", said, n, kept, posted)
		}
	}
	if frozen, err := e.Dir.Frozen(); err != nil || len(frozen) > 0 {
		t.Fatalf("on its way still: %v, %v", frozen, err)
	}
}

// TestTextsAreStoredExactlyOnce checks that each text is posted once, journaled or restorable: texts are written, discarded and
// sent to a server that is unreachable, rejects writes or loses responses, by screens that end at any step.
func TestTextsAreStoredExactlyOnce(t *testing.T) {
	t.Parallel()
	directory := t.TempDir
	rapid.Check(t, func(t *rapid.T) {
		d := &tuitest.Reviewer{Server: tuitest.NewServer(), Dir: drafts.Dir(directory()), Now: tuitest.Clock}
		var written []string
		for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
			s := d.OpenSmallScreen()
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				s.Keys("S", "j", "j", "X")
			case 1, 2:
				sendReview(t, d, s)
			default:
				said := fmt.Sprintf("Text %d.", i)
				written = append(written, said)
				s.Keys("enter")
				for range rapid.IntRange(0, 2).Draw(t, "block") {
					s.Keys("]")
				}
				s.Keys("c")
				if !strings.Contains(s.View(), "█") { // a draft on this row is being sent
					written = written[:len(written)-1]
					continue
				}
				s.Keys(`"`+said, rapid.SampledFrom([]string{"ctrl+s", "esc", "ctrl+t"}).Draw(t, "end"))
			}
		}
		clear(d.Server.Fail)
		d.Server.LoseResponses = false
		d.OpenSmallScreen()
		checkTexts(t, d, written)
	})
}
