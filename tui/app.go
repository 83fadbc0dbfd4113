package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// Options are what a screen is made of. All but Theme, Mouse, Visits, After, Organization, Space and ChangeRequest are required.
type Options struct {
	Client remote.Client
	Drafts drafts.Journal
	Theme  render.Theme              // how it is painted; the zero Theme paints nothing
	Now    func() time.Time          // the clock
	NewKey func() string             // makes idempotency keys
	Edit   func(text string) tea.Cmd // opens an editor; writing.ExternalEditor makes one
	EditIn func(path string) tea.Cmd // opens a file in the editor; writing.EditorIn makes one
	Edits  drafts.Edits              // the pages whose texts are in an editor
	Copy   func(text string) tea.Cmd // writes the clipboard of the terminal
	Browse func(url string) tea.Cmd  // opens an address in a browser
	Mouse  bool                      // the terminal reports the mouse
	Visits drafts.Visits             // remembers what was opened; nil for nothing
	After  func(tea.Msg) tea.Cmd     // sends a message when a moment has passed; nil for at once

	// Organization, Space and ChangeRequest say where to begin.
	Organization, Space, ChangeRequest string
}

// Model is the whole screen, a tea.Model.
type Model struct {
	s     *page.Session
	o     Options
	theme render.Theme
	mouse bool
	pages []page.Page // the last one is shown, esc goes to the one before

	width, height int
	overlay       components.Overlay // help, palette, question: has the keys while it is there
	desk          *Editor            // has the keys while a text is being written
	sender        *screens.Sender    // sends reviews
	writer        *Pages             // has the pages that are in the editor
	watch         *remote.Watch      // knows what others did meanwhile
	organization  string             // the title of the one that was entered
	message       render.Span        // what happened last
	command       string             // the wsctl command that does what was done last
	undo          undoing            // takes back what was done last
	named         remote.Value[api.Space]
	me            remote.Value[api.User]
	visited       drafts.Visit         // the last that was remembered
	offered       map[string]bool      // requests and pages that the palette has, by their spaces and ids
	kept          map[string]page.Page // the pages of tabs, by organization and kind
	warned        page.Page            // was about to be left while it writes
	asked         bool                 // that q leaves drafts unsent was said
	ahead         []tea.KeyMsg         // typed before what takes them was there
	quitting      bool                 // as soon as what was written is in the journal
}

// TimeMsg says that time has passed: what the screen says of ages is written anew.
type TimeMsg struct{}

// Refresh is how often a screen that stays open should be sent a TimeMsg; it shows ages in minutes.
const Refresh = 30 * time.Second

// New returns the screen, showing the place that the options name. ctx ends its requests.
func New(ctx context.Context, o Options) *Model {
	s := &page.Session{
		Connection: &remote.Connection{Ctx: ctx, Client: o.Client, Now: o.Now, NewKey: o.NewKey, Names: map[string]string{}},
		Drafts:     o.Drafts, Edit: o.Edit, EditIn: o.EditIn, Edits: o.Edits, Browse: o.Browse, After: o.After, Visits: o.Visits, Grounded: o.Theme.Grounded(),
	}
	s.Read = drafts.New(s.Connection, o.Drafts)
	m := &Model{s: s, o: o, theme: o.Theme, mouse: o.Mouse, desk: NewEditor(s), writer: NewPages(s), sender: screens.NewSender(s), watch: remote.New(s.Connection)}
	way := []page.Page{browse.Organizations(s)}
	if o.Organization != "" {
		way = append(way, browse.New(s, o.Organization))
	}
	m.pages = screens.Begin(s, way, remote.Target{Space: o.Space, ChangeRequest: o.ChangeRequest})
	return m
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	client := m.s.Client
	me := tea.Batch(m.me.Load(m.s.Connection, client.User), m.desk.Remind(), m.sender.Resume(), m.s.Read.Resume())
	if m.o.Space == "" {
		return tea.Batch(me, m.top().Load())
	}
	space := m.o.Space
	named := m.named.Load(m.s.Connection, func(ctx context.Context) (api.Space, error) { return client.Space(ctx, space) })
	return tea.Batch(me, named, m.top().Load())
}

