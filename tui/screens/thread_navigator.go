package screens

import (
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

// showThread opens a thread: in the diff of its page, or on the page if the request does not change it.
func showThread(s *page.Session, at remote.Target, th api.Comment) tea.Cmd {
	id, title := PageOf(th)
	if id == "" {
		return components.Toast("this thread is about the change request as a whole")
	}
	read := func() page.Page { return newReaderPage(s, at, api.RevisionPage{ID: id, Title: title}) }
	return func() tea.Msg {
		to := read()
		if at.ChangeRequest != "" {
			request, pages, err := loadProposal(s, at)
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
			if i := slices.IndexFunc(pages, func(c render.PageChange) bool { return c.Page.ID == id }); i >= 0 {
				to = newChangePage(s, at, request, pages, i, "")
			}
		}
		to.Base().List.SelectKey(page.CommentKey(th.ID))
		return page.PushMsg{Page: to}
	}
}

// loadProposal loads a change request and its changed pages.
func loadProposal(s *page.Session, at remote.Target) (api.ChangeRequest, []render.PageChange, error) {
	found, err := findProposal(s.Ctx, s.Connection, at, "")
	return found.ChangeRequest, found.Pages, err
}

// threadNavigator goes through the pages of a target that have open threads. Each page replaces the one before.
type threadNavigator struct {
	page      page.Page                 // the present page
	id        string                    // its id
	loadOrder func() ([]string, error)  // loads the ids of the pages in order
	newPage   func(id string) page.Page // returns the page for an id
}

// step returns the function that moves to the next open thread: on the page, or on the next page that has one. It
// wraps around the end once.
func (n threadNavigator) step(s *page.Session, at remote.Target, direction int) func() tea.Cmd {
	return func() tea.Cmd {
		if n.page.Base().List.StepThread(direction, false) {
			return nil
		}
		return func() tea.Msg {
			order, err := n.loadOrder()
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
			comments, err := s.Client.Content(at).Comments(s.Ctx, "")
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
			to := n.next(order, comments, direction)
			if to == "" {
				return wrapMsg{n.page, direction, otherThreadsText(order, comments, at)}
			}
			next := n.newPage(to)
			next.Base().List.AimThread(direction < 0)
			show := page.ReplaceMsg{From: n.page, Page: next}
			if here := slices.Index(order, n.id); here < 0 || slices.Index(order, to)*direction > here*direction {
				return show
			}
			return tea.Sequence(components.Send(show), components.Toast("%s", wrapText(otherThreadsText(order, comments, at), direction)))()
		}
	}
}

// otherThreadsText describes the open threads that a navigation through pages does not reach, with the key that leads
// to them, or returns "".
func otherThreadsText(order []string, comments []api.Comment, at remote.Target) string {
	whole, others := 0, 0
	for _, c := range comments {
		switch id, _ := PageOf(c); {
		case c.Status != api.CommentOpen || slices.Contains(order, id):
		case id == "":
			whole++
		default:
			others++
		}
	}
	var parts []string
	if whole > 0 {
		noun := render.Choose(at.ChangeRequest != "", "request", "space")
		parts = append(parts, fmt.Sprintf("%d about the %s as a whole", whole, noun))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%d on other pages", others))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": C"
}

// wrapMsg moves around the end of a page because no other page has an open thread.
type wrapMsg struct {
	page         page.Page
	direction    int
	otherThreads string // description of the open threads on no page of the order
}

// handleWrap moves the cursor to the first or last open thread of a page, and reports the wrap and the open threads
// elsewhere.
func handleWrap(p page.Page, msg tea.Msg) tea.Cmd {
	m, ok := msg.(wrapMsg)
	if !ok || m.page != p {
		return nil
	}
	l := &p.Base().List
	_, all := l.Count(isOpenThread)
	here, _ := l.Selected()
	l.StepThread(m.direction, true)
	switch {
	case all == 0 && m.otherThreads == "":
		return components.Toast("no more open threads")
	case all == 0:
		return components.Toast("no more on pages; %s", m.otherThreads)
	case all == 1 && here.Thread && m.otherThreads == "":
		return components.Toast("this is the only open thread")
	case all == 1 && here.Thread:
		return components.Toast("the only one on a page; %s", m.otherThreads)
	default:
		return components.Toast("%s", wrapText(m.otherThreads, m.direction))
	}
}

// wrapText returns the message for a wrap around the end, with the threads that the navigation does not reach.
func wrapText(elsewhere string, direction int) string {
	switch {
	case elsewhere == "" && direction < 0:
		return "the last open thread; there is none above"
	case elsewhere == "":
		return "the first open thread again; there is none below"
	case direction < 0:
		return "the last open thread again; " + elsewhere
	default:
		return "the first open thread again; " + elsewhere
	}
}

func isOpenThread(r components.Row) bool { return r.Thread }

// next returns the id of the next page in a direction that has an open thread, or "".
func (n threadNavigator) next(order []string, comments []api.Comment, direction int) string {
	open := map[string]bool{}
	for _, c := range comments {
		if id, _ := PageOf(c); c.Status == api.CommentOpen {
			open[id] = true
		}
	}
	now := slices.Index(order, n.id)
	if now < 0 && direction < 0 {
		now = len(order)
	}
	for i := 1; i <= len(order); i++ {
		at := now + direction*i
		at = ((at % len(order)) + len(order)) % len(order)
		if id := order[at]; open[id] && id != n.id {
			return id
		}
	}
	return ""
}

// actions returns the actions for both directions.
func (n threadNavigator) actions(s *page.Session, at remote.Target) []components.Action {
	return []components.Action{
		{Name: "thread-next", OfPage: true, Keys: []string{"n"}, Help: "next open thread", Hint: "open thread", Do: n.step(s, at, 1)},
		{Name: "thread-previous", OfPage: true, Keys: []string{"N"}, Help: "previous open thread", Do: n.step(s, at, -1)},
	}
}

// PageKey identifies the content of the page, so that the app does not push the same content twice.
func (p *readerPage) PageKey() string { return "page " + targetKey(p.target, p.page.ID) }

// PageKey identifies the content of the page, so that the app does not push the same content twice.
func (p *changePage) PageKey() string { return "change " + targetKey(p.target, p.id(), p.since) }

// PageKey identifies the content of the page, so that the app does not push the same content twice.
func (p *requestPage) PageKey() string { return "request " + targetKey(p.target, p.since) }

// PageKey identifies the content of the page, so that the app does not push the same content twice.
func (p *treePage) PageKey() string { return "pages " + targetKey(p.target) }

func targetKey(at remote.Target, more ...string) string {
	return strings.Join(append([]string{at.Space, at.ChangeRequest}, more...), "/")
}
