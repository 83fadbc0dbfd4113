package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// change shows what a change request does to one page, with the threads under their blocks.
type change struct {
	frame
	at      Place
	changes []pageChange
	index   int
	since   string // as of the request
	remote  remote[[]blockChange]
	threads threads
	mode    mode
	unfold  bool // also show all that stayed the same
}

// mode is how a change is drawn.
type mode int

const (
	unified mode = iota
	split
	result
)

// splitWidth is the width of the page from which side by side is readable.
const splitWidth = 100

func newChange(s *session, at Place, changes []pageChange, index int, since string) *change {
	p := &change{frame: newFrame(s), at: at, changes: changes, index: index, since: since}
	p.threads = threads{s: s, at: at, page: p.now().page.ID}
	return p
}

func (p *change) now() pageChange { return p.changes[p.index] }

func (p *change) title() string {
	return fmt.Sprintf("%s (%d of %d)", titled(p.now().page.Title), p.index+1, len(p.changes))
}

func (p *change) kind() string         { return "changes of a page" }
func (p *change) space() string        { return p.at.Space }
func (p *change) condition() condition { return p.remote.condition().and(p.threads.remote.condition()) }

func (p *change) load() tea.Cmd {
	client, at, c, since := p.s.client, p.at, p.now(), p.since
	blocks := p.remote.load(p.s, func(ctx context.Context) ([]blockChange, error) {
		if c.page.Type != api.PageDocument {
			return nil, nil
		}
		d, err := client.Diff(ctx, at, c.page.ID, since)
		return blockChanges(d), err
	})
	return tea.Batch(blocks, p.threads.load())
}

func (p *change) update(msg tea.Msg) tea.Cmd {
	if p.remote.take(msg) || p.threads.remote.take(msg) {
		p.stale = true
	}
	return nil
}

func (p *change) actions() []action {
	isChange := func(r row) bool { return r.change }
	commenting := p.threads.commenting(&p.frame, func() api.RevisionPage { return p.now().shown() })
	for i, a := range commenting {
		commenting[i].whyNot = func() string { return cmp.Or(p.gone(), a.unavailable()) }
	}
	return slices.Concat([]action{
		{name: "fold", keys: keys("z"), help: "fold and unfold", do: p.turnFold},
		{name: "change-next", keys: keys("]"), help: "next change", hint: "change", do: p.next(1, isChange), moves: true},
		{name: "change-previous", keys: keys("["), help: "previous change", do: p.next(-1, isChange), moves: true},
		{name: "view", keys: keys("v"), help: "unified, side by side, result", hint: "view", do: p.turnView},
	}, commenting, p.threads.actions(&p.frame), []action{
		{name: "page-next", keys: keys("J"), help: "next changed page", do: func() tea.Cmd { return p.turn(1) }, whyNot: p.isLast(1)},
		{name: "page-previous", keys: keys("K"), help: "previous changed page", do: func() tea.Cmd { return p.turn(-1) }, whyNot: p.isLast(-1)},
		allComments(p.s, &p.at),
	})
}

func (p *change) open() tea.Cmd {
	if p.now().deleted {
		return nil
	}
	return push(newReader(p.s, p.at, p.now().shown()))
}

// gone says why a text that was removed cannot be commented on.
func (p *change) gone() string {
	if p.about().page == "-" {
		return "this text is gone; comment on what stands there now, or p on the page"
	}
	return ""
}

func (p *change) turnFold() tea.Cmd {
	p.unfold = !p.unfold
	return nil
}

func (p *change) turnView() tea.Cmd {
	p.mode = (p.mode + 1) % 3
	if p.mode == split && p.width-gutter < splitWidth {
		return toast("side by side needs %d columns; v again shows the result", splitWidth+gutter)
	}
	return toast("%s", [...]string{"unified", "side by side", "the result"}[p.mode])
}

// isLast returns what says why there is no going on to another changed page.
func (p *change) isLast(by int) func() string {
	return func() string {
		if p.index+by < 0 || p.index+by >= len(p.changes) {
			return "there is no other changed page that way"
		}
		return ""
	}
}

// turn goes to another changed page.
func (p *change) turn(by int) tea.Cmd {
	next := newChange(p.s, p.at, p.changes, p.index+by, p.since)
	next.mode, next.unfold, next.threads.hideResolved = p.mode, p.unfold, p.threads.hideResolved
	return send(replaceMsg{next})
}

func (p *change) rows(width int) []row {
	if rows := stateRows(p.remote.condition(), false, "", width); rows != nil {
		return rows
	}
	if !p.wide(width) {
		width = measure(width)
	}
	rows := p.header(width)
	shown := map[string]bool{}
	for _, b := range p.remote.value {
		if b.op != removed {
			shown[b.new.id] = true
		}
	}
	if p.mode == result {
		rows = append(rows, p.resultRows(p.remote.value, width)...)
	} else {
		rows = append(rows, p.changeRows(p.remote.value, width)...)
	}
	return append(rows, p.threads.remaining(shown, measure(width))...)
}

func (p *change) wide(width int) bool { return p.mode == split && width >= splitWidth }

func (p *change) header(width int) []row {
	c := p.now()
	what := " · " + c.what()
	if p.since != "" {
		what += " since your last review"
	}
	line := text.Line{text.Of(text.Style{Tone: c.tone(), Bold: true}, c.sign()+" "+titled(c.page.Title)), text.In(text.Dim, what)}
	rows := []row{{key: "header", line: line.Cut(width)}}
	return append(rows, row{key: "header"})
}

func (p *change) resultRows(blocks []blockChange, width int) []row {
	var rows []row
	for _, b := range blocks {
		if b.op == removed {
			continue
		}
		rows = append(rows, blockRows(b.new, width)...)
		rows = append(rows, p.threads.under(p.threads.on(b.new.id), width)...)
	}
	return rows
}

// around is how many unchanged blocks are shown before and after a change.
const around = 1

func (p *change) changeRows(blocks []blockChange, width int) []row {
	near := nearChanges(blocks, func(b blockChange) bool {
		return b.op != same && b.op != reformatted || len(p.threads.on(b.new.id)) > 0
	})
	var rows []row
	hidden := 0
	for i, b := range blocks {
		if !near[i] && !p.unfold {
			hidden++
			continue
		}
		rows = append(rows, foldRow(hidden, i)...)
		hidden = 0
		rows = append(rows, p.blockRows(b, width)...)
		rows = append(rows, p.threads.under(p.threads.on(b.new.id), measure(width))...)
	}
	return append(rows, foldRow(hidden, len(blocks))...)
}

func foldRow(hidden, at int) []row {
	if hidden == 0 {
		return nil
	}
	key := fmt.Sprintf("fold/%d", at)
	line := text.Line{text.In(text.Dim, fmt.Sprintf("··· %s unchanged · z", plural(hidden, "block")))}
	return []row{{key: key, line: line}, {key: key}}
}

// nearChanges marks the blocks to show: those to see, what is around them, and the heading above.
func nearChanges(blocks []blockChange, toSee func(blockChange) bool) []bool {
	near := make([]bool, len(blocks))
	heading := -1
	for i, b := range blocks {
		if b.new.kind == "heading" {
			heading = i
		}
		if !toSee(b) {
			continue
		}
		for j := max(i-around, 0); j <= min(i+around, len(blocks)-1); j++ {
			near[j] = true
		}
		if heading >= 0 {
			near[heading] = true
		}
	}
	return near
}
