package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// requests lists the change requests of a space in one status.
type requests struct {
	frame
	spaceID string
	name    string // of the space, where the way to here does not say it
	status  api.ChangeRequestStatus
	remote  remote[[]api.ChangeRequest]
}

func newRequests(s *session, space, name string) *requests {
	p := &requests{frame: newFrame(s), spaceID: space, name: name, status: api.StatusOpen}
	p.list.filter = true
	return p
}

func (p *requests) title() string {
	if p.name == "" {
		return "change requests"
	}
	return p.name + ": change requests"
}

func (p *requests) kind() string         { return "change requests" }
func (p *requests) space() string        { return p.spaceID }
func (p *requests) condition() condition { return p.remote.condition() }

func (p *requests) load() tea.Cmd {
	client, space, status := p.s.client, p.spaceID, p.status
	return p.remote.load(p.s, func(ctx context.Context) ([]api.ChangeRequest, error) {
		return client.ChangeRequests(ctx, space, status)
	})
}

func (p *requests) update(msg tea.Msg) tea.Cmd {
	if p.remote.take(msg) {
		p.stale = true
	}
	return nil
}

// statuses are in the order of the tabs.
func statuses() []api.ChangeRequestStatus {
	return []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft, api.StatusMerged, api.StatusArchived}
}

func (p *requests) tabs() text.Line {
	var line text.Line
	for _, s := range statuses() {
		if s == p.status {
			line = append(line, text.Of(text.Style{Bold: true, Underline: true}, "["+string(s)+"]"), text.Plain(" "))
		} else {
			line = append(line, text.In(text.Dim, " "+string(s)+"  "))
		}
	}
	return line
}

func (p *requests) rows(width int) []row {
	rows := []row{{key: "tabs", line: p.tabs().Cut(width), about: subject{at: -1}}, {key: "tabs", about: subject{at: -1}}}
	nothing := fmt.Sprintf("There is no %s change request here; tab shows the others.", p.status)
	if state := stateRows(p.condition(), len(p.remote.value) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	for i, r := range p.remote.value {
		rows = append(rows, row{key: r.ID, line: p.line(r, measure(width)), about: subject{at: i}, begin: true})
	}
	return rows
}

func (p *requests) line(r api.ChangeRequest, width int) text.Line {
	left := text.Line{text.In(text.Accent, pad(fmt.Sprintf("#%d", r.Number), 5)), text.Plain(subjectOf(r))}
	right := text.Line{text.In(text.Dim, p.s.ago(r.UpdatedAt))}
	if width >= 90 {
		right = append(text.Line{text.In(text.Dim, r.CreatedBy.DisplayName+" · ")}, right...)
	}
	if r.Comments > 0 {
		right = append(text.Line{text.In(text.Warning, fmt.Sprintf("● %d · ", r.Comments))}, right...)
	}
	if r.Outdated && r.Status != api.StatusMerged {
		right = append(text.Line{text.In(text.Warning, "outdated · ")}, right...)
	}
	return text.Columns(left.Cut(width-right.Width()-1), right, width)
}

func subjectOf(r api.ChangeRequest) string {
	if r.Subject == "" {
		return "(no subject)"
	}
	return r.Subject
}

func (p *requests) actions() []action {
	return []action{
		{name: "status-next", keys: keys("tab"), help: "next status", hint: "status", do: func() tea.Cmd { return p.turn(1) }},
		{name: "status-previous", keys: keys("shift+tab"), help: "previous status", do: func() tea.Cmd { return p.turn(-1) }},
	}
}

// open goes into the change request under the cursor; on the statuses, to the next one.
func (p *requests) open() tea.Cmd {
	r, ok := p.selected()
	switch all := p.remote.value; {
	case ok && r.about.at == -1:
		return p.turn(1)
	case ok && r.about.at < len(all) && r.key == all[r.about.at].ID:
		return push(newRequest(p.s, Place{p.spaceID, all[r.about.at].ID}))
	default:
		return nil
	}
}

// turn goes to another status; what was shown for the other one is not shown for this.
func (p *requests) turn(by int) tea.Cmd {
	all := statuses()
	at := slices.Index(all, p.status) + by
	p.status = all[(at+len(all))%len(all)]
	p.remote.value, p.remote.loaded, p.remote.err = nil, false, nil
	return p.load()
}
