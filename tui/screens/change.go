package screens

import (
	"cmp"
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

// changePage shows the changes of a change request to one page, with the threads under their blocks.
type changePage struct {
	page.Frame
	target        remote.Target
	request       api.ChangeRequest // the request as shown; a verdict refers to it
	changes       []render.PageChange
	index         int
	since         string // same as requestPage.since
	sinceChanged  bool   // since has changed, and its changes are not loaded yet
	sinceRow      string // key of the row under the cursor when since changed; the cursor stays if the user has moved it
	fromRevision  string // revision whose later changes the page was opened to show, or ""
	fromLabel     string // label of fromRevision: "since revision 3"
	reviewed      bool   // whether the user has reviewed the request, as far as known
	neverReviewed bool   // the user is known to have no review
	remote        remote.Value[pageDiff]
	allChanges    remote.Value[[]render.PageChange] // all changes of the request, after a reload
	incoming      incomingBlocks
	threads       threadsPart
	merge         mergePart
	authorActions authorActions                           // asks for reviews
	openRequests  remote.Value[[]api.QueuedChangeRequest] // open change requests of the space
	words         map[string]api.WordCount                // word counts of the request by page; nil if unknown
	wordsSince    string                                  // value of since for which words was loaded
	overlap       remote.Value[blockOverlap]              // blocks of this page that open requests change
	openThreads   remote.Value[map[string]int]            // open threads of the request by page
	mode          viewMode
	evaluatedText remote.Value[string] // text with variables and reusable contents evaluated, for the view of readers
	openFolds     map[int]bool         // open folds, by their first block
	allUnfolded   bool                 // all folds are open
}

// pageDiff is the diff of a page in a change request, with the request at that time.
type pageDiff struct {
	request api.ChangeRequest
	blocks  []render.BlockChange
	words   *api.WordCount // nil if the page has no text
}

func newChangePage(
	s *page.Session, at remote.Target, request api.ChangeRequest, changes []render.PageChange, index int, since string,
) *changePage {
	p := &changePage{
		Frame: page.NewFrame(s), target: at, request: request, changes: changes, index: index, since: since, openFolds: map[int]bool{},
	}
	p.threads = newThreadsPart(&p.Frame, at, p.currentChange().Page.ID)
	p.threads.shownRevision = func() string { return p.request.Revision }
	p.merge = mergePart{session: s, target: at, request: func() (api.ChangeRequest, int) { return p.request, len(p.changes) }}
	p.merge.loading = func() bool { return p.remote.Busy && p.remote.Loaded }
	p.merge.openThread = func(th api.Comment) tea.Cmd { return showThread(s, at, th) }
	p.authorActions = authorActions{
		session: s, target: at, request: func() api.ChangeRequest { return p.request }, awaitedReviewers: func() []api.User { return nil },
		lastReview: func(string) (api.Review, bool) { return api.Review{}, false }, wasAskedSince: func(string) bool { return false },
		closedReason: func() string { return closedReason(p.request) },
	}
	return p
}

func (p *changePage) currentChange() render.PageChange { return p.changes[p.index] }

func (p *changePage) Title() string {
	return fmt.Sprintf("%s (%d of %d)", render.DisplayTitle(p.currentChange().Page.Title), p.index+1, len(p.changes))
}

func (p *changePage) Kind() string  { return "changes of a page" }
func (p *changePage) Space() string { return p.target.Space }

func (p *changePage) LoadState() remote.LoadState {
	c := p.remote.And(p.threads.loadState())
	c.Busy = c.Busy || p.merge.busy()
	return c
}

// Pending reports whether a merge is in flight.
func (p *changePage) Pending() bool { return p.merge.busy() }

func (p *changePage) Load() tea.Cmd {
	conn, client, at, c, since := p.Session.Connection, p.Session.Client, p.target, p.currentChange(), p.since
	var also tea.Cmd
	if p.threads.source == nil && (p.remote.Loaded || !p.openRequests.Loaded) { // a preview uses the open requests of the request page
		also = loadOpenRequests(p.Session, &p.openRequests, at.Space)
	}
	if p.remote.Loaded || !p.openThreads.Loaded {
		also = tea.Batch(also, p.loadOpenThreads())
	}
	if p.remote.Loaded && p.merge.checks.Loaded { // checks of the previous state; not needed unless a merge was requested here
		also = tea.Batch(also, p.merge.load())
	}
	var whole tea.Cmd
	if p.remote.Loaded { // the change may be a different one by now, for instance a rename
		whole = p.allChanges.Load(conn, func(ctx context.Context) ([]render.PageChange, error) {
			all, err := client.Changes(ctx, at, since)
			return render.NewProposedChanges(all).Pages, err
		})
	}
	request, isReload := p.request, p.remote.Loaded || p.request.ID == ""
	blocks := p.remote.Load(conn, func(ctx context.Context) (found pageDiff, err error) {
		if found.request = request; isReload { // loaded before the diff, so that a verdict does not cover more than is shown
			found.request, err = conn.ChangeRequest(ctx, at)
		}
		if err != nil || c.Page.Type != api.PageDocument {
			return found, err
		}
		d, err := client.Diff(ctx, at, c.Page.ID, since)
		found.blocks, found.words = render.Blocks(d), &d.Words
		return found, err
	})
	if _, known := p.Session.Read.State(at); known {
		return tea.Batch(blocks, p.threads.load(), also, whole, p.loadOverlap(), p.loadEvaluated())
	}
	return tea.Batch(blocks, p.threads.load(), also, whole, p.loadOverlap(), p.loadEvaluated(), p.Session.Read.Load(at))
}

func (p *changePage) Update(msg tea.Msg) tea.Cmd {
	handled := p.remote.Take(msg)
	var reload tea.Cmd
	if isVerdictOn(msg, p.target) { // the verdict covers the new changes, so all changes are loaded again
		p.since, p.reviewed, p.neverReviewed = "", true, false
	}
	if handled && p.remote.Err == nil {
		if now := p.remote.Latest.request; now.Revision != p.request.Revision {
			reload = p.Session.Read.Load(p.target) // read marks may be outdated
		}
		p.request = p.remote.Latest.request
		row, _ := p.Selected()
		if p.sinceChanged && row.Key == p.sinceRow && slices.ContainsFunc(p.remote.Latest.blocks, render.BlockChange.Changed) {
			p.List.Aim(func(r components.Row) bool { return r.Change }, false)
		}
		p.sinceChanged = false
		reload = tea.Batch(reload, p.loadIncoming())
	}
	if p.allChanges.Take(msg) && p.allChanges.Err == nil {
		p.updateChanges(p.allChanges.Latest)
	}
	if p.openRequests.Take(msg) {
		p.Stale = true
		reload = tea.Batch(reload, p.loadOverlap())
	}
	if cmd, mine := p.merge.take(msg); mine {
		p.Stale = true
		return cmd
	}
	shown := p.evaluatedText.Take(msg) || p.threads.take(msg) || p.overlap.Take(msg) || p.openThreads.Take(msg) || p.incoming.keys.Take(msg)
	if handled || shown {
		p.Stale = true
	}
	return tea.Batch(reload, handleWrap(p, msg))
}

// updateChanges replaces the changes of the request. A page that the request no longer changes stays as shown.
func (p *changePage) updateChanges(all []render.PageChange) {
	if at := slices.Index(pageIDs(all), p.id()); at >= 0 {
		p.changes, p.index, p.Stale = all, at, true
	}
}

func (p *changePage) Actions() []components.Action {
	reviewActions := verdictPart{p.Session, p.target, func() api.ChangeRequest { return p.request }}.actions()
	return p.threads.prependActions(slices.Concat([]components.Action{
		{
			Name: "change-next", OfPage: true, Keys: []string{"]"}, Help: nextChangeHelp, Hint: "change",
			Do: p.nextChange(1), MovesCursor: true,
		},
		{
			Name: "change-previous", OfPage: true, Keys: []string{"["}, Help: previousChangeHelp,
			Do:          p.nextChange(-1),
			MovesCursor: true,
		},
	}, p.navigator().actions(p.Session, p.target), p.threads.commentActions(func() string {
		return p.currentChange().Page.Title
	}, p.commentSubject, p.notTextReason), []components.Action{reviewActions[1]}, p.threads.actions(), []components.Action{
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.toggleFold},
		{
			Name: "view", OfPage: true, Keys: []string{"V"}, Help: viewHelp,
			Hint: "view",
			Do:   p.cycleView,
		},
		{
			Name: "since", OfPage: true, Keys: []string{"d"}, Help: "only what changed since my review, or everything",
			Hint: toggleSinceHint(p.since,
				p.reviewed || p.Session == nil), Do: p.toggleSince,
		},
		nextPageAction(func() tea.Cmd { return p.openNeighbour(1) }, p.noNeighbourReason(1)),
		previousPageAction(func() tea.Cmd { return p.openNeighbour(-1) }, p.noNeighbourReason(-1)),
		p.threads.editAction(func(quote string) tea.Cmd {
			return editPage(p.target, p.currentChange().RevisionPage(), quote)
		}, p.noTextReason),
		allCommentsAction(p.Session, &p.target),
		markAction(p.Session, p.target, func() string { return p.request.Revision }, p.id),
		{
			Name: "also", OfPage: true, Help: "other change requests that change this page", Hint: "also changed by",
			Do:             p.chooseOtherRequest,
			DisabledReason: p.noOtherRequestReason,
		},
	}, reviewActions[:1], []components.Action{p.merge.action(), p.merge.updateAction(), p.authorActions.askAction()}))
}

