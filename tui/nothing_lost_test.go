package tui

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
)

// Whatever is written, dropped and sent, on a server that is away, refuses, or whose answers are lost, by screens that end at
// any step: each text is posted, or a draft, or among those that can be fetched back, and none is posted twice.
func TestNoTextIsLostAndNoneIsPostedTwice(t *testing.T) {
	t.Parallel()
	directory := t.TempDir
	rapid.Check(t, func(t *rapid.T) {
		d := &desk{fake: newFake(), dir: drafts.Dir(directory()), now: clock}
		var written []string
		for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
			s := d.small()
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				s.keys("S", "j", "j", "X")
			case 1, 2:
				d.sends(t, s)
			default:
				said := fmt.Sprintf("Text %d.", i)
				written = append(written, said)
				s.keys("enter")
				for range rapid.IntRange(0, 2).Draw(t, "block") {
					s.keys("]")
				}
				s.keys("c")
				if !s.model.desk.Writing() { // a draft there is on its way
					written = written[:len(written)-1]
					continue
				}
				s.keys(`"`+said, rapid.SampledFrom([]string{"ctrl+s", "esc", "ctrl+t"}).Draw(t, "end"))
			}
		}
		clear(d.fake.fail)
		d.fake.lost = false
		d.small()
		d.holds(t, written)
	})
}

// small opens a screen that is quick to draw.
func (d *desk) small() *stage {
	o := review
	o.Client, o.Drafts = d.fake, d.dir
	o.NewKey = func() string { d.keys++; return fmt.Sprintf("key%d", d.keys) }
	o.Now = d.tick
	return start(o, 60, 20)
}

// sends submits on a server that does one thing or another, and ends the screen at some step.
func (d *desk) sends(t *rapid.T, s *stage) {
	refusal := api.InvalidField("drafts[0].body", "is refused")
	delete(d.fake.fail, "submit")
	d.fake.lost = false
	switch rapid.IntRange(0, 3).Draw(t, "server") {
	case 0:
		d.fake.fail["submit"] = errOffline
	case 1:
		d.fake.fail["submit"] = refusal
	case 2:
		d.fake.lost = true
	}
	s.keys("S")
	s.press("ctrl+s")
	for range rapid.IntRange(0, 12).Draw(t, "until") {
		if len(s.waiting) > 0 {
			s.run(rapid.IntRange(0, len(s.waiting)-1).Draw(t, "answer"))
		}
	}
}

// holds checks where each text is.
func (d *desk) holds(t *rapid.T, written []string) {
	all, err := d.dir.All()
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := d.dir.Dropped(d.now)
	if err != nil {
		t.Fatal(err)
	}
	posted := strings.Join(d.fake.writes, "\n")
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
	if frozen, err := d.dir.Frozen(); err != nil || len(frozen) > 0 {
		t.Fatalf("on its way still: %v, %v", frozen, err)
	}
}
