package drafts

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// ReadStates caches the read state of change requests and sends marks to the server.
type ReadStates struct {
	conn     *remote.Connection
	journal  MarkJournal
	readings map[remote.Target]*reading
	pending  []Mark // marks not known to be on the server
	sending  bool
}

// reading is the read state of one change request.
type reading struct {
	remote.Value[api.Reading]
	marked   map[string]bool      // marks by item that the loaded value does not include yet
	markedAt map[string]time.Time // time of the last mark by item

	isAuthor     bool   // the user is the author, so there is no read state
	readRevision string // newest revision of which everything was read, or ""

	itemIndex map[string]int // index of items of the value by id
}

// indexItems fills the index of items.
func (r *reading) indexItems() {
	r.itemIndex = make(map[string]int, len(r.Latest.Items))
	for i, item := range r.Latest.Items {
		r.itemIndex[item.ID] = i
	}
}

// recordComplete sets readRevision to the loaded revision if every item in it is read. The mark of an item takes precedence
// over its loaded state.
func (r *reading) recordComplete() {
	isRead := func(item api.ReadingItem) bool {
		if own, marked := r.marked[item.ID]; marked {
			return own
		}
		return item.Read
	}
	if r.Loaded && !slices.ContainsFunc(r.Latest.Items, func(item api.ReadingItem) bool { return !isRead(item) }) {
		r.readRevision = r.Latest.Revision
	}
}

// New returns ReadStates that store marks in journal until the server has them.
func New(c *remote.Connection, journal MarkJournal) *ReadStates {
	return &ReadStates{conn: c, journal: journal, readings: map[remote.Target]*reading{}}
}

func (r *ReadStates) readState(at remote.Target) *reading {
	known := r.readings[at]
	if known == nil {
		known = &reading{marked: map[string]bool{}, markedAt: map[string]time.Time{}}
		r.readings[at] = known
	}
	return known
}

// Load loads the read state of a change request. Other targets have none.
func (r *ReadStates) Load(at remote.Target) tea.Cmd {
	if at.ChangeRequest == "" {
		return nil
	}
	client := r.conn.Client
	return r.readState(at).Load(r.conn, func(ctx context.Context) (api.Reading, error) { return client.Reading(ctx, at) })
}

// LoadState returns the freshness of the read state of a change request.
func (r *ReadStates) LoadState(at remote.Target) remote.LoadState {
	if r == nil || r.readings[at] == nil {
		return remote.LoadState{}
	}
	return r.readings[at].LoadState
}

// SetAuthor sets whether the user is the author of a change request. Authors have no read state.
func (r *ReadStates) SetAuthor(at remote.Target, own bool) {
	if at.ChangeRequest != "" {
		r.readState(at).isAuthor = own
	}
}

// IsAuthor reports whether the user is known to be the author of a change request.
func (r *ReadStates) IsAuthor(at remote.Target) bool {
	return at.ChangeRequest != "" && r.readState(at).isAuthor
}

// State returns the read state of a change request, including marks that are not sent yet. known is false if it is not
// loaded.
func (r *ReadStates) State(at remote.Target) (now api.Reading, known bool) {
	if r == nil || r.readings[at] == nil || !r.readings[at].Loaded || r.readings[at].isAuthor {
		return now, false
	}
	now = r.readings[at].Latest
	now.Items = slices.Clone(now.Items)
	for i, item := range now.Items {
		read, marked := r.readings[at].marked[item.ID]
		switch {
		case !marked || read == item.Read:
		case read:
			now.Read++
		default:
			now.Read--
		}
		if marked {
			now.Items[i].Read = read
		}
		if marked && !read { // same as never read
			now.Items[i].MarkedAt = api.Time{}
		}
	}
	return now, true
}

// IsRead reports whether an item was read. known is false if the item is not part of the change request.
func (r *ReadStates) IsRead(at remote.Target, item string) (read, known bool) {
	if r == nil || r.readings[at] == nil || !r.readings[at].Loaded || r.readings[at].isAuthor {
		return false, false
	}
	i, known := r.readings[at].itemIndex[item]
	if !known {
		return false, false
	}
	if own, marked := r.readings[at].marked[item]; marked {
		return own, true
	}
	return r.readings[at].Latest.Items[i].Read, true
}