// nextChange returns the function that moves the cursor to the next change of the page in a direction. It reports a
// wrap around the end of the page.
func (p *changePage) nextChange(direction int) func() tea.Cmd {
	isChange := func(r components.Row) bool { return r.Change }
	return func() tea.Cmd {
		if p.List.Step(direction, isChange) {
			return nil
		}
		here, _ := p.Selected()
		switch _, all := p.List.Count(isChange); {
		case all == 0:
			return components.Toast("no changes here")
		case all == 1 && here.Change:
			return components.Toast("this is the only change%s", p.neighbourHint(direction))
		}
		p.List.Next(direction, isChange)
		return components.Toast("around to the %s change%s", render.Choose(direction > 0, "first", "last"), p.neighbourHint(direction))
	}
}

// neighbourHint names the key that opens the next or previous changed page, or returns "" if there is none.
func (p *changePage) neighbourHint(direction int) string {
	switch {
	case p.index+direction < 0 || p.index+direction >= len(p.changes):
		return ""
	case direction > 0:
		return "; J goes to the next page"
	default:
		return "; K goes to the page before"
	}
}

// deletedPageID is the page id for the comments on a deleted text.
const deletedPageID = "-"

// noTextReason returns the reason why there is no text to edit, or "".
func (p *changePage) noTextReason() string {
	if p.currentChange().Deleted {
		return "the page is deleted in the change request"
	}
	return ""
}