func (m *Model) top() page.Page { return m.pages[len(m.pages)-1] }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.watched()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
		return m, m.follow()
	case tea.KeyMsg:
		return m, tea.Batch(m.typed(msg), m.follow())
	case tea.MouseMsg:
		return m, tea.Batch(m.pointed(msg), m.follow())
	case nil:
		return m, nil
	}
	return m, tea.Batch(m.handle(msg), m.caughtUp(), m.follow(), m.note(), m.pointsAgain(msg))
}

// follow keeps the preview pane with the cursor of the page.
func (m *Model) follow() tea.Cmd { return page.Follow(m.top(), m.width) }

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	if m.ask(msg) {
		return nil
	}
	if cmd, mine := m.review(msg); mine {
		return cmd
	}
	switch msg := msg.(type) {
	case page.PushMsg:
		return m.enter(msg.Page)
	case page.GoMsg:
		return m.goTo(msg.Page)
	case page.EnterMsg:
		m.organization = msg.Organization.Title
		return m.push(browse.New(m.s, msg.Organization.ID))
	case TickMsg:
		return m.watch.Tick()
	case tea.FocusMsg:
		m.watch.Focus(true)
		return m.watch.Tick()
	case tea.BlurMsg:
		m.watch.Focus(false)
	case page.PopMsg:
		if m.top() == msg.From {
			return m.pop()
		}
	case page.ReplaceMsg:
		if m.top() == msg.From {
			m.pages = m.pages[:len(m.pages)-1]
			return m.push(msg.Page)
		}
	case page.KeptMsg:
		m.message = render.In(render.Accent, page.Kept(msg.Draft, m.sends()))
		m.top().Base().List.Show(page.DraftKey(msg.Draft))
	case components.ToastMsg:
		m.message = render.In(msg.Tone, msg.Text)
	case page.StaysMsg:
		m.top().Base().List.Want(msg.Row)
		return components.Toast("%s", msg.Says)
	case remote.FailMsg:
		m.fail(msg.Err)
		if _, refused := api.AsError(msg.Err); refused { // what it was about may be something else by now
			return m.top().Load()
		}
	case placesMsg:
		return m.offer(msg)
	case remote.ChangedMsg:
		return m.changed(msg)
	case page.SavedMsg:
		return tea.Sequence(page.Push(screens.Request(m.s, msg.Made)), components.Send(msg.ChangedMsg))
	case page.EditedMsg:
		return m.edited(msg)
	case TimeMsg:
		m.age()
		return tea.Batch(m.desk.Count(), m.sender.Again(), m.s.Read.Flush())
	default:
		return m.deliver(msg)
	}
	return nil
}

// ask shows what asks the user something, and reports whether a message was for that.
func (m *Model) ask(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case page.ConfirmMsg:
		m.overlay = &components.Question{Text: msg.Question, Typed: msg.Typed, Choices: []components.Choice{{Label: "yes", Cmd: msg.Yes}, {Label: "no"}}, Confirm: true}
	case page.PickMsg:
		m.overlay = &components.Question{Text: msg.Question, Choices: msg.Choices, At: msg.Likely}
	case page.FindMsg:
		m.overlay = components.NewPalette(msg.Entries).Asking(msg.Question)
	case page.SelectMsg:
		m.overlay = components.NewSelector(msg.Text, render.Runs(msg.Text), msg.From, msg.Comment, msg.Suggest)
	case page.PromptMsg:
		m.overlay = components.NewPrompt(msg.Question, msg.Text, msg.Check, msg.Done)
	default:
		return false
	}
	m.s.Awaits = false
	return true
}

// review takes what becomes of drafts and of the reviews that they are sent with.
func (m *Model) review(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.UndoableMsg:
		m.did(msg.Done, msg.Undo)
		return m.desk.Count(), true
	case page.CountMsg:
		return m.desk.Count(), true
	case page.DoneMsg:
		if _, ok := m.top().(passing); !ok {
			return components.Toast("kept, not sent yet: S sends it"), true
		}
		return m.top().Update(msg), true
	case page.SubmittedMsg:
		cmd := m.deliver(msg)
		if p, ok := m.top().(passing); ok && p.Over() {
			cmd = tea.Batch(cmd, m.pop())
		}
		m.pages = slices.DeleteFunc(m.pages, func(p page.Page) bool { // a form that is finished is no step on the way
			over, ok := p.(passing)
			return ok && over.Over()
		})
		return cmd, true
	case CountedMsg:
		cmd, _ := m.desk.Update(msg)
		m.age()
		return cmd, true
	default:
		return nil, false
	}
}

