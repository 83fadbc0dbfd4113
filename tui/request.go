package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// request shows a change request: what it is, the pages it changes, the threads about it as a whole; from here it
// is merged and updated.
type request struct {
	frame
	at      Place
	remote  remote[proposal]
	threads threads
	outcome remote[api.MergeResult]
	gates   remote[api.Mergeability]
	sides   sides
	since   string // what changed since when is shown: all, or api.SinceMyLastReview
}

// proposal is a change request with what it changes.
type proposal struct {
	api.ChangeRequest
	proposed
}

func newRequest(s *session, at Place) *request {
	return &request{frame: newFrame(s), at: at, threads: threads{s: s, at: at}}
}

func (p *request) title() string {
	if !p.remote.loaded {
		return "change request"
	}
	return fmt.Sprintf("#%d %s", p.remote.value.Number, subjectOf(p.remote.value.ChangeRequest))
}

func (p *request) kind() string  { return "change request" }
func (p *request) space() string { return p.at.Space }

func (p *request) condition() condition {
	c := p.remote.condition().and(p.threads.remote.condition())
	c.busy = c.busy || p.outcome.busy
	return c
}

func (p *request) load() tea.Cmd {
	p.sides.forget()
	return tea.Batch(p.loadProposal(), p.threads.load(), p.loadGates())
}

func (p *request) beside() page { return p.sides.shown }

func (p *request) follow() tea.Cmd {
	r, ok := p.selected()
	if pages := p.remote.value.pages; ok && r.about.page != "" && r.about.at < len(pages) {
		return p.sides.show(r.about.page, func() page { return p.change(r.about.at) })
	}
	p.sides.shown = nil
	return nil
}

func (p *request) loadProposal() tea.Cmd {
	client, at, since := p.s.client, p.at, p.since
	return p.remote.load(p.s, func(ctx context.Context) (proposal, error) {
		r, err := client.ChangeRequest(ctx, at)
		if err != nil {
			return proposal{}, err
		}
		changes, err := client.Changes(ctx, at, since)
		return proposal{r, proposedBy(changes)}, err
	})
}

func (p *request) update(msg tea.Msg) tea.Cmd {
	switch {
	case p.remote.take(msg), p.threads.remote.take(msg), p.gates.take(msg):
		p.stale = true
	case p.outcome.take(msg):
		p.stale = true
		return p.decided()
	}
	if g, ok := msg.(goMsg); ok && g.of == p {
		return p.begin(g.merge)
	}
	return p.sides.update(msg)
}

// decided says what a merge or an update did.
func (p *request) decided() tea.Cmd {
	if err := p.outcome.err; err != nil {
		return send(failMsg{err})
	}
	result := p.outcome.value
	switch result.Result {
	case api.OutcomeConflicts:
		return push(newConflicts(p.s, p.at, result.Conflicts))
	case api.OutcomeMerge:
		return send(changedMsg{p.at.Space, "merged into the space"})
	default:
		return send(changedMsg{p.at.Space, "updated: it contains the space's newest content"})
	}
}

func (p *request) rows(width int) []row {
	if rows := stateRows(p.remote.condition(), false, "", width); rows != nil {
		return rows
	}
	width = measure(width)
	rows := p.header(width)
	rows = append(rows, p.gateRows(width)...)
	rows = append(rows, p.changes(width)...)
	threads := p.threads.shown(func(th *thread) bool { return th.Target.Page == nil })
	onPages := len(p.threads.remote.value) - len(threads)
	title := "Discussion"
	if onPages > 0 {
		title += fmt.Sprintf(" (and %s on pages: C)", plural(onPages, "thread"))
	}
	rows = append(rows, row{key: "discussion"}, row{key: "discussion", line: sectionTitle(title).Cut(width)})
	if len(threads) == 0 {
		rows = append(rows, row{key: "discussion", line: text.Line{text.In(text.Dim, "Nobody has said anything about the whole; c does.")}.Cut(width)})
	}
	return append(rows, p.threads.under(threads, width)...)
}

func (p *request) change(at int) page {
	return newChange(p.s, p.at, p.remote.value.pages, at, p.since)
}

func sectionTitle(s string) text.Line {
	return text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, s)}
}

func (p *request) header(width int) []row {
	r := p.remote.value
	lines := text.Wrap(text.Line{text.Of(text.Style{Bold: true}, subjectOf(r.ChangeRequest))}, width, nil)
	facts := text.Line{
		text.Of(text.Style{Tone: text.Accent, Bold: true}, string(r.Status)),
		text.In(text.Dim, fmt.Sprintf(" · #%d by %s · started %s · last change %s · %s", r.Number, r.CreatedBy.DisplayName,
			p.s.ago(r.CreatedAt), p.s.ago(r.UpdatedAt), plural(r.Comments, "open comment"))),
	}
	lines = append(lines, text.Wrap(facts, width, nil)...)
	for _, note := range p.notes() {
		lines = append(lines, text.Wrap(text.Line{text.In(text.Warning, note)}, width, nil)...)
	}
	rows := make([]row, 0, len(lines)+1)
	for _, line := range lines {
		rows = append(rows, row{key: "header", line: line})
	}
	return append(rows, row{key: "header"})
}

// notes say what a reviewer must know before anything else.
func (p *request) notes() []string {
	r := p.remote.value
	switch {
	case r.Status == api.StatusMerged:
		return []string{"It is merged: this is what it changed."}
	case r.Outdated:
		return []string{"! The space has moved on since: u brings its newer edits in. They are not among the changes below."}
	default:
		return nil
	}
}

