package tuitest

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/tui/drafts"
)

// Reviewer is the environment of a reviewer: a fake server, a journal directory, unique keys and a clock. It keeps the
// screens it opened, because the lock on a draft is released when its file is no longer referenced.
type Reviewer struct {
	Server  *Server
	Dir     drafts.Dir
	keys    int
	Now     time.Time
	screens []*Screen
}

// OpenSmallScreen opens a screen that is cheap to draw.
func (e *Reviewer) OpenSmallScreen() *Screen {
	o := ReviewOptions
	o.Client, o.Drafts = e.Server.Client(), e.Dir
	o.NewKey = func() string { e.keys++; return fmt.Sprintf("key%d", e.keys) }
	o.Now = e.tick
	return Start(o, 60, 20)
}

// NewReviewer returns a reviewer with an empty journal.
func NewReviewer(t *testing.T) *Reviewer {
	t.Helper()
	d := &Reviewer{Server: NewServer(), Dir: drafts.Dir(t.TempDir()), Now: Clock}
	t.Cleanup(func() { d.screens = nil })
	return d
}

// OpenScreen opens a screen. Several can be open.
func (e *Reviewer) OpenScreen() *Screen {
	o := ReviewOptions
	o.Client, o.Drafts = e.Server.Client(), e.Dir
	o.NewKey = func() string { e.keys++; return fmt.Sprintf("key%d", e.keys) }
	o.Now = e.tick
	s := Start(o, 120, 60)
	e.screens = append(e.screens, s)
	return s
}

// tick advances the clock and returns its time.
func (e *Reviewer) tick() time.Time {
	e.Now = e.Now.Add(time.Second)
	return e.Now
}

// Journaled returns the journaled texts and the number of frozen submissions.
func (e *Reviewer) Journaled(t *testing.T) (texts []string, frozen int) {
	t.Helper()
	all, err := e.Dir.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range all {
		texts = append(texts, draft.Text)
	}
	reviews, err := e.Dir.Frozen()
	if err != nil {
		t.Fatal(err)
	}
	return texts, len(reviews)
}

// DraftReview opens a screen and drafts a comment on a block, one on the page, and a reply.
func (e *Reviewer) DraftReview() *Screen {
	s := e.OpenScreen()
	s.Keys("enter", "]", "c", `"On a block.`, "ctrl+t", "ctrl+s", "n", "r", `"A reply.`, "ctrl+s", ":", `"on the page`, "enter",
		`"On the page.`, "ctrl+s")
	return s
}