// age has every page write its ages anew.
func (m *Model) age() {
	for _, p := range m.pages {
		page.Renew(p)
	}
}

func (m *Model) fail(err error) {
	if !errors.Is(err, context.Canceled) {
		m.message = render.In(render.Failure, "! "+remote.TroubleOf(err).Label+": "+remote.Say(err))
	}
}

// changed says what was written and loads again what shows it, with the cursor on it.
func (m *Model) changed(msg remote.ChangedMsg) tea.Cmd {
	m.did(msg.Done, msg.Undo)
	if _, form := m.top().(passing); form { // it was begun before
		m.undo.on = nil
	}
	m.command = msg.Command
	m.watch.Wrote()
	if msg.Row != "" {
		m.top().Base().List.Want(msg.Row)
	}
	return m.reload(msg.Space)
}

// edited gives the text that the editor left to whoever asked for it: what is being written, or the page.
func (m *Model) edited(msg page.EditedMsg) tea.Cmd {
	if msg.Err != nil {
		m.message = render.In(render.Failure, "! "+msg.Err.Error()) // the machine's failure, not the server's
	}
	if m.desk.Writing() && msg.Err == nil {
		return m.desk.Replace(msg.Text)
	}
	return m.top().Update(msg)
}

// deliver hands an answer to the desk or the pages: each knows its own.
func (m *Model) deliver(msg tea.Msg) tea.Cmd {
	if cmd, mine := m.desk.Update(msg); mine {
		if m.quitting && !m.desk.Journaling() {
			return tea.Quit
		}
		return cmd
	}
	if cmd, mine := m.writer.Update(msg); mine {
		return tea.Sequence(cmd, m.desk.Count()) // what was done may have ended a draft
	}
	if cmd, mine := m.sender.Update(msg); mine {
		return cmd
	}
	if cmd, mine := m.s.Read.Take(msg); mine {
		m.age()
		return cmd
	}
	if m.watch.Take(msg) {
		return nil
	}
	if m.me.Take(msg) {
		m.s.Me = m.me.Latest
		m.age() // what is shown may say who is "you"
		return nil
	}
	if m.named.Take(msg) {
		m.s.Names[m.named.Latest.ID], m.s.Organization = m.named.Latest.Title, m.named.Latest.Organization // empty without an answer
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if cmd := p.Update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) push(p page.Page) tea.Cmd {
	m.pages = append(m.pages, p)
	m.message, m.command = render.Span{}, ""
	return p.Load()
}

// pop goes up one level; from the first there is nowhere to go.
func (m *Model) pop() tea.Cmd {
	if len(m.pages) == 1 {
		m.message = render.In(render.Dim, "this is the top; q quits")
		return nil
	}
	if w, ok := m.top().(page.Writer); ok && w.Pending() && m.warned != m.top() {
		m.warned = m.top()
		m.message = render.In(render.Warning, "the server has not answered yet; esc again leaves, and it goes on")
		return nil
	}
	left := m.top()
	m.pages = m.pages[:len(m.pages)-1]
	m.message, m.warned = render.Span{}, nil
	if l, ok := left.(leaver); ok && l.Leaving() != "" {
		m.message = render.In(render.Accent, l.Leaving())
	}
	if c := m.top().Condition(); !c.Loaded && !c.Busy {
		return m.top().Load()
	}
	return nil
}

// passing is a page that is left when what it is for was done.
type passing interface{ Over() bool }

// leaver is a page that says what stays behind when it is left.
type leaver interface{ Leaving() string }

// reload loads again what shows something of a space; a page below the top is loaded when it is shown.
func (m *Model) reload(space string) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if c := p.Condition(); c.Loaded && (p.Space() == space || p.Space() == "") {
			cmds = append(cmds, p.Load())
		}
	}
	return tea.Batch(cmds...)
}
