package events_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// newStreamWorld returns a world whose node polls often, with heartbeats at the given interval, and a client for each user.
func newStreamWorld(t *testing.T, heartbeat time.Duration, change ...func(*budgets.Budgets)) (
	w *servertest.World, clientOf func(as string) *client.Client,
) {
	t.Helper()
	w = servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		o.Budgets.StreamPoll, o.Budgets.StreamHeartbeat = int64(time.Millisecond), int64(heartbeat)
		for _, apply := range change {
			apply(o.Budgets)
		}
	})
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.Handler.ServeHTTP(rw, r) }))
	t.Cleanup(func() {
		w.Server.Drain()
		web.Close()
	})
	return w, func(as string) *client.Client {
		return client.New(web.URL, client.WithToken(w.Tokens[as]), client.WithRetries(0))
	}
}

// receiver reads the messages of a stream one by one.
type receiver struct {
	t    *testing.T
	next func() (api.EventMessage, error, bool)
}

// follow opens a stream, which is closed at the end of the test, and returns it after its first message.
func follow(t *testing.T, c *client.Client, in api.TailEventsInput) *receiver {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	next, stop := iter.Pull2(c.Events.Tail(ctx, in))
	t.Cleanup(func() {
		cancel()
		stop()
	})
	r := &receiver{t, next}
	if m := r.receive(); m.Type != api.EventMessagePosition {
		t.Fatalf("the first message is %+v, want a position", m)
	}
	return r
}

// receive returns the next message.
func (r *receiver) receive() api.EventMessage {
	r.t.Helper()
	m, err, ok := r.next()
	if err != nil || !ok {
		r.t.Fatalf("no message: %v", err)
	}
	return m
}

// until returns the next message of a type, other than positions before it. Another message fails the test.
func (r *receiver) until(kind api.EventMessageType) api.EventMessage {
	r.t.Helper()
	for {
		m := r.receive()
		if m.Type == kind {
			return m
		}
		if m.Type != api.EventMessagePosition {
			r.t.Fatalf("message %+v (event %+v), want %s", m, m.Event, kind)
		}
	}
}

// idOf returns the id of the event at the position of a message.
func idOf(m api.EventMessage) string { return m.ID[:strings.LastIndexByte(m.ID, '-')] }

// kinds returns the kinds of the events of a stream that ends.
func kinds(t *testing.T, c *client.Client, in api.TailEventsInput) (found []string) {
	t.Helper()
	in.Follow = api.Some(false)
	for m, err := range c.Events.Tail(t.Context(), in) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == api.EventMessageEvent {
			found = append(found, m.Event.Kind)
		}
	}
	return found
}

// TestStreamSendsNewEvents checks that a stream has the events after its start, as the list has them, and can be continued.
func TestStreamSendsNewEvents(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour)
	r := follow(t, clientOf("reader"), api.TailEventsInput{Organization: w.Org})
	space := w.NewSpace()
	first := r.until(api.EventMessageEvent)
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+space.ID, map[string]string{"title": "Renamed"}, http.StatusOK)
	second := r.until(api.EventMessageEvent)
	listed := listEvents(w, "reader", "")
	listed[1].Target.Title = space.Title // that of the time when the event was sent
	servertest.Equal(t, "events", []api.Event{listed[0], listed[1]}, []api.Event{*second.Event, *first.Event})
	servertest.Equal(t, "id", listed[0].ID, idOf(second))

	again := follow(t, clientOf("reader"), api.TailEventsInput{Organization: w.Org, After: first.ID})
	servertest.Equal(t, "continued", second, again.until(api.EventMessageEvent))
}

