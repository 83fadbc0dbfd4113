package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
	"docspace.dev/wsd/tui/threads"
)

// request shows a change request: what it is, the pages it changes, the threads about it as a whole; from here it
// is merged and updated.
type request struct {
	page.Frame
	at       remote.Target
	remote   remote.Value[proposal]
	threads  threads.Threads
	outcome  remote.Value[api.MergeResult]
	checks   remote.Value[api.Mergeability]
	reviews  remote.Value[standing]
	found    remote.Value[[]api.Conflict] // of the request, when they are asked for
	timeline remote.Value[api.Timeline]
	lastLook string // what came behind this is new
	looked   string // how far it was kept that the user has looked
	words    remote.Value[map[string]api.WordCount]
	tree     remote.Value[[]api.RevisionPage]
	turned   bool // since was changed, and the answer is awaited
	unfolded bool // all of the description is shown
	whole    bool // the checks that pass are listed, too
	previews page.Previews
	since    string // what changed since when is shown: all, or api.SinceMyLastReview
}

// proposal is a change request with what it changes.
type proposal struct {
	api.ChangeRequest
	changes.Proposed
}

func newRequest(s *page.Session, at remote.Target) *request {
	p := &request{Frame: page.NewFrame(s), at: at}
	p.threads = threads.New(&p.Frame, at, "")
	p.threads.Head = func() string { return p.remote.Latest.Revision }
	return p
}

func (p *request) Title() string {
	if !p.remote.Loaded {
		return "change request"
	}
	return fmt.Sprintf("#%d %s", p.remote.Latest.Number, subjectOf(p.remote.Latest.ChangeRequest))
}

func (p *request) Kind() string  { return "change request" }
func (p *request) Space() string { return p.at.Space }

func (p *request) Condition() remote.Condition {
	c := p.remote.And(p.threads.Condition())
	c.Busy = c.Busy || p.outcome.Busy
	return c
}

func (p *request) Load() tea.Cmd {
	p.previews.Forget()
	return tea.Batch(p.loadProposal(), p.threads.Load(), p.loadChecks(), p.loadReviews(), p.Session.Read.Load(p.at), p.loadTimeline(), p.loadWords(), p.loadTree())
}

func (p *request) Preview() page.Page { return p.previews.Shown }

func (p *request) Follow() tea.Cmd {
	r, ok := p.Selected()
	if pages := p.remote.Latest.Pages; ok && r.About.Page != "" && r.About.At < len(pages) {
		return p.previews.Show(r.About.Page, func() page.Page { return p.change(r.About.At) })
	}
	p.previews.Shown = nil
	return nil
}

func (p *request) loadProposal() tea.Cmd {
	client, at, since := p.Session.Client, p.at, p.since
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (proposal, error) {
		r, err := client.ChangeRequest(ctx, at)
		if err != nil {
			return proposal{}, err
		}
		all, err := client.Changes(ctx, at, since)
		return proposal{r, changes.ProposedBy(all)}, err
	})
}

func (p *request) Update(msg tea.Msg) tea.Cmd {
	switch {
	case p.remote.Take(msg):
		if p.Stale = true; p.turned { // other pages are listed: the cursor begins at the first
			p.List.Aim(func(r components.Row) bool { return r.Change }, false)
			p.turned = false
		}
		return p.identify()
	case p.threads.Take(msg), p.checks.Take(msg), p.reviews.Take(msg), p.takeTimeline(msg), p.words.Take(msg), p.tree.Take(msg):
		p.Stale = true
	case p.found.Take(msg):
		return p.showConflicts()
	case p.outcome.Take(msg):
		p.Stale = true
		return p.decided()
	}
	if g, ok := msg.(goMsg); ok && g.of == p {
		return p.begin(g.merge)
	}
	return p.previews.Update(msg)
}

