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
	at            remote.Target
	request       api.ChangeRequest // the request as shown; a verdict refers to it
	changes       []render.PageChange
	index         int
	since         string // same as requestPage.since
	fromRevision  string // the revision since which it was opened, or ""
	fromLabel     string // label of fromRevision: "since revision 3"
	reviewed      bool   // whether the user has reviewed the request, as far as known
	neverReviewed bool   // the user is known to have no review
	remote        remote.Value[pageDiff]
	allChanges    remote.Value[[]render.PageChange] // all changes of the request, after a reload
	incoming      incomingBlocks
	threads       threadsPart
	merging       mergePart
	openRequests  remote.Value[[]api.QueuedChangeRequest] // open change requests of the space
	words         map[string]api.WordCount                // word counts of the request by page; nil if unknown
	wordsSince    string                                  // value of since that words belong to
	overlap       remote.Value[blockOverlap]              // blocks of this page that open requests change
	openThreads   remote.Value[map[string]int]            // open threads of the request by page
	mode          viewMode
	openFolds     map[int]bool // open folds, by their first block
	unfoldAll     bool         // all folds are open
}

// pageDiff is the diff of a page in a change request, with the request at that time.
type pageDiff struct {
	request api.ChangeRequest
	blocks  []render.BlockChange
	words   *api.WordCount // nil if the page has no text
}

// viewMode is the way in which a diff is drawn.
type viewMode int

const (
	unified viewMode = iota
	split
	result
	earlier
)

// viewModeNames are the names of the view modes on the screen.
var viewModeNames = [...]string{"unified", "side by side", "result", "before"}

// splitWidth is the minimum width of the page for the side-by-side view.
const splitWidth = 100

func newChange(
	s *page.Session, at remote.Target, request api.ChangeRequest, changes []render.PageChange, index int, since string,
) *changePage {
	p := &changePage{
		Frame: page.NewFrame(s), at: at, request: request, changes: changes, index: index, since: since, openFolds: map[int]bool{},
	}
	p.threads = newThreads(&p.Frame, at, p.currentChange().Page.ID)
	p.threads.shownRevision = func() string { return p.request.Revision }
	p.merging = mergePart{session: s, at: at, request: func() (api.ChangeRequest, int) { return p.request, len(p.changes) }}
	p.merging.loading = func() bool { return p.remote.Busy && p.remote.Loaded }
	p.merging.openThread = func(th api.Comment) tea.Cmd { return showThread(s, at, th) }
	return p
}

func (p *changePage) currentChange() render.PageChange { return p.changes[p.index] }

func (p *changePage) Title() string {
	return fmt.Sprintf("%s (%d of %d)", render.DisplayTitle(p.currentChange().Page.Title), p.index+1, len(p.changes))
}

func (p *changePage) Kind() string  { return "changes of a page" }
func (p *changePage) Space() string { return p.at.Space }

func (p *changePage) LoadState() remote.LoadState {
	c := p.remote.And(p.threads.condition())
	c.Busy = c.Busy || p.merging.busy()
	return c
}

// Pending reports whether a merge is in flight.
func (p *changePage) Pending() bool { return p.merging.busy() }

