package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// logReceiver receives the events of an organization, and goes on after the last position if the stream ends.
type logReceiver struct {
	mu       sync.Mutex
	position string   // of the last message that had one
	start    string   // id after which events begins
	events   []string // since the beginning or the last gap, in the form of entryText
	gaps     int
}

// entryText returns the text by which an event of a stream is compared with an entry of the log.
func entryText(id, kind, target string) string { return id + " " + kind + " " + target }

// receive handles a message.
func (r *logReceiver) receive(t *testing.T, m sseMessage) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.position == "" {
		r.start = eventIDOf(m.id)
	}
	if m.id != "" {
		r.position = m.id
	}
	var data struct {
		ID     string `json:"id"`
		Kind   string `json:"kind"`
		Newest string `json:"newest"`
		Target struct {
			ID string `json:"id"`
		} `json:"target"`
	}
	if m.data != "" {
		if err := json.Unmarshal([]byte(m.data), &data); err != nil {
			t.Error(err)
		}
	}
	switch {
	case m.name == "gap":
		r.gaps++
		r.start, r.events = data.Newest, nil
	case m.name == "" && m.data != "":
		r.events = append(r.events, entryText(data.ID, data.Kind, data.Target.ID))
	}
}

// eventIDOf returns the id of the event at a position, or "" for the beginning of the log.
func eventIDOf(position string) string {
	parts := strings.Split(position, "-")
	if id := strings.Join(parts[:min(2, len(parts))], "-"); id != "0-0" {
		return id
	}
	return ""
}

// run opens streams, each after the position of the one before, until ctx ends. address returns the address of wsd; without one, there is
// no stream.
func (r *logReceiver) run(ctx context.Context, t *testing.T, address func() string, token, organization string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	for ctx.Err() == nil {
		r.mu.Lock()
		position := r.position
		r.mu.Unlock()
		p := person{url: address(), token: token}
		_ = openStreamAfter(ctx, client, p, organization, position, func(m sseMessage) bool { // it ends with wsd
			r.receive(t, m)
			return true
		})
		time.Sleep(50 * time.Millisecond)
	}
}

// lossWorld is an organization whose log loses entries and gets others with their ids.
type lossWorld struct {
	host

	redis               *redis.Client // of the log
	token, organization string
	count               int // teams

	mu   sync.Mutex
	node *node // nil = stopped
}

// newLossWorld returns a world of a host that serves. Heartbeats follow soon upon an event.
func newLossWorld(t *testing.T, h host, client *redis.Client) *lossWorld {
	t.Helper()
	w := &lossWorld{host: h.withEnvironment("WSD_RATE_LIMIT=0", "WSD_BUDGETS=stream-heartbeat=100ms,stream-poll=20ms"), redis: client}
	w.token, w.organization = w.createOrganization(t)
	w.serve(t)
	return w
}

// serve starts wsd, to which the receivers connect.
func (w *lossWorld) serve(t *testing.T) {
	t.Helper()
	w.setNode(w.mustServe(t))
}

func (w *lossWorld) setNode(n *node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.node = n
}

// address returns the address of wsd, which nothing answers if receivers may not connect.
func (w *lossWorld) address() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.node == nil {
		return "http://127.0.0.1:1"
	}
	return w.node.url
}

// follow starts a receiver, which ends with the test, and waits until it has a position.
func (w *lossWorld) follow(t *testing.T) *logReceiver {
	t.Helper()
	r := &logReceiver{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.run(ctx, t, w.address, w.token, w.organization)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	eventually(t, "a stream", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.position != ""
	})
	return r
}

// add creates teams, each until that succeeds or, if it may be refused, once.
func (w *lossWorld) add(t *testing.T, at *node, n int, mayFail bool) {
	t.Helper()
	for range n {
		w.count++
		title := fmt.Sprint("Team ", w.count)
		eventually(t, title, func() bool {
			p := person{at.url, w.token, &http.Client{Timeout: 20 * time.Second}}
			status, _, err := p.send(t.Context(), request{
				method: http.MethodPut, path: "/v1/orgs/" + w.organization + "/teams", body: map[string]any{"title": title},
			})
			return err == nil && status < http.StatusBadRequest || mayFail
		})
	}
}

func (w *lossWorld) logKey() string { return "wsd:{" + w.organization + "}:events" }

// entries returns the entries of the log after an id, in the form of entryText.
func (w *lossWorld) entries(t *testing.T, client *redis.Client, after string) (found []string) {
	t.Helper()
	from := "-"
	if after != "" {
		from = "(" + after
	}
	for _, entry := range client.XRange(t.Context(), w.logKey(), from, "+").Val() {
		field := func(name string) string { text, _ := entry.Values[name].(string); return text }
		found = append(found, entryText(entry.ID, field("type"), field("id")))
	}
	return found
}