// notTextReason returns the reason why the row under the cursor cannot be commented on (a deleted text or a thread),
// or "".
func (p *changePage) notTextReason() string {
	if p.About().Page == deletedPageID {
		return "this text is removed: c comments on the page"
	}
	return p.threads.notTextReason()
}

// commentSubject returns the subject of a comment on the row under the cursor: the page, if the text is removed.
func (p *changePage) commentSubject() components.Subject {
	if p.About().Page == deletedPageID {
		return components.Subject{}
	}
	return p.About()
}

// navigator returns the navigator over the changed pages with open threads.
func (p *changePage) navigator() threadNavigator {
	return threadNavigator{page: p, id: p.id(), loadOrder: func() ([]string, error) {
		return pageIDs(p.changes), nil
	}, newPage: func(id string) page.Page {
		return p.neighbour(slices.Index(pageIDs(p.changes), id))
	}}
}

func pageIDs(all []render.PageChange) []string {
	ids := make([]string, len(all))
	for i, c := range all {
		ids[i] = c.Page.ID
	}
	return ids
}

// id returns the id of the page, or "" for the empty page from which the table of keys is made.
func (p *changePage) id() string {
	if p.index >= len(p.changes) {
		return ""
	}
	return p.currentChange().Page.ID
}

// toggleSince toggles between all changes of the page and the changes since the user's review.
func (p *changePage) toggleSince() tea.Cmd {
	message := "everything that it changes on this page"
	switch {
	case p.since != "":
		p.since = ""
	case p.fromLabel != "": // back to fromRevision
		p.since, message = p.fromRevision, "only what changed "+p.fromLabel+"; d shows all again"
	case p.neverReviewed:
		return components.Toast(notReviewedText)
	default:
		p.since, message = api.SinceMyLastReview, "only what changed since your last review; d shows all again"
	}
	row, _ := p.Selected()
	p.sinceChanged, p.sinceRow = true, row.Key
	return tea.Batch(p.Load(), components.Toast("%s", message))
}