func (p *changePage) Load() tea.Cmd {
	conn, client, at, c, since := p.Session.Connection, p.Session.Client, p.at, p.currentChange(), p.since
	var also tea.Cmd
	if p.threads.source == nil && (p.remote.Loaded || !p.openRequests.Loaded) { // a preview takes those of the request
		also = loadOpenRequests(p.Session, &p.openRequests, at.Space)
	}
	if p.remote.Loaded || !p.openThreads.Loaded {
		also = tea.Batch(also, p.loadOpenThreads())
	}
	if p.remote.Loaded && p.merging.checks.Loaded { // checks of the previous state; not needed unless a merge was requested here
		also = tea.Batch(also, p.merging.load())
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
		if found.request = request; isReload { // before the diff: a verdict must not cover more than is shown
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
		return tea.Batch(blocks, p.threads.load(), also, whole, p.loadOverlap())
	}
	return tea.Batch(blocks, p.threads.load(), also, whole, p.loadOverlap(), p.Session.Read.Load(at))
}

func (p *changePage) Update(msg tea.Msg) tea.Cmd {
	handled := p.remote.Take(msg)
	var reload tea.Cmd
	if isVerdictOn(msg, p.at) { // new changes are reviewed now: reload everything
		p.since, p.reviewed, p.neverReviewed = "", true, false
	}
	if handled && p.remote.Err == nil {
		if now := p.remote.Latest.request; now.Revision != p.request.Revision {
			reload = p.Session.Read.Load(p.at) // read marks may be outdated
		}
		p.request = p.remote.Latest.request
		reload = tea.Batch(reload, p.loadIncoming())
	}
	if p.allChanges.Take(msg) && p.allChanges.Err == nil {
		p.updateChanges(p.allChanges.Latest)
	}
	if p.openRequests.Take(msg) {
		p.Stale = true
		reload = tea.Batch(reload, p.loadOverlap())
	}
	if cmd, mine := p.merging.take(msg); mine {
		p.Stale = true
		return cmd
	}
	if handled || p.threads.take(msg) || p.overlap.Take(msg) || p.openThreads.Take(msg) || p.incoming.keys.Take(msg) {
		p.Stale = true
	}
	return tea.Batch(reload, takeWrap(p, msg))
}

// updateChanges replaces the changes of the request. A page that the request no longer changes stays as shown.
func (p *changePage) updateChanges(all []render.PageChange) {
	if at := slices.Index(pageIDs(all), p.id()); at >= 0 {
		p.changes, p.index, p.Stale = all, at, true
	}
}

func (p *changePage) Actions() []components.Action {
	reviewActions := verdictPart{p.Session, p.at, func() api.ChangeRequest { return p.request }}.actions()
	return p.threads.prependActions(slices.Concat([]components.Action{
		{
			Name: "change-next", Keys: []string{"]"}, Help: "next change below the cursor, then from the top", Hint: "change",
			Do: p.nextChange(1), MovesCursor: true,
		},
		{
			Name: "change-previous", Keys: []string{"["}, Help: "previous change above the cursor, then from the end", Do: p.nextChange(-1),
			MovesCursor: true,
		},
	}, p.navigator().actions(p.Session, p.at), p.threads.commentActions(func() string {
		return p.currentChange().Page.Title
	}, p.commentSubject, p.notTextReason), []components.Action{reviewActions[1]}, p.threads.actions(), []components.Action{
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.toggleFold},
		{Name: "view", Keys: []string{"V"}, Help: "view: unified, side by side, result, before", Hint: "view", Do: p.cycleView},
		{
			Name: "since", Keys: []string{"d"}, Help: "only what changed since my review, or everything", Hint: toggleSinceHint(p.since,
				p.reviewed || p.Session == nil), Do: p.toggleSince,
		},
		nextPageAction(func() tea.Cmd { return p.openNeighbour(1) }, p.noNeighbourReason(1)),
		previousPageAction(func() tea.Cmd { return p.openNeighbour(-1) }, p.noNeighbourReason(-1)),
		p.threads.editAction(func() tea.Cmd { return editPage(p.at, p.currentChange().RevisionPage(), p.About().Quote) }, p.noTextReason),
		allCommentsAction(p.Session, &p.at),
		markAction(p.Session, p.at, func() string { return p.request.Revision }, p.id),
		{
			Name: "also", Help: "other change requests that change this page", Hint: "also changed by", Do: p.chooseOther,
			DisabledReason: p.noOtherReason,
		},
	}, reviewActions[:1], []components.Action{p.merging.action()}))
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

func (p *changePage) cycleView() tea.Cmd {
	p.mode = (p.mode + 1) % viewMode(len(viewModeNames))
	if p.mode == split && p.Window-components.Gutter < splitWidth {
		return components.Toast("side by side needs %d columns; V again shows the result", splitWidth+components.Gutter)
	}
	return components.Toast("%s", viewModeNames[p.mode])
}

// navigator returns the navigator over the changed pages with open threads.
func (p *changePage) navigator() threadNavigator {
	return threadNavigator{page: p, id: p.id(), order: func() ([]string, error) {
		return pageIDs(p.changes), nil
	}, show: func(id string) page.Page {
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

// neighbour returns the page of another change with the same view settings.
func (p *changePage) neighbour(index int) page.Page {
	next := newChange(p.Session, p.at, p.request, p.changes, index, p.since)
	next.mode, next.unfoldAll, next.threads.hideResolved = p.mode, p.unfoldAll, p.threads.hideResolved
	next.threads.onlyWaiting = p.threads.onlyWaiting
	next.words, next.wordsSince, next.reviewed, next.fromLabel = p.words, p.wordsSince, p.reviewed, p.fromLabel
	next.fromRevision, next.neverReviewed = p.fromRevision, p.neverReviewed
	next.merging.setChecks(p.merging.checks)
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
	p.Session.Read.SetAuthor(p.at, p.request.CreatedBy.ID == p.Session.Me.ID)
	rows := p.header(width)
	shown := map[string]bool{}
	for _, b := range p.remote.Latest.blocks {
		if !b.Removed() {
			shown[b.New.ID] = true
		}
	}
	switch p.mode {
	case result:
		rows = append(rows, p.resultRows(p.remote.Latest.blocks, width)...)
	case earlier:
		rows = append(rows, p.earlierRows(p.remote.Latest.blocks, width)...)
	case unified, split:
		rows = append(rows, p.changeRows(p.remote.Latest.blocks, width)...)
	}
	return append(rows, p.threads.remainingRows(shown, render.ProseWidth(width))...)
}

func (p *changePage) splitFits(width int) bool { return p.mode == split && width >= splitWidth }

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
	title := append(signOfReading(p.Session, p.at, c.Page.ID), render.NewSpan(render.Style{Tone: c.Tone(), Bold: true},
		c.Sign()+" "+render.DisplayTitle(c.Page.Title)), render.In(render.Dim, effect))
	note, read, counts := changedNote(p.Session, p.at, c.Page.ID), "", p.wordCounts(c.Page.ID)
	if note != "" {
		note = " · " + note
	}
	if progress := p.Session.Read.ShortCount(p.at); progress != "" && p.SideWidth(p.Window) == 0 {
		read = " · " + progress
	}
	line := title
	for _, more := range []string{note + read + counts, note + counts, note + read, note, counts, read, ""} {
		if line = append(slices.Clip(title), render.In(render.Dim, more)); line.Width() <= width {
			break
		}
	}
	if line.Width() > width { // the sign has the same meaning
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

// sinceLabel returns the start of the period whose changes are shown.
func (p *changePage) sinceLabel() string { return cmp.Or(p.fromLabel, "since your last review") }