// decided says what a merge or an update did.
func (p *request) decided() tea.Cmd {
	if err := p.outcome.Err; err != nil {
		return components.Send(remote.FailMsg{Err: err})
	}
	result := p.outcome.Latest
	switch result.Result {
	case api.OutcomeConflicts:
		return page.Push(newConflicts(p.Session, p.at, result.Conflicts))
	case api.OutcomeMerge:
		return components.Send(remote.ChangedMsg{Space: p.at.Space, Done: "merged into the space"})
	default:
		return components.Send(remote.ChangedMsg{Space: p.at.Space, Done: "updated: it contains the space's newest content"})
	}
}

func (p *request) Rows(width int) []components.Row {
	if rows := page.StateRows(p.remote.Condition, false, "", width); rows != nil {
		return rows
	}
	width = text.Measure(width)
	rows := append(p.header(width), p.describedRows(width)...)
	rows = append(rows, p.reviewRows(width)...)
	rows = append(rows, p.checkRows(width)...)
	rows = append(rows, p.changes(width)...)
	rows = append(rows, p.threadRows(width)...)
	whole := p.threads.Shown(func(th *threads.Thread) bool { return th.Target.Page == nil })
	rows = append(rows, components.Row{Key: page.DiscussionKey}, components.Row{Key: page.DiscussionKey, Line: text.Section("Discussion").Cut(width), Skip: true})
	if len(whole) == 0 {
		rows = append(rows, components.Row{Key: page.DiscussionKey, Line: text.Line{text.In(text.Dim, "No discussion yet; c starts one.")}.Cut(width)})
	}
	rows = append(rows, p.threads.Under(whole, "", width)...)
	rows = append(rows, p.threads.UnsentOnWhole(width)...)
	if len(rows[len(rows)-1].Line) > 0 {
		rows = append(rows, components.Row{Key: "timeline"})
	}
	return append(rows, p.timelineRows(width)...)
}

// threadRows list the open threads on pages, a line each.
func (p *request) threadRows(width int) []components.Row {
	list := p.threads.Shown(func(th *threads.Thread) bool { return th.Target.Page != nil })
	if len(list) == 0 {
		return nil
	}
	var rows []components.Row
	resolved := 0
	for _, th := range list {
		if th.Status == api.CommentResolved {
			resolved++
			continue
		}
		rows = append(rows, p.threads.Brief(th, width))
	}
	title := append(text.Section("Threads"), text.In(text.Dim, fmt.Sprintf("  %d open, %d resolved on pages", len(rows), resolved)))
	head := []components.Row{{Key: "threads"}, {Key: "threads", Line: title.Cut(width), Skip: true}}
	return append(head, rows...)
}

// walk goes from the request to its changed pages with open threads.
func (p *request) walk() walk {
	return walk{from: p, order: func() ([]string, error) { return pageIDs(p.remote.Latest.Pages), nil }, show: func(id string) page.Page {
		return p.change(slices.Index(pageIDs(p.remote.Latest.Pages), id))
	}}
}

func (p *request) change(at int) page.Page {
	return newChange(p.Session, p.at, p.remote.Latest.ChangeRequest, p.remote.Latest.Pages, at, p.since)
}

func (p *request) Actions() []components.Action {
	return slices.Concat(p.walk().actions(p.Session, p.at), p.verdict().actions(), []components.Action{
		{Name: "browse", Help: "all pages as the request has them", Do: func() tea.Cmd { return page.Push(newTree(p.Session, p.at)) }},
		{Name: "merge", Keys: []string{"m"}, Help: "merge", Hint: "merge", Do: p.askToMerge, WhyNot: p.blocked},
		{Name: "pull", Keys: []string{"U"}, Help: "update from the space", Hint: "update", Do: p.askToPull, WhyNot: p.closedOrBusy},
		{Name: "since", Keys: []string{"d"}, Help: "since my review, or all", Hint: "since my review", Do: p.turnSince},
		p.threads.CommentOnWhole("comment on the change request"),
	}, []components.Action{p.threads.Editing(p.editPage, p.noPage)}, p.authoring(), p.threads.Actions(), []components.Action{allComments(p.Session, &p.at), marking(p.Session, p.at, func() string { return p.remote.Latest.Revision }, p.item)})
}

