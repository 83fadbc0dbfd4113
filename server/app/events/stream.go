package events

import (
	"context"
	"errors"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// errEnded ends a stream whose caller may no longer receive it.
var errEnded = errors.New("the caller may no longer receive the stream")

// receiver is an open stream of the events of an organization. It is used by one goroutine.
type receiver struct {
	service *Service
	limits  *budgets.Budgets
	call    *rest.Call // renewed with each heartbeat
	filter  filter
	follow  bool
	stream  *rest.MessageStream

	last     event       // the last event that was read; without id = the beginning of the log
	renewed  time.Time   // when call was renewed
	readable readableSet // what the caller can read
	stamp    string      // of the access model of readable
}

// openStream checks the input and the limits of streams.
func (s *Service) openStream(_ context.Context, c *rest.Call, in api.TailEventsInput) (
	send func(context.Context, *rest.MessageStream) error, err error,
) {
	r := &receiver{service: s, limits: s.Streams.limits, call: c, follow: true, renewed: time.Now()}
	if follow, ok := in.Follow.Get(); ok {
		r.follow = follow
	}
	if r.filter, err = newFilter(in.EventFilter); err != nil {
		return nil, err
	}
	if r.follow && in.Until != "" {
		return nil, api.InvalidParam(api.FieldError{Path: "until", Message: "takes follow=false: a stream that goes on has no end"})
	}
	after, err := startOf(c, in)
	if err != nil {
		return nil, err
	}
	if c.HeadersOnly() {
		return nil, nil
	}
	end, ok := s.Streams.open(c.Org, c.Caller.User)
	if !ok {
		return nil, errTooManyStreams
	}
	return func(ctx context.Context, stream *rest.MessageStream) error {
		defer end()
		ctx, cancel := context.WithTimeout(ctx, time.Duration(r.limits.StreamTime))
		defer cancel()
		r.stream = stream
		return r.run(ctx, after)
	}, nil
}

// startOf returns the position after which a stream begins. The header takes precedence: browsers add it to the address with which
// they have opened the stream.
func startOf(c *rest.Call, in api.TailEventsInput) (after position, err error) {
	param, text := api.LastEventID, c.HTTP.Header.Get(api.LastEventID)
	if text == "" {
		param, text = "after", in.After
	}
	if text == "" {
		return position{}, nil
	}
	after, ok := parsePosition(text)
	if !ok {
		return position{}, api.InvalidParam(api.FieldError{Path: param, Message: "is no id of an event, such as 1764442800000-0"})
	}
	return after, nil
}

// errTooManyStreams refuses a stream beyond the budgets, or while the node stops.
var errTooManyStreams = &api.Error{
	Code: http.StatusServiceUnavailable, Reason: api.ReasonBusy, RetryAfter: 5 * time.Second,
	Message: "Too many streams of events are open for you, the organization or this node, or the node is stopping.",
	Hint:    "Close one, or try again in a moment. The list of events is available meanwhile.",
}

// run sends the events after a position, and then new ones until the stream ends.
func (r *receiver) run(ctx context.Context, after position) error {
	heartbeat := time.NewTicker(time.Duration(r.limits.StreamHeartbeat))
	defer heartbeat.Stop()
	if err := r.start(ctx, after); err != nil {
		return err
	}
	if err := r.catchUp(ctx, heartbeat.C); err != nil {
		return err
	}
	if !r.follow {
		return r.sendPosition()
	}
	for ctx.Err() == nil {
		if err := r.followLog(ctx, heartbeat.C); err != nil {
			return err
		}
	}
	return nil
}

// start sets the position from which the stream begins, and sends it.
func (r *receiver) start(ctx context.Context, after position) error {
	stream, b := store.EventsKey(r.call.Org), r.service.Store.NewBatch()
	var first *txn.Reply[[]event]
	switch {
	case after.id == startCursor:
	case after.id != "":
		first = queueEvents(b, stream, after.id, after.id, 1, false)
	case !r.filter.since.IsZero():
		lr := logReader{store: r.service.Store, stream: stream, filter: r.filter}
		_, oldest, err := lr.bounds(ctx)
		if err != nil {
			return err
		}
		if oldest != "-" {
			first = queueEvents(b, stream, "("+oldest, "-", 1, true)
		}
	case r.follow:
		first = queueEvents(b, stream, "+", "-", 1, true)
	}
	if first != nil {
		if err := b.Do(ctx); err != nil {
			return err
		}
		if found := first.Value(); len(found) > 0 && (after.id == "" || after.isOf(found[0])) {
			r.last = found[0]
		} else if after.id != "" {
			return r.skip(ctx)
		}
	}
	return r.sendPosition()
}

// skip sends a gap, and continues after the newest event.
func (r *receiver) skip(ctx context.Context) error {
	b := r.service.Store.NewBatch()
	stream := store.EventsKey(r.call.Org)
	oldest := queueEvents(b, stream, "-", "+", 1, false)
	newest := queueEvents(b, stream, "+", "-", 1, true)
	if err := b.Do(ctx); err != nil {
		return err
	}
	gap := &api.EventGap{}
	r.last = event{}
	if found := oldest.Value(); len(found) > 0 {
		gap.Oldest = found[0].id
	}
	if found := newest.Value(); len(found) > 0 {
		r.last = found[0]
		gap.Newest = r.last.id
	}
	if err := r.stream.Add(api.EventMessage{Type: api.EventMessageGap, ID: r.position(), Gap: gap}); err != nil {
		return err
	}
	return r.stream.Flush()
}

// position returns the position of the last event that was read.
func (r *receiver) position() string {
	if r.last.id == "" {
		return startCursor
	}
	return positionOf(r.last).String()
}

func (r *receiver) sendPosition() error {
	if err := r.stream.Add(api.EventMessage{Type: api.EventMessagePosition, ID: r.position()}); err != nil {
		return err
	}
	return r.stream.Flush()
}

// catchUp sends the events up to the newest one.
func (r *receiver) catchUp(ctx context.Context, heartbeat <-chan time.Time) error {
	for {
		select {
		case <-r.service.Streams.drained:
			return errEnded
		case <-heartbeat:
			if err := r.sendHeartbeat(ctx); err != nil {
				return err
			}
		default:
		}
		b := r.service.Store.NewBatch()
		found := queueAfter(b, r.call.Org, r.last)
		n := logUpdate{model: b.Follow(r.call.Org)}
		if err := b.Do(ctx); err != nil {
			return err
		}
		var isThere bool
		if n.events, isThere = afterEvent(found.Value(), r.last); !isThere {
			if err := r.skip(ctx); err != nil {
				return err
			}
			continue
		}
		if err := r.deliver(n); err != nil {
			return err
		}
		if len(n.events) < readBatch {
			return nil
		}
	}
}

// followLog sends new events until ctx ends, the node stops, or there is a gap.
func (r *receiver) followLog(ctx context.Context, heartbeat <-chan time.Time) error {
	hub := r.service.Streams
	s := hub.subscribe(ctx, r.call.Org, r.last)
	defer hub.unsubscribe(s)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hub.drained:
			return errEnded
		case <-heartbeat:
			if err := r.sendHeartbeat(ctx); err != nil {
				return err
			}
		case <-s.wakeUp:
			update, isSlow := s.take()
			if isSlow {
				return errEnded
			}
			if err := r.deliver(update); err != nil {
				return err
			}
			if update.isGap {
				return r.skip(ctx)
			}
		}
	}
}

