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

// Readings are what was read of each change request that was shown.
type Readings struct {
	c       *remote.Connection
	journal Marking
	of      map[remote.Target]*reading
	waiting []Mark // that the server does not have, as far as is known
	sending bool
}

// reading is what was read of one change request.
type reading struct {
	remote.Value[api.Reading]
	own  map[string]bool      // what was marked here and is not in the value
	last map[string]time.Time // when each was marked last

	author bool // it is the user's own: there is nothing to read

	places map[string]int // of the items of the value, by their ids
}

// placed notes where each item of the value is.
func (k *reading) placed() {
	k.places = make(map[string]int, len(k.Latest.Items))
	for i, item := range k.Latest.Items {
		k.places[item.ID] = i
	}
}

// New returns readings that keep marks in a journal until the server has them.
func New(c *remote.Connection, journal Marking) *Readings {
	return &Readings{c: c, journal: journal, of: map[remote.Target]*reading{}}
}

func (r *Readings) at(at remote.Target) *reading {
	known := r.of[at]
	if known == nil {
		known = &reading{own: map[string]bool{}, last: map[string]time.Time{}}
		r.of[at] = known
	}
	return known
}

// Load asks what was read of a change request; of anything else nothing is known.
func (r *Readings) Load(at remote.Target) tea.Cmd {
	if at.ChangeRequest == "" {
		return nil
	}
	client := r.c.Client
	return r.at(at).Load(r.c, func(ctx context.Context) (api.Reading, error) { return client.Reading(ctx, at) })
}

// Condition says how fresh what is known of a change request is.
func (r *Readings) Condition(at remote.Target) remote.Condition {
	if r == nil || r.of[at] == nil {
		return remote.Condition{}
	}
	return r.of[at].Condition
}

// Own says whether a change request is the user's own: nobody has to read what is theirs, and nothing is said of it.
func (r *Readings) Own(at remote.Target, own bool) {
	if at.ChangeRequest != "" {
		r.at(at).author = own
	}
}

// Owns reports whether a change request is known to be the user's own.
func (r *Readings) Owns(at remote.Target) bool { return at.ChangeRequest != "" && r.at(at).author }

// Of is what was read of a change request, with what was marked here and is not sent yet; known says whether the server
// has said anything.
func (r *Readings) Of(at remote.Target) (now api.Reading, known bool) {
	if r == nil || r.of[at] == nil || !r.of[at].Loaded || r.of[at].author {
		return now, false
	}
	now = r.of[at].Latest
	now.Items = slices.Clone(now.Items)
	for i, item := range now.Items {
		read, marked := r.of[at].own[item.ID]
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
		if marked && !read { // as if it had never been read
			now.Items[i].MarkedAt = api.Time{}
		}
	}
	return now, true
}

// Has reports whether something that a change request changes was read; known is false for what it does not change.
func (r *Readings) Has(at remote.Target, item string) (read, known bool) {
	if r == nil || r.of[at] == nil || !r.of[at].Loaded || r.of[at].author {
		return false, false
	}
	i, known := r.of[at].places[item]
	if !known {
		return false, false
	}
	if own, marked := r.of[at].own[item]; marked {
		return own, true
	}
	return r.of[at].Latest.Items[i].Read, true
}

// Changed reports whether something was read and is unread again, because it is another one now.
func (r *Readings) Changed(at remote.Target, item string) bool {
	read, known := r.Has(at, item)
	if read || !known {
		return false
	}
	_, marked := r.of[at].own[item]
	return !marked && !r.of[at].Latest.Items[r.of[at].places[item]].MarkedAt.IsZero()
}

// Unread is what is left to read of a change request.
func (r *Readings) Unread(at remote.Target) []api.ReadingItem {
	now, _ := r.Of(at)
	return slices.DeleteFunc(now.Items, func(have api.ReadingItem) bool { return have.Read })
}

// Sign is ✓ before what was read and ◌ before what was not, and nothing where nothing is known.
func (r *Readings) Sign(at remote.Target, item string) string {
	switch read, known := r.Has(at, item); {
	case !known:
		return ""
	case read:
		return "✓"
	default:
		return "◌"
	}
}

// Says is "read 3/12", or nothing where nothing is known.
func (r *Readings) Says(at remote.Target) string {
	now, known := r.Of(at)
	if !known || now.Total == 0 {
		return ""
	}
	return fmt.Sprintf("read %d/%d", now.Read, now.Total)
}

// InWords is "read 3 of 12 changes", for where pages are counted beside it: these are not all that is read.
func (r *Readings) InWords(at remote.Target) string {
	now, known := r.Of(at)
	if !known || now.Total == 0 {
		return ""
	}
	return fmt.Sprintf("read %d of %d %s", now.Read, now.Total, map[bool]string{true: "change", false: "changes"}[now.Total == 1])
}

// MarkMsg asks for marks: undo takes them back with it.
type MarkMsg struct {
	Target   remote.Target
	Revision string
	Read     bool
	Items    []string
}

// keptMsg says that marks are on disk, or why not.
type keptMsg struct {
	marks []Mark
	err   error
}

