package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestStreamsNoticeLossesOfFailoversCampaign promotes replicas that lack the latest commits, alternately with such that have all, while
// a stream is open. The log has all events that the stream has sent since its last gap, and a failover without a loss is no gap.
func TestStreamsNoticeLossesOfFailoversCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	runs, seed := storetest.LongCampaign(t, "failover", 4, 200)
	runs = min(runs, failoversPerWorld)
	l := sentinelSetup(t)
	w := servertest.NewWorld(t, l.engine, func(c *store.Config) { c.ReplicaWait = replicaWait })
	w.SkipFsck = true // the data is gone at the end
	w.Serve(func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		o.Budgets.StreamPoll, o.Budgets.StreamHeartbeat = int64(2*time.Millisecond), int64(50*time.Millisecond)
	})
	web := httptest.NewServer(w.Handler)
	t.Cleanup(func() {
		w.Server.Drain()
		web.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	messages := make(chan api.EventMessage)
	go func() {
		defer close(messages)
		c := client.New(web.URL, client.WithToken(w.Tokens["admin"]))
		for m, err := range c.Events.Tail(ctx, api.TailEventsInput{Organization: w.Org}) {
			if err != nil {
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	<-messages
	o := l.outage(rand.New(rand.NewPCG(seed, 0)))
	gaps, losses := 0, 0
	for n := range runs {
		w.Must(o.Ready(ctx))
		isLossy := n%2 == 0
		if isLossy {
			w.Must(o.Detach(ctx))
			w.Send("admin", http.MethodPut, "/v1/orgs/"+w.Org+"/teams", api.TeamCreate{Title: fmt.Sprint("Lost ", n)}) // refused, or lost
		}
		newest := w.Store.Client.XRevRangeN(ctx, w.Store.Name(store.EventsKey(w.Org)), "+", "-", 1).Val()
		var before []api.Event
		for m := range messages { // until the stream has sent what the master has
			if m.Event != nil {
				before = append(before, *m.Event)
			}
			if strings.HasPrefix(m.ID, newest[0].ID+"-") {
				break
			}
		}
		w.Must(o.Promote(ctx))
		title := fmt.Sprint("Kept ", n)
		for ctx.Err() == nil {
			if a := w.Send("admin", http.MethodPut, "/v1/orgs/"+w.Org+"/teams", api.TeamCreate{Title: title}); servertest.Succeeded(a) {
				break
			}
		}
		sent, isLost, found := receiveUntil(messages, title)
		if isLost {
			gaps++
		} else {
			sent = append(before, sent...)
		}
		if !found || isLost && !isLossy {
			t.Fatalf("round %d: %d events, gap %t, found %t", n, len(sent), isLost, found)
		}
		if isLossy {
			losses++
		}
		log := w.Store.Client.XRange(ctx, w.Store.Name(store.EventsKey(w.Org)), "-", "+").Val()
		for _, e := range sent {
			if !slices.ContainsFunc(log, func(entry goredis.XMessage) bool { return entry.ID == e.ID }) {
				t.Errorf("round %d: event %s (%s) is not in the log", n, e.ID, e.Kind)
			}
		}
	}
	if gaps == 0 {
		t.Error("no event was lost: the test has no subject")
	}
	t.Logf("%d failovers, %d of them to a replica without the latest commit: %d gaps", runs, losses, gaps)
	w.Must(o.Clear(ctx))
}

// receiveUntil receives messages until the event of a new team with the given title. It returns the events since the last gap.
func receiveUntil(messages <-chan api.EventMessage, title string) (events []api.Event, isGap, found bool) {
	for m := range messages {
		switch m.Type {
		case api.EventMessageGap:
			events, isGap = nil, true
		case api.EventMessageEvent:
			events = append(events, *m.Event)
			if m.Event.Target != nil && m.Event.Target.Title == title {
				return events, isGap, true
			}
		case api.EventMessagePosition, api.EventMessageAccess:
		}
		if isGap && m.Type == api.EventMessagePosition { // the event may be before the end of the gap
			return events, isGap, true
		}
	}
	return events, isGap, false
}
