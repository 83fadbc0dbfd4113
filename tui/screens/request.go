package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sync/errgroup"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// requestPage shows a change request: its description, its checks and reviews, the changed pages, and the threads
// about the whole request. The user merges and updates it from here.
type requestPage struct {
	page.Frame
	target              remote.Target
	remote              remote.Value[proposal]
	threads             threadsPart
	merge               mergePart
	authorActions       authorActions
	reviews             remote.Value[reviewState]
	brokenLinks         remote.Value[[]edge] // links that a merge would break, loaded on demand
	timeline            remote.Value[api.Timeline]
	earlierTimeline     remote.Value[api.Timeline] // events before those of timeline
	earlierCursor       string                     // the cursor of timeline for which earlierTimeline was loaded
	lastSeenCursor      string                     // events after this cursor are new
	savedSeenCursor     string                     // cursor that was sent to the server as seen
	words               remote.Value[map[string]api.WordCount]
	tree                remote.Value[[]api.RevisionPage]
	openRequests        remote.Value[[]api.QueuedChangeRequest] // open change requests of the space
	cursorSet           bool                                    // the cursor was moved to the first unread page
	sinceChanged        bool                                    // since has changed and the response is not here yet
	descriptionUnfolded bool                                    // the whole description is shown
	allChecks           bool                                    // passed checks are listed as well
	unfoldedCheck       string                                  // key of the check whose rest is shown
	previews            page.Previews
	since               string // which changes are shown: "" for all, or api.SinceMyLastReview
}

// proposal is a change request with its changes.
type proposal struct {
	api.ChangeRequest
	render.ProposedChanges
}

func newRequestPage(s *page.Session, at remote.Target) *requestPage {
	p := &requestPage{Frame: page.NewFrame(s), target: at}
	p.threads = newThreadsPart(&p.Frame, at, "")
	p.threads.shownRevision = func() string { return p.remote.Latest.Revision }
	p.merge = mergePart{
		session: s, target: at, request: func() (api.ChangeRequest, int) {
			return p.remote.Latest.ChangeRequest,
				len(p.remote.Latest.Pages)
		},
	}
	p.merge.loading = func() bool { return p.remote.Busy && p.remote.Loaded }
	p.merge.openThread = func(th api.Comment) tea.Cmd { return showThread(s, at, th) }
	p.authorActions = authorActions{
		session: s, target: at, request: func() api.ChangeRequest { return p.remote.Latest.ChangeRequest },
		selectedChange: p.selectedChange, pages: func() ([]api.RevisionPage, bool) {
			return p.tree.Latest, p.tree.Loaded
		}, closedReason: p.verdict().closedReason, onRequest: p.onRequest,
		awaitedReviewers: p.awaitedReviewers, lastReview: p.reviewBy, wasAskedSince: p.wasAskedSince,
	}
	return p
}

func (p *requestPage) Title() string {
	if !p.remote.Loaded {
		return "change request"
	}
	return fmt.Sprintf("#%d %s", p.remote.Latest.Number, render.Subject(p.remote.Latest.ChangeRequest))
}

func (p *requestPage) Kind() string  { return "change request" }
func (p *requestPage) Space() string { return p.target.Space }

func (p *requestPage) LoadState() remote.LoadState {
	c := p.remote.And(p.threads.loadState())
	c.Busy = c.Busy || p.merge.busy()
	return c
}

func (p *requestPage) Load() tea.Cmd {
	p.previews.Forget()
	return tea.Batch(p.loadProposal(), p.threads.load(), p.merge.load(), p.loadReviews(), p.Session.Read.Load(p.target), p.loadTimeline(),
		p.loadWords(), p.loadTree(), loadOpenRequests(p.Session, &p.openRequests, p.target.Space))
}

func (p *requestPage) Preview() page.Page { return p.previews.Shown }

func (p *requestPage) Follow() tea.Cmd {
	r, ok := p.Selected()
	if pages := p.remote.Latest.Pages; ok && r.About.Page != "" && r.About.At < len(pages) {
		return p.previews.Show(r.About.Page, func() page.Page { return p.preview(r.About.At) })
	} else if d := p.details(r); ok && d != nil {
		p.previews.Shown = d
		return nil
	}
	p.previews.Shown = nil
	return nil
}

func (p *requestPage) loadProposal() tea.Cmd {
	conn, at, since := p.Session.Connection, p.target, p.since
	return p.remote.Load(conn, func(ctx context.Context) (proposal, error) { return findProposal(ctx, conn, at, since) })
}

