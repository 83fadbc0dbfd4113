package tui

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
)

// Texts are written, discarded and sent to a server that is unreachable, rejects writes or loses responses, by
// screens that end at any step. Each text is posted once, journaled or restorable.
func TestTextsAreStoredExactlyOnce(t *testing.T) {
	t.Parallel()
	directory := t.TempDir
	rapid.Check(t, func(t *rapid.T) {
		d := &reviewEnv{fake: newFake(), dir: drafts.Dir(directory()), now: clock}
		var written []string
		for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
			s := d.openSmall()
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				s.keys("S", "j", "j", "X")
			case 1, 2:
				sendReview(t, d, s)
			default:
				said := fmt.Sprintf("Text %d.", i)
				written = append(written, said)
				s.keys("enter")
				for range rapid.IntRange(0, 2).Draw(t, "block") {
					s.keys("]")
				}
				s.keys("c")
				if !strings.Contains(s.screen(), "█") { // a draft on this row is being sent
					written = written[:len(written)-1]
					continue
				}
				s.keys(`"`+said, rapid.SampledFrom([]string{"ctrl+s", "esc", "ctrl+t"}).Draw(t, "end"))
			}
		}
		clear(d.fake.fail)
		d.fake.loseResponses = false
		d.openSmall()
		checkTexts(t, d, written)
	})
}

// openSmall opens a screen that is cheap to draw.
func (e *reviewEnv) openSmall() *testScreen {
	o := reviewOptions
	o.Client, o.Drafts = e.fake.client(), e.dir
	o.NewKey = func() string { e.keys++; return fmt.Sprintf("key%d", e.keys) }
	o.Now = e.tick
	return start(o, 60, 20)
}

// sendReview submits to a server with random failures and ends the screen at a random step.
func sendReview(t *rapid.T, e *reviewEnv, s *testScreen) {
	refusal := api.InvalidField("drafts[0].body", "is refused")
	delete(e.fake.fail, "submit")
	e.fake.loseResponses = false
	switch rapid.IntRange(0, 3).Draw(t, "server") {
	case 0:
		e.fake.fail["submit"] = errUnreachable
	case 1:
		e.fake.fail["submit"] = refusal
	case 2:
		e.fake.loseResponses = true
	}
	s.keys("S")
	s.press("ctrl+s")
	for range rapid.IntRange(0, 12).Draw(t, "until") {
		if len(s.waiting) > 0 {
			s.run(rapid.IntRange(0, len(s.waiting)-1).Draw(t, "answer"))
		}
	}
}

// checkTexts checks that each text is stored exactly once.
func checkTexts(t *rapid.T, e *reviewEnv, written []string) {
	all, err := e.dir.All()
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := e.dir.Dropped(e.now)
	if err != nil {
		t.Fatal(err)
	}
	posted := strings.Join(e.fake.writes, "\n")
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
	if frozen, err := e.dir.Frozen(); err != nil || len(frozen) > 0 {
		t.Fatalf("on its way still: %v, %v", frozen, err)
	}
}
