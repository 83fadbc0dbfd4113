package remote

import (
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// Watch looks for changes by others since the displayed content was loaded: it polls, less often while a stream of events says when
// that is necessary.
type Watch struct {
	conn      *Connection
	stream    *eventStream // of the organization; nil until it is opened
	live      bool         // the stream is open
	limiter   rateLimiter
	blurred   bool  // the terminal has no focus
	err       error // of the last response
	responded bool  // a response was received
	refused   error // why the server refuses the token, or nil

	target              Target // displayed change request, or zero
	cursor, timelineTag string // position in the known timeline of target
	shownCursor         string // cursor when the change request was displayed
	news                []api.TimelineEvent
	timelinePoll        poll

	organization string
	counts       api.QueueCounts
	countsKnown  bool // counts are loaded
	countsTag    string
	countsPoll   poll
	countsChange string // change of the counts since the inbox was loaded
	ownChange    bool   // the next change is caused by the user
	accessPoll   poll   // of whether the token is accepted, while there are no other responses
	writes       int    // number of the user's writes
}

// New returns a Watch without a target.
func New(c *Connection) *Watch {
	return &Watch{
		conn: c, timelinePoll: poll{interval: requestInterval}, countsPoll: poll{interval: countsInterval},
		accessPoll: poll{interval: accessInterval, lastResponse: c.Now()},
	}
}

// Show sets the displayed change request, the cursor of its timeline, and the organization. It clears the news about a change
// request that was replaced or reloaded.
func (w *Watch) Show(at Target, cursor, organization string) {
	if at == w.target && cursor != "" && cursor != w.shownCursor { // reloaded, so earlier events are not news
		w.cursor, w.shownCursor, w.timelineTag, w.news = cursor, cursor, "", nil
		w.timelinePoll.stale = true
	}
	if at != w.target {
		w.target, w.cursor, w.shownCursor, w.timelineTag, w.news = at, cursor, cursor, "", nil
		w.timelinePoll = poll{interval: requestInterval}
		if cursor != "" {
			w.timelinePoll.lastResponse = w.conn.Now() // it was just loaded
		}
	}
	if organization != w.organization {
		w.organization, w.counts, w.countsKnown, w.countsTag, w.countsChange = organization, api.QueueCounts{}, false, "", ""
		w.countsPoll = poll{interval: countsInterval}
	}
}

// ClearNews clears the news, because the new content is displayed.
func (w *Watch) ClearNews() { w.news, w.countsChange = nil, "" }

// RecordWrite records a write by the user, whose effect on the counts is not news and is loaded soon. Pending news is
// cleared, because the content is reloaded.
func (w *Watch) RecordWrite() {
	w.ownChange, w.countsChange = true, ""
	w.writes++
	w.countsPoll.expedite()
}

// Focus sets whether the terminal has the focus. On focus, requests are due immediately.
func (w *Watch) Focus(looked bool) {
	if w.blurred && looked {
		w.timelinePoll.expedite()
		w.countsPoll.expedite()
	}
	w.blurred = !looked
}

// timelineMsg is the response for a timeline.
type timelineMsg struct {
	watch      *Watch
	target     Target
	cursor     string // cursor of the request
	call       int    // number of the call
	timeline   api.Timeline
	tag        string
	err        error
	receivedAt time.Time
}

// countsMsg is the response for the counts of an organization.
type countsMsg struct {
	watch        *Watch
	organization string
	counts       api.QueueCounts
	tag          string
	writes       int // number of writes at the time of the request
	err          error
	receivedAt   time.Time
}

// Tick returns the requests that are due. The screen calls it every second.
func (w *Watch) Tick() tea.Cmd {
	now := w.conn.Now()
	cmds := []tea.Cmd{w.followStream(now)}
	if w.target.ChangeRequest != "" && w.isDue(&w.timelinePoll, now) && w.limiter.allow(now) {
		w.timelinePoll.busy, w.timelinePoll.stale = true, false
		cmds = append(cmds, w.pollTimeline())
	}
	if w.organization != "" && w.isDue(&w.countsPoll, now) && w.limiter.allow(now) {
		w.countsPoll.busy, w.countsPoll.stale = true, false
		cmds = append(cmds, w.pollCounts())
	}
	streamed := w.live && now.Sub(w.accessPoll.lastResponse) < streamedAccessInterval
	if !streamed && w.accessPoll.isDue(now, true) && w.limiter.allow(now) { // also without focus: what is displayed is visible
		w.accessPoll.busy = true
		cmds = append(cmds, w.pollAccess())
	}
	return tea.Batch(cmds...)
}

// accessMsg is the response to the question whether the token is accepted.
type accessMsg struct {
	watch      *Watch
	err        error
	receivedAt time.Time
}

func (w *Watch) pollAccess() tea.Cmd {
	c := w.conn
	return func() tea.Msg {
		_, err := c.Client.User(c.Ctx)
		return accessMsg{watch: w, err: err, receivedAt: c.Now()}
	}
}

// Refused returns the error with which the server has refused the token, or nil. It is set within about 30 seconds after the token
// was revoked or its account disabled.
func (w *Watch) Refused() error { return w.refused }

// recordAccess records whether the server accepts the token, according to a response to any request.
func (w *Watch) recordAccess(err error, when time.Time) {
	if refusal, ok := api.AsError(err); ok && refusal.Reason == api.ReasonUnauthenticated {
		w.refused = err
	}
	if when.After(w.accessPoll.lastResponse) {
		w.accessPoll.lastResponse = when
	}
}

func (w *Watch) pollTimeline() tea.Cmd {
	c, at, cursor, tag := w.conn, w.target, w.cursor, w.timelineTag
	end := c.Waits.Begin(c.Now())
	return func() tea.Msg {
		msg := timelineMsg{watch: w, target: at, cursor: cursor, call: c.Heads.nextCall()}
		if cursor == "" {
			msg.timeline, msg.err = c.Client.Timeline(c.Ctx, at)
		} else {
			msg.timeline, msg.tag, msg.err = c.Client.TimelineAfter(c.Ctx, at, cursor, tag)
		}
		msg.receivedAt = c.Now()
		end(msg.receivedAt, msg.err)
		return msg
	}
}

func (w *Watch) pollCounts() tea.Cmd {
	c, organization, tag, wrote := w.conn, w.organization, w.countsTag, w.writes
	end := c.Waits.Begin(c.Now())
	return func() tea.Msg {
		msg := countsMsg{watch: w, organization: organization, writes: wrote}
		msg.counts, msg.tag, msg.err = c.Client.Counts(c.Ctx, organization, tag)
		msg.receivedAt = c.Now()
		end(msg.receivedAt, msg.err)
		return msg
	}
}

// Take handles its own messages and reports whether msg is one. Responses for content that is no longer displayed are
// ignored.
func (w *Watch) Take(msg tea.Msg) (handled bool) {
	switch msg := msg.(type) {
	case accessMsg:
		if msg.watch == w {
			w.accessPoll.finish(msg.receivedAt, msg.err != nil)
			w.recordAccess(msg.err, msg.receivedAt)
		}
		return true
	case timelineMsg:
		if msg.watch == w && msg.target == w.target {
			w.takeTimeline(msg)
		}
		return true
	case countsMsg:
		if msg.watch == w && msg.organization == w.organization {
			w.takeCounts(msg)
		}
		return true
	default:
		return false
	}
}

// recordResponse records a response and reports whether it contains new data.
func (w *Watch) recordResponse(p *poll, err error, when time.Time) bool {
	same := errors.Is(err, ErrNotModified)
	p.finish(when, err != nil && !same)
	w.recordAccess(err, when)
	w.responded, w.err = true, err
	if same {
		w.err = nil
	}
	return err == nil
}

func (w *Watch) takeTimeline(msg timelineMsg) {
	isNew := w.recordResponse(&w.timelinePoll, msg.err, msg.receivedAt)
	if msg.cursor != w.cursor { // the timeline was reloaded after the request
		w.timelinePoll.stale = true
		return
	}
	if !isNew {
		return
	}
	if msg.cursor != "" { // the events of the first response are already displayed
		w.news = append(w.news, eventsOfOthers(msg.timeline.Events, w.conn.Me.ID)...)
		w.conn.Heads.recordEvents(msg.target, msg.call, msg.timeline.Events)
	}
	if msg.timeline.Cursor != w.cursor {
		w.cursor, w.timelineTag = msg.timeline.Cursor, ""
	} else {
		w.timelineTag = msg.tag
	}
	if msg.timeline.More {
		w.timelinePoll.expedite()
	}
}

// eventsOfOthers returns the events not caused by the user me.
func eventsOfOthers(events []api.TimelineEvent, me string) (out []api.TimelineEvent) {
	for _, e := range events {
		if e.By == nil || e.By.ID != me {
			out = append(out, e)
		}
	}
	return out
}

func (w *Watch) takeCounts(msg countsMsg) {
	isNew := w.recordResponse(&w.countsPoll, msg.err, msg.receivedAt)
	if msg.writes != w.writes { // the counts may not include a write made since the request, so they are loaded again
		w.countsPoll.expedite()
		return
	}
	if !isNew {
		return
	}
	if w.countsKnown && !w.ownChange {
		w.countsChange = describeCounts(w.counts, msg.counts)
	}
	w.counts, w.countsKnown, w.countsTag, w.ownChange = msg.counts, true, msg.tag, false
}

// describeCounts describes how counts changed, most important first. It returns "" if they did not.
func describeCounts(was, is api.QueueCounts) string {
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

// News returns the events since the displayed content was loaded, oldest first.
func (w *Watch) News() []api.TimelineEvent { return w.news }

// CountsChange describes how the counts changed since they were displayed, or returns "".
func (w *Watch) CountsChange() string { return w.countsChange }

// Counts returns the number of change requests that concern the user. known is false until they are loaded.
func (w *Watch) Counts() (counts api.QueueCounts, known bool) { return w.counts, w.countsKnown }

// AttentionCount returns the number of change requests that require an action of the user.
func AttentionCount(c api.QueueCounts) int {
	return c.ReviewRequested + c.NewSinceReview + c.NeedsAnswer + c.Ready
}

// State reports whether any response was received, and the current error.
func (w *Watch) State() (heard bool, err error) { return w.responded, w.err }