// TestStreamEndsAtNewestEvent checks streams without new events: where they begin, their filters, and more events than one read has.
func TestStreamEndsAtNewestEvent(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour)
	for range 1_100 {
		w.NewTeam()
	}
	space := w.NewSpace()
	w.Clock.Advance(3 * time.Hour)
	since := w.Clock.Now().UTC().Format(time.RFC3339Nano)
	w.Call("creator", http.MethodPatch, "/v1/spaces/"+space.ID, map[string]string{"title": "A"}, http.StatusOK)
	c := clientOf("admin")
	var all []string
	for _, e := range slices.Backward(listEvents(w, "admin", "")) {
		all = append(all, e.Kind)
	}
	servertest.Equal(t, "all", all, kinds(t, c, api.TailEventsInput{Organization: w.Org}))
	for want, in := range map[string]api.TailEventsInput{
		"spaces.create spaces.update": {EventFilter: api.EventFilter{Space: space.ID}},
		"spaces.update":               {EventFilter: api.EventFilter{Kind: "spaces", Since: since}},
		"spaces.create":               {EventFilter: api.EventFilter{Kind: "spaces", Until: since, Object: space.ID}},
		"":                            {EventFilter: api.EventFilter{Space: "spc_hidden12345"}},
	} {
		in.Organization = w.Org
		servertest.Equal(t, want, want, strings.Join(kinds(t, c, in), " "))
	}
}

// TestStreamRefusesInvalidInput checks the error of each parameter.
func TestStreamRefusesInvalidInput(t *testing.T) {
	t.Parallel()
	w, _ := newStreamWorld(t, time.Hour)
	path := "/v1/orgs/" + w.Org + "/events/stream?follow=false"
	for query, name := range map[string]string{
		"&after=yesterday": "after", "&since=yesterday": "since", "&until=x": "until", "&follow=maybe": "follow", "&limit=3": "limit",
	} {
		e := w.Call("reader", http.MethodGet, path+query, nil, http.StatusBadRequest).Error()
		if len(e.Fields) != 1 || e.Fields[0].Path != name {
			t.Errorf("%s: %+v", query, e)
		}
	}
	until := strings.Replace(path, "?follow=false", "?until=2026-01-01T00:00:00Z", 1)
	w.Call("reader", http.MethodGet, until, nil, http.StatusBadRequest)
	w.Call("reader", http.MethodGet, path, nil, http.StatusBadRequest, api.LastEventID, "x")
	w.Call("", http.MethodGet, path, nil, http.StatusUnauthorized)
	w.Call("stranger", http.MethodGet, path, nil, http.StatusNotFound)
	header := w.Call("reader", http.MethodGet, path, nil, http.StatusOK, api.LastEventID, "0-0").Header
	servertest.Equal(t, "headers", []string{"text/event-stream", "no-store", "no"},
		[]string{header.Get("Content-Type"), header.Get("Cache-Control"), header.Get("X-Accel-Buffering")})
}

// TestStreamTellsGaps checks the message for a position that is no longer in the log: removed before the stream was continued, and
// lost while it is open.
func TestStreamTellsGaps(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour)
	c := clientOf("admin")
	w.NewTeam()
	w.NewTeam()
	events := listEvents(w, "admin", "")
	key := w.Store.Name(store.EventsKey(w.Org))
	r := follow(t, c, api.TailEventsInput{Organization: w.Org})
	lost := events[0]
	w.Must(w.Store.Client.XDel(t.Context(), key, lost.ID).Err())
	gap := r.until(api.EventMessageGap)
	servertest.Equal(t, "newest", events[1].ID, gap.Gap.Newest)
	servertest.Equal(t, "oldest", events[len(events)-1].ID, gap.Gap.Oldest)
	w.NewTeam()
	servertest.Equal(t, "after the gap", "teams.create", r.until(api.EventMessageEvent).Event.Kind)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var types []api.EventMessageType
	for m, err := range c.Events.Tail(ctx, api.TailEventsInput{Organization: w.Org, After: lost.ID, Follow: api.Some(false)}) {
		if types = append(types, m.Type); err != nil || m.ID == "" || m.Gap != nil && idOf(m) != m.Gap.Newest {
			t.Errorf("%+v, %v", m, err)
		}
	}
	servertest.Equal(t, "messages", []api.EventMessageType{api.EventMessageGap, api.EventMessagePosition}, types)
	w.Must(w.Store.Client.Del(t.Context(), key).Err())
	gap = r.until(api.EventMessageGap)
	servertest.Equal(t, "gap of an empty log", api.EventGap{}, *gap.Gap)
	w.NewTeam()
	created := r.until(api.EventMessageEvent)
	servertest.Equal(t, "after the empty log", "teams.create", created.Event.Kind)

	_, err := w.Store.Client.TxPipelined(t.Context(), func(pipe goredis.Pipeliner) error {
		pipe.Del(t.Context(), key)
		pipe.XAdd(t.Context(), &goredis.XAddArgs{Stream: key, ID: created.Event.ID, Values: []string{"type", "teams.delete"}})
		return nil
	})
	w.Must(err)
	servertest.Equal(t, "other entry with the id", created.Event.ID, r.until(api.EventMessageGap).Gap.Newest)
}

