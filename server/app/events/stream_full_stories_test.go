package events_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// smallBuffers is a listener whose connections hold little that the client has not read.
type smallBuffers struct{ net.Listener }

// Accept implements net.Listener.
func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = tcp.SetWriteBuffer(4 << 10)
	}
	return c, err
}

// TestStreamEndsAtWriteDeadline checks that a stream whose client does not read ends after stream-write and frees its place, and that
// another stream of the same organization gets its events meanwhile.
func TestStreamEndsAtWriteDeadline(t *testing.T) {
	t.Parallel()
	const writeTime = 5 * time.Second
	w, _ := newStreamWorld(t, time.Hour, func(b *budgets.Budgets) {
		b.UserStreams, b.StreamWrite, b.StreamPending = 2, int64(writeTime), 1<<30
	})
	var open atomic.Int64 // streams
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Add(-1)
		w.Handler.ServeHTTP(rw, r)
	}))
	web.Listener = smallBuffers{web.Listener}
	web.Start()
	t.Cleanup(func() {
		w.Server.Drain()
		web.Close()
		if n := open.Load(); n != 0 {
			t.Errorf("%d handlers are left", n)
		}
	})
	full, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(web.URL, "http://"))
	w.Must(err)
	defer func() { _ = full.Close() }()                // only kept open
	w.Must(full.(*net.TCPConn).SetReadBuffer(4 << 10)) //nolint:forcetypeassert // tcp
	const request = "GET /v1/orgs/%s/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n"
	_, err = fmt.Fprintf(full, request, w.Org, w.Tokens["reader"])
	w.Must(err)
	answer := make([]byte, len("HTTP/1.1 200"))
	_, err = io.ReadFull(full, answer) // the stream has its place now
	w.Must(err)
	servertest.Equal(t, "answer", "HTTP/1.1 200", string(answer))
	c := client.New(web.URL, client.WithToken(w.Tokens["reader"]), client.WithRetries(0))
	in := api.TailEventsInput{Organization: w.Org}
	r := follow(t, c, in)
	isFree := func() bool {
		for _, err := range c.Events.Tail(t.Context(), in) {
			return err == nil
		}
		return false
	}
	for open.Load() < 2 { // until the server has read the request
		time.Sleep(time.Millisecond)
	}
	const added = 2_000 // far more than the buffers of a connection hold
	began := time.Now()
	storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
		for range added {
			tx.Event(map[string]string{"type": "teams.update", "id": w.Org, "at": "1"})
		}
		return nil
	})
	for range added {
		r.until(api.EventMessageEvent)
	}
	if isFree() {
		t.Errorf("the stream has ended %s after the events, before its deadline", time.Since(began))
	}
	for !isFree() {
		if time.Since(began) > 20*writeTime {
			t.Fatal("the stream whose client does not read has not ended")
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.NewTeam()
	servertest.Equal(t, "kind", "teams.create", r.until(api.EventMessageEvent).Event.Kind)
	for open.Load() != 1 { // the handlers of isFree notice the end of their connections
		if time.Since(began) > 20*writeTime {
			t.Fatalf("%d handlers are left, want 1", open.Load())
		}
		time.Sleep(time.Millisecond)
	}
}
