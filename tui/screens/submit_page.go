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

// reviewLinks are the functions that open the subjects of the rows of a review.
type reviewLinks struct {
	openDraft func(d drafts.Draft) tea.Cmd  // opens a draft on its page
	openItem  func(id string) tea.Cmd       // opens an unread item
	openSince func(revision string) tea.Cmd // opens the changes since a revision
}

// reviewPage collects a review of a change request and submits it.
type reviewPage struct {
	page.Frame
	target         remote.Target
	request        api.ChangeRequest // the request as shown before; the verdict refers to it
	initialVerdict api.ReviewStatus  // verdict to start with, "" for the saved one
	links          reviewLinks

	currentRequest remote.Value[currentRequest]
	effects        *effects
	noTextWarned   bool              // the warning about a request for changes without a text was shown
	sendWhenLoaded bool              // a verdict waits for the present state of the request
	warnedState    string            // head or unread changes for which the warning about a verdict was shown
	refusals       map[string]string // reasons for refused drafts, by id
	sent           bool              // everything was sent
	unknownOutcome error             // why the outcome of the last attempt is unknown
}

// currentRequest is the present change request, its changes since it was opened here, and the user's last verdict.
type currentRequest struct {
	api.ChangeRequest
	changes     render.ProposedChanges
	lastVerdict api.ReviewStatus
}

// newReviewPage returns the page for a review of a change request as shown. A verdict that is not empty is set at
// once.
func newReviewPage(s *page.Session, at remote.Target, request api.ChangeRequest, verdict api.ReviewStatus, links reviewLinks) *reviewPage {
	p := &reviewPage{
		Frame: page.NewFrame(s), target: at, request: request, initialVerdict: verdict, links: links, refusals: map[string]string{},
	}
	p.effects = &effects{Frame: page.NewFrame(s), review: p}
	return p
}

// Title implements page.Page.
func (p *reviewPage) Title() string {
	if p.canDecide() {
		return "submit your review"
	}
	return "send your comments"
}

// Kind implements page.Page.
func (p *reviewPage) Kind() string { return "submit" }

// Space implements page.Page.
func (p *reviewPage) Space() string { return p.target.Space }

// LoadState implements page.Page.
func (p *reviewPage) LoadState() remote.LoadState { return p.currentRequest.LoadState }

// Preview implements the preview pane: the effects of sending.
func (p *reviewPage) Preview() page.Page { return p.effects }

// Follow marks the effects of sending as stale, so that they are drawn again.
func (p *reviewPage) Follow() tea.Cmd {
	p.effects.Stale = true
	return nil
}

// Share returns the page's part of the window as a fraction.
func (p *reviewPage) Share() (part, total int) { return 2, 3 }

// Load loads the present state of the request and the read marks.
func (p *reviewPage) Load() tea.Cmd {
	conn, at, shown := p.Session.Connection, p.target, p.request.Revision
	now := p.currentRequest.Load(conn, func(ctx context.Context) (currentRequest, error) {
		r, err := conn.ChangeRequest(ctx, at)
		if err != nil {
			return currentRequest{}, err
		}
		now := currentRequest{ChangeRequest: r, lastVerdict: p.loadLastVerdict(ctx)}
		if r.Revision == shown {
			return now, nil
		}
		all, err := conn.Client.Changes(ctx, at, shown)
		now.changes = render.NewProposedChanges(all)
		return now, err
	})
	set := tea.Cmd(nil)
	switch saved := p.ownDraft().Verdict; {
	case p.initialVerdict != "":
		set, p.initialVerdict = p.saveVerdict(p.initialVerdict, ""), ""
	case saved != "" && !p.currentRequest.Loaded: // a reminder of the saved verdict
		set = components.Toast("verdict: %s, kept from before", verdictName(saved))
	}
	return tea.Batch(now, set, p.Session.Read.Load(at), components.Send(page.CountMsg{}))
}

// loadLastVerdict returns the user's last verdict, or "" if there is none or it cannot be loaded: it is not needed
// for sending.
func (p *reviewPage) loadLastVerdict(ctx context.Context) api.ReviewStatus {
	all, _, err := p.Session.Client.Reviews(ctx, p.target)
	at := slices.IndexFunc(all, func(r api.Review) bool { return r.Reviewer.ID == p.Session.Me.ID }) // newest first
	if err != nil || at < 0 {
		return ""
	}
	return all[at].Status
}

// Update implements page.Page.
func (p *reviewPage) Update(msg tea.Msg) tea.Cmd {
	if p.currentRequest.Take(msg) {
		p.Stale = true
		return p.SessionChanged()
	}
	switch msg := msg.(type) {
	case page.SubmittedMsg:
		return p.handleSubmitted(msg)
	case page.DoneMsg:
		if msg.Target == p.target {
			return p.send()
		}
	}
	return nil
}

