package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

const (
	// readBatch is the maximum number of events that a stream reads at a time.
	readBatch = 100
	// hubPause is the time until a Hub continues to read an organization with more events than readBatch.
	hubPause = 10 * time.Millisecond
	// hubOrganizations is the maximum number of logs read in one trip.
	hubOrganizations = 100
	// hubRetryTime is the maximum time for reading those again that could not be read.
	hubRetryTime = 5 * time.Second
)

// Hub reads the new events of the organizations that have subscriptions, once for all subscriptions at the same position. It has
// one goroutine, which runs while there are subscriptions, and makes one trip at a time.
type Hub struct {
	store   *store.Store
	log     *slog.Logger
	limits  *budgets.Budgets
	drained chan struct{} // closed by Drain

	mu            sync.Mutex
	isDrained     bool
	running       bool
	streams       map[string]int // number of open streams by organization, and by user
	total         int
	refused       int // streams that were refused because of their number
	subscriptions map[*subscription]bool

	failing map[string]bool // organizations whose last read has failed; used by the goroutine only
}

// NewHub returns a Hub.
func NewHub(s *store.Store, log *slog.Logger, limits *budgets.Budgets) *Hub {
	return &Hub{
		store: s, log: log, limits: limits, drained: make(chan struct{}), streams: map[string]int{},
		subscriptions: map[*subscription]bool{}, failing: map[string]bool{},
	}
}

// open counts a stream of a user. ok is false if there are too many, or the Hub is drained; otherwise the caller calls end after the
// stream.
func (h *Hub) open(org, user string) (end func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isDrained || int64(h.total) >= h.limits.Streams || int64(h.streams[org]) >= h.limits.OrganizationStreams ||
		int64(h.streams[user]) >= h.limits.UserStreams {
		h.refused++
		return nil, false
	}
	h.add(org, user, 1)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.add(org, user, -1)
	}, true
}

// Use returns the number of open streams, and of those that were refused so far.
func (h *Hub) Use() (open, refused int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total, h.refused
}

// add adds n to the number of open streams. h.mu must be locked.
func (h *Hub) add(org, user string, n int) {
	h.total += n
	for _, id := range []string{org, user} {
		if h.streams[id] += n; h.streams[id] == 0 {
			delete(h.streams, id)
		}
	}
}

// Drain ends all streams and refuses further ones.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isDrained {
		h.isDrained = true
		close(h.drained)
	}
}

// subscription receives the events of an organization after an event.
type subscription struct {
	org    string
	last   event         // the last event that the Hub has read; used by the Hub only
	wakeUp chan struct{} // has a value while an update is pending
	limit  int64         // of bytes

	mu      sync.Mutex
	pending logUpdate
	bytes   int64  // of the events in pending
	stamp   string // of the access model in the latest update
	full    bool   // the subscription ends: more than limit bytes wait, or there is a gap
}

// logUpdate is a part of a log, with the access model for it.
type logUpdate struct {
	events []event
	model  *txn.Feed // at least as recent as the events
	isGap  bool      // the last event is no longer in the log
}

// subscribe returns a subscription to the events after last, or to all if last has no id. The caller calls unsubscribe.
func (h *Hub) subscribe(ctx context.Context, org string, last event) *subscription {
	s := &subscription{org: org, last: last, wakeUp: make(chan struct{}, 1), limit: h.limits.StreamPending}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscriptions[s] = true
	if !h.running {
		h.running = true
		go h.run(context.WithoutCancel(ctx))
	}
	return s
}

func (h *Hub) unsubscribe(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subscriptions, s)
}

// run reads until there are no subscriptions, which end with their requests.
func (h *Hub) run(ctx context.Context) {
	for {
		h.mu.Lock()
		current := slices.Collect(maps.Keys(h.subscriptions))
		h.running = len(current) > 0
		h.mu.Unlock()
		if len(current) == 0 {
			return
		}
		pause := time.Duration(h.limits.StreamPoll)
		if h.poll(ctx, current) {
			pause = min(pause, hubPause)
		}
		time.Sleep(pause)
	}
}

// logPosition is a position in the log of an organization.
type logPosition struct{ org, after string }

