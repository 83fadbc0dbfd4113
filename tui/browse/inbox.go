package browse

import (
	"context"
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

// Inbox lists the change requests of an organization that a query asks for.
type Inbox struct {
	page.Frame
	organization string
	tab          int
	orders       map[bool]order                  // of what is past, and of what is not; what is not in it is as it begins
	lists        map[string]*remote.Value[found] // by the names of the tabs
	saved        remote.Value[[]api.SavedQuery]
	folded       map[string]bool // groups, by their titles; what is not in it is as it begins
	previews     page.Previews
	numbers      int // how wide the numbers of the rows are
}

// found is what a query found.
type found struct {
	requests []api.QueuedChangeRequest
	more     bool
}

// New returns the inbox of an organization.
func New(s *page.Session, organization string) *Inbox {
	s.Organization = organization
	p := &Inbox{Frame: page.NewFrame(s), organization: organization, lists: map[string]*remote.Value[found]{}, orders: map[bool]order{}, folded: map[string]bool{}}
	p.List.Filter = true
	return p
}

// Title implements page.Page.
func (p *Inbox) Title() string { return "Inbox" }

// Kind implements page.Page.
func (p *Inbox) Kind() string { return "inbox" }

// Condition implements page.Page.
func (p *Inbox) Condition() remote.Condition { return p.list().Condition }

// Load asks for what the tab shows, and for the queries that are saved.
func (p *Inbox) Load() tea.Cmd {
	client, organization := p.Session.Client, p.organization
	p.previews.Forget()
	saved := p.saved.Load(p.Session.Connection, func(ctx context.Context) ([]api.SavedQuery, error) { return client.SavedQueries(ctx, organization) })
	return tea.Batch(p.loadList(), saved, p.names())
}

// loadList asks for what the tab shows.
func (p *Inbox) loadList() tea.Cmd {
	client, organization, query := p.Session.Client, p.organization, p.now().SavedQuery
	return p.list().Load(p.Session.Connection, func(ctx context.Context) (found, error) {
		all, more, err := client.Queued(ctx, organization, query)
		return found{all, more}, err
	})
}

// namesMsg are the names of the spaces, which rows say.
type namesMsg struct {
	to     *Inbox
	spaces []api.Space
}

// names asks what the spaces are called, as long as that is not known.
func (p *Inbox) names() tea.Cmd {
	if len(p.Session.Names) > 0 {
		return nil
	}
	s, organization := p.Session, p.organization
	return func() tea.Msg {
		all, err := s.Client.Spaces(s.Ctx, organization)
		if err != nil {
			return nil // rows are worth showing without
		}
		return namesMsg{p, all}
	}
}

// Update implements page.Page.
func (p *Inbox) Update(msg tea.Msg) tea.Cmd {
	if n, ok := msg.(namesMsg); ok && n.to == p {
		for _, s := range n.spaces {
			p.Session.Names[s.ID] = render.Titled(s.Title)
		}
		p.Stale = true
		return nil
	}
	if r, ok := msg.(restedMsg); ok && r.to == page.Page(p) {
		return rested(&p.previews, r.of)
	}
	for _, l := range p.lists {
		if l.Take(msg) {
			p.Stale = true
			return nil
		}
	}
	if p.saved.Take(msg) {
		p.tab = min(p.tab, len(p.tabs())-1)
		p.Stale = true
		return nil
	}
	return p.previews.Update(msg)
}

// tab is a query under its name.
type tab struct {
	api.SavedQuery
	grouped bool // by the reasons
	past    bool // grouped by when it was
}

// tabs are those that everybody has, and then the saved ones.
func (p *Inbox) tabs() []tab {
	all := []tab{
		{api.SavedQuery{Name: "Needs you", Reason: api.QueueReason("").Values()}, true, false},
		{api.SavedQuery{Name: "Waiting", Reason: []api.QueueReason{api.WaitingForOther}}, false, false},
		{api.SavedQuery{Name: "All open"}, false, false},
		{api.SavedQuery{Name: "Merged", Status: []api.ChangeRequestStatus{api.StatusMerged}}, false, true},
	}
	for _, q := range p.saved.Latest {
		all = append(all, tab{q, false, len(q.Status) == 1 && q.Status[0] == api.StatusMerged})
	}
	return all
}

// ownTabs is how many tabs everybody has.
const ownTabs = 4

func (p *Inbox) now() tab {
	all := p.tabs()
	return all[max(min(p.tab, len(all)-1), 0)]
}

// list is what the tab shows.
func (p *Inbox) list() *remote.Value[found] {
	name := p.now().Name
	if p.tab >= ownTabs {
		name = "saved/" + name
	}
	if p.lists == nil { // for the table of keys
		return &remote.Value[found]{}
	}
	if p.lists[name] == nil {
		p.lists[name] = &remote.Value[found]{}
	}
	return p.lists[name]
}

// turn goes to another tab: what it showed before is shown until the server has answered.
func (p *Inbox) turn(by int) func() tea.Cmd {
	return func() tea.Cmd {
		n := len(p.tabs())
		p.tab = ((p.tab+by)%n + n) % n
		p.Stale = true
		p.List.First()
		return p.loadList()
	}
}

// order is how the change requests of a group are sorted.
type order int

const (
	oldest order = iota
	newest
	largest
)

// orders are what people call the orders.
var orders = [...]string{"oldest first", "newest first", "largest first"}

// order is how the tab that is shown is sorted: what waits begins with the oldest, what is past with the newest.
func (p *Inbox) order() order {
	if o, turned := p.orders[p.now().past]; turned {
		return o
	}
	if p.now().past {
		return newest
	}
	return oldest
}

func (p *Inbox) turnOrder() tea.Cmd {
	now := (p.order() + 1) % order(len(orders))
	p.orders[p.now().past] = now
	return components.Toast("%s", orders[now])
}

// sorted are change requests in the order that was chosen; those that are alike stay in the order of the server.
func (p *Inbox) sorted(all []api.QueuedChangeRequest) []api.QueuedChangeRequest {
	all = slices.Clone(all)
	order := p.order()
	slices.SortStableFunc(all, func(a, b api.QueuedChangeRequest) int {
		switch order {
		case newest:
			return since(b).Compare(since(a).Time)
		case largest:
			return size(b) - size(a)
		default:
			return since(a).Compare(since(b).Time)
		}
	})
	return all
}

// since is when a change request began to wait: when the user was asked, or when it changed last, as what is finished did.
func since(r api.QueuedChangeRequest) api.Time {
	if !r.Summary.AskedAt.IsZero() && r.Status != api.StatusMerged {
		return r.Summary.AskedAt
	}
	return r.UpdatedAt
}

// size is how many words a change request changes; what is not known is small.
func size(r api.QueuedChangeRequest) int {
	if c := r.Summary.Changes; c != nil {
		return c.Added + c.Removed
	}
	return 0
}

// Share is the part of the window that the list has: its rows say more than the preview.
func (p *Inbox) Share() (mine, of int) { return 62, 100 }

// Preview implements the page with a preview pane.
func (p *Inbox) Preview() page.Page { return p.previews.Shown }

// Follow implements the page with a preview pane.
func (p *Inbox) Follow() tea.Cmd {
	r, ok := p.here()
	if !ok {
		p.previews.Shown = p.details()
		return nil
	}
	return follow(p.Session, &p.previews, r, p)
}

// here is the change request under the cursor.
func (p *Inbox) here() (api.QueuedChangeRequest, bool) {
	row, ok := p.Selected()
	return requestOf(row, ok, p.list().Latest.requests)
}

// offRequest says why what is under the cursor is no change request.
func (p *Inbox) offRequest() string {
	if _, ok := p.here(); !ok {
		return "put the cursor on a change request first"
	}
	return ""
}

// Opens says what Open does.
func (p *Inbox) Opens() string {
	switch row, _ := p.Selected(); {
	case strings.HasPrefix(row.Key, requestKey):
		return "review"
	case strings.HasPrefix(row.Key, draftKey):
		return "resume"
	case strings.HasPrefix(row.Key, groupKey):
		return map[bool]string{true: "unfold", false: "fold"}[p.isFolded(strings.TrimPrefix(row.Key, groupKey))]
	default:
		return ""
	}
}

// Open goes into the change request under the cursor, resumes the draft there, or folds the group.
func (p *Inbox) Open() tea.Cmd {
	if r, ok := p.here(); ok {
		return page.Push(screens.Request(p.Session, targetOf(r)))
	}
	row, _ := p.Selected()
	if strings.HasPrefix(row.Key, groupKey) {
		return p.fold()
	}
	w, ok := p.unsentHere()
	if _, composed := w.resume.(page.ComposeMsg); composed {
		return page.Ask(p.Session, w.resume) // it takes the keys that come next
	}
	if !ok {
		return nil
	}
	return components.Send(w.resume)
}

func targetOf(r api.QueuedChangeRequest) remote.Target {
	return remote.Target{Space: r.Space, ChangeRequest: r.ID}
}

// Actions implements page.Page.
func (p *Inbox) Actions() []components.Action {
	onRequest := func(do func(api.QueuedChangeRequest) page.Page) func() tea.Cmd {
		return func() tea.Cmd { r, _ := p.here(); return page.Push(do(r)) }
	}
	return slices.Concat([]components.Action{
		{Name: "tab-next", Keys: []string{"tab"}, Help: "next tab", Hint: "next tab", Do: p.turn(1)},
		{Name: "tab-previous", Keys: []string{"shift+tab"}, Help: "previous tab", Do: p.turn(-1)},
		{Name: "sort", Keys: []string{"t"}, Help: "sort: oldest, newest, largest first", Hint: "sort", Do: p.turnOrder},
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.fold},
		{Name: "requests", Keys: []string{"b"}, Help: "change requests of the space", Hint: "requests of the space", WhyNot: p.offRequest, Do: onRequest(func(r api.QueuedChangeRequest) page.Page {
			return screens.Requests(p.Session, r.Space)
		})},
		{Name: "comments", Keys: []string{"C"}, Help: "all threads", WhyNot: p.offRequest, Do: onRequest(func(r api.QueuedChangeRequest) page.Page {
			return screens.Comments(p.Session, targetOf(r))
		})},
	}, p.saving())
}

// Where says at which change request or draft the cursor is, for the first line of the screen.
func (p *Inbox) Where() render.Line { return where(&p.List) }

// Link is the address of the change request under the cursor.
func (p *Inbox) Link() string {
	r, _ := p.here()
	return r.URLs.App
}

// Command is the wsctl command that shows what the tab shows.
func (p *Inbox) Command() string {
	q := p.now()
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