// TestStreamTellsGapIfIDWasUsedAgain checks that a stream is not continued after an entry that has the id of another, of which the position
// was sent. An id alone is the position of whatever entry has it.
func TestStreamTellsGapIfIDWasUsedAgain(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour)
	r := follow(t, clientOf("admin"), api.TailEventsInput{Organization: w.Org})
	w.NewTeam()
	sent := r.until(api.EventMessageEvent)
	types := func(after string) (found []api.EventMessageType) {
		t.Helper()
		in := api.TailEventsInput{Organization: w.Org, After: after, Follow: api.Some(false)}
		for m, err := range clientOf("admin").Events.Tail(t.Context(), in) {
			w.Must(err)
			found = append(found, m.Type)
		}
		return found
	}
	positions := []api.EventMessageType{api.EventMessagePosition, api.EventMessagePosition}
	servertest.Equal(t, "after the position", positions, types(sent.ID))
	key := w.Store.Name(store.EventsKey(w.Org))
	fields := w.Store.Client.XRange(t.Context(), key, sent.Event.ID, sent.Event.ID).Val()[0].Values
	fields["request"] = "another"
	_, err := w.Store.Client.TxPipelined(t.Context(), func(pipe goredis.Pipeliner) error {
		pipe.Del(t.Context(), key)
		pipe.XAdd(t.Context(), &goredis.XAddArgs{Stream: key, ID: sent.Event.ID, Values: fields})
		return nil
	})
	w.Must(err)
	gap := []api.EventMessageType{api.EventMessageGap, api.EventMessagePosition}
	servertest.Equal(t, "after the position of the lost entry", gap, types(sent.ID))
	servertest.Equal(t, "after the id", positions, types(sent.Event.ID))
	path := "/v1/orgs/" + w.Org + "/events/stream?follow=false&after=" + sent.Event.ID
	for _, check := range []string{"-", "-1", "-0000000g", "-000000000", "-0-00000000"} {
		w.Call("admin", http.MethodGet, path+check, nil, http.StatusBadRequest)
	}
}

// beforeSecondRead is a hook that calls act before the second read of a stream.
type beforeSecondRead struct {
	key   string
	act   func()
	reads atomic.Int32
}

// DialHook implements redis.Hook.
func (h *beforeSecondRead) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (h *beforeSecondRead) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (h *beforeSecondRead) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		isRead := func(c goredis.Cmder) bool { return c.Name() == "xrange" && slices.Contains(c.Args(), any(h.key)) }
		if h.key != "" && slices.ContainsFunc(commands, isRead) && h.reads.Add(1) == 2 {
			h.act()
		}
		return next(ctx, commands)
	}
}

// TestStreamTellsGapWhileItCatchesUp checks that events that are removed between two reads of a stream are a gap.
func TestStreamTellsGapWhileItCatchesUp(t *testing.T) {
	t.Parallel()
	hook := &beforeSecondRead{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	for range 200 {
		w.NewTeam()
	}
	path := "/v1/orgs/" + w.Org + "/events/stream?follow=false&after=0-0"
	w.Call("admin", http.MethodGet, path, nil, http.StatusOK) // loads the model
	hook.key = w.Store.Name(store.EventsKey(w.Org))
	hook.act = func() { w.Must(w.Store.Client.XTrimMaxLen(t.Context(), hook.key, 10).Err()) }
	body := string(w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Body)
	servertest.Equal(t, "gaps and events", []int{1, 100}, []int{strings.Count(body, "event: gap"), strings.Count(body, `"kind":`)})
}

// TestStreamHidesWhatIsLost checks that what a receiver may no longer read is in no event, and that the loss is told without its
// object.
func TestStreamHidesWhatIsLost(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour)
	hidden := w.NewSpace()
	r := follow(t, clientOf("reader"), api.TailEventsInput{Organization: w.Org})
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+hidden.ID, map[string]string{"title": "Before"}, http.StatusOK)
	servertest.Equal(t, "before", hidden.ID, r.until(api.EventMessageEvent).Event.Target.ID)
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: hidden.ID, Body: api.SpacePatch{DefaultLevel: api.Some(api.Level(api.RoleRead))},
	})
	servertest.Equal(t, "kind", "spaces.update", r.until(api.EventMessageEvent).Event.Kind)
	w.Hide(hidden.ID)
	if m := r.until(api.EventMessageAccess); m.ID != "" || m.Event != nil {
		t.Errorf("message %+v", m)
	}
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+hidden.ID, map[string]string{"title": "Secret plans"}, http.StatusOK)
	w.NewTeam()
	servertest.Equal(t, "after", "teams.create", r.until(api.EventMessageEvent).Event.Kind)
}

