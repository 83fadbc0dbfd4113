package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Places are the ways from the submit screen to what it speaks of.
type Places struct {
	Draft func(d drafts.Draft) tea.Cmd  // to the place of a draft
	Item  func(id string) tea.Cmd       // to something that was not read
	Since func(revision string) tea.Cmd // to what changed since a revision
}

// Review is the submit screen of a change request.
type Review struct {
	page.Frame
	at     remote.Target
	of     api.ChangeRequest // as it was shown: what the verdict is about
	begin  api.ReviewStatus  // the verdict to begin with, "" for that which was chosen before
	places Places

	now     remote.Value[moved]
	effects *effects
	warned  string            // the state of which the user was told what is against an approval
	refused map[string]string // why drafts were refused, by id
	over    bool              // all was sent
	open    error             // why the outcome of the last sending is not known
}

// moved is the change request as it is now, what it changed since it was shown, and the verdict that the user gave last.
type moved struct {
	api.ChangeRequest
	since render.Proposed
	given api.ReviewStatus
}

// NewReview returns the submit screen for a change request as it was shown. With begin, that verdict is set.
func NewReview(s *page.Session, at remote.Target, of api.ChangeRequest, begin api.ReviewStatus, places Places) *Review {
	p := &Review{Frame: page.NewFrame(s), at: at, of: of, begin: begin, places: places, refused: map[string]string{}}
	p.effects = &effects{Frame: page.NewFrame(s), of: p}
	return p
}

// Title implements page.Page.
func (p *Review) Title() string {
	if p.judges() {
		return "submit your review"
	}
	return "send your comments"
}

// Kind implements page.Page.
func (p *Review) Kind() string { return "submit" }

// Space implements page.Page.
func (p *Review) Space() string { return p.at.Space }

// Condition implements page.Page.
func (p *Review) Condition() remote.Condition { return p.now.Condition }

// Preview implements the preview pane: what sending does.
func (p *Review) Preview() page.Page { return p.effects }

// Follow implements the preview pane.
func (p *Review) Follow() tea.Cmd {
	p.effects.Stale = true
	return nil
}

// Share is the part of the window that the page has for itself.
func (p *Review) Share() (mine, of int) { return 2, 3 }

// Load asks how the request is now, and what was read of it.
func (p *Review) Load() tea.Cmd {
	client, at, shown := p.Session.Client, p.at, p.of.Revision
	now := p.now.Load(p.Session.Connection, func(ctx context.Context) (moved, error) {
		r, err := client.ChangeRequest(ctx, at)
		if err != nil {
			return moved{}, err
		}
		now := moved{ChangeRequest: r, given: p.given(ctx)}
		if r.Revision == shown {
			return now, nil
		}
		all, err := client.Changes(ctx, at, shown)
		now.since = render.ProposedBy(all)
		return now, err
	})
	set := tea.Cmd(nil)
	switch kept := p.own().Verdict; {
	case p.begin != "":
		set, p.begin = p.choose(p.begin, ""), ""
	case kept != "" && !p.now.Loaded: // the user may have forgotten it
		set = components.Toast("verdict: %s, kept from before", verdictName(kept))
	}
	return tea.Batch(now, set, p.Session.Read.Load(at), components.Send(page.CountMsg{}))
}

// given is the verdict that the user gave last, "" where there is none or it is not known: sending can do without.
func (p *Review) given(ctx context.Context) api.ReviewStatus {
	all, _, err := p.Session.Client.Reviews(ctx, p.at)
	at := slices.IndexFunc(all, func(r api.Review) bool { return r.Reviewer.ID == p.Session.Me.ID }) // the newest come first
	if err != nil || at < 0 {
		return ""
	}
	return all[at].Status
}

// Update implements page.Page.
func (p *Review) Update(msg tea.Msg) tea.Cmd {
	if p.now.Take(msg) {
		p.Stale = true
	}
	switch msg := msg.(type) {
	case page.SubmittedMsg:
		return p.submitted(msg)
	case page.DoneMsg:
		if msg.Target == p.at {
			return p.send()
		}
	}
	return nil
}

// submitted leaves the screen when all was posted, and says what was refused.
func (p *Review) submitted(msg page.SubmittedMsg) tea.Cmd {
	if msg.Submission.Target != p.at {
		return nil
	}
	p.Stale, p.open = true, nil
	clear(p.refused)
	switch {
	case msg.Err == nil:
		p.over = true
		return nil
	case msg.Open:
		p.open = msg.Err
		return nil
	}
	wrong, ok := api.AsError(msg.Err)
	if !ok {
		return nil
	}
	for _, field := range wrong.Fields {
		if d, of, is := draftOf(field, msg.Submission); is {
			p.refused[d.ID()] = of + " " + field.Message
			p.List.Want(draftKey + d.ID())
		}
	}
	return nil
}

// own is what is said with the review: the verdict and the text.
func (p *Review) own() drafts.Draft {
	at := slices.IndexFunc(p.Session.Unsent, func(d drafts.Draft) bool { return d.Review && d.Target == p.at })
	if at < 0 {
		about := "your review of #%d"
		if !p.judges() {
			about = "your comment on all of #%d"
		}
		return drafts.Draft{Target: p.at, Review: true, Revision: p.of.Revision, About: fmt.Sprintf(about, p.of.Number)}
	}
	return p.Session.Unsent[at]
}

// frozen is the review of the request that is on its way.
func (p *Review) frozen() (drafts.Submission, bool) {
	at := slices.IndexFunc(p.Session.Frozen, func(f drafts.Submission) bool { return f.Target == p.at })
	if at < 0 {
		return drafts.Submission{}, false
	}
	return p.Session.Frozen[at], true
}

// built is what would be sent now.
func (p *Review) built() drafts.Submission {
	if f, ok := p.frozen(); ok {
		return f
	}
	return p.build("")
}

// build makes the submission of what is there now.
func (p *Review) build(id string) drafts.Submission {
	s := build(id, p.at, p.of, p.own(), p.judges(), p.Session.Pending(p.at))
	if s.Body.Status != "" && s.Body.Status != p.now.Latest.given {
		s.Replaces = p.now.Latest.given
	}
	return s
}

// Over reports whether all was sent, so that there is nothing left to do here; the app leaves the page then.
func (p *Review) Over() bool { return p.over }

// mine reports whether the user is the author of the request, who gives no verdict on it.
func (p *Review) mine() bool {
	return p.of.CreatedBy.ID == p.Session.Me.ID && p.Session.Me.ID != ""
}

// judges reports whether the user may give a verdict.
func (p *Review) judges() bool { return !p.mine() && !p.finished() }

// finished reports whether nothing can be decided about the request any more; it can still be spoken of.
func (p *Review) finished() bool {
	s := p.of.Status
	if p.now.Loaded {
		s = p.now.Latest.Status
	}
	return s == api.StatusMerged || s == api.StatusArchived
}

// choose keeps a verdict.
func (p *Review) choose(status api.ReviewStatus, says string) tea.Cmd {
	d := p.own()
	if d.Verdict != status {
		p.warned = ""
	}
	d.Verdict = status
	return page.Turn(p.Session, d, says)
}

// turnTo keeps a verdict that a key chose, and says which.
func (p *Review) turnTo(status api.ReviewStatus) tea.Cmd {
	return p.choose(status, "verdict: "+verdictName(status))
}

// selected is the draft under the cursor.
func (p *Review) selected() (drafts.Draft, bool) {
	id := p.About().Draft
	for _, d := range p.Session.Pending(p.at) {
		if id != "" && d.ID() == id {
			return d, true
		}
	}
	return drafts.Draft{}, false
}
