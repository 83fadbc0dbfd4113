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

// change shows what a change request does to one page, with the threads under their blocks.
type change struct {
	page.Frame
	at       remote.Target
	of       api.ChangeRequest // as it is shown: what a verdict is about
	changes  []render.PageChange
	index    int
	since    string // as of the request
	from     string // the revision since which it was opened, "" for none
	called   string // what that is called: "since revision 3"
	reviewed bool   // the user has reviewed the request, as far as is known
	allNew   bool   // the user is known to have made no review
	remote   remote.Value[seen]
	whole    remote.Value[[]render.PageChange] // all that the request changes, when it is asked for again
	threads  Threads
	merging  Merge
	also     remote.Value[[]api.QueuedChangeRequest] // those of the space that are open
	words    map[string]api.WordCount                // of the pages, as the request counts them; nil where that is not known
	counted  string                                  // since when
	touched  remote.Value[touched]                   // by them, on this page
	said     remote.Value[map[string]int]            // the open threads of the request, by page
	mode     mode
	opened   map[int]bool // folds, by their first block
	unfold   bool         // all folds are open
}

// seen is what a change request does to a page, and the request as it was then.
type seen struct {
	of     api.ChangeRequest
	blocks []render.BlockChange
	words  *api.WordCount // nil for what has no text
}

// mode is how a change is drawn.
type mode int

const (
	unified mode = iota
	split
	result
	earlier
)

// modeNames are what people call the modes.
var modeNames = [...]string{"unified", "side by side", "result", "before"}

// splitWidth is the width of the page from which side by side is readable.
const splitWidth = 100

func newChange(s *page.Session, at remote.Target, of api.ChangeRequest, changes []render.PageChange, index int, since string) *change {
	p := &change{Frame: page.NewFrame(s), at: at, of: of, changes: changes, index: index, since: since, opened: map[int]bool{}}
	p.threads = NewThreads(&p.Frame, at, p.now().Page.ID)
	p.threads.Head = func() string { return p.of.Revision }
	p.merging = Merge{Session: s, At: at, Of: func() (api.ChangeRequest, int) { return p.of, len(p.changes) }}
	p.merging.Discuss = func(th api.Comment) tea.Cmd { return showThread(s, at, th) }
	return p
}

func (p *change) now() render.PageChange { return p.changes[p.index] }

func (p *change) Title() string {
	return fmt.Sprintf("%s (%d of %d)", render.Titled(p.now().Page.Title), p.index+1, len(p.changes))
}

func (p *change) Kind() string  { return "changes of a page" }
func (p *change) Space() string { return p.at.Space }

func (p *change) Condition() remote.Condition {
	c := p.remote.And(p.threads.Condition())
	c.Busy = c.Busy || p.merging.Busy()
	return c
}

// Pending reports whether a merge is on its way.
func (p *change) Pending() bool { return p.merging.Busy() }

func (p *change) Load() tea.Cmd {
	client, at, c, since := p.Session.Client, p.at, p.now(), p.since
	var also tea.Cmd
	if p.remote.Loaded || !p.also.Loaded {
		also = loadAlso(p.Session, &p.also, at.Space)
	}
	if p.remote.Loaded || !p.said.Loaded {
		also = tea.Batch(also, p.loadSaid())
	}
	if p.remote.Loaded && p.merging.Checks.Loaded { // of the request as it was; a page that was not asked to merge needs none
		also = tea.Batch(also, p.merging.Load())
	}
	var whole tea.Cmd
	if p.remote.Loaded { // by now it may be another change: of a page that is renamed, too
		whole = p.whole.Load(p.Session.Connection, func(ctx context.Context) ([]render.PageChange, error) {
			all, err := client.Changes(ctx, at, since)
			return render.ProposedBy(all).Pages, err
		})
	}
	blocks := p.remote.Load(p.Session.Connection, func(ctx context.Context) (found seen, err error) {
		found.of, err = client.ChangeRequest(ctx, at) // first: a verdict is about no more than what is shown
		if err != nil || c.Page.Type != api.PageDocument {
			return found, err
		}
		d, err := client.Diff(ctx, at, c.Page.ID, since)
		found.blocks, found.words = render.Blocks(d), &d.Words
		return found, err
	})
	if _, known := p.Session.Read.Of(at); known {
		return tea.Batch(blocks, p.threads.Load(), also, whole, p.compare())
	}
	return tea.Batch(blocks, p.threads.Load(), also, whole, p.compare(), p.Session.Read.Load(at))
}

func (p *change) Update(msg tea.Msg) tea.Cmd {
	took := p.remote.Take(msg)
	var again tea.Cmd
	if judged(msg, p.at) { // what was new is reviewed now; all is loaded again
		p.since, p.reviewed, p.allNew = "", true, false
	}
	if took && p.remote.Err == nil {
		if now := p.remote.Latest.of; now.Revision != p.of.Revision {
			again = p.Session.Read.Load(p.at) // what was read may be something else by now
		}
		p.of = p.remote.Latest.of
	}
	if p.whole.Take(msg) && p.whole.Err == nil {
		p.told(p.whole.Latest)
	}
	if p.also.Take(msg) {
		p.Stale = true
		again = tea.Batch(again, p.compare())
	}
	if cmd, mine := p.merging.Take(msg); mine {
		p.Stale = true
		return cmd
	}
	if took || p.threads.Take(msg) || p.touched.Take(msg) || p.said.Take(msg) {
		p.Stale = true
	}
	return tea.Batch(again, takeAround(p, msg))
}