// SessionChanged loads the changes of a head that has moved, and sends a verdict that waits for the present state of the
// request and of the read marks. The app calls it when either has changed.
func (p *reviewPage) SessionChanged() tea.Cmd {
	switch {
	case p.currentRequest.Busy || p.Session.Read.LoadState(p.target).Busy:
		return nil
	case p.sendWhenLoaded:
		p.sendWhenLoaded = false
		return p.sendVerdict()
	case p.currentRequest.Loaded && p.currentRequest.Err == nil && p.Session.Heads.HasMoved(p.target, p.currentRequest.Latest.Revision):
		return p.Load()
	default:
		return nil
	}
}

// handleSubmitted leaves the page if everything was posted, and shows the refusals otherwise.
func (p *reviewPage) handleSubmitted(msg page.SubmittedMsg) tea.Cmd {
	if msg.Submission.Target != p.target {
		return nil
	}
	p.Stale, p.unknownOutcome = true, nil
	clear(p.refusals)
	switch {
	case msg.Err == nil:
		p.sent = true
		return nil
	case msg.Open:
		p.unknownOutcome = msg.Err
		return nil
	}
	apiErr, ok := api.AsError(msg.Err)
	if !ok {
		return nil
	}
	for _, field := range apiErr.Fields {
		if d, part, ok := refusedDraft(field, msg.Submission); ok {
			p.refusals[d.ID()] = part + " " + field.Message
			p.List.SelectKey(draftKeyPrefix + d.ID())
		}
	}
	return nil
}

// ownDraft returns the draft of the verdict and the text of the review.
func (p *reviewPage) ownDraft() drafts.Draft {
	at := slices.IndexFunc(p.Session.Unsent, func(d drafts.Draft) bool { return d.Review && d.Target == p.target })
	if at < 0 {
		about := "your review of #%d"
		if !p.canDecide() {
			about = "your comment on all of #%d"
		}
		return drafts.Draft{Target: p.target, Review: true, Revision: p.request.Revision, About: fmt.Sprintf(about, p.request.Number)}
	}
	return p.Session.Unsent[at]
}

// frozenSubmission returns the frozen review of the request, if it is in flight.
func (p *reviewPage) frozenSubmission() (drafts.Submission, bool) {
	at := slices.IndexFunc(p.Session.Frozen, func(f drafts.Submission) bool { return f.Target == p.target })
	if at < 0 {
		return drafts.Submission{}, false
	}
	return p.Session.Frozen[at], true
}

// plannedSubmission returns the submission that would be sent now.
func (p *reviewPage) plannedSubmission() drafts.Submission {
	if f, ok := p.frozenSubmission(); ok {
		return f
	}
	return p.build("")
}

// build returns the submission of the present drafts under an id.
func (p *reviewPage) build(id string) drafts.Submission {
	s := buildSubmission(id, p.target, p.request, p.ownDraft(), p.canDecide(), p.Session.Pending(p.target))
	if s.Body.Status != "" {
		s.Body.Revision = p.verdictRevision()
	}
	if s.Body.Status != "" && s.Body.Status != p.currentRequest.Latest.lastVerdict {
		s.Replaces = p.currentRequest.Latest.lastVerdict
	}
	return s
}

// Finished reports whether everything was sent; the app leaves the page then.
func (p *reviewPage) Finished() bool { return p.sent }

// isAuthor reports whether the user is the author of the request. Authors give no verdict.
func (p *reviewPage) isAuthor() bool {
	return p.request.CreatedBy.ID == p.Session.Me.ID && p.Session.Me.ID != ""
}

// canDecide reports whether the user may give a verdict.
func (p *reviewPage) canDecide() bool { return !p.isAuthor() && !p.isClosed() }

// isClosed reports whether verdicts on the request are no longer possible. Comments still are.
func (p *reviewPage) isClosed() bool {
	s := p.request.Status
	if head, known := p.Session.Heads.Head(p.target); known {
		s = head.Status
	}
	return s == api.StatusMerged || s == api.StatusArchived
}

// saveVerdict saves a verdict in the draft of the review and shows message. After a change of the verdict, the warnings are
// shown again.
func (p *reviewPage) saveVerdict(status api.ReviewStatus, message string) tea.Cmd {
	d := p.ownDraft()
	if d.Verdict != status {
		p.warnedState = ""
	}
	d.Verdict = status
	return page.SaveNow(p.Session, d, message)
}

// setVerdict saves the verdict that a key selected, and shows its name.
func (p *reviewPage) setVerdict(status api.ReviewStatus) tea.Cmd {
	return p.saveVerdict(status, "verdict: "+verdictName(status))
}

// selectedDraft returns the draft under the cursor.
func (p *reviewPage) selectedDraft() (drafts.Draft, bool) {
	id := p.About().Draft
	for _, d := range p.Session.Pending(p.target) {
		if id != "" && d.ID() == id {
			return d, true
		}
	}
	return drafts.Draft{}, false
}