func (p *request) changes(width int) []row {
	shown := p.remote.value.proposed
	title, none := "Changed pages", "It changes no page."
	if p.since != "" {
		title, none = "Changed since your last review", "No page has changed since; s shows all."
	}
	rows := []row{{key: "changes", line: sectionTitle(fmt.Sprintf("%s (%d)", title, len(shown.pages))).Cut(width)}}
	if len(shown.pages) == 0 {
		line := text.Line{text.In(text.Dim, none)}
		rows = append(rows, row{key: "changes", line: line.Cut(width)})
	}
	for i, c := range shown.pages {
		id := c.page.ID
		rows = append(rows, row{key: "page/" + id, line: p.changeLine(c, width), about: subject{page: id, at: i}, change: true, begin: true})
	}
	if shown.more > 0 {
		line := text.Line{text.In(text.Warning, fmt.Sprintf("! and %s that are not shown here", plural(shown.more, "change")))}
		rows = append(rows, row{key: "changes", line: line.Cut(width)})
	}
	if len(shown.rest) > 0 {
		rows = append(rows, row{key: "rest"}, row{key: "rest", line: sectionTitle("Beside pages")})
	}
	for i, what := range shown.rest {
		rows = append(rows, row{key: fmt.Sprintf("rest/%d", i), line: text.Line{text.Plain(what)}.Cut(width)})
	}
	return rows
}

func (p *request) changeLine(c pageChange, width int) text.Line {
	left := text.Line{text.Of(text.Style{Tone: c.tone(), Bold: true}, c.sign()+" "), text.Plain(titled(c.page.Title))}
	right := text.Line{text.In(text.Dim, c.what())}
	open := len(p.threads.shown(func(th *thread) bool {
		return th.Target.Page != nil && th.Target.Page.ID == c.page.ID && th.Status == api.CommentOpen
	}))
	if open > 0 {
		right = append(text.Line{text.In(text.Warning, fmt.Sprintf("● %d  ", open))}, right...)
	}
	return text.Columns(left, right, width)
}

func (p *request) actions() []action {
	return slices.Concat([]action{
		{name: "browse", keys: keys("b"), help: "its pages", hint: "pages", do: func() tea.Cmd { return push(newTree(p.s, p.at, p.title())) }},
		{name: "merge", keys: keys("m"), help: "merge", hint: "merge", do: p.askToMerge, whyNot: p.closedOrBusy},
		{name: "pull", keys: keys("u"), help: "update from the space", hint: "update", do: p.askToPull, whyNot: p.closedOrBusy},
		{name: "approve", keys: keys("a"), help: "approve it", hint: "approve", do: p.approve, whyNot: p.closed},
		{name: "request-changes", keys: keys("A"), help: "ask for changes", do: p.requestChanges, whyNot: p.closed},
		{name: "since", keys: keys("s"), help: "what is new to you, or all", do: p.turnSince},
		p.threads.commentOnWhole("comment on the change request"),
	}, p.threads.actions(&p.frame), []action{allComments(p.s, &p.at)})
}

func (p *request) open() tea.Cmd {
	if about := p.about(); about.page != "" {
		return push(p.change(about.at))
	}
	return nil
}

// closed says why nothing can be decided about the request any more, or yet.
func (p *request) closed() string {
	switch s := p.remote.value.Status; {
	case !p.remote.loaded:
		return "wait until it is loaded"
	case s == api.StatusMerged || s == api.StatusArchived:
		return fmt.Sprintf("it is %s", s)
	default:
		return ""
	}
}

// closedOrBusy says why the request can be neither merged nor updated.
func (p *request) closedOrBusy() string {
	if p.outcome.busy {
		return "wait until it is loaded"
	}
	return p.closed()
}

// turnSince turns between all that the request changes and what is new to the reviewer.
func (p *request) turnSince() tea.Cmd {
	told := "all that it changes"
	if p.since == "" {
		p.since, told = api.SinceMyLastReview, "only what changed since your last review; s shows all again"
	} else {
		p.since = ""
	}
	p.sides.forget()
	return tea.Batch(p.loadProposal(), toast("%s", told))
}

// askToMerge has a merge confirmed.
func (p *request) askToMerge() tea.Cmd {
	r := p.remote.value
	question := fmt.Sprintf("Merge #%d into the space? It changes %s for all readers.", r.Number, plural(len(r.pages), "page"))
	if r.Comments > 0 {
		question += fmt.Sprintf(" It has %s.", plural(r.Comments, "open comment"))
	}
	return send(confirmMsg{question, send(goMsg{p, true})})
}

// askToPull has an update confirmed.
func (p *request) askToPull() tea.Cmd {
	question := fmt.Sprintf("Bring the space's newest content into #%d?", p.remote.value.Number)
	return send(confirmMsg{question, send(goMsg{p, false})})
}

func (p *request) pending() bool { return p.outcome.busy }

// goMsg says that a merge or an update was confirmed.
type goMsg struct {
	of    *request
	merge bool
}

// begin merges or updates.
func (p *request) begin(merge bool) tea.Cmd {
	client, at, key := p.s.client, p.at, p.s.newKey()
	return p.outcome.load(p.s, func(ctx context.Context) (api.MergeResult, error) {
		if merge {
			return client.Merge(ctx, at, key)
		}
		return client.Pull(ctx, at, nil, key)
	})
}