// CursorPosition returns the position of the cursor among the changes, for the first line of the screen.
func (p *changePage) CursorPosition() render.Line {
	at, all := p.List.Count(func(r components.Row) bool { return r.Change })
	if all == 0 {
		return nil
	}
	return append(render.Line{
		render.In(render.Dim, fmt.Sprintf("change %d of %d ", max(at, 1), all)),
	}, render.ProgressBar(max(at, 1), all)...)
}

// noNeighbourReason returns a function for the reason why there is no further changed page in a direction.
func (p *changePage) noNeighbourReason(by int) func() string {
	return func() string {
		if p.index+by < 0 || p.index+by >= len(p.changes) {
			return p.edgeText(by)
		}
		return ""
	}
}

// edgeText returns the message for the first or last changed page, with the key that leads back.
func (p *changePage) edgeText(by int) string {
	switch {
	case len(p.changes) < 2:
		return "this is the only changed page"
	case by > 0:
		return "this is the last changed page: K goes to the one before"
	default:
		return "this is the first changed page: J goes to the next"
	}
}

// openNeighbour opens another changed page.
func (p *changePage) openNeighbour(by int) tea.Cmd {
	return components.Send(page.ReplaceMsg{From: p, Page: p.neighbour(p.index + by)})
}

// neighbour returns the page of the change with an index, with the same view settings and the data that is already loaded.
func (p *changePage) neighbour(index int) page.Page {
	next := newChangePage(p.Session, p.target, p.request, p.changes, index, p.since)
	next.mode, next.allUnfolded, next.threads.hideResolved = p.mode, p.allUnfolded, p.threads.hideResolved
	next.threads.onlyWaiting = p.threads.onlyWaiting
	next.words, next.wordsSince, next.reviewed, next.fromLabel = p.words, p.wordsSince, p.reviewed, p.fromLabel
	next.fromRevision, next.neverReviewed = p.fromRevision, p.neverReviewed
	next.merge.setChecks(p.merge.checks)
	next.authorActions.lastReview, next.authorActions.wasAskedSince = p.authorActions.lastReview, p.authorActions.wasAskedSince
	if p.openThreads.Loaded {
		next.setOpenThreads(p.openThreads.Latest)
	}
	return next.withOpenRequests(p.openRequests)
}