// maxUnrenewed is the number of heartbeats after which a stream ends whose token could not be checked.
const maxUnrenewed = 3

// sendHeartbeat checks the token, the account and the membership, and sends the position. It sends nothing while the store does not answer,
// which ends the stream after some time.
func (r *receiver) sendHeartbeat(ctx context.Context) error {
	call, err := r.call.Renew(ctx)
	if errors.Is(err, redis.ErrUnavailable) && time.Since(r.renewed) < maxUnrenewed*time.Duration(r.limits.StreamHeartbeat) {
		return nil
	}
	if err != nil {
		return err
	}
	r.call, r.renewed = call, time.Now()
	if err := r.checkAccess(call.Model, true); err != nil {
		return err
	}
	return r.sendPosition()
}

// deliver sends the events that the filter selects and the caller may see now.
func (r *receiver) deliver(n logUpdate) error {
	c := r.call.WithModel(n.model)
	if !c.Caller.IsMember {
		return errEnded
	}
	if err := r.checkAccess(n.model, false); err != nil {
		return err
	}
	var shown []api.EventMessage
	var err error
	c.Access(func(model *access.Model) {
		reader := newReader(model, c)
		hidden := reader.isHidden(r.filter.object) || reader.isHidden(r.filter.space)
		for _, e := range n.events {
			if hidden || !r.filter.matches(e) || !reader.maySee(e.fields) {
				continue
			}
			o, e2 := r.service.apiEvent(reader, e)
			err = errors.Join(err, e2)
			shown = append(shown, api.EventMessage{Type: api.EventMessageEvent, ID: positionOf(e).String(), Event: &o})
		}
	})
	if err != nil {
		return err
	}
	for _, m := range shown {
		if err := r.stream.Add(m); err != nil {
			return err
		}
	}
	if len(n.events) > 0 {
		r.last = n.events[len(n.events)-1]
	}
	if len(shown) == 0 {
		return nil
	}
	return r.stream.Flush()
}

// checkAccess sends a message if the caller can no longer read something that they could. Of large organizations it is only checked
// with the heartbeat.
func (r *receiver) checkAccess(model *txn.Feed, isHeartbeat bool) error {
	stamp := model.Stamp() // before the model is read, which may change in the meantime
	if stamp == r.stamp || r.readable.isLarge && !isHeartbeat {
		return nil
	}
	c := r.call.WithModel(model)
	var readable readableSet
	c.Access(func(m *access.Model) { readable = newReadableSet(newReader(m, c)) })
	isFirst, lost := r.stamp == "", r.readable.hasLost(readable)
	r.readable, r.stamp = readable, stamp
	if isFirst || !lost {
		return nil
	}
	if err := r.stream.Add(api.EventMessage{Type: api.EventMessageAccess}); err != nil {
		return err
	}
	return r.stream.Flush()
}
