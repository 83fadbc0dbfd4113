package screens

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sync/errgroup"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// commentThread is a comment with its replies.
type commentThread struct {
	api.Comment
	replies []api.CommentReply
}

// threadsPart is the part of a page that shows the comments of a target or of one page of it. The page draws them
// among its rows, passes every message to take, and appends their actions to its own.
type threadsPart struct {
	frame         *page.Frame // frame of the page that shows them
	target        remote.Target
	page          string          // only comments on this page, "" for all
	shownRevision func() string   // the shown revision of the change request; nil for a space
	hideResolved  bool            // resolved threads are not drawn
	onlyWaiting   bool            // only threads that wait for the user are drawn
	unfolded      map[string]bool // unfolded resolved threads
	source        *threadsPart    // threads of the target, from which those of the page are taken; nil to load them
	remote        remote.Value[[]commentThread]
}

// newThreadsPart returns the threads of a target for the page with a frame: those on one page of the target, or all if
// page is empty.
func newThreadsPart(f *page.Frame, at remote.Target, page string) threadsPart {
	return threadsPart{frame: f, target: at, page: page, unfolded: map[string]bool{}}
}

// setTarget sets another identifier of the same target.
func (t *threadsPart) setTarget(at remote.Target) { t.target = at }

// load loads the threads with their replies.
func (t *threadsPart) load() tea.Cmd {
	if t.source != nil {
		t.copySource()
		return nil
	}
	content, page := t.frame.Session.Client.Content(t.target), t.page
	return t.remote.Load(t.frame.Session.Connection, func(ctx context.Context) ([]commentThread, error) {
		return findThreads(ctx, content, page)
	})
}

// maxReplyCalls is the number of calls for replies at the same time.
const maxReplyCalls = 8

// findThreads loads the comments on a page, or all if page is empty, and then their replies.
func findThreads(ctx context.Context, content remote.Content, page string) ([]commentThread, error) {
	comments, err := content.Comments(ctx, page)
	if err != nil {
		return nil, err
	}
	all := make([]commentThread, len(comments))
	var calls errgroup.Group
	calls.SetLimit(maxReplyCalls)
	for i, c := range comments {
		all[i].Comment = c
		if c.Replies > 0 {
			calls.Go(func() (err error) {
				all[i].replies, err = content.Replies(ctx, c.ID)
				return err
			})
		}
	}
	err = calls.Wait()
	sortThreads(all)
	return all, err
}

// copySource takes the threads of the page from the source, if it has loaded them.
func (t *threadsPart) copySource() {
	if t.source == nil || !t.source.remote.Loaded {
		return
	}
	t.remote.LoadState = t.source.remote.LoadState
	t.remote.Latest = slices.DeleteFunc(slices.Clone(t.source.remote.Latest), func(th commentThread) bool {
		page, _ := PageOf(th.Comment)
		return page != t.page
	})
	t.frame.Stale = true
}

// take handles the response to load, and reports whether msg was one.
func (t *threadsPart) take(msg tea.Msg) bool { return t.remote.Take(msg) }

// loadState returns the loading state of the threads.
func (t *threadsPart) loadState() remote.LoadState {
	if t.source != nil {
		return t.source.remote.LoadState
	}
	return t.remote.LoadState
}

// count returns the number of threads, including those that are not drawn.
func (t *threadsPart) count() int { return len(t.remote.Latest) }

// filter returns the threads for which fits is true, in the order of the text.
func (t *threadsPart) filter(fits func(*commentThread) bool) []*commentThread {
	var out []*commentThread
	for i := range t.remote.Latest {
		th := &t.remote.Latest[i]
		if fits(th) && (!t.hideResolved || th.Status != api.CommentResolved) && (!t.onlyWaiting || t.waitsForUser(th)) {
			out = append(out, th)
		}
	}
	return out
}

