package browse

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
	"docspace.dev/wsd/tui/screens"
)

// Inbox lists the change requests of an organization that match the query of a tab.
type Inbox struct {
	page.Frame
	organization string
	tab          int
	orders       map[bool]sortOrder                    // chosen by the user; the key is tab.past
	lists        map[string]*remote.Value[queryResult] // by tab name
	savedQueries remote.Value[[]api.SavedQuery]
	folded       map[string]bool // groups by title; missing means the default
	previews     page.Previews
	numbersWidth int // width of the request numbers
}

// queryResult is the result of a query; more reports whether the list is incomplete.
type queryResult struct {
	requests []api.QueuedChangeRequest
	more     bool
}

// New returns the inbox of an organization.
func New(s *page.Session, organization string) *Inbox {
	s.Organization = organization
	p := &Inbox{
		Frame: page.NewFrame(s), organization: organization, lists: map[string]*remote.Value[queryResult]{}, orders: map[bool]sortOrder{},
		folded: map[string]bool{},
	}
	p.List.Filter = true
	return p
}

// Title implements page.Page.
func (p *Inbox) Title() string { return "Inbox" }

// Kind implements page.Page.
func (p *Inbox) Kind() string { return "inbox" }

// ListName returns the name of the list that is shown, and its position among the lists.
func (p *Inbox) ListName() string {
	return fmt.Sprintf("%s (list %d of %d, tab goes to the next)", p.currentTab().Name, p.tab+1, len(p.tabs()))
}

// LoadState implements page.Page.
func (p *Inbox) LoadState() remote.LoadState { return p.currentList().LoadState }

// Load loads the list of the tab and the saved queries.
func (p *Inbox) Load() tea.Cmd {
	client, organization := p.Session.Client, p.organization
	p.previews.Forget()
	saved := p.savedQueries.Load(p.Session.Connection, func(ctx context.Context) ([]api.SavedQuery, error) {
		return client.SavedQueries(ctx, organization)
	})
	return tea.Batch(p.loadList(), saved, p.loadSpaces())
}

// loadList loads the list of the tab.
func (p *Inbox) loadList() tea.Cmd {
	client, organization, query := p.Session.Client, p.organization, p.currentTab().SavedQuery
	return p.currentList().Load(p.Session.Connection, func(ctx context.Context) (queryResult, error) {
		all, more, err := client.Queued(ctx, organization, query)
		return queryResult{all, more}, err
	})
}

// spacesMsg contains the spaces of the organization, whose names the rows contain.
type spacesMsg struct {
	page   *Inbox
	spaces []api.Space
}

// loadSpaces loads the names of the spaces unless they are known.
func (p *Inbox) loadSpaces() tea.Cmd {
	if len(p.Session.Names) > 0 {
		return nil
	}
	s, organization := p.Session, p.organization
	return func() tea.Msg {
		all, err := s.Client.Spaces(s.Ctx, organization)
		if err != nil {
			return nil // the names are optional
		}
		return spacesMsg{p, all}
	}
}

// Update implements page.Page.
func (p *Inbox) Update(msg tea.Msg) tea.Cmd {
	if n, ok := msg.(spacesMsg); ok && n.page == p {
		for _, s := range n.spaces {
			p.Session.Names[s.ID] = render.DisplayTitle(s.Title)
		}
		p.Stale = true
		return nil
	}
	if r, ok := msg.(debounceMsg); ok && r.page == page.Page(p) {
		return fetchDetails(&p.previews, r.preview)
	}
	for _, l := range p.lists {
		if l.Take(msg) {
			p.Stale = true
			return nil
		}
	}
	if p.savedQueries.Take(msg) {
		p.tab = min(p.tab, len(p.tabs())-1)
		p.Stale = true
		return nil
	}
	return p.previews.Update(msg)
}

// tab is a list of the inbox: a named query and the grouping of its rows.
type tab struct {
	api.SavedQuery
	grouped bool // rows are grouped by reason
	past    bool // rows are grouped by time
}

