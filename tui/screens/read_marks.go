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

// otherItemKeyPrefix is the prefix of the keys of rows of changes other than pages.
const otherItemKeyPrefix = "beside/"

// readSign returns the read mark of an item, or nothing if it is not known.
func readSign(s *page.Session, at remote.Target, id string) render.Line {
	switch sign := s.Read.Sign(at, id); sign {
	case "":
		return nil
	case "✓":
		return render.Line{render.In(render.Added, "✓ ")}
	default:
		return render.Line{render.In(render.Warning, sign+" ")}
	}
}

// changedNote returns a note if an item was read and has changed since, or "".
func changedNote(s *page.Session, at remote.Target, id string) string {
	if s.Read.Changed(at, id) {
		return "changed since you read it"
	}
	return ""
}

// markAction returns the action that marks the item under the cursor as read or unread.
func markAction(s *page.Session, at remote.Target, revision, here func() string) components.Action {
	disabledReason := func() string {
		if _, known := s.Read.IsRead(at, here()); !known {
			return "put the cursor on something that the request changes"
		}
		return ""
	}
	do := func() tea.Cmd {
		read, _ := s.Read.IsRead(at, here())
		return setRead(s, at, revision(), !read, "", here())
	}
	return components.Action{Name: "mark-read", Help: "mark it as read, or as not read", DisabledReason: disabledReason, Do: do}
}

// setRead marks items as read or unread and reports the read count, followed by more; undo reverts the marks.
func setRead(s *page.Session, at remote.Target, revision string, read bool, more string, items ...string) tea.Cmd {
	do := s.Read.Mark(at, revision, read, items...)
	message := render.Choose(read, "read", "marked as not read")
	if total := s.Read.ShortCount(at); total != "" {
		message += " · " + total
	}
	if more != "" {
		message += " · " + more
	}
	undo := components.Send(drafts.MarkMsg{Target: at, Revision: revision, Read: !read, Items: items})
	return tea.Sequence(do, components.Send(page.UndoableMsg{Done: message, Undo: undo}))
}

// Advance marks the page as read and opens the next unread one. The app calls it at the end of the page.
func (p *changePage) Advance() tea.Cmd {
	if !p.remote.Loaded || p.remote.Busy || p.remote.Err != nil {
		return components.Toast("wait until it is loaded")
	}
	s := p.Session
	read, known := s.Read.IsRead(p.target, p.id())
	next, more := p.nextUnread(), ""
	if next < 0 {
		more = p.allReadText()
	}
	mark := components.Toast("%s", more)
	if known && !read {
		mark = setRead(s, p.target, p.request.Revision, true, more, p.id())
	}
	switch {
	case next >= 0:
		return tea.Sequence(p.openNeighbour(next-p.index), mark)
	case known:
		return mark
	case p.noNeighbourReason(1)() != "":
		return components.Toast("%s", p.noNeighbourReason(1)())
	default:
		return p.openNeighbour(1)
	}
}

// WillMarkRead reports whether Advance marks the page as read.
func (p *changePage) WillMarkRead() bool {
	read, known := p.Session.Read.IsRead(p.target, p.id())
	return known && !read
}

// nextUnread returns the index of the next unread page, with a wrap around the end, or -1.
func (p *changePage) nextUnread() int {
	for i := 1; i < len(p.changes); i++ {
		at := (p.index + i) % len(p.changes)
		if read, known := p.Session.Read.IsRead(p.target, p.changes[at].Page.ID); known && !read {
			return at
		}
	}
	return -1
}

// allReadText returns the message that is shown after all pages were read, with the next step.
func (p *changePage) allReadText() string {
	left := slices.DeleteFunc(p.Session.Read.Unread(p.target), func(i api.ReadingItem) bool { return i.ID == p.id() })
	if len(left) == 0 {
		return "all is read: S submits your review"
	}
	titles := make([]string, len(left))
	for i, item := range left {
		titles[i] = render.DisplayTitle(item.Title)
	}
	if len(titles) > 3 {
		titles = append(titles[:3], "…")
	}
	return fmt.Sprintf("the pages are read; on the page of the request: %s", strings.Join(titles, ", "))
}

// Advance marks the variables as read, which are shown here completely, and opens the first unread page. The app calls
// it at the end of the request.
func (p *requestPage) Advance() tea.Cmd {
	var whole []string
	for _, b := range p.remote.Latest.Rest {
		if read, known := p.Session.Read.IsRead(p.target, b.ID); known && !read && strings.HasPrefix(b.ID, api.VariablePrefix) &&
			p.since == "" {
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
		mark = setRead(p.Session, p.target, p.remote.Latest.Revision, true, more, whole...)
	}
	if next < 0 {
		return mark
	}
	return tea.Sequence(page.Push(p.change(next)), mark)
}

// selectedItem returns the id of the item that the read mark of the row under the cursor belongs to, or "".
func (p *requestPage) selectedItem() string {
	about := p.About()
	if about.Item != "" {
		return about.Item
	}
	return about.Page
}

// LeaveWarning returns the message for unsent drafts when the user leaves the request, or "".
func (p *requestPage) LeaveWarning() string {
	return unsentText(p.Session.UnsentCount(p.target), p.remote.Latest.Number)
}

// useID replaces the number in the target by the id of the request as soon as it is known. It moves the drafts to the id and
// loads the read state.
func (p *requestPage) useID() tea.Cmd {
	id := p.remote.Latest.ID
	if id == "" || id == p.target.ChangeRequest {
		return nil
	}
	was := p.target
	p.target.ChangeRequest = id
	p.threads.setTarget(p.target)
	numbered := remote.Target{Space: was.Space, ChangeRequest: strconv.FormatInt(int64(p.remote.Latest.Number), 10)}
	return tea.Batch(page.Retarget(p.Session, numbered, p.target), p.Session.Read.Load(p.target))
}

// notReviewedText is the reason why there are no changes since the user's review.
const notReviewedText = "you have not reviewed it: all of it is new to you"

// toggleSince toggles between all changes of the request and the changes since the user's review.
func (p *requestPage) toggleSince() tea.Cmd {
	message := "everything that it changes"
	if p.since == "" && p.reviews.Loaded && !p.reviewed() {
		return components.Toast(notReviewedText)
	}
	if p.since == "" {
		p.since, message = api.SinceMyLastReview, "only what changed since your last review; d shows all again"
	} else {
		p.since = ""
	}
	p.previews.Forget()
	p.sinceChanged = true
	return tea.Batch(p.loadProposal(), p.loadWords(), components.Toast("%s", message))
}

// Target returns the change request of the page.
func (p *requestPage) Target() remote.Target { return p.target }

// Target returns the change request of the page.
func (p *changePage) Target() remote.Target { return p.target }

// Target returns the change request or the space of the page.
func (p *readerPage) Target() remote.Target { return p.target }

// Target returns the change request or the space of the page.
func (p *treePage) Target() remote.Target { return p.target }

// Target returns the change request or the space of the page.
func (p *commentsPage) Target() remote.Target { return p.target }