// findProposal loads a change request and its changes at once. If the head moves in between, it loads the changes again: a
// verdict must not cover more than is shown.
func findProposal(ctx context.Context, conn *remote.Connection, at remote.Target, since string) (proposal, error) {
	var r api.ChangeRequest
	var all api.SemanticChanges
	var calls errgroup.Group
	calls.Go(func() (err error) { r, err = conn.ChangeRequest(ctx, at); return err })
	calls.Go(func() (err error) { all, err = conn.Client.Changes(ctx, at, since); return err })
	err := calls.Wait()
	if err == nil && all.Revision != r.Revision {
		all, err = conn.Client.Changes(ctx, at, since)
	}
	return proposal{r, render.NewProposedChanges(all)}, err
}

func (p *requestPage) Update(msg tea.Msg) tea.Cmd {
	switch {
	case p.remote.Take(msg):
		p.previews.Each(func(shown page.Page) { shown.(*changePage).updateChanges(p.remote.Latest.Pages) })
		if r, _ := p.Selected(); r.Key == nothingKey && len(p.remote.Latest.Pages) > 0 {
			p.sinceChanged = true
		}
		if p.Stale = true; p.sinceChanged { // a different list of pages: the cursor starts at the first
			p.List.Aim(func(r components.Row) bool { return r.Change }, false)
			p.sinceChanged = false
		}
		return tea.Batch(p.useID(), p.dropDecisions())
	case p.threads.take(msg):
		p.Stale = true
		p.previews.Each(func(shown page.Page) { shown.(*changePage).threads.copySource() })
	case p.openRequests.Take(msg):
		p.Stale = true
		var cmds []tea.Cmd
		p.previews.Each(func(shown page.Page) {
			cmds = append(cmds, shown.(*changePage).withOpenRequests(p.openRequests).loadOverlap())
		})
		return tea.Batch(cmds...)
	case p.reviews.Take(msg), p.takeTimeline(msg), p.words.Take(msg), p.tree.Take(msg):
		p.Stale = true
	case p.earlierTimeline.Take(msg):
		return p.prependEarlier()
	case p.brokenLinks.Take(msg):
		return p.showBrokenLinks()
	}
	if isVerdictOn(msg, p.target) && p.since != "" { // the verdict covers the new changes, so all changes are loaded again
		p.since, p.sinceChanged = "", true
	}
	if cmd, mine := p.merge.take(msg); mine {
		p.Stale = true
		return cmd
	}
	return tea.Batch(p.previews.Update(msg), handleWrap(p, msg))
}

func (p *requestPage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.remote.LoadState, false, "", width); rows != nil {
		return rows
	}
	width = render.ProseWidth(width)
	p.Session.Read.SetAuthor(p.target, p.remote.Latest.CreatedBy.ID == p.Session.Me.ID)
	p.selectFirstUnread()
	rows := append(p.header(width), p.descriptionRows(width)...)
	rows = append(rows, p.reviewRows(width)...)
	rows = append(rows, p.checkRows(width)...)
	rows = append(rows, p.changeRows(width)...)
	rows = append(rows, p.threadRows(width)...)
	whole := p.threads.filter(func(th *commentThread) bool { return th.Target.Page == nil })
	rows = append(rows, components.Row{Key: page.DiscussionKey}, components.Row{
		Key: page.DiscussionKey, Line: render.Section("Discussion").Cut(width), Skip: true,
	})
	if len(whole) == 0 {
		rows = append(rows, components.Row{
			Key: page.DiscussionKey, Line: render.Line{render.In(render.Dim, "No discussion yet; c starts one.")}.Cut(width),
		})
	}
	rows = append(rows, p.threads.blockThreadRows(whole, "", width)...)
	rows = append(rows, p.threads.unsentOnWholeRows(width)...)
	if len(rows[len(rows)-1].Line) > 0 {
		rows = append(rows, components.Row{Key: "timeline"})
	}
	return append(rows, p.timelineRows(width)...)
}

// selectFirstUnread moves the cursor to the first unread page as soon as the read marks are loaded, unless the user has
// moved it in the meantime.
func (p *requestPage) selectFirstUnread() {
	if c := p.Session.Read.LoadState(p.target); p.cursorSet || c.Busy || !c.Loaded {
		return
	}
	p.cursorSet = true
	pages := p.remote.Latest.Pages
	first := p.firstUnread()
	if r, ok := p.Selected(); first < 0 || ok && !page.IsNotice(r) && r.Key != page.ChangeKey(pages[0].Page.ID) {
		return
	}
	p.List.Aim(func(r components.Row) bool { return r.Key == page.ChangeKey(pages[first].Page.ID) }, false)
	p.List.KeepVisible(page.ChangeKey(pages[min(first+pagesBelowCursor, len(pages)-1)].Page.ID))
}

// pagesBelowCursor is the number of changed pages that are visible below the cursor when a request is opened.
const pagesBelowCursor = 3

