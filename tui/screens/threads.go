package screens

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Thread is a comment with its replies.
type Thread struct {
	api.Comment
	replies []api.CommentReply
}

// Threads are the comments of a target, or of one page of it: a part of each page of the screen that shows some. The
// page draws them among its rows, hands them every message, and has their actions beside its own.
type Threads struct {
	frame        *page.Frame // of the page that shows them
	at           remote.Target
	page         string          // only comments on this page
	Head         func() string   // the revision of the change request that is shown; nil for a space
	HideResolved bool            // resolved ones are not drawn
	opened       map[string]bool // resolved ones that are drawn whole
	remote       remote.Value[[]Thread]
}

// NewThreads returns the threads of a target for the page that a frame is of: those on a page of it, or all when page is
// empty.
func NewThreads(f *page.Frame, at remote.Target, page string) Threads {
	return Threads{frame: f, at: at, page: page, opened: map[string]bool{}}
}

// Move makes them those of a target under another name.
func (t *Threads) Move(at remote.Target) { t.at = at }

// Load asks for the threads with their replies.
func (t *Threads) Load() tea.Cmd {
	content, page := t.frame.Session.Client.Content(t.at), t.page
	return t.remote.Load(t.frame.Session.Connection, func(ctx context.Context) ([]Thread, error) {
		comments, err := content.Comments(ctx, page)
		if err != nil {
			return nil, err
		}
		all := make([]Thread, len(comments))
		for i, c := range comments {
			all[i].Comment = c
			if c.Replies == 0 {
				continue
			}
			if all[i].replies, err = content.Replies(ctx, c.ID); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
}

// Take accepts the answer to load and reports whether the message was one.
func (t *Threads) Take(msg tea.Msg) bool { return t.remote.Take(msg) }

// Condition says how fresh the threads are.
func (t *Threads) Condition() remote.Condition { return t.remote.Condition }

// Count is how many there are, with those that are not drawn.
func (t *Threads) Count() int { return len(t.remote.Latest) }

// Shown returns the threads that fit, in the order of the server.
func (t *Threads) Shown(fits func(*Thread) bool) []*Thread {
	var out []*Thread
	for i := range t.remote.Latest {
		th := &t.remote.Latest[i]
		if fits(th) && (!t.HideResolved || th.Status != api.CommentResolved) {
			out = append(out, th)
		}
	}
	return out
}

// Folded reports whether a thread is drawn as one line: a resolved one that was not opened.
func (t *Threads) Folded(id string) bool {
	for i := range t.remote.Latest {
		if th := &t.remote.Latest[i]; th.ID == id {
			return th.Status == api.CommentResolved && !t.opened[id]
		}
	}
	return false
}

// TurnFold opens or folds a resolved thread.
func (t *Threads) TurnFold(id string) {
	t.opened[id], t.frame.Stale = !t.opened[id], true
}

// Phrases are what open threads are about, where that stands as they quote it.
func (t *Threads) Phrases(list []*Thread) []string {
	var out []string
	for _, th := range list {
		a := th.Target.Anchor
		if th.Status == api.CommentOpen && a != nil && (a.State == api.AnchorExact || a.State == api.AnchorShifted || a.State == api.AnchorMoved) {
			out = append(out, a.Quote)
		}
	}
	return out
}

// phraseOf is what the thread is about if that is a part of a block, "" otherwise.
func (th *Thread) phraseOf(block string) string {
	if a := th.Target.Anchor; a != nil && block != "" && strings.TrimSpace(a.Quote) != strings.TrimSpace(block) {
		return a.Quote
	}
	return ""
}

// On returns the threads on a block of the page.
func (t *Threads) On(block string) []*Thread {
	return t.Shown(func(th *Thread) bool { return th.block(t.page) == block })
}

// elsewhere returns the threads on the page whose block is not among those shown: on the page as a whole, or on a
// block that is gone. None is ever hidden for want of a place.
func (t *Threads) elsewhere(blocks map[string]bool) []*Thread {
	return t.Shown(func(th *Thread) bool { return !blocks[th.block(t.page)] })
}

// block is the block of a page that has the text of the thread now, "" if none has.
func (th *Thread) block(page string) string {
	switch a, n := th.Target.Anchor, th.Target.Node; {
	case n == nil || a != nil && a.Page != page && page != "":
		return ""
	case a == nil:
		return n.ID
	default:
		return a.Node
	}
}

// PageOf is the page that a comment stands on now, by id and title; both are empty for one about the whole.
func PageOf(c api.Comment) (id, title string) {
	if p := c.Target.Page; p != nil {
		id, title = p.ID, p.Title
	}
	if a := c.Target.Anchor; a != nil && a.Page != "" && a.Page != id {
		id, title = a.Page, ""
	}
	return id, title
}

// Comments are those that begin the threads.
func (t *Threads) Comments() []api.Comment {
	all := make([]api.Comment, len(t.remote.Latest))
	for i, th := range t.remote.Latest {
		all[i] = th.Comment
	}
	return all
}

// Open counts the threads that are open, and all.
func (t *Threads) Open() (open, all int) {
	for i := range t.remote.Latest {
		if t.remote.Latest[i].Status == api.CommentOpen {
			open++
		}
	}
	return open, len(t.remote.Latest)
}

// anchorNote says what became of the text that the thread is about, "" if nothing did.
func (th *Thread) anchorNote() string {
	if th.Target.Anchor != nil {
		switch th.Target.Anchor.State {
		case api.AnchorOrphaned:
			return "the text is gone"
		case api.AnchorMoved:
			return "the text is on another page"
		case api.AnchorFuzzy:
			return "the text was edited since"
		case api.AnchorExact, api.AnchorShifted:
			return ""
		}
	}
	if p := th.Target.Page; p != nil && p.Outdated {
		return "the text has changed since"
	}
	return ""
}

// Waits reports whether an open thread waits for the user, as the inbox counts it: it is on their change request or they began
// it, and the last word is another's.
func (t *Threads) Waits(th *Thread) bool {
	s := t.frame.Session
	if t.at.ChangeRequest == "" || th.Status != api.CommentOpen || th.PostedBy.ID != s.Me.ID && !s.Read.Owns(t.at) {
		return false
	}
	by, at := th.PostedBy.ID, th.PostedAt.Time
	for _, r := range th.replies {
		if !r.PostedAt.Before(at) {
			by, at = r.PostedBy.ID, r.PostedAt.Time
		}
	}
	return by != s.Me.ID
}

// Quoted is the text that the thread is about, as it was; "" if that is a page or the whole.
func (th *Thread) Quoted() string {
	switch {
	case th.Target.Anchor != nil:
		return render.Excerpt(th.Target.Anchor.Quote)
	case th.Target.Node != nil:
		return th.Target.Node.Preview
	default:
		return ""
	}
}
