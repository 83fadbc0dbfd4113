package remote

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// newStreamedWatch returns a Watch of a change request whose server has a stream.
func newStreamedWatch(t *testing.T) (*Watch, *testServer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	w, s := newTestWatch()
	w.conn.Ctx, s.stream, s.ended = ctx, make(chan api.EventMessage), errors.New("ended")
	w.Show(target, "e0", "o")
	return w, s
}

// passStreamedTime is passTime with a heartbeat every 15 seconds.
func passStreamedTime(w *Watch, s *testServer, seconds int) {
	for second := range seconds {
		if second%15 == 0 && s.stream != nil {
			sendMessage(s, api.EventMessage{Type: api.EventMessagePosition})
		}
		passTime(w, s, 1)
	}
}

func sendMessage(s *testServer, m api.EventMessage) {
	s.stream <- m
	synctest.Wait()
}

// TestStreamReplacesPolls checks that nothing is polled for minutes while a stream is open, that its messages make the polls due that
// they are about, and that silence restarts the polls.
func TestStreamReplacesPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := newStreamedWatch(t)
		passTime(w, s, 1) // opens the stream
		passStreamedTime(w, s, 60)
		if diff := cmp.Diff([]string{"1 counts", "5 after e0", "31 counts"}, s.requests); diff != "" {
			t.Errorf("until the first message and afterwards (-want +got):\n%s", diff)
		}
		s.requests = nil
		sendMessage(s, api.EventMessage{Type: api.EventMessageEvent, Event: &api.Event{Kind: "comments.create", Space: target.Space}})
		passStreamedTime(w, s, 4)
		if diff := cmp.Diff([]string{"62 after e0", "62 counts"}, s.requests); diff != "" {
			t.Errorf("after an event (-want +got):\n%s", diff)
		}
		s.requests = nil
		sendMessage(s, api.EventMessage{Type: api.EventMessageEvent, Event: &api.Event{Kind: "comments.create", Space: "other"}})
		passStreamedTime(w, s, 40)
		if diff := cmp.Diff([]string{"92 counts"}, s.requests); diff != "" {
			t.Errorf("after an event elsewhere (-want +got):\n%s", diff)
		}
		s.requests = nil
		passTime(w, s, 60)
		if len(s.requests) < 5 {
			t.Errorf("requests after silence: %q", s.requests)
		}
		if s.streams.Load() != 1 {
			t.Errorf("%d streams", s.streams.Load())
		}
	})
}

// TestEndedStreamIsOpenedAgain checks that polls go on without a stream, which is opened again after a minute.
func TestEndedStreamIsOpenedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := newStreamedWatch(t)
		s.stream, s.ended = nil, api.Errorf(http.StatusServiceUnavailable, api.ReasonBusy, "busy")
		passTime(w, s, 1)
		synctest.Wait()
		passTime(w, s, 55)
		if s.streams.Load() != 1 || len(s.requests) < 10 {
			t.Errorf("%d streams, requests %q", s.streams.Load(), s.requests)
		}
		passTime(w, s, 10)
		synctest.Wait()
		if s.streams.Load() != 2 {
			t.Errorf("%d streams, want another after a minute", s.streams.Load())
		}
	})
}

// TestStreamNoticesRevokedToken checks that the end of a stream whose token is not accepted any more is noticed.
func TestStreamNoticesRevokedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := newStreamedWatch(t)
		passTime(w, s, 1)
		sendMessage(s, api.EventMessage{Type: api.EventMessagePosition})
		s.ended = api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "revoked")
		passTime(w, s, 1)
		close(s.stream)
		synctest.Wait()
		passTime(w, s, 1)
		if w.Refused() == nil {
			t.Error("the token counts as accepted")
		}
	})
}

// TestStreamFollowsOrganization checks that the stream of an organization that is left is closed.
func TestStreamFollowsOrganization(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, s := newStreamedWatch(t)
		passTime(w, s, 1)
		first := w.stream
		w.Show(target, "e0", "other")
		passTime(w, s, 1)
		synctest.Wait()
		if first.take(s.now).err == nil || w.stream == first || s.streams.Load() != 2 {
			t.Errorf("%d streams, the first has ended: %v", s.streams.Load(), first.take(s.now).err)
		}
		if first.take(s.now).endedAt.IsZero() {
			t.Error("the first stream is open")
		}
	})
}