// firstUnread returns the index of the first unread page, or -1.
func (p *requestPage) firstUnread() int {
	return slices.IndexFunc(p.remote.Latest.Pages, func(c render.PageChange) bool {
		read, known := p.Session.Read.IsRead(p.target, c.Page.ID)
		return known && !read
	})
}

// threadRows lists the open threads on pages, a line each, in the order of the pages and their texts.
func (p *requestPage) threadRows(width int) []components.Row {
	list := p.threads.filter(func(th *commentThread) bool { return th.Target.Page != nil })
	sortByPage(list, pageIDs(p.remote.Latest.Pages))
	if len(list) == 0 && !p.threads.onlyWaiting {
		return nil
	}
	var rows []components.Row
	resolved := 0
	for _, th := range list {
		if th.Status == api.CommentResolved {
			resolved++
			continue
		}
		rows = append(rows, p.threads.briefRow(th, width))
	}
	title := append(render.Section("Threads"), render.In(render.Dim, "  "+p.threads.listNote(len(rows), resolved)))
	head := []components.Row{{Key: "threads"}, {Key: "threads", Line: title.Cut(width), Skip: true}}
	return append(head, rows...)
}

func (p *requestPage) change(at int) page.Page { return p.prepare(p.newChangePage(at)) }

func (p *requestPage) newChangePage(at int) *changePage {
	return newChangePage(p.Session, p.target, p.remote.Latest.ChangeRequest, p.remote.Latest.Pages, at, p.since)
}

// preview returns a page for the preview pane, whose threads are those that the request has loaded.
func (p *requestPage) preview(at int) page.Page {
	shown := p.newChangePage(at)
	shown.threads.source = &p.threads
	return p.prepare(shown)
}

// prepare copies the data that the request page has already loaded to shown, and returns it.
func (p *requestPage) prepare(shown *changePage) page.Page {
	shown.words, shown.wordsSince, shown.reviewed = p.words.Latest, p.since, p.reviewed()
	shown.neverReviewed = p.reviews.Loaded && !shown.reviewed
	shown.merge.setChecks(p.merge.checks)
	shown.authorActions.lastReview, shown.authorActions.wasAskedSince = p.reviewBy, p.wasAskedSince
	if p.threads.loadState().Loaded {
		shown.setOpenThreads(countOpenThreads(p.threads.comments()))
	}
	return shown.withOpenRequests(p.openRequests)
}

func (p *requestPage) Actions() []components.Action {
	first := []components.Action{
		p.merge.updateAction(),
		{
			Name: "since", OfPage: true, Keys: []string{"d"}, Help: "only what changed since my review, or everything", Hint: p.sinceHint(),
			Do: p.toggleSince,
		},
		p.threads.editAction(p.edit, p.notEditableReason),
		p.threads.commentOnWholeAction("comment on the change request"),
	}
	authorActions := p.authorActions.actions()
	if p.isOwn() { // the author requests reviews
		first, authorActions = authorActions, first
	}
	history := pageAction(historyAction(func() page.Page { return newRequestHistory(p.Session, p.target) }))
	history.Hint = "" // without a hint, because the keys of the review need the width
	return p.threads.prependActions(slices.Concat(p.threads.stepActions(), p.verdict().actions(), []components.Action{
		{
			Name: "browse", OfPage: true, Help: "all pages with these changes",
			Do: func() tea.Cmd { return page.Push(newTreePage(p.Session, p.target)) },
		},
		p.merge.action(),
	}, first, authorActions, p.threads.actions(), []components.Action{
		allCommentsAction(p.Session, &p.target), markAction(p.Session, p.target, func() string { return p.remote.Latest.Revision },
			p.selectedItem),
		history,
	}))
}

// onRequest reports whether the row under the cursor describes the request as a whole.
func (p *requestPage) onRequest() bool {
	r, ok := p.Selected()
	return ok && slices.Contains([]string{editDescriptionKey, descriptionKey, nothingKey}, r.Key)
}

// isOwn reports whether the user is the author of the request.
func (p *requestPage) isOwn() bool {
	return p.Session != nil && p.remote.Loaded && p.remote.Latest.CreatedBy.ID == p.Session.Me.ID // nil session: table of keys
}

// sinceHint returns the hint of the key d: the changes since the user's review, or all changes.
func (p *requestPage) sinceHint() string {
	if p.Session == nil { // table of keys
		return sinceMyReview
	}
	return toggleSinceHint(p.since, p.reviewed())
}

// isVerdictOn reports whether msg is the success of a verdict of the user on a change request.
func isVerdictOn(msg tea.Msg, at remote.Target) bool {
	sent, ok := msg.(page.SubmittedMsg)
	return ok && sent.Err == nil && sent.Submission.Target == at && sent.Submission.Body.Status != ""
}

