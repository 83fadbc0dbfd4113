package screens

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/threads"
)

// showThread opens the place of a thread: in the changes of its page, or on the page where the request does not change it.
func showThread(s *page.Session, at remote.Target, th api.Comment) tea.Cmd {
	id, title := threads.PageOf(th)
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
			if i := slices.IndexFunc(pages, func(c changes.PageChange) bool { return c.Page.ID == id }); i >= 0 {
				to = newChange(s, at, of, pages, i, "")
			}
		}
		to.Base().List.Want(page.CommentKey(th.ID))
		return page.PushMsg{Page: to}
	}
}

// proposed asks what a request is and changes.
func proposed(s *page.Session, at remote.Target) (api.ChangeRequest, []changes.PageChange, error) {
	of, err := s.Client.ChangeRequest(s.Ctx, at)
	if err != nil {
		return of, nil, err
	}
	all, err := s.Client.Changes(s.Ctx, at, "")
	return of, changes.ProposedBy(all).Pages, err
}

// walk goes through the pages of a target that have open threads.
type walk struct {
	from    page.Page                 // the page that it begins on
	here    string                    // its id, "" for none
	order   func() ([]string, error)  // the ids of the pages, as they are gone through
	show    func(id string) page.Page // the page to show
	replace bool                      // in place of the one that it begins on
}

// step goes to the next open thread: on the page, or on the next page that has one. It goes around the end once.
func (w walk) step(s *page.Session, at remote.Target, direction int) func() tea.Cmd {
	return func() tea.Cmd {
		f := w.from.Base()
		if f.List.Step(direction, isWaiting) || f.List.Step(direction, isOpenThread) {
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
				return aroundMsg{w.from, direction}
			}
			next := w.show(to)
			next.Base().List.Aim(isOpenThread, direction < 0)
			if w.replace {
				return page.ReplaceMsg{From: w.from, Page: next}
			}
			return page.PushMsg{Page: next}
		}
	}
}

// aroundMsg goes around the end of a page: no other has an open thread.
type aroundMsg struct {
	of        page.Page
	direction int
}

// takeAround goes to the first open thread of a page, or the last, and says so.
func takeAround(p page.Page, msg tea.Msg) tea.Cmd {
	m, ok := msg.(aroundMsg)
	if !ok || m.of != p {
		return nil
	}
	l := &p.Base().List
	_, all := l.Count(isOpenThread)
	here, _ := l.Selected()
	switch {
	case all == 0:
		return components.Toast("no more open threads")
	case all == 1 && here.Thread:
		return components.Toast("this is the only open thread")
	}
	l.Next(m.direction, isOpenThread)
	if m.direction < 0 {
		return components.Toast("the last open thread; there is none above")
	}
	return components.Toast("the first open thread again; there is none below")
}

func isOpenThread(r components.Row) bool { return r.Thread }

// isWaiting reports whether a row begins a thread that waits for the user: these are gone to before the others.
func isWaiting(r components.Row) bool { return r.Waits }

// next is the id of the next page in a direction that has an open thread, "" if no other has.
func (w walk) next(order []string, comments []api.Comment, direction int) string {
	open := map[string]bool{}
	for _, c := range comments {
		if id, _ := threads.PageOf(c); c.Status == api.CommentOpen {
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
