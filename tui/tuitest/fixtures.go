package tuitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
)

// ReviewOptions open the change request cr_2.
var ReviewOptions = tui.Options{Space: "s_1", ChangeRequest: "cr_2"}

// InboxOptions open the inbox of the organization o_1.
var InboxOptions = tui.Options{Organization: "o_1"}

// Ada is the user of the screen. Grace has written the change request, Lin has reviewed it.
var (
	UserAda   = NewUser("u_1", "Ada")
	UserGrace = NewUser("u_2", "Grace")
	UserLin   = NewUser("u_3", "Lin")
)

// OneDraft returns the draft of a journal that has one.
func OneDraft(t *testing.T, s *Screen) drafts.Draft {
	t.Helper()
	all, _ := s.Journal.All()
	if len(all) != 1 {
		t.Fatalf("the journal has %v", all)
	}
	return all[0]
}

// OwnChangeRequest sets the author of the change request to the user.
func OwnChangeRequest(s *Screen) { s.Server.Author = NewUser("u_1", "Ada") }

// WritePage sets an editor that replaces old by now in the file that it opens.
func WritePage(s *Screen, old, now string) {
	s.OnEdit = func(path string) {
		s.Files.Texts[path] = strings.ReplaceAll(s.Files.Texts[path], old, now)
	}
}

// StartTicking returns a screen with a clock controlled by the test.
func StartTicking(o tui.Options) (s *Screen, pass func(seconds int)) {
	now := Clock
	o.Now = func() time.Time { return now }
	s = Start(o, 120, 40)
	return s, func(seconds int) {
		for range seconds {
			now = now.Add(time.Second)
			s.Send(tui.TickMsg{})
			s.Drain()
		}
	}
}

// AddEvent adds an event by Grace.
func (f *Server) AddEvent(cursor string, kind api.TimelineKind, pageTitle string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	grace := NewUser("u_2", "Grace")
	f.Queue.Events = append(f.Queue.Events, api.TimelineEvent{
		Cursor: cursor, Kind: kind, At: api.At(Clock), By: &grace, PageTitle: pageTitle,
	})
}

// VerdictBy returns a review submitted an hour ago.
func VerdictBy(who api.User, s api.ReviewStatus, outdated bool) api.Review {
	return api.Review{
		ReviewFields: api.ReviewFields{
			ID: "rv_" + who.ID, Status: s, Revision: "r_4", CreatedAt: api.At(Clock.Add(-time.Hour)),
		}, Reviewer: who, Outdated: outdated,
	}
}

// StartPrepared returns a screen with a server that was prepared by as.
func StartPrepared(o tui.Options, width, height int, as func(*Screen)) *Screen {
	s := NewScreen(o)
	as(s)
	s.Open(width, height)
	return s
}

// AddDrafts adds drafts to the journal.
func AddDrafts(s *Screen, all ...drafts.Draft) {
	for _, d := range all {
		d.Key = "k"
		s.Journal.Drafts[d.ID()] = d
	}
}

// WindowSize returns the message of a resized window.
func WindowSize(width, height int) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// SetEditor sets the function that the editor applies to a text.
func (s *Screen) SetEditor(edit func(string) string) {
	s.OnEdit = func(path string) {
		s.Files.mu.Lock()
		defer s.Files.mu.Unlock()
		s.Files.Texts[path] = edit(s.Files.Texts[path])
	}
}

// AddSuggestions adds two threads with suggestions.
func AddSuggestions(s *Screen) {
	for i := range s.Server.CommentList {
		if c := &s.Server.CommentList[i]; c.ID == "c_1" || c.ID == "c_4" {
			c.Suggestion = &api.Suggestion{Original: "until the light is green", Markdown: "until it is green"}
			c.Weight = api.WeightNit
		}
	}
}

// AddThread adds an open thread on the new page.
func AddThread(s *Screen) {
	target := api.CommentTarget{
		Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}, Node: &api.CommentNode{ID: "b_1"},
	}
	s.Server.CommentList = append(s.Server.CommentList, s.Server.NewComment("c_5", "Which battery?", target))
}

// AddWideContent replaces the page p_quick by one with a table of 20 columns, of which the change request changes a cell, and
// long lines of code, of which it changes a word.
func AddWideContent(s *Screen) {
	table := func(changed string) string {
		var b strings.Builder
		for row := range 5 {
			for column := range 20 {
				cell := fmt.Sprintf("cell %d.%d", row, column)
				switch {
				case row == 0:
					cell = fmt.Sprintf("Head %d", column)
				case row == 1:
					cell = "---"
				case row == 3 && column == 14:
					cell = changed
				}
				b.WriteString("| " + cell + " ")
			}
			b.WriteString("|\n")
		}
		return b.String()
	}
	code := func(last string) string {
		return "```sh\nwsd serve " + strings.Repeat("--listen tcp://localhost:6100 ", 8) + last + "\nwsctl spaces list\n```\n"
	}
	s.Server.Texts[""]["p_quick"] = "# Wide\n\n" + table("old value") + "\n" + code("--slow") + "\nEnd.\n"
	s.Server.Texts["cr_2"]["p_quick"] = "# Wide\n\n" + table("new value") + "\n" + code("--fast") + "\nEnd.\n"
	s.Server.CommentList = nil
}