// Changed reports whether an item is unread because it changed after it was read.
func (r *ReadStates) Changed(at remote.Target, item string) bool {
	read, known := r.IsRead(at, item)
	if read || !known {
		return false
	}
	_, marked := r.readings[at].marked[item]
	return !marked && !r.readings[at].Latest.Items[r.readings[at].itemIndex[item]].MarkedAt.IsZero()
}

// Unread returns the unread items of a change request.
func (r *ReadStates) Unread(at remote.Target) []api.ReadingItem {
	now, _ := r.State(at)
	return slices.DeleteFunc(now.Items, func(have api.ReadingItem) bool { return have.Read })
}

// ReadRevision returns the newest revision of a change request of which everything was marked as read, as far as it is known in
// this session, or "".
func (r *ReadStates) ReadRevision(at remote.Target) string {
	if r == nil || r.readings[at] == nil || r.readings[at].isAuthor {
		return ""
	}
	return r.readings[at].readRevision
}

// Sign returns ✓ for a read item, ◌ for an unread one, and "" if unknown.
func (r *ReadStates) Sign(at remote.Target, item string) string {
	switch read, known := r.IsRead(at, item); {
	case !known:
		return ""
	case read:
		return "✓"
	default:
		return "◌"
	}
}

// ShortCount returns the read count in the form "read 3/12", or "" if unknown.
func (r *ReadStates) ShortCount(at remote.Target) string {
	now, known := r.State(at)
	if !known || now.Total == 0 {
		return ""
	}
	return fmt.Sprintf("read %d/%d", now.Read, now.Total)
}

// LongCount returns the read count in the form "read 3 of 12 changes", for use next to page counts, because not all
// items are pages.
func (r *ReadStates) LongCount(at remote.Target) string {
	now, known := r.State(at)
	if !known || now.Total == 0 {
		return ""
	}
	noun := "changes"
	if now.Total == 1 {
		noun = "change"
	}
	return fmt.Sprintf("read %d of %d %s", now.Read, now.Total, noun)
}

// MarkMsg requests that Items be marked as read or, if Read is false, as unread. Undo sends a MarkMsg with the opposite Read.
type MarkMsg struct {
	Target   remote.Target
	Revision string
	Read     bool
	Items    []string
}

// storedMsg is the result of storing marks on disk.
type storedMsg struct {
	marks []Mark
	err   error
}

// resumedMsg contains the marks left by earlier screens.
type resumedMsg struct {
	marks []Mark
	err   error
}

// sentMsg is the result of sending marks of one change request.
type sentMsg struct {
	marks   []Mark
	reading api.Reading
	err     error
}

// Mark marks items of a change request as read or unread in a revision. The marks are stored on disk and then sent
// together with all pending ones.
func (r *ReadStates) Mark(at remote.Target, revision string, read bool, items ...string) tea.Cmd {
	now := r.conn.Now()
	marks := make([]Mark, len(items))
	for i, item := range items {
		marks[i] = Mark{Key: r.conn.NewKey(), Target: at, Revision: revision, Item: item, Read: read, MarkedAt: now.Add(time.Duration(i))}
		r.readState(at).marked[item], r.readState(at).markedAt[item] = read, marks[i].MarkedAt
	}
	r.readState(at).recordComplete()
	journal := r.journal
	return func() tea.Msg {
		for _, m := range marks {
			if err := journal.KeepMark(m); err != nil {
				return storedMsg{marks, err}
			}
		}
		return storedMsg{marks, nil}
	}
}

// Resume sends the marks left by earlier screens. The screen calls it at the start.
func (r *ReadStates) Resume() tea.Cmd {
	journal := r.journal
	return func() tea.Msg {
		all, err := journal.Marks()
		return resumedMsg{all, err}
	}
}

