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

// Options configures a Model. Theme, Mouse, Visits, Delay, Organization, Space and ChangeRequest are optional.
type Options struct {
	Client   remote.Client
	Drafts   drafts.Journal
	Theme    render.Theme                        // the zero Theme paints without escape sequences
	Now      func() time.Time                    // returns the current time
	NewKey   func() string                       // returns a new idempotency key
	Edit     func(text string) tea.Cmd           // opens a text in an editor, see ExternalEditor
	EditFile func(path string, line int) tea.Cmd // opens a file in an editor, see FileEditor
	Edits    drafts.Edits                        // pages being edited
	Copy     func(text string) tea.Cmd           // writes to the clipboard of the terminal
	Browse   func(url string) tea.Cmd            // opens a URL in a browser
	Mouse    bool                                // report mouse events
	// RememberMouse stores whether the mouse is on, for the next start; it may be nil.
	RememberMouse func(on bool) tea.Cmd
	ASCII         bool                  // draw signs and frames in ASCII
	Visits        drafts.Visits         // history of opened pages; nil disables it
	Delay         func(tea.Msg) tea.Cmd // sends a message after a short delay; nil sends it immediately

	// Organization, Space and ChangeRequest select the initial page.
	Organization, Space, ChangeRequest string
}

// Model is the tea.Model of the whole screen.
type Model struct {
	session *page.Session
	options Options
	theme   render.Theme
	mouse   bool
	pages   []page.Page // page stack; the last page is shown

	width, height     int
	overlay           components.Overlay // help, palette or question; receives the keys if not nil
	editor            *Editor            // receives the keys while a text is being written
	sender            *screens.Sender    // sends reviews
	pageEditor        *PageEditor        // edits page texts
	watch             *remote.Watch      // polls for changes by others
	headChanges       int                // value of Heads.Changes when the pages were last drawn
	organizationTitle string             // title of the current organization
	message           render.Span        // result of the last action
	command           string             // wsctl command equivalent to the last action
	undo              undoState          // reverts the last action
	space             remote.Value[api.Space]
	me                remote.Value[api.User]
	lastVisit         drafts.Visit         // last recorded visit
	offered           map[string]bool      // change requests and pages in the palette, by space and id
	tabPages          map[string]page.Page // pages of tabs by organization and kind
	warnedPage        page.Page            // page whose unsent text was already warned about
	quitWarned        bool                 // the warning about unsent drafts was shown
	pendingKeys       []tea.KeyMsg         // keys typed before their receiver was ready
	awaitsInput       bool                 // the last action opens something that receives keys
	pause             pause                // ignores text typed after a refused key
	keyLog            keyLog               // when keys were typed
	lineMode          bool                 // run by Linear
	leavingInbox      bool                 // leave the inbox when the organizations are known
	quitting          bool                 // quit when the journal is written
	suspending        bool                 // suspend when the journal is written
}

// TimeMsg reports that time has passed, so that displayed ages are updated.
type TimeMsg struct{}

// AgeInterval is the recommended interval between TimeMsgs. Ages are displayed in minutes.
const AgeInterval = 30 * time.Second

// New returns a screen that shows the page selected by the options. Requests are canceled with ctx.
func New(ctx context.Context, o Options) *Model {
	s := &page.Session{
		Connection: &remote.Connection{Ctx: ctx, Client: o.Client, Now: o.Now, NewKey: o.NewKey, Names: map[string]string{}},
		Drafts:     o.Drafts, Edit: o.Edit, EditIn: o.EditFile, Edits: o.Edits, Browse: o.Browse, After: o.Delay, Visits: o.Visits,
		HasGrounds: o.Theme.HasGrounds(),
	}
	s.Read = drafts.New(s.Connection, o.Drafts)
	m := &Model{
		session: s, options: o, theme: o.Theme, mouse: o.Mouse, editor: NewEditor(s), pageEditor: NewPageEditor(s),
		sender: screens.NewSender(s), watch: remote.New(s.Connection),
	}
	way := []page.Page{browse.Organizations(s)}
	if o.Organization != "" {
		way = append(way, browse.New(s, o.Organization))
	}
	m.pages = screens.PathTo(s, way, remote.Target{Space: o.Space, ChangeRequest: o.ChangeRequest})
	return m
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	client := m.session.Client
	me := tea.Batch(m.me.Load(m.session.Connection, client.User), m.editor.Remind(), m.sender.Resume(), m.session.Read.Resume())
	if m.options.Space == "" {
		return tea.Batch(me, m.top().Load())
	}
	space := m.options.Space
	named := m.space.Load(m.session.Connection, func(ctx context.Context) (api.Space, error) { return client.Space(ctx, space) })
	return tea.Batch(me, named, m.top().Load())
}

// tick does what is due every second.
func (m *Model) tick() tea.Cmd {
	m.redrawWaiting()
	cmd := tea.Batch(m.watch.Tick(), m.editor.Tick())
	if m.watch.Refused() != nil {
		return m.exit()
	}
	return cmd
}

// Refused returns the error with which the server has refused the token, which ended the screen, or nil.
func (m *Model) Refused() error { return m.watch.Refused() }