// Opens says what Open does.
func (p *request) Opens() string {
	if p.About().Page != "" {
		return "read"
	}
	if th, _ := p.threads.Selected(); th != nil && th.Target.Page != nil {
		return "its place"
	}
	if r, _ := p.Selected(); strings.HasPrefix(r.Key, checkKey) {
		return "its cause"
	} else if r.Key == describedKey {
		return "unfold"
	} else if _, _, ok := p.toEvent(strings.TrimPrefix(r.Key, eventKey)); ok {
		return "its place"
	}
	return ""
}

func (p *request) Open() tea.Cmd {
	if about := p.About(); about.Page != "" {
		return page.Push(p.change(about.At))
	}
	r, _ := p.Selected()
	if rule, is := strings.CutPrefix(r.Key, checkKey); is {
		return p.toCause(rule)
	}
	if cursor, is := strings.CutPrefix(r.Key, eventKey); is {
		return p.openEvent(cursor)
	}
	if r.Key == describedKey {
		p.unfolded, p.Stale = true, true
		return nil
	}
	if th, _ := p.threads.Selected(); th != nil {
		return showThread(p.Session, p.at, th.Comment)
	}
	return nil
}

func (p *request) verdict() verdict {
	return verdict{p.Session, p.at, func() api.ChangeRequest { return p.remote.Latest.ChangeRequest }}
}

// closedOrBusy says why the request can be neither merged nor updated.
func (p *request) closedOrBusy() string {
	if p.outcome.Busy {
		return "wait until it is loaded"
	}
	return closed(p.remote.Latest.ChangeRequest)
}

// noPage says why there is no page to edit under the cursor.
func (p *request) noPage() string {
	if about := p.About(); about.Page == "" || about.At >= len(p.remote.Latest.Pages) {
		return threads.NoPage()
	}
	if p.remote.Latest.Pages[p.About().At].Deleted {
		return "the page is deleted in the change request"
	}
	return ""
}

func (p *request) editPage() tea.Cmd {
	return edited(p.at, p.remote.Latest.Pages[p.About().At].Shown())
}

// blocked says why the request cannot be merged; conflicts are no reason: they are decided first.
func (p *request) blocked() string {
	if why := p.closedOrBusy(); why != "" {
		return why
	}
	for _, g := range p.checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule != api.GateConflicts {
			return "not yet: " + g.Message
		}
	}
	return ""
}

// askToMerge has a merge confirmed; conflicts that are known are decided first.
func (p *request) askToMerge() tea.Cmd {
	for _, g := range p.checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule == api.GateConflicts {
			return p.toCause(api.GateConflicts)
		}
	}
	r := p.remote.Latest
	question := fmt.Sprintf("Merge #%d into the space? It changes %s for all readers.", r.Number, text.Plural(len(r.Pages), "page"))
	var against []string
	for _, g := range p.checks.Latest.Rules {
		if g.State == api.GateAdvice || g.State == api.GateBypassed {
			against = append(against, "! "+g.Message)
		}
	}
	if n := len(p.Session.Pending(p.at)); n > 0 {
		against = append(against, fmt.Sprintf("✎ %s of yours on it not sent (p)", text.Plural(n, "draft")))
	}
	if len(against) > 0 {
		question = strings.Join(append(against, question), "\n")
	}
	return components.Send(page.ConfirmMsg{Question: question, Typed: len(against) > 0, Yes: components.Send(goMsg{p, true})})
}

// askToPull has an update confirmed.
func (p *request) askToPull() tea.Cmd {
	question := fmt.Sprintf("Bring the space's newest content into #%d?", p.remote.Latest.Number)
	return components.Send(page.ConfirmMsg{Question: question, Yes: components.Send(goMsg{p, false})})
}

func (p *request) Pending() bool { return p.outcome.Busy }

// goMsg says that a merge or an update was confirmed.
type goMsg struct {
	of    *request
	merge bool
}

// begin merges or updates.
func (p *request) begin(merge bool) tea.Cmd {
	client, at, key := p.Session.Client, p.at, p.Session.NewKey()
	return p.outcome.Load(p.Session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		if merge {
			return client.Merge(ctx, at, key)
		}
		return client.Pull(ctx, at, nil, key)
	})
}