// Flush sends pending marks unless a request is in progress. The screen calls it periodically to retry failures.
func (r *ReadStates) Flush() tea.Cmd {
	if r.sending || len(r.pending) == 0 {
		return nil
	}
	first := r.pending[0]
	var some []Mark
	for _, m := range r.pending {
		if m.Target == first.Target && m.Revision == first.Revision && len(some) < maxMarks {
			some = append(some, m)
		}
	}
	r.sending = true
	client, ctx, journal, key := r.conn.Client, r.conn.Ctx, r.journal, r.conn.NewKey()
	return func() tea.Msg {
		now, err := client.Mark(ctx, first.Target, readingUpdate(first.Revision, some), key)
		if !isPermanent(err) && err != nil {
			return sentMsg{some, now, err}
		}
		for _, m := range some { // accepted or permanently rejected
			if dropErr := journal.DropMark(m); dropErr != nil && err == nil {
				err = dropErr
			}
		}
		return sentMsg{some, now, err}
	}
}

// maxMarks is the maximum number of marks per request.
const maxMarks = 5000

// readingUpdate returns the request body for marks. The last mark of an item counts.
func readingUpdate(revision string, marks []Mark) api.ReadingUpdate {
	last := map[string]bool{}
	for _, m := range marks {
		last[m.Item] = m.Read
	}
	body := api.ReadingUpdate{Revision: revision}
	for item, read := range last {
		if read {
			body.Read = append(body.Read, item)
		} else {
			body.Unread = append(body.Unread, item)
		}
	}
	slices.Sort(body.Read)
	slices.Sort(body.Unread)
	return body
}

// isPermanent reports whether the server will always reject a request that failed with err.
func isPermanent(err error) bool {
	wrong, ok := api.AsError(err)
	return ok && wrong.Code >= 400 && wrong.Code < 500 && wrong.Code != 401 && wrong.Code != 408 && wrong.Code != 429
}

// Take handles the messages of ReadStates and reports whether msg is one. If so, read signs must be drawn again.
func (r *ReadStates) Take(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case MarkMsg:
		return r.Mark(msg.Target, msg.Revision, msg.Read, msg.Items...), true
	case storedMsg:
		return tea.Batch(markError(msg.err), r.queue(msg.marks), r.Flush()), true
	case resumedMsg:
		return tea.Batch(markError(msg.err), r.queue(msg.marks), r.Flush()), true
	case sentMsg:
		return r.handleSent(msg), true
	}
	for _, known := range r.readings {
		if known.Take(msg) {
			known.indexItems()
			known.recordComplete()
			return nil, true
		}
	}
	return nil, false
}

// queue adds marks in the order of creation. Marks superseded by a later one for the same item are dropped.
func (r *ReadStates) queue(marks []Mark) tea.Cmd {
	var old []Mark
	for _, m := range marks {
		if m.MarkedAt.Before(r.readState(m.Target).markedAt[m.Item]) {
			old = append(old, m)
			continue
		}
		r.pending = append(r.pending, m)
	}
	slices.SortStableFunc(r.pending, func(a, b Mark) int { return a.MarkedAt.Compare(b.MarkedAt) })
	if len(old) == 0 {
		return nil
	}
	journal := r.journal
	return func() tea.Msg {
		for _, m := range old {
			if err := journal.DropMark(m); err != nil {
				return remote.ErrorMsg{Err: err}
			}
		}
		return nil
	}
}

// handleSent continues with the pending marks. Marks without a response are retried by the next Flush.
func (r *ReadStates) handleSent(msg sentMsg) tea.Cmd {
	r.sending = false
	if msg.err != nil && !isPermanent(msg.err) {
		return nil
	}
	r.pending = slices.DeleteFunc(r.pending, func(m Mark) bool { return slices.Contains(msg.marks, m) })
	known := r.readState(msg.marks[0].Target)
	for _, m := range msg.marks {
		if !slices.ContainsFunc(r.pending, func(w Mark) bool { return w.Target == m.Target && w.Item == m.Item }) {
			delete(known.marked, m.Item)
		}
	}
	if msg.err != nil {
		return tea.Batch(markError(msg.err), r.Flush())
	}
	known.Latest, known.Loaded, known.Err, known.LoadedAt = msg.reading, true, nil, r.conn.Now()
	known.indexItems()
	known.recordComplete()
	return r.Flush()
}

// markError returns a command that reports err, or nil if err is nil.
func markError(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return func() tea.Msg { return remote.ErrorMsg{Err: err} }
}
