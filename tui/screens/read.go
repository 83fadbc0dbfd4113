package screens

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// besideKey begins the keys of the rows of what else than pages a change request changes.
const besideKey = "beside/"

// signOf is the sign of what was read, or was not, before its row; nothing where that is not known.
func signOf(s *page.Session, at remote.Target, id string) render.Line {
	switch sign := s.Read.Sign(at, id); sign {
	case "":
		return nil
	case "✓":
		return render.Line{render.In(render.Added, "✓ ")}
	default:
		return render.Line{render.In(render.Warning, sign+" ")}
	}
}

// again says that something was read and has changed since; nothing where it has not.
func again(s *page.Session, at remote.Target, id string) string {
	if s.Read.Changed(at, id) {
		return "changed since you read it"
	}
	return ""
}

// marking is the action that marks what is under the cursor as read, or as not read.
func marking(s *page.Session, at remote.Target, revision, here func() string) components.Action {
	whyNot := func() string {
		if _, known := s.Read.Has(at, here()); !known {
			return "put the cursor on something that the request changes"
		}
		return ""
	}
	return components.Action{Name: "mark-read", Help: "mark it as read, or as not read", WhyNot: whyNot, Do: func() tea.Cmd {
		read, _ := s.Read.Has(at, here())
		return setRead(s, at, revision(), !read, "", here())
	}}
}

// setRead marks something as read or not read, and says more; undo takes it back.
func setRead(s *page.Session, at remote.Target, revision string, read bool, more string, items ...string) tea.Cmd {
	do := s.Read.Mark(at, revision, read, items...)
	says := map[bool]string{true: "read", false: "marked as not read"}[read]
	if total := s.Read.Says(at); total != "" {
		says += " · " + total
	}
	if more != "" {
		says += " · " + more
	}
	undo := components.Send(drafts.MarkMsg{Target: at, Revision: revision, Read: !read, Items: items})
	return tea.Sequence(do, components.Send(page.UndoableMsg{Done: says, Undo: undo}))
}

// GoOn marks the page as read and goes on to the next one that is not; the app calls it at the end of this one.
func (p *change) GoOn() tea.Cmd {
	if !p.remote.Loaded || p.remote.Busy || p.remote.Err != nil {
		return components.Toast("wait until it is loaded")
	}
	s := p.Session
	read, known := s.Read.Has(p.at, p.id())
	next, more := p.nextUnread(), ""
	if next < 0 {
		more = p.allRead()
	}
	mark := components.Toast("%s", more)
	if known && !read {
		mark = setRead(s, p.at, p.of.Revision, true, more, p.id())
	}
	switch {
	case next >= 0:
		return tea.Sequence(p.turn(next-p.index), mark)
	case known:
		return mark
	case p.isLast(1)() != "":
		return components.Toast("%s", p.isLast(1)())
	default:
		return p.turn(1)
	}
}

// Reads reports whether reading on marks the page.
func (p *change) Reads() bool {
	read, known := p.Session.Read.Has(p.at, p.id())
	return known && !read
}

// nextUnread is the next page that was not read, after this one and around the end; -1 if there is none.
func (p *change) nextUnread() int {
	for i := 1; i < len(p.changes); i++ {
		at := (p.index + i) % len(p.changes)
		if read, known := p.Session.Read.Has(p.at, p.changes[at].Page.ID); known && !read {
			return at
		}
	}
	return -1
}

// allRead says what is left when the pages were read.
func (p *change) allRead() string {
	left := slices.DeleteFunc(p.Session.Read.Unread(p.at), func(i api.ReadingItem) bool { return i.ID == p.id() })
	if len(left) == 0 {
		return "all is read: S submits your review"
	}
	titles := make([]string, len(left))
	for i, item := range left {
		titles[i] = render.Titled(item.Title)
	}
	if len(titles) > 3 {
		titles = append(titles[:3], "…")
	}
	return fmt.Sprintf("the pages are read; on the page of the request: %s", strings.Join(titles, ", "))
}

// GoOn marks what is shown here whole as read, the variables, and goes on to the first page that is not; the app calls it at
// the end of the request.
func (p *request) GoOn() tea.Cmd {
	var whole []string
	for _, b := range p.remote.Latest.Rest {
		if read, known := p.Session.Read.Has(p.at, b.ID); known && !read && strings.HasPrefix(b.ID, api.VariablePrefix) && p.since == "" {
			whole = append(whole, b.ID)
		}
	}
	next := p.firstUnread()
	more := ""
	if next < 0 {
		more = "no page is left to read"
	}
	mark := components.Toast("%s", more)
	if len(whole) > 0 {
		mark = setRead(p.Session, p.at, p.remote.Latest.Revision, true, more, whole...)
	}
	if next < 0 {
		return mark
	}
	return tea.Sequence(page.Push(p.change(next)), mark)
}

// item is what the mark of the row under the cursor is about.
func (p *request) item() string {
	about := p.About()
	if about.Item != "" {
		return about.Item
	}
	return about.Page
}

// Leaving says what stays behind unsent.
func (p *request) Leaving() string {
	return Leaving(p.Session.WaitingAt(p.at), p.remote.Latest.Number)
}

// identify names the request by its id as soon as that is known: it may have been asked for by its number.
func (p *request) identify() tea.Cmd {
	id := p.remote.Latest.ID
	if id == "" || id == p.at.ChangeRequest {
		return nil
	}
	was := p.at
	p.at.ChangeRequest = id
	p.threads.Move(p.at)
	numbered := remote.Target{Space: was.Space, ChangeRequest: strconv.FormatInt(int64(p.remote.Latest.Number), 10)}
	return tea.Batch(page.Rename(p.Session, numbered, p.at), p.Session.Read.Load(p.at))
}

// notReviewed says why there is nothing that is new since a review of the user's.
const notReviewed = "you have not reviewed it: all of it is new to you"

// turnSince turns between all that the request changes and what is new to the reviewer.
func (p *request) turnSince() tea.Cmd {
	told := "everything that it changes"
	if p.since == "" && p.reviews.Loaded && !p.reviewed() {
		return components.Toast(notReviewed)
	}
	if p.since == "" {
		p.since, told = api.SinceMyLastReview, "only what changed since your last review; d shows all again"
	} else {
		p.since = ""
	}
	p.previews.Forget()
	p.turned = true
	return tea.Batch(p.loadProposal(), p.loadWords(), components.Toast("%s", told))
}

// At is the change request that the page shows.
func (p *request) At() remote.Target { return p.at }

// At is the change request that the page is changed in.
func (p *change) At() remote.Target { return p.at }

// At is the change request, or the space, that the page stands in.
func (p *reader) At() remote.Target { return p.at }

// At is as that of the reader.
func (p *tree) At() remote.Target { return p.at }

// At is as that of the reader.
func (p *comments) At() remote.Target { return p.at }