// sinceMyReview is the hint of the action that shows the changes since the user's review.
const sinceMyReview = "since my review"

// toggleSinceHint returns the hint of the action that toggles between the changes since the user's review and all
// changes. It is empty without a review.
func toggleSinceHint(since string, reviewed bool) string {
	switch {
	case since != "":
		return "all changes"
	case reviewed:
		return sinceMyReview
	default:
		return ""
	}
}

// reviewed reports whether the user has reviewed the request.
func (p *requestPage) reviewed() bool {
	return slices.ContainsFunc(p.reviews.Latest.reviews, func(r api.Review) bool { return r.Reviewer.ID == p.Session.Me.ID })
}

// OpenHint returns the hint of Open.
func (p *requestPage) OpenHint() string {
	if p.About().Page != "" {
		return "read"
	}
	r, _ := p.Selected()
	if th, _ := p.threads.selectedThread(); th != nil && th.Target.Page != nil && !strings.HasPrefix(r.Key, reviewKeyPrefix) {
		return "go to it"
	}
	if r.Key == checkKeyPrefix+allChecks {
		return render.Choose(p.allChecks, "fold", "unfold")
	} else if strings.HasPrefix(r.Key, checkKeyPrefix) {
		hint, _ := p.checkAction(r.Key)
		return hint
	} else if strings.HasPrefix(r.Key, reviewKeyPrefix) {
		hint, _ := p.reviewAction(r.Key)
		return hint
	} else if r.Key == descriptionKey {
		return "unfold"
	} else if r.Key == nothingKey {
		return "list the pages"
	} else if r.Key == earlierKey {
		return "show"
	} else if _, _, ok := p.eventTarget(strings.TrimPrefix(r.Key, eventKeyPrefix)); ok {
		return "go to it"
	}
	return ""
}

func (p *requestPage) Open() tea.Cmd {
	if about := p.About(); about.Page != "" {
		return page.Push(p.change(about.At))
	}
	r, _ := p.Selected()
	if strings.HasPrefix(r.Key, checkKeyPrefix) {
		_, do := p.checkAction(r.Key)
		return do()
	}
	if strings.HasPrefix(r.Key, reviewKeyPrefix) {
		_, do := p.reviewAction(r.Key)
		return do()
	}
	if cursor, ok := strings.CutPrefix(r.Key, eventKeyPrefix); ok {
		return p.openEvent(cursor)
	}
	if r.Key == earlierKey {
		return p.loadEarlier()
	}
	if r.Key == nothingKey {
		return page.Push(newTreePage(p.Session, p.target))
	}
	if r.Key == descriptionKey {
		p.descriptionUnfolded, p.Stale = true, true
		return nil
	}
	if th, _ := p.threads.selectedThread(); th != nil {
		return showThread(p.Session, p.target, th.Comment)
	}
	return nil
}

func (p *requestPage) verdict() verdictPart {
	return verdictPart{p.Session, p.target, func() api.ChangeRequest { return p.remote.Latest.ChangeRequest }}
}

// selectedChange returns the changed page under the cursor.
func (p *requestPage) selectedChange() (c render.PageChange, on bool) {
	about, pages := p.About(), p.remote.Latest.Pages
	if about.Page == "" || about.At >= len(pages) {
		return c, false
	}
	return pages[about.At], true
}

// noPageReason returns the reason why there is no page to edit under the cursor, or "".
func (p *requestPage) noPageReason() string {
	if len(p.remote.Latest.Pages) == 0 {
		return "it changes no page: " + emptyRequestHint
	}
	if about := p.About(); about.Page == "" || about.At >= len(p.remote.Latest.Pages) {
		return noPageReason()
	}
	if p.remote.Latest.Pages[p.About().At].Deleted {
		return "the page is deleted in the change request"
	}
	return ""
}

// onDescription reports whether the cursor is on the description.
func (p *requestPage) onDescription() bool {
	r, _ := p.Selected()
	return r.Key == editDescriptionKey
}

// notEditableReason returns the reason why there is nothing to edit under the cursor, or "".
func (p *requestPage) notEditableReason() string {
	if p.onDescription() {
		return p.verdict().closedReason()
	}
	return p.noPageReason()
}

// edit edits the description or the page under the cursor.
func (p *requestPage) edit(string) tea.Cmd {
	if p.onDescription() {
		return p.authorActions.editDescription()
	}
	return editPage(p.target, p.remote.Latest.Pages[p.About().At].RevisionPage(), "")
}

// Pending reports whether a merge or an update is in flight.
func (p *requestPage) Pending() bool { return p.merge.busy() }