// Pages returns the page stack. The last page is shown.
func (m *Model) Pages() []page.Page { return slices.Clone(m.pages) }

func (m *Model) top() page.Page { return m.pages[len(m.pages)-1] }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.updateWatch()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
		return m, m.updatePreview()
	case tea.KeyMsg:
		return m, tea.Batch(m.receiveKey(msg), m.updatePreview())
	case tea.MouseMsg:
		return m, tea.Batch(m.handleMouse(msg), m.updatePreview())
	case nil:
		return m, nil
	}
	return m, tea.Batch(m.handle(msg), m.flushPendingKeys(), m.updatePreview(), m.recordVisit(), m.restoreMouse(msg))
}

// updatePreview updates the preview pane for the row under the cursor.
func (m *Model) updatePreview() tea.Cmd { return page.Follow(m.top(), m.width) }

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	if m.showOverlay(msg) {
		return nil
	}
	if cmd, handled := m.handleReview(msg); handled {
		return cmd
	}
	m.endPause(msg)
	switch msg := msg.(type) {
	case page.PushMsg:
		return m.enter(msg.Page)
	case page.NavigateMsg:
		return m.goTo(msg.Page)
	case page.EnterMsg:
		m.organizationTitle = msg.Organization.Title
		return m.push(browse.New(m.session, msg.Organization.ID))
	case page.AskedMsg:
		m.session.AwaitsInput = false
		return m.handle(msg.Msg)
	case quitMsg:
		return m.handleQuit(msg)
	case ExitMsg:
		return m.exit()
	case TickMsg:
		return m.tick()
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
		m.message = render.In(render.Accent, page.SavedText(msg.Draft, m.submitKey()))
		m.top().Base().List.KeepVisible(page.DraftKey(msg.Draft))
	case components.ToastMsg:
		m.message = render.In(msg.Tone, msg.Text)
	case page.StaysMsg:
		m.top().Base().List.SelectKey(msg.Row)
		return components.Toast("%s", msg.Says)
	case remote.ErrorMsg:
		m.reportError(msg.Err)
		if _, refused := api.AsError(msg.Err); refused { // the error may concern an earlier page
			return m.top().Load()
		}
	case destinationsMsg:
		return m.addDestinations(msg)
	case remote.ChangedMsg:
		return m.handleChanged(msg)
	case page.SavedMsg:
		return tea.Sequence(page.Push(screens.Request(m.session, msg.Created)), components.Send(msg.ChangedMsg))
	case chosenMsg:
		return m.perform(msg.action)
	case scrollMsg:
		m.top().Base().List.Move(int(msg) * max(m.screenful()/2, 1))
	case page.EditedMsg:
		return m.handleEdited(msg)
	case TimeMsg:
		m.refreshAges()
		return tea.Batch(m.editor.Count(), m.sender.Retry(), m.session.Read.Flush())
	default:
		return m.deliver(msg)
	}
	return nil
}

// showOverlay shows the overlay requested by a message, and reports whether the message requested one.
func (m *Model) showOverlay(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case page.ConfirmMsg:
		m.overlay = components.NewConfirmation(msg.Question, msg.Typed, msg.Yes)
	case page.PickMsg:
		m.overlay = &components.Question{Text: msg.Question, Choices: msg.Choices, Selected: msg.Initial}
	case page.FindMsg:
		m.overlay = components.NewPalette(msg.Entries).SetQuestion(msg.Question)
	case page.SelectMsg:
		m.overlay = components.NewSelector(msg.Text, render.Runs(msg.Text), msg.From, msg.Comment, msg.Suggest)
	case page.PromptMsg:
		m.overlay = components.NewPrompt(msg.Question, msg.Text, msg.Check, msg.Done)
	default:
		return false
	}
	m.session.AwaitsInput = false
	return true
}

// handleReview handles messages about drafts and reviews, and reports whether msg is one.
func (m *Model) handleReview(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case page.UndoableMsg:
		m.recordUndo(msg.Done, msg.Undo)
		return m.editor.Count(), true
	case page.CountMsg:
		return m.editor.Count(), true
	case page.DoneMsg:
		if _, ok := m.top().(finisher); !ok {
			return components.Toast("kept, not sent yet: S sends it"), true
		}
		return m.top().Update(msg), true
	case page.SubmittedMsg:
		cmd := m.deliver(msg)
		if p, ok := m.top().(finisher); ok && p.Finished() {
			cmd = tea.Batch(cmd, m.pop())
		}
		m.pages = slices.DeleteFunc(m.pages, func(p page.Page) bool { // a finished form is removed from the stack
			over, ok := p.(finisher)
			return ok && over.Finished()
		})
		return cmd, true
	case CountedMsg:
		cmd, _ := m.editor.Update(msg)
		m.refreshAges()
		return cmd, true
	default:
		return nil, false
	}
}

// refreshAges makes every page render its ages again.
func (m *Model) refreshAges() {
	for _, p := range m.pages {
		page.MarkStale(p)
	}
}

