package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// request shows a change request: what it is, the pages it changes, the threads about it as a whole; from here it
// is merged and updated.
type request struct {
	page.Frame
	at         remote.Target
	remote     remote.Value[proposal]
	threads    Threads
	merging    Merge
	authoring  Work
	reviews    remote.Value[standing]
	broken     remote.Value[[]edge] // the links that it would break, when they are asked for
	timeline   remote.Value[api.Timeline]
	before     remote.Value[api.Timeline] // what happened earlier than the timeline shows
	beforeWhat string                     // the cursor before which it was asked for
	lastLook   string                     // what came behind this is new
	looked     string                     // how far it was kept that the user has looked
	words      remote.Value[map[string]api.WordCount]
	tree       remote.Value[[]api.RevisionPage]
	also       remote.Value[[]api.QueuedChangeRequest] // those of the space that are open
	begun      bool                                    // the cursor was put on what is to be read first
	turned     bool                                    // since was changed, and the answer is awaited
	unfolded   bool                                    // all of the description is shown
	whole      bool                                    // the checks that pass are listed, too
	previews   page.Previews
	since      string // what changed since when is shown: all, or api.SinceMyLastReview
}

// proposal is a change request with what it changes.
type proposal struct {
	api.ChangeRequest
	render.Proposed
}

func newRequest(s *page.Session, at remote.Target) *request {
	p := &request{Frame: page.NewFrame(s), at: at}
	p.threads = NewThreads(&p.Frame, at, "")
	p.threads.Head = func() string { return p.remote.Latest.Revision }
	p.merging = Merge{Session: s, At: at, Of: func() (api.ChangeRequest, int) { return p.remote.Latest.ChangeRequest, len(p.remote.Latest.Pages) }}
	p.merging.Discuss = func(th api.Comment) tea.Cmd { return showThread(s, at, th) }
	p.authoring = Work{
		Session: s, At: at, Of: func() api.ChangeRequest { return p.remote.Latest.ChangeRequest },
		Here: p.changeHere, Tree: func() ([]api.RevisionPage, bool) { return p.tree.Latest, p.tree.Loaded }, Closed: p.verdict().closed,
		Awaited: p.awaitedHere, Verdict: p.reviewBy, Asked: p.askedSince,
	}
	return p
}

func (p *request) Title() string {
	if !p.remote.Loaded {
		return "change request"
	}
	return fmt.Sprintf("#%d %s", p.remote.Latest.Number, render.Subject(p.remote.Latest.ChangeRequest))
}

func (p *request) Kind() string  { return "change request" }
func (p *request) Space() string { return p.at.Space }

func (p *request) Condition() remote.Condition {
	c := p.remote.And(p.threads.Condition())
	c.Busy = c.Busy || p.merging.Busy()
	return c
}

func (p *request) Load() tea.Cmd {
	p.previews.Forget()
	return tea.Batch(p.loadProposal(), p.threads.Load(), p.merging.Load(), p.loadReviews(), p.Session.Read.Load(p.at), p.loadTimeline(), p.loadWords(), p.loadTree(), loadAlso(p.Session, &p.also, p.at.Space))
}

func (p *request) Preview() page.Page { return p.previews.Shown }

func (p *request) Follow() tea.Cmd {
	r, ok := p.Selected()
	if pages := p.remote.Latest.Pages; ok && r.About.Page != "" && r.About.At < len(pages) {
		return p.previews.Show(r.About.Page, func() page.Page { return p.change(r.About.At) })
	} else if d := p.details(r); ok && d != nil {
		p.previews.Shown = d
		return nil
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
		return proposal{r, render.ProposedBy(all)}, err
	})
}

func (p *request) Update(msg tea.Msg) tea.Cmd {
	switch {
	case p.remote.Take(msg):
		p.previews.Each(func(shown page.Page) { shown.(*change).told(p.remote.Latest.Pages) })
		if r, _ := p.Selected(); r.Key == nothingKey && len(p.remote.Latest.Pages) > 0 {
			p.turned = true
		}
		if p.Stale = true; p.turned { // other pages are listed: the cursor begins at the first
			p.List.Aim(func(r components.Row) bool { return r.Change }, false)
			p.turned = false
		}
		return tea.Batch(p.identify(), p.forgetDecided())
	case p.threads.Take(msg), p.reviews.Take(msg), p.takeTimeline(msg), p.words.Take(msg), p.tree.Take(msg), p.also.Take(msg):
		p.Stale = true
	case p.before.Take(msg):
		return p.joinEarlier()
	case p.broken.Take(msg):
		return p.showBroken()
	}
	if judged(msg, p.at) && p.since != "" { // what was new is reviewed now; all is loaded again
		p.since, p.turned = "", true
	}
	if cmd, mine := p.merging.Take(msg); mine {
		p.Stale = true
		return cmd
	}
	return tea.Batch(p.previews.Update(msg), takeAround(p, msg))
}