// tabs returns the built-in tabs, followed by the saved queries.
func (p *Inbox) tabs() []tab {
	all := []tab{
		{api.SavedQuery{Name: "Needs you", Reason: api.QueueReason("").Values()}, true, false},
		{api.SavedQuery{Name: "Waiting", Reason: []api.QueueReason{api.WaitingForOther}}, false, false},
		{api.SavedQuery{Name: "All open"}, false, false},
		{api.SavedQuery{Name: "Merged", Status: []api.ChangeRequestStatus{api.StatusMerged}}, false, true},
	}
	for _, q := range p.savedQueries.Latest {
		all = append(all, tab{q, false, len(q.Status) == 1 && q.Status[0] == api.StatusMerged})
	}
	return all
}

// builtinTabs is the number of built-in tabs.
const builtinTabs = 4

func (p *Inbox) currentTab() tab {
	all := p.tabs()
	return all[max(min(p.tab, len(all)-1), 0)]
}

// currentList returns the list of the tab.
func (p *Inbox) currentList() *remote.Value[queryResult] {
	name := p.currentTab().Name
	if p.tab >= builtinTabs {
		name = "saved/" + name
	}
	if p.lists == nil { // table of keys
		return &remote.Value[queryResult]{}
	}
	if p.lists[name] == nil {
		p.lists[name] = &remote.Value[queryResult]{}
	}
	return p.lists[name]
}

// selectTab returns a function that moves the selection by a number of tabs, with wraparound, and loads the list. The previous
// list is shown until the server has responded.
func (p *Inbox) selectTab(by int) func() tea.Cmd {
	return func() tea.Cmd {
		n := len(p.tabs())
		p.tab = ((p.tab+by)%n + n) % n
		p.Stale = true
		p.List.First()
		return p.loadList()
	}
}

// sortOrder is the order of the change requests in a group.
type sortOrder int

const (
	oldestFirst sortOrder = iota
	newestFirst
	largestFirst
)

// orderNames are the names of the orders on the screen.
var orderNames = [...]string{"oldest first", "newest first", "largest first"}

// currentOrder returns the order of the tab. The default is oldest first for pending requests, and newest first for
// past ones.
func (p *Inbox) currentOrder() sortOrder {
	if o, chosen := p.orders[p.currentTab().past]; chosen {
		return o
	}
	if p.currentTab().past {
		return newestFirst
	}
	return oldestFirst
}

func (p *Inbox) cycleOrder() tea.Cmd {
	now := (p.currentOrder() + 1) % sortOrder(len(orderNames))
	p.orders[p.currentTab().past] = now
	return components.Toast("%s", orderNames[now])
}

// sortRequests sorts change requests by the current order; equal ones stay in the order of the server.
func (p *Inbox) sortRequests(all []api.QueuedChangeRequest) []api.QueuedChangeRequest {
	all = slices.Clone(all)
	order := p.currentOrder()
	slices.SortStableFunc(all, func(a, b api.QueuedChangeRequest) int {
		switch order {
		case newestFirst:
			return waitingSince(b).Compare(waitingSince(a).Time)
		case largestFirst:
			return changedWords(b) - changedWords(a)
		default:
			return waitingSince(a).Compare(waitingSince(b).Time)
		}
	})
	return all
}

// waitingSince returns the time since which a change request has waited for the user: the time of the request for a
// review, or of the last change.
func waitingSince(r api.QueuedChangeRequest) api.Time {
	if !r.Summary.AskedAt.IsZero() && r.Status != api.StatusMerged {
		return r.Summary.AskedAt
	}
	return r.UpdatedAt
}

// changedWords returns the number of words that a change request changes, or 0 if it is not known.
func changedWords(r api.QueuedChangeRequest) int {
	if c := r.Summary.Changes; c != nil {
		return c.Added + c.Removed
	}
	return 0
}

// Share returns the list's part of the window as a fraction.
func (p *Inbox) Share() (part, total int) { return 62, 100 }

// Preview returns the page in the preview pane, or nil.
func (p *Inbox) Preview() page.Page { return p.previews.Shown }

// Follow updates the preview pane to the row under the cursor.
func (p *Inbox) Follow() tea.Cmd {
	r, ok := p.selectedRequest()
	if !ok {
		p.previews.Shown = p.details()
		return nil
	}
	return followRequest(p.Session, &p.previews, r, p)
}