func (m *Model) reportError(err error) {
	if !errors.Is(err, context.Canceled) {
		m.message = render.In(render.Failure, "! "+remote.DescribeError(err).Label+": "+remote.ErrorLine(err))
	}
}

// handleChanged reports a write and reloads the pages that show its result, with the cursor on it.
func (m *Model) handleChanged(msg remote.ChangedMsg) tea.Cmd {
	m.recordUndo(msg.Done, msg.Undo)
	if msg.Warning != "" {
		m.message = render.In(render.Warning, "! "+msg.Done+": "+msg.Warning)
	}
	if _, form := m.top().(finisher); form { // the page is a form that was opened before the write
		m.undo.page = nil
	}
	m.command = msg.Command
	m.watch.RecordWrite()
	if msg.Row != "" {
		m.top().Base().List.SelectKey(msg.Row)
	}
	return m.reload(msg.Space)
}

// handleEdited passes the text saved by the external editor to the composer or to the page that requested it.
func (m *Model) handleEdited(msg page.EditedMsg) tea.Cmd {
	if msg.Err != nil {
		m.message = render.In(render.Failure, "! "+msg.Err.Error()) // a local failure, not one of the server
	}
	if m.editor.Writing() && msg.Err == nil {
		return m.editor.Replace(msg.Text)
	}
	return m.top().Update(msg)
}

// deliver passes a message to the text editor and to the pages.
func (m *Model) deliver(msg tea.Msg) tea.Cmd {
	if cmd, handled := m.editor.Update(msg); handled {
		switch {
		case m.editor.Journaling():
			return cmd
		case m.quitting:
			return tea.Quit
		case m.suspending:
			return tea.Batch(cmd, m.suspend())
		}
		return cmd
	}
	if cmd, handled := m.pageEditor.Update(msg); handled {
		return tea.Sequence(cmd, m.editor.Count()) // the action may have ended a draft
	}
	if cmd, handled := m.sender.Update(msg); handled {
		return cmd
	}
	if cmd, handled := m.session.Read.Take(msg); handled {
		m.refreshAges()
		return tea.Batch(cmd, m.notifySessionChanged())
	}
	if m.watch.Take(msg) {
		if m.watch.Refused() != nil {
			return m.exit() // what is displayed is not for whoever looks at it now
		}
		return m.handleHeadsChanged()
	}
	if m.me.Take(msg) {
		m.session.Me = m.me.Latest
		m.refreshAges() // pages may show the user as "you"
		return nil
	}
	if m.space.Take(msg) {
		m.session.Names[m.space.Latest.ID], m.session.Organization = m.space.Latest.Title, m.space.Latest.Organization // empty on failure
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if cmd := p.Update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(append(cmds, m.handleHeadsChanged(), m.finishLeavingInbox())...)
}

// handleHeadsChanged draws the pages again, and calls their SessionChanged, if the head of a change request has changed.
func (m *Model) handleHeadsChanged() tea.Cmd {
	if changes := m.session.Heads.Changes(); changes != m.headChanges {
		m.headChanges = changes
		m.refreshAges()
		return m.notifySessionChanged()
	}
	return nil
}

// sessionObserver is a page that acts when read marks or the head of a change request have changed.
type sessionObserver interface{ SessionChanged() tea.Cmd }

// notifySessionChanged calls SessionChanged of all pages that implement it.
func (m *Model) notifySessionChanged() tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if u, ok := p.(sessionObserver); ok {
			cmds = append(cmds, u.SessionChanged())
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) push(p page.Page) tea.Cmd {
	m.pages = append(m.pages, p)
	m.message, m.command = render.Span{}, ""
	return p.Load()
}

// pop removes the top page, unless it is the first one.
func (m *Model) pop() tea.Cmd {
	if m.leavesInbox() {
		return m.leaveInbox()
	}
	if len(m.pages) == 1 {
		m.message = render.In(render.Dim, "this is the top; q quits")
		return nil
	}
	if w, ok := m.top().(page.Writer); ok && w.Pending() && m.warnedPage != m.top() {
		m.warnedPage = m.top()
		m.message = render.In(render.Warning, "the server has not answered yet; esc again leaves, and it goes on")
		return nil
	}
	removed := m.top()
	m.pages = m.pages[:len(m.pages)-1]
	m.message, m.warnedPage = render.Span{}, nil
	if l, ok := removed.(leaveWarner); ok && l.LeaveWarning() != "" {
		m.message = render.In(render.Accent, l.LeaveWarning())
	}
	if c := m.top().LoadState(); !c.Loaded && !c.Busy {
		return m.top().Load()
	}
	return nil
}

// finisher is a page that is closed when its task is done.
type finisher interface{ Finished() bool }

// leaveWarner is a page that returns a warning about what is lost when it is left.
type leaveWarner interface{ LeaveWarning() string }

// reload reloads the page if it shows something of the space. Pages below the top are loaded when they are shown.
func (m *Model) reload(space string) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		if c := p.LoadState(); c.Loaded && (p.Space() == space || p.Space() == "") {
			cmds = append(cmds, p.Load())
		}
	}
	return tea.Batch(cmds...)
}