func (p *request) Rows(width int) []components.Row {
	if rows := page.StateRows(p.remote.Condition, false, "", width); rows != nil {
		return rows
	}
	width = render.Measure(width)
	p.Session.Read.Own(p.at, p.remote.Latest.CreatedBy.ID == p.Session.Me.ID)
	p.beginUnread()
	rows := append(p.header(width), p.describedRows(width)...)
	rows = append(rows, p.reviewRows(width)...)
	rows = append(rows, p.checkRows(width)...)
	rows = append(rows, p.changes(width)...)
	rows = append(rows, p.threadRows(width)...)
	whole := p.threads.Shown(func(th *Thread) bool { return th.Target.Page == nil })
	rows = append(rows, components.Row{Key: page.DiscussionKey}, components.Row{Key: page.DiscussionKey, Line: render.Section("Discussion").Cut(width), Skip: true})
	if len(whole) == 0 {
		rows = append(rows, components.Row{Key: page.DiscussionKey, Line: render.Line{render.In(render.Dim, "No discussion yet; c starts one.")}.Cut(width)})
	}
	rows = append(rows, p.threads.Under(whole, "", width)...)
	rows = append(rows, p.threads.UnsentOnWhole(width)...)
	if len(rows[len(rows)-1].Line) > 0 {
		rows = append(rows, components.Row{Key: "timeline"})
	}
	return append(rows, p.timelineRows(width)...)
}

// beginUnread puts the cursor on the first page that was not read, as soon as the server has said what was; who has gone
// elsewhere meanwhile stays there.
func (p *request) beginUnread() {
	if c := p.Session.Read.Condition(p.at); p.begun || c.Busy || !c.Loaded {
		return
	}
	p.begun = true
	pages := p.remote.Latest.Pages
	first := p.firstUnread()
	if r, ok := p.Selected(); first < 0 || ok && !page.IsNotice(r) && r.Key != page.ChangeKey(pages[0].Page.ID) {
		return
	}
	p.List.Aim(func(r components.Row) bool { return r.Key == page.ChangeKey(pages[first].Page.ID) }, false)
}

// firstUnread is the first page that was not read, -1 where there is none.
func (p *request) firstUnread() int {
	return slices.IndexFunc(p.remote.Latest.Pages, func(c render.PageChange) bool {
		read, known := p.Session.Read.Has(p.at, c.Page.ID)
		return known && !read
	})
}

// threadRows list the open threads on pages, a line each: those that wait for the user first, and in the order of the pages.
func (p *request) threadRows(width int) []components.Row {
	list := p.threads.Shown(func(th *Thread) bool { return th.Target.Page != nil })
	p.threads.Put(list, pageIDs(p.remote.Latest.Pages))
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
	title := append(render.Section("Threads"), render.In(render.Dim, fmt.Sprintf("  %d open, %d resolved on pages", len(rows), resolved)))
	head := []components.Row{{Key: "threads"}, {Key: "threads", Line: title.Cut(width), Skip: true}}
	return append(head, rows...)
}

func (p *request) change(at int) page.Page {
	return p.furnished(newChange(p.Session, p.at, p.remote.Latest.ChangeRequest, p.remote.Latest.Pages, at, p.since))
}

// furnished gives a changed page what the request knows already.
func (p *request) furnished(shown *change) page.Page {
	shown.words, shown.counted, shown.reviewed = p.words.Latest, p.since, p.reviewed()
	shown.allNew = p.reviews.Loaded && !shown.reviewed
	shown.merging.Given(p.merging.Checks)
	if p.threads.Condition().Loaded {
		shown.knows(openOn(p.threads.Comments()))
	}
	return shown.given(p.also)
}

func (p *request) Actions() []components.Action {
	first := []components.Action{
		{Name: "pull", Keys: []string{"U"}, Help: "update from the space", Hint: "update", Do: p.merging.AskToPull, WhyNot: p.merging.ClosedOrBusy},
		{Name: "since", Keys: []string{"d"}, Help: "only what changed since my review, or everything", Hint: p.sinceHint(), Do: p.turnSince},
		p.threads.Editing(p.edit, p.notEditable),
		p.threads.CommentOnWhole("comment on the change request"),
	}
	then := p.authoring.Actions()
	if p.own() { // who made it asks for reviews
		first, then = then, first
	}
	return p.threads.First(slices.Concat(p.threads.Stepping(), p.verdict().actions(), []components.Action{
		{Name: "browse", Help: "all pages with these changes", Do: func() tea.Cmd { return page.Push(newTree(p.Session, p.at)) }},
		p.merging.Action(),
	}, first, then, p.threads.Actions(), []components.Action{allComments(p.Session, &p.at), marking(p.Session, p.at, func() string { return p.remote.Latest.Revision }, p.item)}))
}