// checkReceived waits until a receiver has the events that the log has after its start, and no others, and checks the number of gaps.
func (w *lossWorld) checkReceived(t *testing.T, what string, r *logReceiver, gaps int) {
	t.Helper()
	var diff string
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		diff = cmp.Diff(w.entries(t, w.redis, r.start), slices.Clone(r.events))
		got := r.gaps
		r.mu.Unlock()
		if diff == "" && got == gaps {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: %d gaps, want %d; log and events (-log +events):\n%s", what, got, gaps, diff)
			return
		}
	}
}

// putAhead makes the log continue with ids of a time to come, as after a failover to a server whose clock is behind: they differ by
// one, so that entries that replace lost ones have their ids.
func (w *lossWorld) putAhead(t *testing.T) {
	t.Helper()
	ahead := strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10) + "-0"
	if err := w.redis.Do(t.Context(), "XSETID", w.logKey(), ahead).Err(); err != nil {
		t.Fatal(err)
	}
}

// sharedIDs returns how many ids of events of different entries two lists have in common.
func sharedIDs(a, b []string) (n int) {
	byID := map[string]string{}
	for _, text := range a {
		id, _, _ := strings.Cut(text, " ")
		byID[id] = text
	}
	for _, text := range b {
		id, _, _ := strings.Cut(text, " ")
		if other := byID[id]; other != "" && other != text {
			n++
		}
	}
	return n
}

// lossScenarios are ways in which receivers live through the replacement of the data of a world. replace replaces the data, and add
// adds events to it.
var lossScenarios = map[string]func(t *testing.T, w *lossWorld, replace, add func()){
	"connected": func(_ *testing.T, _ *lossWorld, replace, add func()) {
		replace()
		add()
	},
	"suspended": func(t *testing.T, w *lossWorld, replace, add func()) {
		t.Helper()
		w.node.signal(t, syscall.SIGSTOP)
		replace()
		add()
		w.node.signal(t, syscall.SIGCONT)
	},
	"stopped": func(t *testing.T, w *lossWorld, replace, add func()) {
		t.Helper()
		w.node.stop(t)
		w.setNode(nil)
		replace()
		add()
		w.serve(t)
	},
	"after FLUSHALL": func(t *testing.T, w *lossWorld, replace, add func()) {
		t.Helper()
		if err := w.redis.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		p, n := person{w.node.url, w.token, http.DefaultClient}, w.node
		eventually(t, "the end of the tokens", func() bool {
			status, _, err := p.send(t.Context(), request{method: http.MethodGet, path: "/v1/user"})
			return err == nil && status == http.StatusUnauthorized
		})
		w.setNode(nil)
		time.Sleep(300 * time.Millisecond) // some polls and heartbeats, after which no stream is open
		replace()
		add()
		w.setNode(n)
	},
}

// TestStreamsNoticeRestoredBackups checks that a receiver gets one gap if the data is replaced by an older copy to which events with the
// ids of lost ones are added: while wsd is connected, suspended or stopped, and after all data was deleted.
func TestStreamsNoticeRestoredBackups(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	for name, scenario := range lossScenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			server, err := storetest.StartRedis(t.Context(), directory, "--save", "3600 1")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Kill)
			w := newLossWorld(t, newHost(binary(t, "wsd"), server.URL()), newRedisClient(t, server.Addr, 0))
			w.putAhead(t)
			w.add(t, w.node, 2, false)
			if err := w.redis.Save(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(directory, "dump.rdb")
			backup, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			receivers := []*logReceiver{w.follow(t)}
			w.add(t, w.node, 3, false)
			receivers = append(receivers, w.follow(t)) // has received no event
			for _, r := range receivers {
				w.checkReceived(t, "before", r, 0)
			}
			lost := w.entries(t, w.redis, "")
			scenario(t, w, func() {
				server.Kill()
				if err := os.WriteFile(file, backup, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := server.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, func() { w.add(t, w.mustServe(t), 5, false) })
			if n := sharedIDs(lost, w.entries(t, w.redis, "")); n < 3 {
				t.Fatalf("%d ids were used again, want 3: the test has no subject", n)
			}
			for i, r := range receivers {
				w.checkReceived(t, fmt.Sprint("receiver ", i), r, 1)
			}
			w.add(t, w.node, 1, false)
			for i, r := range receivers {
				w.checkReceived(t, fmt.Sprint("afterwards, receiver ", i), r, 1)
			}
		})
	}
}
