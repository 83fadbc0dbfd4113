package remote

import (
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// Watch knows what others did since what is shown was loaded.
type Watch struct {
	c       *Connection
	pace    pace
	blurred bool  // nobody looks at the terminal
	err     error // of the last answer
	heard   bool  // an answer came

	at          Target // the change request that is shown; zero for none
	cursor, tag string // how far its timeline is known
	shown       string // how far it was known when it was shown
	news        []api.TimelineEvent
	timeline    poll

	organization string
	counts       api.QueueCounts
	known        bool // there are counts
	countsTag    string
	counted      poll
	changed      string // how the counts changed since the inbox was loaded
	quiet        bool   // the next change is the user's own doing
	wrote        int    // how often the user did something
}

// New returns a watch of nothing yet.
func New(c *Connection) *Watch {
	return &Watch{c: c, timeline: poll{every: ofRequest}, counted: poll{every: ofCounts}}
}

// Show says what is shown now: a change request, how far its timeline is known, and the organization.
func (w *Watch) Show(at Target, cursor, organization string) {
	if at == w.at && cursor != "" && cursor != w.shown { // it was loaded again: what came before is no news
		w.cursor, w.shown, w.tag, w.news = cursor, cursor, "", nil
	}
	if at != w.at {
		w.at, w.cursor, w.shown, w.tag, w.news = at, cursor, cursor, "", nil
		w.timeline = poll{every: ofRequest}
		if cursor != "" {
			w.timeline.last = w.c.Now() // it was asked a moment ago
		}
	}
	if organization != w.organization {
		w.organization, w.counts, w.known, w.countsTag, w.changed = organization, api.QueueCounts{}, false, "", ""
		w.counted = poll{every: ofCounts}
	}
}

// Shown says that what came in is shown.
func (w *Watch) Shown() { w.news, w.changed = nil, "" }

// Wrote says that the user did something: what it does to the counts is no news, and known soon. What was new before is shown
// with it, because all that shows it is loaded again.
func (w *Watch) Wrote() {
	w.quiet, w.changed = true, ""
	w.wrote++
	w.counted.hurry()
}

// Focus says whether somebody looks at the terminal; who comes back is told at once.
func (w *Watch) Focus(looked bool) {
	if w.blurred && looked {
		w.timeline.hurry()
		w.counted.hurry()
	}
	w.blurred = !looked
}

// timelineMsg is an answer about a change request.
type timelineMsg struct {
	to     *Watch
	at     Target
	cursor string // it was asked about what is behind
	news   api.Timeline
	tag    string
	err    error
	when   time.Time
}

// countsMsg is an answer about the counts of an organization.
type countsMsg struct {
	to           *Watch
	organization string
	counts       api.QueueCounts
	tag          string
	wrote        int // how often the user had done something when it was asked
	err          error
	when         time.Time
}

// Tick asks what it is time for. The app calls it every second, and no clock else is looked at.
func (w *Watch) Tick() tea.Cmd {
	now := w.c.Now()
	var cmds []tea.Cmd
	if w.at.ChangeRequest != "" && w.timeline.due(now, !w.blurred) && w.pace.allows(now) {
		w.timeline.busy = true
		cmds = append(cmds, w.askTimeline())
	}
	if w.organization != "" && w.counted.due(now, !w.blurred) && w.pace.allows(now) {
		w.counted.busy = true
		cmds = append(cmds, w.askCounts())
	}
	return tea.Batch(cmds...)
}

func (w *Watch) askTimeline() tea.Cmd {
	c, at, cursor, tag := w.c, w.at, w.cursor, w.tag
	return func() tea.Msg {
		msg := timelineMsg{to: w, at: at, cursor: cursor}
		if cursor == "" {
			msg.news, msg.err = c.Client.Timeline(c.Ctx, at)
		} else {
			msg.news, msg.tag, msg.err = c.Client.TimelineAfter(c.Ctx, at, cursor, tag)
		}
		msg.when = c.Now()
		return msg
	}
}

func (w *Watch) askCounts() tea.Cmd {
	c, organization, tag, wrote := w.c, w.organization, w.countsTag, w.wrote
	return func() tea.Msg {
		msg := countsMsg{to: w, organization: organization, wrote: wrote}
		msg.counts, msg.tag, msg.err = c.Client.Counts(c.Ctx, organization, tag)
		msg.when = c.Now()
		return msg
	}
}

// Take accepts the answers that are its own. An answer about something that is not shown any more changes nothing.
func (w *Watch) Take(msg tea.Msg) (mine bool) {
	switch msg := msg.(type) {
	case timelineMsg:
		if msg.to == w && msg.at == w.at {
			w.takeTimeline(msg)
		}
		return true
	case countsMsg:
		if msg.to == w && msg.organization == w.organization {
			w.takeCounts(msg)
		}
		return true
	default:
		return false
	}
}

// answered notes how the server answers, and reports whether there is something new.
func (w *Watch) answered(p *poll, err error, when time.Time) bool {
	same := errors.Is(err, ErrSame)
	p.ended(when, err != nil && !same)
	w.heard, w.err = true, err
	if same {
		w.err = nil
	}
	return err == nil
}

func (w *Watch) takeTimeline(msg timelineMsg) {
	if !w.answered(&w.timeline, msg.err, msg.when) || msg.cursor != w.cursor {
		return // nothing new, or meanwhile more is shown than was asked about
	}
	if msg.cursor != "" { // the first answer says how far it is; what it tells is shown
		w.news = append(w.news, others(msg.news.Events, w.c.Me.ID)...)
	}
	if msg.news.Cursor != w.cursor {
		w.cursor, w.tag = msg.news.Cursor, ""
	} else {
		w.tag = msg.tag
	}
	if msg.news.More {
		w.timeline.hurry()
	}
}

// others are the events that somebody else did.
func others(events []api.TimelineEvent, me string) (out []api.TimelineEvent) {
	for _, e := range events {
		if e.By == nil || e.By.ID != me {
			out = append(out, e)
		}
	}
	return out
}

func (w *Watch) takeCounts(msg countsMsg) {
	came := w.answered(&w.counted, msg.err, msg.when)
	if msg.wrote != w.wrote { // it may not know yet what the user did meanwhile: that is asked for again
		w.counted.hurry()
		return
	}
	if !came {
		return
	}
	if w.known && !w.quiet {
		w.changed = moved(w.counts, msg.counts)
	}
	w.counts, w.known, w.countsTag, w.quiet = msg.counts, true, msg.tag, false
}

// moved says how counts changed, what asks most of the user first; nothing when they did not.
func moved(was, is api.QueueCounts) string {
	for _, c := range []struct {
		by   int
		what string
	}{
		{is.ReviewRequested - was.ReviewRequested, "asked for your review"},
		{is.NewSinceReview - was.NewSinceReview, "new since your review"},
		{is.NeedsAnswer - was.NeedsAnswer, "of yours to answer"},
		{is.Ready - was.Ready, "of yours ready to merge"},
	} {
		if c.by > 0 {
			return fmt.Sprintf("%d more %s", c.by, c.what)
		}
	}
	was.Pending, is.Pending = 0, 0
	if was != is {
		return "your inbox has changed"
	}
	return ""
}

// News are the events since what is shown was loaded, the oldest first.
func (w *Watch) News() []api.TimelineEvent { return w.news }

// Changed says how the counts changed since they were shown, "" for not at all.
func (w *Watch) Changed() string { return w.changed }

// Counts are how many change requests concern the user; known says whether the server has said it.
func (w *Watch) Counts() (counts api.QueueCounts, known bool) { return w.counts, w.known }

// Needs is how many change requests need the user.
func Needs(c api.QueueCounts) int {
	return c.ReviewRequested + c.NewSinceReview + c.NeedsAnswer + c.Ready
}

// State says whether the server was heard of, and what is wrong since.
func (w *Watch) State() (heard bool, err error) { return w.heard, w.err }