// own reports whether the user made the request.
func (p *request) own() bool {
	return p.Session != nil && p.remote.Loaded && p.remote.Latest.CreatedBy.ID == p.Session.Me.ID // none for the table of keys
}

// sinceHint names what d shows: what is new since the user's review, where there is one, or everything again.
func (p *request) sinceHint() string {
	if p.Session == nil { // for the table of keys
		return sinceMine
	}
	return hintOfSince(p.since, p.reviewed())
}

// judged reports whether a message says that the user has given a verdict on a change request.
func judged(msg tea.Msg, at remote.Target) bool {
	sent, ok := msg.(page.SubmittedMsg)
	return ok && sent.Err == nil && sent.Submission.Target == at && sent.Submission.Body.Status != ""
}

// sinceMine is the hint of what leads to what is new since the user's review.
const sinceMine = "since my review"

// hintOfSince is the hint of what turns between what is new since then and everything; nothing where there was no review.
func hintOfSince(since string, reviewed bool) string {
	switch {
	case since != "":
		return "all changes"
	case reviewed:
		return sinceMine
	default:
		return ""
	}
}

// reviewed reports whether the user has reviewed the request.
func (p *request) reviewed() bool {
	return slices.ContainsFunc(p.reviews.Latest.reviews, func(r api.Review) bool { return r.Reviewer.ID == p.Session.Me.ID })
}

// Opens says what Open does.
func (p *request) Opens() string {
	if p.About().Page != "" {
		return "read"
	}
	r, _ := p.Selected()
	if th, _ := p.threads.Selected(); th != nil && th.Target.Page != nil && !strings.HasPrefix(r.Key, reviewKey) {
		return "go to it"
	}
	if r.Key == checkKey+allChecks {
		return map[bool]string{true: "fold", false: "unfold"}[p.whole]
	} else if strings.HasPrefix(r.Key, checkKey) {
		hint, _ := p.cause(r.Key)
		return hint
	} else if strings.HasPrefix(r.Key, reviewKey) {
		hint, _ := p.ofReview(r.Key)
		return hint
	} else if r.Key == describedKey {
		return "unfold"
	} else if r.Key == nothingKey {
		return "list the pages"
	} else if r.Key == earlierKey {
		return "show"
	} else if _, _, ok := p.toEvent(strings.TrimPrefix(r.Key, eventKey)); ok {
		return "go to it"
	}
	return ""
}

func (p *request) Open() tea.Cmd {
	if about := p.About(); about.Page != "" {
		return page.Push(p.change(about.At))
	}
	r, _ := p.Selected()
	if strings.HasPrefix(r.Key, checkKey) {
		_, do := p.cause(r.Key)
		return do()
	}
	if strings.HasPrefix(r.Key, reviewKey) {
		_, do := p.ofReview(r.Key)
		return do()
	}
	if cursor, is := strings.CutPrefix(r.Key, eventKey); is {
		return p.openEvent(cursor)
	}
	if r.Key == earlierKey {
		return p.loadEarlier()
	}
	if r.Key == nothingKey {
		return page.Push(newTree(p.Session, p.at))
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

// changeHere is the changed page under the cursor.
func (p *request) changeHere() (c render.PageChange, on bool) {
	about, pages := p.About(), p.remote.Latest.Pages
	if about.Page == "" || about.At >= len(pages) {
		return c, false
	}
	return pages[about.At], true
}

// noPage says why there is no page to edit under the cursor.
func (p *request) noPage() string {
	if len(p.remote.Latest.Pages) == 0 {
		return "it changes no page: " + Chooses
	}
	if about := p.About(); about.Page == "" || about.At >= len(p.remote.Latest.Pages) {
		return NoPage()
	}
	if p.remote.Latest.Pages[p.About().At].Deleted {
		return "the page is deleted in the change request"
	}
	return ""
}

// onDescription reports whether the cursor is where the request says what it is for.
func (p *request) onDescription() bool {
	r, _ := p.Selected()
	return r.Key == describeKey
}

// notEditable says why there is nothing to edit under the cursor.
func (p *request) notEditable() string {
	if p.onDescription() {
		return p.verdict().closed()
	}
	return p.noPage()
}

// edit edits the description, or the page under the cursor.
func (p *request) edit() tea.Cmd {
	if p.onDescription() {
		return p.authoring.Describe()
	}
	return Edit(p.at, p.remote.Latest.Pages[p.About().At].Shown())
}

// Pending reports whether a merge or an update is on its way.
func (p *request) Pending() bool { return p.merging.Busy() }
