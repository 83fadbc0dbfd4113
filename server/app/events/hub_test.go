package events

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// newTestHub returns a Hub whose goroutine does not run, and a function that adds events to the log of an organization.
func newTestHub(t *testing.T) (h *Hub, add func(org string, n int)) {
	t.Helper()
	s := storetest.Open(t)
	h = NewHub(s, slog.New(slog.DiscardHandler), budgets.Defaults())
	h.running = true
	return h, func(org string, n int) {
		t.Helper()
		for i := range n {
			err := s.Client.XAdd(t.Context(), &goredis.XAddArgs{
				Stream: s.Name(store.EventsKey(org)), Values: map[string]any{"type": "spaces.update", "id": strconv.Itoa(i)},
			}).Err()
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (h *Hub) pollAll(ctx context.Context) (more bool) {
	var all []*subscription
	for s := range h.subscriptions {
		all = append(all, s)
	}
	return h.poll(ctx, all)
}

// TestDamagedLogDoesNotAffectOthers checks that the events of other organizations are read once, without gaps, while those of one
// cannot be read.
func TestDamagedLogDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	h, add := newTestHub(t)
	add("o_healthy", 1)
	damaged, healthy := h.subscribe(t.Context(), "o_damaged", event{}), h.subscribe(t.Context(), "o_healthy", event{})
	h.pollAll(t.Context())
	if err := h.store.Client.Set(t.Context(), h.store.Name(store.EventsKey("o_damaged")), "no log", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		add("o_healthy", 2)
		h.pollAll(t.Context())
	}
	if update, _ := healthy.take(); update.isGap || len(update.events) != 7 {
		t.Errorf("%d events, gap %t; want 7", len(update.events), update.isGap)
	}
	if update, _ := damaged.take(); update.isGap || len(update.events) != 0 || !h.failing["o_damaged"] || len(h.failing) != 1 {
		t.Errorf("damaged: %+v, failing %v", update, h.failing)
	}
}

// TestSlowReceiverIsNotReadFor checks that a subscription whose events are not taken ends, and causes no further reads.
func TestSlowReceiverIsNotReadFor(t *testing.T) {
	t.Parallel()
	h, add := newTestHub(t)
	h.limits.StreamPending = 1_000
	slow := h.subscribe(t.Context(), "o_1", event{})
	add("o_1", 350)
	reads := 0
	for reads < 10 && h.pollAll(t.Context()) {
		reads++
	}
	fast := h.subscribe(t.Context(), "o_1", event{})
	h.pollAll(t.Context())
	update, isSlow := slow.take()
	if !isSlow || len(update.events) != readBatch || reads != 1 {
		t.Errorf("slow %t, %d events after %d reads", isSlow, len(update.events), reads)
	}
	ids := func(events []event) (all []string) {
		for _, e := range events {
			all = append(all, e.fields["id"])
		}
		return all
	}
	if update, _ := fast.take(); len(update.events) != readBatch || !slices.Equal(ids(update.events)[:3], []string{"0", "1", "2"}) {
		t.Errorf("events %v", ids(update.events))
	}
}