func (p *changePage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.remote.LoadState, false, "", width); rows != nil {
		return rows
	}
	if !p.splitFits(width) {
		width = render.ProseWidth(width)
	}
	p.Session.Read.SetAuthor(p.target, p.request.CreatedBy.ID == p.Session.Me.ID)
	rows := p.header(width)
	shown := map[string]bool{}
	for _, b := range p.remote.Latest.blocks {
		if !b.Removed() {
			shown[b.New.ID] = true
		}
	}
	switch p.mode {
	case resultView:
		rows = append(rows, p.resultRows(p.remote.Latest.blocks, width)...)
	case earlierView:
		rows = append(rows, p.earlierRows(p.remote.Latest.blocks, width)...)
	case readerView:
		return append(rows, p.evaluatedRows(width)...)
	case unifiedView, splitView:
		rows = append(rows, p.changeRows(p.remote.Latest.blocks, width)...)
	}
	return append(rows, p.threads.remainingRows(shown, render.ProseWidth(width))...)
}

// wordCounts returns the numbers of added and removed words of a page, or "" if they are not known for the shown
// changes.
func (p *changePage) wordCounts(id string) string {
	w := p.words[id]
	if own := p.remote.Latest.words; own != nil && id == p.id() {
		w = *own
	} else if p.since != p.wordsSince {
		return ""
	}
	switch {
	case w == (api.WordCount{}):
		return ""
	case w.Removed == 0:
		return fmt.Sprintf(" · +%d words", w.Added)
	case w.Added == 0:
		return fmt.Sprintf(" · −%d words", w.Removed)
	default:
		return fmt.Sprintf(" · +%d −%d words", w.Added, w.Removed)
	}
}

func (p *changePage) header(width int) []components.Row {
	c := p.currentChange()
	effect, nothing := " · "+c.Description(), p.nothingNewNote()
	switch {
	case nothing != "":
		effect = ""
	case p.since != "":
		effect += " " + p.sinceLabel()
	}
	title := append(readSign(p.Session, p.target, c.Page.ID), render.NewSpan(render.Style{Tone: c.Tone(), Bold: true},
		c.Sign()+" "+render.DisplayTitle(c.Page.Title)), render.In(render.Dim, effect))
	note, read, counts := changedNote(p.Session, p.target, c.Page.ID), "", p.wordCounts(c.Page.ID)
	if note != "" {
		note = " · " + note
	}
	if progress := p.Session.Read.ShortCount(p.target); progress != "" && p.SideWidth(p.Window) == 0 {
		read = " · " + progress
	}
	line := title
	for _, more := range []string{note + read + counts, note + counts, note + read, note, counts, read, ""} {
		if line = append(slices.Clip(title), render.In(render.Dim, more)); line.Width() <= width {
			break
		}
	}
	if line.Width() > width { // without the description of the effect, because the sign has the same meaning
		line = title[:len(title)-1]
	}
	rows := []components.Row{{Key: "header", Line: line.Cut(width)}}
	if note != "" && !strings.Contains(line.String(), note) {
		rows = append(rows, components.Row{
			Key: "header", Line: render.Line{render.In(render.Fresh, "  "+strings.TrimPrefix(note, " · "))}.Cut(width),
		})
	}
	for _, line := range c.DetailLines(width) {
		rows = append(rows, components.Row{Key: "header", Line: line})
	}
	if nothing != "" {
		rows = append(rows, components.Row{Key: "header", Line: render.Line{render.Plain("  "), render.In(render.Dim, nothing)}.Cut(width)})
	}
	return append(append(rows, p.otherRequestRows(width)...), components.Row{Key: "header"})
}

// nothingNewNote returns a note if no text of the page has changed since the user's review or the revision that is
// compared with, or "".
func (p *changePage) nothingNewNote() string {
	c := p.currentChange()
	switch {
	case p.since == "" || c.Page.Type != api.PageDocument || slices.ContainsFunc(p.remote.Latest.blocks, render.BlockChange.Changed):
		return ""
	case len(c.Details()) > 0:
		return "The text has not changed " + p.sinceLabel() + "; d shows all."
	default:
		return "Nothing here changed " + p.sinceLabel() + "; d shows all."
	}
}

// sinceLabel describes the start of the period whose changes are shown, by default the user's last review.
func (p *changePage) sinceLabel() string { return cmp.Or(p.fromLabel, "since your last review") }