// isFolded reports whether a thread is drawn as one line: a resolved one that was not unfolded.
func (t *threadsPart) isFolded(id string) bool {
	for i := range t.remote.Latest {
		if th := &t.remote.Latest[i]; th.ID == id {
			return th.Status == api.CommentResolved && !t.unfolded[id]
		}
	}
	return false
}

// toggleFold unfolds or folds a resolved thread.
func (t *threadsPart) toggleFold(id string) {
	t.unfolded[id], t.frame.Stale = !t.unfolded[id], true
}

// phrases returns the quotes of open threads that are still in the text.
func (t *threadsPart) phrases(list []*commentThread) []string {
	var out []string
	for _, th := range list {
		a := th.Target.Anchor
		if th.Status == api.CommentOpen && a != nil && (a.State == api.AnchorExact || a.State == api.AnchorShifted ||
			a.State == api.AnchorMoved) {
			out = append(out, a.Quote)
		}
	}
	return out
}

// phraseIn returns the quote of the thread if it is a part of the text of a block, or "".
func (th *commentThread) phraseIn(block string) string {
	if a := th.Target.Anchor; a != nil && block != "" && strings.TrimSpace(a.Quote) != strings.TrimSpace(block) {
		return a.Quote
	}
	return ""
}

// blockThreads returns the threads on a block of the page.
func (t *threadsPart) blockThreads(block string) []*commentThread {
	return t.filter(func(th *commentThread) bool { return th.attachedBlock(t.page) == block })
}

// threadsOutside returns the threads on the page whose block is not among blocks: those on the whole page, and those whose
// block was deleted. Every thread is drawn somewhere.
func (t *threadsPart) threadsOutside(blocks map[string]bool) []*commentThread {
	return t.filter(func(th *commentThread) bool { return !blocks[th.attachedBlock(t.page)] })
}

// attachedBlock returns the id of the block of a page to which the thread is attached now, or "".
func (th *commentThread) attachedBlock(page string) string {
	switch a, n := th.Target.Anchor, th.Target.Node; {
	case n == nil || a != nil && a.Page != page && page != "":
		return ""
	case a == nil:
		return n.ID
	default:
		return a.Node
	}
}

// PageOf returns the id and the title of the page to which a comment is attached now; both are empty for a comment on
// the whole target.
func PageOf(c api.Comment) (id, title string) {
	if p := c.Target.Page; p != nil {
		id, title = p.ID, p.Title
	}
	if a := c.Target.Anchor; a != nil && a.Page != "" && a.Page != id {
		id, title = a.Page, ""
	}
	return id, title
}

// comments returns the first comments of the threads.
func (t *threadsPart) comments() []api.Comment {
	all := make([]api.Comment, len(t.remote.Latest))
	for i, th := range t.remote.Latest {
		all[i] = th.Comment
	}
	return all
}

// openCount returns the number of open threads, and of all threads.
func (t *threadsPart) openCount() (open, all int) {
	for i := range t.remote.Latest {
		if t.remote.Latest[i].Status == api.CommentOpen {
			open++
		}
	}
	return open, len(t.remote.Latest)
}

// anchorNote describes a change of the text that the thread is about, or returns "".
func (th *commentThread) anchorNote() string {
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

// waitsForUser reports whether an open thread waits for the user, by the rule of the inbox: it is on the user's change
// request or was started by the user, and the last comment is by another user.
func (t *threadsPart) waitsForUser(th *commentThread) bool {
	s := t.frame.Session
	if t.target.ChangeRequest == "" || th.Status != api.CommentOpen || th.PostedBy.ID != s.Me.ID && !s.Read.IsAuthor(t.target) {
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

// quote returns the original text that the thread is about, or "" for a thread on a page or the whole target.
func (th *commentThread) quote() string {
	switch {
	case th.Target.Anchor != nil:
		return render.Excerpt(th.Target.Anchor.Quote)
	case th.Target.Node != nil:
		return th.Target.Node.Preview
	default:
		return ""
	}
}
