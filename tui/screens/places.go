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

// showThread opens the place of a thread: in the changes of its page, or on the page where the request does not change it.
func showThread(s *page.Session, at remote.Target, th api.Comment) tea.Cmd {
	id, title := PageOf(th)
	if id == "" {
		return components.Toast("this thread is about the change request as a whole")
	}
	read := func() page.Page { return newReader(s, at, api.RevisionPage{ID: id, Title: title}) }
	return func() tea.Msg {
		to := read()
		if at.ChangeRequest != "" {
			of, pages, err := proposed(s, at)
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			if i := slices.IndexFunc(pages, func(c render.PageChange) bool { return c.Page.ID == id }); i >= 0 {
				to = newChange(s, at, of, pages, i, "")
			}
		}
		to.Base().List.Want(page.CommentKey(th.ID))
		return page.PushMsg{Page: to}
	}
}

// proposed asks what a request is and changes.
func proposed(s *page.Session, at remote.Target) (api.ChangeRequest, []render.PageChange, error) {
	of, err := s.Client.ChangeRequest(s.Ctx, at)
	if err != nil {
		return of, nil, err
	}
	all, err := s.Client.Changes(s.Ctx, at, "")
	return of, render.ProposedBy(all).Pages, err
}

// walk goes through the pages of a target that have open threads, each shown in place of the one before.
type walk struct {
	from  page.Page                 // the page that it begins on
	here  string                    // its id
	order func() ([]string, error)  // the ids of the pages, as they are gone through
	show  func(id string) page.Page // the page to show
}

// step goes to the next open thread: on the page, or on the next page that has one. It goes around the end once.
func (w walk) step(s *page.Session, at remote.Target, direction int) func() tea.Cmd {
	return func() tea.Cmd {
		if w.from.Base().List.Walk(direction, false) {
			return nil
		}
		return func() tea.Msg {
			order, err := w.order()
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			comments, err := s.Client.Content(at).Comments(s.Ctx, "")
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			to := w.next(order, comments, direction)
			if to == "" {
				return aroundMsg{w.from, direction, beyond(order, comments, at)}
			}
			next := w.show(to)
			next.Base().List.AimThread(direction < 0)
			show := page.ReplaceMsg{From: w.from, Page: next}
			if here := slices.Index(order, w.here); here < 0 || slices.Index(order, to)*direction > here*direction {
				return show
			}
			return tea.Sequence(components.Send(show), components.Toast("%s", wrapped(beyond(order, comments, at), direction)))()
		}
	}
}

// beyond says which open threads a walk through some pages does not come to, and which key leads there; nothing for none.
func beyond(order []string, comments []api.Comment, at remote.Target) string {
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
	var said []string
	if whole > 0 {
		said = append(said, fmt.Sprintf("%d about %s", whole, map[bool]string{true: "the request as a whole", false: "the space as a whole"}[at.ChangeRequest != ""]))
	}
	if others > 0 {
		said = append(said, fmt.Sprintf("%d on other pages", others))
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(said, ", ") + ": C"
}

// aroundMsg goes around the end of a page: no other has an open thread.
type aroundMsg struct {
	of        page.Page
	direction int
	beyond    string // the open threads elsewhere
}

// takeAround goes to the first open thread of a page, or the last, and says so, and which are elsewhere.
func takeAround(p page.Page, msg tea.Msg) tea.Cmd {
	m, ok := msg.(aroundMsg)
	if !ok || m.of != p {
		return nil
	}
	l := &p.Base().List
	_, all := l.Count(isOpenThread)
	here, _ := l.Selected()
	l.Walk(m.direction, true)
	switch {
	case all == 0 && m.beyond == "":
		return components.Toast("no more open threads")
	case all == 0:
		return components.Toast("no more on pages; %s", m.beyond)
	case all == 1 && here.Thread && m.beyond == "":
		return components.Toast("this is the only open thread")
	case all == 1 && here.Thread:
		return components.Toast("the only one on a page; %s", m.beyond)
	default:
		return components.Toast("%s", wrapped(m.beyond, m.direction))
	}
}

// wrapped says that a walk went around the end, and which threads it does not come to.
func wrapped(beyond string, direction int) string {
	switch {
	case beyond == "" && direction < 0:
		return "the last open thread; there is none above"
	case beyond == "":
		return "the first open thread again; there is none below"
	case direction < 0:
		return "the last open thread again; " + beyond
	default:
		return "the first open thread again; " + beyond
	}
}

func isOpenThread(r components.Row) bool { return r.Thread }

// next is the id of the next page in a direction that has an open thread, "" if no other has.
func (w walk) next(order []string, comments []api.Comment, direction int) string {
	open := map[string]bool{}
	for _, c := range comments {
		if id, _ := PageOf(c); c.Status == api.CommentOpen {
			open[id] = true
		}
	}
	now := slices.Index(order, w.here)
	if now < 0 && direction < 0 {
		now = len(order)
	}
	for i := 1; i <= len(order); i++ {
		at := now + direction*i
		at = ((at % len(order)) + len(order)) % len(order)
		if id := order[at]; open[id] && id != w.here {
			return id
		}
	}
	return ""
}

// actions are the two directions of a walk.
func (w walk) actions(s *page.Session, at remote.Target) []components.Action {
	return []components.Action{
		{Name: "thread-next", Keys: []string{"n"}, Help: "next open thread", Hint: "open thread", Do: w.step(s, at, 1)},
		{Name: "thread-previous", Keys: []string{"N"}, Help: "previous open thread", Do: w.step(s, at, -1)},
	}
}

// Place names what the page shows, for the app: it is not shown above itself.
func (p *reader) Place() string { return "page " + placeIn(p.at, p.page.ID) }

// Place is as that of reader.
func (p *change) Place() string { return "change " + placeIn(p.at, p.id(), p.since) }

// Place is as that of reader.
func (p *request) Place() string { return "request " + placeIn(p.at, p.since) }

// Place is as that of reader.
func (p *tree) Place() string { return "pages " + placeIn(p.at) }

func placeIn(at remote.Target, more ...string) string {
	return strings.Join(append([]string{at.Space, at.ChangeRequest}, more...), "/")
}