// poll reads the events after the positions of subscriptions. It reports whether there may be further ones. Subscriptions whose
// events cannot be read now stay at their position.
func (h *Hub) poll(ctx context.Context, current []*subscription) (more bool) {
	byPosition := map[logPosition][]*subscription{}
	followed := map[string]bool{}
	for _, s := range current {
		if s.isOpen() {
			position := logPosition{s.org, s.last.id}
			byPosition[position] = append(byPosition[position], s)
			followed[s.org] = true
		}
	}
	maps.DeleteFunc(h.failing, func(org string, _ bool) bool { return !followed[org] })
	var healthy, failing []logPosition
	for position := range byPosition {
		if h.failing[position.org] {
			failing = append(failing, position)
		} else {
			healthy = append(healthy, position)
		}
	}
	for positions := range slices.Chunk(healthy, hubOrganizations) {
		chunkMore, err := h.read(ctx, positions, byPosition)
		if more = more || chunkMore; err != nil { // one log may be damaged, or on a server that is away
			failing = append(failing, positions...)
		}
	}
	return h.readFailing(ctx, failing, byPosition) || more
}

// readFailing is poll for positions that could not be read together with others.
func (h *Hub) readFailing(ctx context.Context, positions []logPosition, subscriptions map[logPosition][]*subscription) (more bool) {
	ctx, cancel := context.WithTimeout(ctx, hubRetryTime)
	defer cancel()
	for _, position := range positions {
		oneMore, err := h.read(ctx, []logPosition{position}, subscriptions)
		more = more || oneMore
		switch {
		case err == nil:
			delete(h.failing, position.org)
		case !h.failing[position.org]:
			h.failing[position.org] = true
			h.log.Warn("new events of an organization are not read", "organization", position.org, "error", err)
		}
	}
	return more
}

// read is poll for some of the positions, in one trip unless a large access model has to be loaded. After an error, the events of some
// positions may have been added.
func (h *Hub) read(ctx context.Context, positions []logPosition, subscriptions map[logPosition][]*subscription) (more bool, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(h.limits.CallTime))
	defer cancel()
	b := h.store.NewBatch()
	replies, models := make([]*txn.Reply[[]event], len(positions)), make([]*txn.Feed, len(positions))
	for i, position := range positions {
		replies[i] = queueAfter(b, position.org, event{id: position.after})
		models[i] = b.FollowDeferred(position.org)
	}
	if err := b.Do(ctx); err != nil {
		return false, err
	}
	for i, position := range positions {
		if applyErr := models[i].Apply(ctx); applyErr != nil {
			err = errors.Join(err, applyErr)
			continue
		}
		for _, s := range subscriptions[position] {
			isThere := s.last.id == position.after // else an earlier attempt has added the events
			if isThere && s.add(replies[i].Value(), models[i]) >= readBatch {
				more = true
			}
		}
	}
	return more, err
}

// queueAfter queues a read of the event last of an organization, if it has an id, and of up to readBatch events after it.
func queueAfter(b *txn.Batch, org string, last event) *txn.Reply[[]event] {
	if last.id == "" {
		return queueEvents(b, store.EventsKey(org), "-", "+", readBatch, false)
	}
	return queueEvents(b, store.EventsKey(org), last.id, "+", readBatch+1, false)
}

// afterEvent returns the events after last in the reply to queueAfter. isThere is false if last is no longer in the log.
func afterEvent(found []event, last event) (after []event, isThere bool) {
	switch {
	case last.id == "":
		return found, true
	case len(found) == 0 || !found[0].isSame(last):
		return nil, false
	}
	return found[1:], true
}

// isOpen reports whether updates can be added.
func (s *subscription) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.full
}

// add adds the events in the reply to queueAfter with s.last, and returns their number.
func (s *subscription) add(found []event, model *txn.Feed) int {
	events, isThere := afterEvent(found, s.last)
	stamp := model.Stamp()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full || isThere && len(events) == 0 && stamp == s.stamp {
		return 0
	}
	for _, e := range events {
		s.bytes += int64(eventlog.Size(e.fields))
	}
	if len(events) > 0 {
		s.last = events[len(events)-1]
	}
	s.pending = logUpdate{append(s.pending.events, events...), model, !isThere}
	s.stamp, s.full = stamp, !isThere || s.bytes > s.limit
	select {
	case s.wakeUp <- struct{}{}:
	default:
	}
	return len(events)
}

// take removes and returns the pending update. isSlow is set if its events have too many bytes.
func (s *subscription) take() (update logUpdate, isSlow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	update, isSlow = s.pending, s.bytes > s.limit
	s.pending, s.bytes = logUpdate{}, 0
	return update, isSlow
}

// isSame reports whether two events are the same entry. Ids alone do not suffice: after a failover, another entry may have the id of
// one that was lost.
func (e event) isSame(other event) bool {
	return e.id == other.id && maps.Equal(e.fields, other.fields)
}