// told takes what the request changes by now; a page that it does not change any more stays as it is shown.
func (p *change) told(all []render.PageChange) {
	if at := slices.Index(pageIDs(all), p.id()); at >= 0 {
		p.changes, p.index, p.Stale = all, at, true
	}
}

func (p *change) Actions() []components.Action {
	judging := verdict{p.Session, p.at, func() api.ChangeRequest { return p.of }}.actions()
	return p.threads.First(slices.Concat([]components.Action{
		{Name: "change-next", Keys: []string{"]"}, Help: "next change below the cursor, then from the top", Hint: "change", Do: p.toChange(1), Moves: true},
		{Name: "change-previous", Keys: []string{"["}, Help: "previous change above the cursor, then from the end", Do: p.toChange(-1), Moves: true},
	}, p.walk().actions(p.Session, p.at), p.threads.Commenting(func() string { return p.now().Page.Title }, p.notText), []components.Action{judging[1]}, p.threads.Actions(), []components.Action{
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.turnFold},
		{Name: "view", Keys: []string{"V"}, Help: "view: unified, side by side, result, before", Hint: "view", Do: p.turnView},
		{Name: "since", Keys: []string{"d"}, Help: "only what changed since my review, or everything", Hint: hintOfSince(p.since, p.reviewed || p.Session == nil), Do: p.turnSince},
		pageNext(func() tea.Cmd { return p.turn(1) }, p.isLast(1)),
		pagePrevious(func() tea.Cmd { return p.turn(-1) }, p.isLast(-1)),
		p.threads.Editing(func() tea.Cmd { return Edit(p.at, p.now().Shown()) }, p.noText),
		allComments(p.Session, &p.at),
		marking(p.Session, p.at, func() string { return p.of.Revision }, p.id),
		{Name: "also", Help: "other change requests that change this page", Hint: "also changed by", Do: p.toOther, WhyNot: p.alone},
	}, judging[:1], []components.Action{p.merging.Action()}))
}

// toChange returns what goes to the next change of the page in a direction, and says so where that is around its end.
func (p *change) toChange(direction int) func() tea.Cmd {
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
			return components.Toast("this is the only change%s", p.beyond(direction))
		}
		p.List.Next(direction, isChange)
		return components.Toast("around to the %s change%s", map[bool]string{true: "first", false: "last"}[direction > 0], p.beyond(direction))
	}
}

// beyond names the key that leads to the changed page behind this one, or before it, where there is one.
func (p *change) beyond(direction int) string {
	switch {
	case p.index+direction < 0 || p.index+direction >= len(p.changes):
		return ""
	case direction > 0:
		return "; J goes to the next page"
	default:
		return "; K goes to the page before"
	}
}

// goneText stands for the page of a text that was removed.
const goneText = "-"

// noText says why there is no text to edit.
func (p *change) noText() string {
	if p.now().Deleted {
		return "the page is deleted in the change request"
	}
	return ""
}

// notText says why what is under the cursor is nothing to comment on: a text that was removed, or a thread.
func (p *change) notText() string {
	if p.About().Page == goneText {
		return "this text is gone; comment on the new text, or on the page as a whole (through .)"
	}
	return p.threads.NotText()
}

func (p *change) turnView() tea.Cmd {
	p.mode = (p.mode + 1) % mode(len(modeNames))
	if p.mode == split && p.Window-components.Gutter < splitWidth {
		return components.Toast("side by side needs %d columns; V again shows the result", splitWidth+components.Gutter)
	}
	return components.Toast("%s", modeNames[p.mode])
}

