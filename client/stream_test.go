package client_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// newStreamServer returns the address of a server that gives each of the responses once, in order, and then 404. It records the
// Last-Event-ID of each request.
func newStreamServer(t *testing.T, responses ...http.HandlerFunc) (address string, positions *[]string) {
	t.Helper()
	positions = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*positions = append(*positions, cmp.Or(r.Header.Get(api.LastEventID), r.URL.Query().Get("after")))
		if len(responses) == 0 {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"code":404,"message":"Not found.","reason":"not_found"}}`)
			return
		}
		next := responses[0]
		responses = responses[1:]
		next(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, positions
}

// messages returns a response with a text of messages. If isCut is set, the connection breaks after it.
func messages(text string, isCut bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		if isCut {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// TestStreamContinues checks that a stream goes on after its last message when the server ends it, when the connection breaks and
// when the server is away for a while, and that it ends with other errors.
func TestStreamContinues(t *testing.T) {
	t.Parallel()
	address, positions := newStreamServer(t,
		status(http.StatusServiceUnavailable),
		messages("id: 1-0\n\nid: 2-0\ndata: {\"kind\":\"a\"}\n\n", false),
		messages("id: 3-0\r\ndata: {\"kind\":\r\ndata: \"b\"}\r\n\r\nid: 4-0\ndata: {\"kind\":\"lost\"", true),
		status(http.StatusBadGateway), status(http.StatusBadGateway), status(http.StatusBadGateway), status(http.StatusBadGateway),
		messages(": ping\n\nevent: later\nid: 8-0\ndata: {}\n\nevent: gap\nid: 9-0\ndata: {\"newest\":\"9-0\"}\n\n"+
			"event: access.changed\ndata: {}\n\n", false),
	)
	c := client.New(address, client.WithRetries(2), client.WithSleep(func(context.Context, time.Duration) error { return nil }))
	var got []string
	for m, err := range c.Events.Tail(t.Context(), api.TailEventsInput{Organization: "o_1", After: "0-0"}) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		text := string(m.Type) + " " + m.ID
		if m.Event != nil {
			text += " " + m.Event.Kind
		}
		got = append(got, text)
	}
	want := []string{"position 1-0", "event 2-0 a", "event 3-0 b", "position 8-0", "gap 9-0", "access.changed ", "Not found."}
	if !slices.Equal(got, want) {
		t.Errorf("messages %q, want %q", got, want)
	}
	if want := []string{"0-0", "0-0", "2-0", "3-0", "3-0", "3-0", "3-0", "3-0", "9-0"}; !slices.Equal(*positions, want) {
		t.Errorf("positions %q, want %q", *positions, want)
	}
}

// TestStreamEndsWithError checks the errors of answers that are no streams, and of a server that stays away from the beginning.
func TestStreamEndsWithError(t *testing.T) {
	t.Parallel()
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Sign in</html>") }
	away := status(http.StatusBadGateway)
	for name, c := range map[string]struct {
		responses []http.HandlerFunc
		check     func(error) bool
	}{
		"web page":        {[]http.HandlerFunc{page}, isInvalid},
		"no JSON":         {[]http.HandlerFunc{messages("data: yes\n\n", false)}, isInvalid},
		"endless message": {[]http.HandlerFunc{messages("data: "+strings.Repeat("x", 2<<20), false)}, isInvalid},
		"stays away": {[]http.HandlerFunc{away, away, away}, func(err error) bool {
			e, ok := api.AsError(err)
			return ok && e.Code == http.StatusBadGateway
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, positions := newStreamServer(t, c.responses...)
			cl := client.New(address, client.WithRetries(2), client.WithSleep(func(context.Context, time.Duration) error { return nil }))
			n := 0
			for m, err := range cl.Events.Tail(t.Context(), api.TailEventsInput{Organization: "o_1"}) {
				if n++; !c.check(err) {
					t.Errorf("%+v, %v", m, err)
				}
			}
			if n != 1 || len(*positions) != len(c.responses) {
				t.Errorf("%d results of %d requests", n, len(*positions))
			}
		})
	}
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*client.InvalidResponseError](err)
	return ok
}

// TestStreamEndsWithLoop checks that a stream ends when its loop is left, and with its context.
func TestStreamEndsWithLoop(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "id: 1-0\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	address, _ := newStreamServer(t, endless, endless)
	c := client.New(address)
	for _, err := range c.Events.Tail(t.Context(), api.TailEventsInput{Organization: "o_1"}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for m, err := range c.Events.Tail(ctx, api.TailEventsInput{Organization: "o_1"}) {
		if last = err; m.ID != "" {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v", last)
	}
}
