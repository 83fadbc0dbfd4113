package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// Options are what a screen is made of. All but Organization, Space and ChangeRequest are required.
type Options struct {
	Client Client
	Drafts Drafts
	Out    io.Writer                 // where the screen is drawn; decides on colours
	Dark   bool                      // the background of the terminal
	Now    func() time.Time          // the clock
	NewKey func() string             // makes idempotency keys
	Edit   func(text string) tea.Cmd // opens an editor; Editor makes one

	// Organization, Space and ChangeRequest say where to begin.
	Organization, Space, ChangeRequest string
}

// Model is the whole screen, a tea.Model.
type Model struct {
	s     *session
	theme text.Theme
	pages []page // the last one is shown, esc goes to the one before

	width, height int
	overlay       overlay   // help, palette, question: has the keys while it is there
	compose       *composer // has the keys while it is there
	sending       []*composer
	message       text.Span // what happened last
	me            remote[api.User]
	warned        page // was about to be left while it writes
	quitting      bool // as soon as what was written is in the journal
}

// TimeMsg says that time has passed: what the screen says of ages is written anew.
type TimeMsg struct{}

// Refresh is how often a screen that stays open should be sent a TimeMsg; it shows ages in minutes.
const Refresh = 30 * time.Second

// New returns the screen, showing the place that the options name. ctx ends its requests.
func New(ctx context.Context, o Options) *Model {
	s := &session{ctx: ctx, client: o.Client, drafts: o.Drafts, now: o.Now, newKey: o.NewKey, edit: o.Edit}
	m := &Model{s: s, theme: text.NewTheme(o.Out, o.Dark)}
	m.pages = []page{newOrganizations(s)}
	if o.Organization != "" {
		m.pages = append(m.pages, newSpaces(s, api.Organization{OrganizationFields: api.OrganizationFields{ID: o.Organization}}))
	}
	if o.Space != "" {
		m.pages = append(m.pages, newTree(s, Place{Space: o.Space}, ""))
	}
	if o.Space != "" && o.ChangeRequest != "" {
		m.pages = append(m.pages, newRequests(s, o.Space, ""), newRequest(s, Place{o.Space, o.ChangeRequest}))
	}
	return m
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	client := m.s.client
	me := m.me.load(m.s, client.User)
	return tea.Batch(me, m.countDrafts(), m.top().load())
}

// countDrafts says at the start that something was not sent.
func (m *Model) countDrafts() tea.Cmd {
	drafts := m.s.drafts
	return func() tea.Msg {
		all, err := drafts.All()
		unsent := slices.DeleteFunc(all, func(d Draft) bool { return d.Conflict != "" })
		if err != nil || len(unsent) == 0 {
			return nil
		}
		return told("there are unsent texts: D shows them")
	}
}

func (m *Model) top() page { return m.pages[len(m.pages)-1] }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
		return m, m.follow()
	case tea.KeyMsg:
		return m, tea.Batch(m.keys(msg), m.follow())
	case nil:
		return m, nil
	}
	return m, tea.Batch(m.handle(msg), m.follow())
}

// follow keeps what stands beside the page with its cursor.
func (m *Model) follow() tea.Cmd {
	c, ok := m.top().(companion)
	if !ok || m.width < besideWidth {
		return nil
	}
	lay(c, ownWidth(c, m.width))
	return c.follow()
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pushMsg:
		return m.push(msg.page)
	case popMsg:
		if m.top() == msg.from {
			return m.pop()
		}
	case replaceMsg:
		m.pages = m.pages[:len(m.pages)-1]
		return m.push(msg.page)
	case toastMsg:
		m.message = text.In(msg.tone, msg.text)
	case failMsg:
		m.fail(msg.err)
	case composeMsg:
		return m.open(msg.draft)
	case confirmMsg:
		m.overlay = &question{text: msg.question, choices: []choice{{"yes", msg.yes}, {"no", nil}}, confirm: true}
	case pickMsg:
		m.overlay = &question{text: msg.question, choices: msg.choices}
	case changedMsg:
		m.message = text.In(text.Added, "✓ "+msg.done)
		return m.reload(msg.space)
	case openMsg:
		return m.opened(msg)
	case discardMsg:
		return m.discarded(msg.of)
	case savedMsg:
		return m.saved(msg)
	case sentMsg:
		return m.sent(msg)
	case editedMsg:
		return m.edited(msg)
	case TimeMsg:
		m.age()
	default:
		return m.deliver(msg)
	}
	return nil
}

// age has every page write its ages anew.
func (m *Model) age() {
	for _, p := range m.pages {
		p.base().stale = true
		if c, ok := p.(companion); ok && c.beside() != nil {
			c.beside().base().stale = true
		}
	}
}

func (m *Model) fail(err error) {
	if !errors.Is(err, context.Canceled) {
		m.message = text.In(text.Failure, "! "+trouble(err)+": "+errorLines(err)[0])
	}
}

// deliver hands an answer to the pages: each knows its own.
func (m *Model) deliver(msg tea.Msg) tea.Cmd {
	if m.me.take(msg) {
		m.s.me = m.me.value
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if cmd := p.update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) push(p page) tea.Cmd {
	m.pages = append(m.pages, p)
	m.message = text.Span{}
	return p.load()
}

// pop goes up one level; from the first there is nowhere to go.
func (m *Model) pop() tea.Cmd {
	if len(m.pages) == 1 {
		m.message = text.In(text.Dim, "this is the top; q quits")
		return nil
	}
	if w, ok := m.top().(writer); ok && w.pending() && m.warned != m.top() {
		m.warned = m.top()
		m.message = text.In(text.Warning, "the server has not answered yet; esc again leaves, and it goes on")
		return nil
	}
	m.pages = m.pages[:len(m.pages)-1]
	m.message, m.warned = text.Span{}, nil
	if c := m.top().condition(); !c.loaded && !c.busy {
		return m.top().load()
	}
	return nil
}

// reload loads again what shows something of a space; a page below the top is loaded when it is shown.
func (m *Model) reload(space string) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if c := p.condition(); c.loaded && (p.space() == space || p.space() == "") {
			cmds = append(cmds, p.load())
		}
	}
	return tea.Batch(cmds...)
}