// walk goes through the changed pages that have open threads.
func (p *change) walk() walk {
	return walk{from: p, here: p.id(), order: func() ([]string, error) { return pageIDs(p.changes), nil }, show: func(id string) page.Page {
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

// id is that of the page; the table of keys is made of a change without one.
func (p *change) id() string {
	if p.index >= len(p.changes) {
		return ""
	}
	return p.now().Page.ID
}

// turnSince turns between all that the request changes on the page and what is new to the reviewer.
func (p *change) turnSince() tea.Cmd {
	told := "everything that it changes on this page"
	switch {
	case p.since != "":
		p.since = ""
	case p.called != "": // back to the revision from which it was opened
		p.since, told = p.from, "only what changed "+p.called+"; d shows all again"
	case p.allNew:
		return components.Toast(notReviewed)
	default:
		p.since, told = api.SinceMyLastReview, "only what changed since your last review; d shows all again"
	}
	return tea.Batch(p.Load(), components.Toast("%s", told))
}

// Where says at which change the cursor is, for the first line of the screen.
func (p *change) Where() render.Line {
	at, all := p.List.Count(func(r components.Row) bool { return r.Change })
	if all == 0 {
		return nil
	}
	return append(render.Line{render.In(render.Dim, fmt.Sprintf("change %d of %d ", max(at, 1), all))}, render.Bar(max(at, 1), all)...)
}

// isLast returns what says why there is no going on to another changed page.
func (p *change) isLast(by int) func() string {
	return func() string {
		if p.index+by < 0 || p.index+by >= len(p.changes) {
			return p.edge(by)
		}
		return ""
	}
}

// edge says that there is no changed page behind this one, and which key leads back.
func (p *change) edge(by int) string {
	switch {
	case len(p.changes) < 2:
		return "this is the only changed page"
	case by > 0:
		return "this is the last changed page: K goes to the one before"
	default:
		return "this is the first changed page: J goes to the next"
	}
}

// turn goes to another changed page.
func (p *change) turn(by int) tea.Cmd {
	return components.Send(page.ReplaceMsg{From: p, Page: p.neighbour(p.index + by)})
}

// neighbour is the page of another change, seen as this one.
func (p *change) neighbour(index int) page.Page {
	next := newChange(p.Session, p.at, p.of, p.changes, index, p.since)
	next.mode, next.unfold, next.threads.HideResolved = p.mode, p.unfold, p.threads.HideResolved
	next.words, next.counted, next.reviewed, next.called = p.words, p.counted, p.reviewed, p.called
	next.from, next.allNew = p.from, p.allNew
	next.merging.Given(p.merging.Checks)
	if p.said.Loaded {
		next.knows(p.said.Latest)
	}
	return next.given(p.also)
}

func (p *change) Rows(width int) []components.Row {
	if rows := page.StateRows(p.remote.Condition, false, "", width); rows != nil {
		return rows
	}
	if !p.wide(width) {
		width = render.Measure(width)
	}
	p.Session.Read.Own(p.at, p.of.CreatedBy.ID == p.Session.Me.ID)
	rows := p.header(width)
	shown := map[string]bool{}
	for _, b := range p.remote.Latest.blocks {
		if !b.Gone() {
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
	return append(rows, p.threads.Remaining(shown, render.Measure(width))...)
}

func (p *change) wide(width int) bool { return p.mode == split && width >= splitWidth }

// counts are the words that came and went on a page, as far as they are known of what is shown.
func (p *change) counts(id string) string {
	w := p.words[id]
	if own := p.remote.Latest.words; own != nil && id == p.id() {
		w = *own
	} else if p.since != p.counted {
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

func (p *change) header(width int) []components.Row {
	c := p.now()
	what, nothing := " · "+c.What(), p.nothingNew()
	switch {
	case nothing != "":
		what = ""
	case p.since != "":
		what += " " + p.when()
	}
	title := append(signOf(p.Session, p.at, c.Page.ID), render.Of(render.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "+render.Titled(c.Page.Title)), render.In(render.Dim, what))
	note, read, counts := again(p.Session, p.at, c.Page.ID), "", p.counts(c.Page.ID)
	if note != "" {
		note = " · " + note
	}
	if says := p.Session.Read.Says(p.at); says != "" && p.SideWidth(p.Window) == 0 {
		read = " · " + says
	}
	line := title
	for _, more := range []string{note + read + counts, note + counts, note + read, note, counts, read, ""} { // what there is room for, whole
		if line = append(slices.Clip(title), render.In(render.Dim, more)); line.Width() <= width {
			break
		}
	}
	if line.Width() > width { // the sign says it, too
		line = title[:len(title)-1]
	}
	rows := []components.Row{{Key: "header", Line: line.Cut(width)}}
	if note != "" && !strings.Contains(line.String(), note) {
		rows = append(rows, components.Row{Key: "header", Line: render.Line{render.In(render.Fresh, "  "+strings.TrimPrefix(note, " · "))}.Cut(width)})
	}
	for _, line := range c.DetailLines(width) {
		rows = append(rows, components.Row{Key: "header", Line: line})
	}
	if nothing != "" {
		rows = append(rows, components.Row{Key: "header", Line: render.Line{render.Plain("  "), render.In(render.Dim, nothing)}.Cut(width)})
	}
	return append(append(rows, p.alsoRow(width)...), components.Row{Key: "header"})
}

// nothingNew says that no text of the page has changed since the user's review, or since a revision, "" where some has or all is shown.
func (p *change) nothingNew() string {
	c := p.now()
	switch {
	case p.since == "" || c.Page.Type != api.PageDocument || slices.ContainsFunc(p.remote.Latest.blocks, render.BlockChange.Changed):
		return ""
	case len(c.Details()) > 0:
		return "The text has not changed " + p.when() + "; d shows all."
	default:
		return "Nothing here changed " + p.when() + "; d shows all."
	}
}

// when says since when the changes are shown.
func (p *change) when() string { return cmp.Or(p.called, "since your last review") }