// selectedRequest returns the change request under the cursor.
func (p *Inbox) selectedRequest() (api.QueuedChangeRequest, bool) {
	row, ok := p.Selected()
	return requestOfRow(row, ok, p.currentList().Latest.requests)
}

// noRequestReason returns the reason why there is no change request under the cursor, or "".
func (p *Inbox) noRequestReason() string {
	if _, ok := p.selectedRequest(); !ok {
		return "put the cursor on a change request first"
	}
	return ""
}

// OpenHint returns what Open does with the row under the cursor, for the footer.
func (p *Inbox) OpenHint() string {
	switch row, _ := p.Selected(); {
	case strings.HasPrefix(row.Key, requestKeyPrefix):
		return "review"
	case strings.HasPrefix(row.Key, draftKeyPrefix):
		return "resume"
	case strings.HasPrefix(row.Key, groupKeyPrefix):
		return render.Choose(p.isFolded(strings.TrimPrefix(row.Key, groupKeyPrefix)), "unfold", "fold")
	default:
		return ""
	}
}

// Open opens the change request under the cursor, resumes the draft, or toggles the fold of the group.
func (p *Inbox) Open() tea.Cmd {
	if r, ok := p.selectedRequest(); ok {
		return page.Push(screens.Request(p.Session, targetOf(r)))
	}
	row, _ := p.Selected()
	if strings.HasPrefix(row.Key, groupKeyPrefix) {
		return p.toggleFold()
	}
	w, ok := p.selectedUnsentText()
	if _, composed := w.resumeMsg.(page.ComposeMsg); composed {
		return page.Ask(p.Session, w.resumeMsg) // the editor receives the next keys
	}
	if !ok {
		return nil
	}
	return components.Send(w.resumeMsg)
}

func targetOf(r api.QueuedChangeRequest) remote.Target {
	return remote.Target{Space: r.Space, ChangeRequest: r.ID}
}

// Actions implements page.Page.
func (p *Inbox) Actions() []components.Action {
	onRequest := func(do func(api.QueuedChangeRequest) page.Page) func() tea.Cmd {
		return func() tea.Cmd { r, _ := p.selectedRequest(); return page.Push(do(r)) }
	}
	return slices.Concat([]components.Action{
		{Name: "tab-next", OfPage: true, Keys: []string{"tab"}, Help: "next tab", Hint: "next tab", Do: p.selectTab(1)},
		{Name: "tab-previous", OfPage: true, Keys: []string{"shift+tab"}, Help: "previous tab", Do: p.selectTab(-1)},
		{Name: "sort", OfPage: true, Keys: []string{"t"}, Help: "sort: oldest, newest, largest first", Hint: "sort", Do: p.cycleOrder},
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.toggleFold},
		{Name: "requests", Keys: []string{
			"b",
		}, Help: "change requests of the space", Hint: "requests of the space", DisabledReason: p.noRequestReason, Do: onRequest(func(
			r api.QueuedChangeRequest,
		) page.Page {
			return screens.Requests(p.Session, r.Space)
		})},
		{Name: "comments", Keys: []string{"C"}, Help: "all threads", DisabledReason: p.noRequestReason, Do: onRequest(func(
			r api.QueuedChangeRequest,
		) page.Page {
			return screens.Comments(p.Session, targetOf(r))
		})},
	}, p.queryActions())
}

// CursorPosition returns the position of the cursor among the rows, for the first line of the screen.
func (p *Inbox) CursorPosition() render.Line { return rowPosition(&p.List) }

// Link returns the URL of the change request under the cursor.
func (p *Inbox) Link() string {
	r, _ := p.selectedRequest()
	return r.URLs.App
}

// Command returns the wsctl command for the list of the tab.
func (p *Inbox) Command() string {
	q := p.currentTab()
	words := []string{"change-requests", "list-queue", "--org", p.organization}
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, value)
		}
	}
	for _, s := range q.Status {
		flag("status", string(s))
	}
	for _, r := range q.Reason {
		flag("reason", string(r))
	}
	flag("creator", q.Creator)
	flag("contributor", q.Contributor)
	flag("requested-reviewer", q.RequestedReviewer)
	flag("space", q.Space)
	flag("order-by", string(q.OrderBy))
	return remote.Command(words...)
}