// TestStreamEndsWithAccess checks that a stream ends with the membership, the token and the account of its receiver.
func TestStreamEndsWithAccess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *servertest.World){
		"membership": func(w *servertest.World) { w.RemoveMember("reader") },
		"token": func(w *servertest.World) {
			for _, token := range servertest.Do(w, "reader", api.ListTokens, api.ListTokensInput{}).Items {
				servertest.Do(w, "reader", api.DeleteToken, api.TokenRef{Token: token.ID})
			}
		},
		"account": func(w *servertest.World) {
			service := operator.Service{Store: w.Store}
			if _, err := service.SetDisabled(w.T.Context(), w.Users["reader"].ID, true); err != nil {
				w.T.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clientOf := newStreamWorld(t, time.Millisecond)
			r := follow(t, clientOf("reader"), api.TailEventsInput{Organization: w.Org})
			end(w)
			for {
				m, err, _ := r.next()
				if _, refused := errors.AsType[*api.Error](err); refused {
					return
				}
				if err != nil || m.Type == api.EventMessageEvent && m.Event.Kind != "members.delete" {
					t.Fatalf("message %+v, %v", m, err)
				}
			}
		})
	}
}

// TestStreamsAreLimited checks the limit of a user, which is free again after a stream has ended.
func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	w, clientOf := newStreamWorld(t, time.Hour, func(b *budgets.Budgets) { b.UserStreams = 2 })
	in := api.TailEventsInput{Organization: w.Org}
	open := func(as string) error {
		for _, err := range clientOf(as).Events.Tail(t.Context(), in) {
			return err
		}
		return nil
	}
	follow(t, clientOf("reader"), in)
	next, stop := iter.Pull2(clientOf("reader").Events.Tail(t.Context(), in))
	if _, err, _ := next(); err != nil {
		t.Fatal(err)
	}
	err := open("reader")
	if e, ok := api.AsError(err); !ok || e.Reason != api.ReasonBusy || e.RetryAfter == 0 {
		t.Errorf("the third stream: %v, want busy", err)
	}
	if err := open("editor"); err != nil {
		t.Errorf("of another user: %v", err)
	}
	stop()
	for err := errors.New("not tried"); err != nil && t.Context().Err() == nil; { // the server notices the end of the connection later
		err = open("reader")
	}
}

// firstWrite is a response whose channel is closed by the first write.
type firstWrite struct {
	*httptest.ResponseRecorder

	written chan struct{}
	once    sync.Once
}

// Write implements http.ResponseWriter.
func (w *firstWrite) Write(data []byte) (int, error) {
	w.once.Do(func() { close(w.written) })
	return w.ResponseRecorder.Write(data)
}

// TestDrainEndsStreams checks that a node that stops ends its streams and refuses others.
func TestDrainEndsStreams(t *testing.T) {
	t.Parallel()
	w, _ := newStreamWorld(t, time.Hour)
	path := "/v1/orgs/" + w.Org + "/events/stream"
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer "+w.Tokens["reader"])
	response, ended := &firstWrite{ResponseRecorder: httptest.NewRecorder(), written: make(chan struct{})}, make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }() // the connection is aborted, so that the client notices the end
		w.Handler.ServeHTTP(response, request)
	}()
	<-response.written
	w.Server.Drain()
	<-ended
	servertest.Equal(t, "status", http.StatusOK, response.Code)
	servertest.Equal(t, "reason", api.ReasonBusy, w.Call("admin", http.MethodGet, path, nil, http.StatusServiceUnavailable).Error().Reason)
}
