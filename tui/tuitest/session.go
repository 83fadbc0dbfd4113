package tuitest

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// NewJournal returns an empty journal.
func NewJournal() *Journal { return &Journal{Drafts: map[string]drafts.Draft{}} }

// NewSession returns a session of Ada with a server, for tests of pages without the program.
func NewSession(server *Server, journal *Journal) *page.Session {
	keys := 0
	newKey := func() string { keys++; return fmt.Sprintf("key%d", keys) }
	c := &remote.Connection{
		Ctx: context.Background(), Client: server.Client(), Now: func() time.Time { return Clock }, NewKey: newKey,
		Me: NewUser("u_1", "Ada"), Names: map[string]string{},
	}
	return &page.Session{Connection: c, Drafts: journal, Edits: newFiles(), Read: drafts.New(c, journal)}
}

// Update runs a command and those that follow from it, and passes their messages to a page. It returns the messages,
// in their order: some are for the program.
func Update(p page.Page, cmd tea.Cmd) (messages []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, part := range batch {
			messages = append(messages, Update(p, part)...)
		}
		return messages
	}
	return append([]tea.Msg{msg}, Update(p, p.Update(msg))...)
}

// Text returns the lines of a page in a window, without trailing spaces.
func Text(p page.Page, width, height int) string {
	var lines []string
	for _, line := range page.View(p, width, height) {
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