// foundMsg are the marks that earlier screens left.
type foundMsg struct {
	marks []Mark
	err   error
}

// sentMsg is the server's answer to some marks of one change request.
type sentMsg struct {
	marks []Mark
	now   api.Reading
	err   error
}

// Mark marks things of a change request, in the revision that was read, as read or as not read: on disk first, and then all
// that wait are sent together.
func (r *Readings) Mark(at remote.Target, revision string, read bool, items ...string) tea.Cmd {
	now := r.c.Now()
	marks := make([]Mark, len(items))
	for i, item := range items {
		marks[i] = Mark{Key: r.c.NewKey(), Target: at, Revision: revision, Item: item, Read: read, At: now.Add(time.Duration(i))}
		r.at(at).own[item], r.at(at).last[item] = read, marks[i].At
	}
	journal := r.journal
	return func() tea.Msg {
		for _, m := range marks {
			if err := journal.KeepMark(m); err != nil {
				return keptMsg{marks, err}
			}
		}
		return keptMsg{marks, nil}
	}
}

// Resume sends what earlier screens left. The app calls it at the start.
func (r *Readings) Resume() tea.Cmd {
	journal := r.journal
	return func() tea.Msg {
		all, err := journal.Marks()
		return foundMsg{all, err}
	}
}

// Flush sends what waits, if nothing is on its way. The app calls it now and then, for what could not be sent.
func (r *Readings) Flush() tea.Cmd {
	if r.sending || len(r.waiting) == 0 {
		return nil
	}
	first := r.waiting[0]
	var some []Mark
	for _, m := range r.waiting {
		if m.Target == first.Target && m.Revision == first.Revision && len(some) < atOnce {
			some = append(some, m)
		}
	}
	r.sending = true
	client, ctx, journal, key := r.c.Client, r.c.Ctx, r.journal, r.c.NewKey()
	return func() tea.Msg {
		now, err := client.Mark(ctx, first.Target, update(first.Revision, some), key)
		if !refused(err) && err != nil {
			return sentMsg{some, now, err}
		}
		for _, m := range some { // the server has them, or will never take them
			if kept := journal.DropMark(m); kept != nil && err == nil {
				err = kept
			}
		}
		return sentMsg{some, now, err}
	}
}

// atOnce is how many marks are sent together.
const atOnce = 5000

// update is what marks say; of several about the same thing, the last counts.
func update(revision string, marks []Mark) api.ReadingUpdate {
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

// refused reports whether a server will never take what it was sent.
func refused(err error) bool {
	wrong, ok := api.AsError(err)
	return ok && wrong.Code >= 400 && wrong.Code < 500 && wrong.Code != 401 && wrong.Code != 408 && wrong.Code != 429
}

// Take accepts the messages that are its own, and reports whether one was: then what is shown of marks is drawn anew.
func (r *Readings) Take(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case MarkMsg:
		return r.Mark(msg.Target, msg.Revision, msg.Read, msg.Items...), true
	case keptMsg:
		return tea.Batch(failing(msg.err), r.queue(msg.marks), r.Flush()), true
	case foundMsg:
		return tea.Batch(failing(msg.err), r.queue(msg.marks), r.Flush()), true
	case sentMsg:
		return r.sent(msg), true
	}
	for _, known := range r.of {
		if known.Take(msg) {
			known.placed()
			return nil, true
		}
	}
	return nil, false
}

// queue has marks wait, in the order in which they were made; one that a later one about the same has overtaken is forgotten.
func (r *Readings) queue(marks []Mark) tea.Cmd {
	var old []Mark
	for _, m := range marks {
		if m.At.Before(r.at(m.Target).last[m.Item]) {
			old = append(old, m)
			continue
		}
		r.waiting = append(r.waiting, m)
	}
	slices.SortStableFunc(r.waiting, func(a, b Mark) int { return a.At.Compare(b.At) })
	if len(old) == 0 {
		return nil
	}
	journal := r.journal
	return func() tea.Msg {
		for _, m := range old {
			if err := journal.DropMark(m); err != nil {
				return remote.FailMsg{Err: err}
			}
		}
		return nil
	}
}

// sent goes on with what waits; marks that no answer came to are tried again by the next Flush.
func (r *Readings) sent(msg sentMsg) tea.Cmd {
	r.sending = false
	if msg.err != nil && !refused(msg.err) {
		return nil
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(m Mark) bool { return slices.Contains(msg.marks, m) })
	known := r.at(msg.marks[0].Target)
	for _, m := range msg.marks {
		if !slices.ContainsFunc(r.waiting, func(w Mark) bool { return w.Target == m.Target && w.Item == m.Item }) {
			delete(known.own, m.Item)
		}
	}
	if msg.err != nil {
		return tea.Batch(failing(msg.err), r.Flush())
	}
	known.Latest, known.Loaded, known.Err, known.At = msg.now, true, nil, r.c.Now()
	known.placed()
	return r.Flush()
}

// failing says that marks could not be kept.
func failing(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return func() tea.Msg { return remote.FailMsg{Err: err} }
}
