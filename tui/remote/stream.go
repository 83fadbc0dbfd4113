package remote

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

const (
	// streamSilence is the time without a message after which a stream is assumed to be broken. The server sends one every 15 seconds.
	streamSilence = 40 * time.Second
	// streamRetry is the time after which a stream that has ended is opened again.
	streamRetry = time.Minute
	// streamedAccessInterval is the time without a message of the stream after which the token is checked by a request.
	streamedAccessInterval = 20 * time.Second
)

// eventStream receives the events of an organization in the background. They only say that content has to be loaded again. Its methods
// may be called concurrently.
type eventStream struct {
	organization string
	cancel       context.CancelFunc

	mu       sync.Mutex
	messages int             // number of messages
	spaces   map[string]bool // spaces of events that were not taken; "" = those of no space, and of everything
	ended    bool
	err      error // why it has ended

	// The following are only used by take.
	taken                int       // messages
	lastMessage, endedAt time.Time // when take has noticed them; zero = never
}

// open returns the command that opens the stream. The command ends at once.
func (s *eventStream) open(c *Connection) tea.Cmd {
	ctx, cancel := context.WithCancel(c.Ctx)
	s.cancel = cancel
	return func() tea.Msg {
		go s.receive(ctx, c)
		return nil
	}
}

// receive records the messages of the stream until it ends.
func (s *eventStream) receive(ctx context.Context, c *Connection) {
	defer s.cancel()
	var failure error
	for m, err := range c.Client.Events(ctx, s.organization) {
		if failure = err; err == nil {
			s.record(m)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.err = true, failure
}

// record records a message. All content may have changed before the first message, in a gap, and with the access of the user.
func (s *eventStream) record(m api.EventMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.messages == 0, m.Type == api.EventMessageGap, m.Type == api.EventMessageAccess:
		s.spaces[""] = true
	case m.Event != nil:
		s.spaces[m.Event.Space] = true
	}
	s.messages++
}

// streamNews summarizes the messages of a stream since the last call of take.
type streamNews struct {
	spaces      map[string]bool
	lastMessage time.Time // zero before the first message
	endedAt     time.Time // zero while the stream is open
	err         error     // why it has ended
}

// take returns the news of the stream. Times are those of the calls that have noticed something.
func (s *eventStream) take(now time.Time) streamNews {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.messages != s.taken {
		s.taken, s.lastMessage = s.messages, now
	}
	if s.ended && s.endedAt.IsZero() {
		s.endedAt = now
	}
	news := streamNews{s.spaces, s.lastMessage, s.endedAt, s.err}
	s.spaces = map[string]bool{}
	return news
}

// followStream takes the news of the stream, and opens it if there is none for the organization. Polls of what the news are about
// become due.
func (w *Watch) followStream(now time.Time) tea.Cmd {
	if w.stream != nil && w.stream.organization != w.organization {
		w.stream.cancel()
		w.stream, w.live = nil, false
	}
	if w.organization == "" {
		return nil
	}
	if w.stream == nil && !w.limiter.allow(now) {
		return nil
	}
	if w.stream == nil {
		w.stream = &eventStream{organization: w.organization, spaces: map[string]bool{}}
		return w.stream.open(w.conn)
	}
	news := w.stream.take(now)
	w.live = news.endedAt.IsZero() && !news.lastMessage.IsZero() && now.Sub(news.lastMessage) < streamSilence
	if news.lastMessage.After(w.accessPoll.lastResponse) {
		w.accessPoll.lastResponse = news.lastMessage
	}
	if news.err != nil {
		w.recordAccess(news.err, news.endedAt)
	}
	w.timelinePoll.stale = w.timelinePoll.stale || news.spaces[""] || news.spaces[w.target.Space]
	w.countsPoll.stale = w.countsPoll.stale || len(news.spaces) > 0
	if !news.endedAt.IsZero() && !now.Before(news.endedAt.Add(streamRetry)) {
		w.stream, w.live = nil, false
	}
	return nil
}

// isDue reports whether it is time for a poll. While the stream is open, it is needed every few minutes, and after events at its interval.
func (w *Watch) isDue(p *poll, now time.Time) bool {
	if !w.live || p.failures > 0 || p.busy || p.lastResponse.IsZero() {
		return p.isDue(now, !w.blurred)
	}
	wait := maxInterval
	if p.stale {
		wait = p.delay(!w.blurred)
	}
	return !now.Before(p.lastResponse.Add(wait))
}
