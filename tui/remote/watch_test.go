package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

// testServer is a Client for timelines and counts that records the time of each request.
type testServer struct {
	Client
	now      time.Time
	requests []string // "<seconds> <request>"
	events   int
	err      error
	more     bool
	counts   api.QueueCounts

	accessChecks int // requests for the user

	stream  chan api.EventMessage // messages of the open stream; nil = none
	ended   error                 // why a stream ends that is not open
	streams atomic.Int32          // opened streams
}

func (s *testServer) Events(ctx context.Context, _ string) iter.Seq2[api.EventMessage, error] {
	s.streams.Add(1)
	messages := s.stream
	return func(yield func(api.EventMessage, error) bool) {
		for messages != nil {
			select {
			case m, ok := <-messages:
				if !ok {
					messages = nil
				} else if !yield(m, nil) {
					return
				}
			case <-ctx.Done():
				yield(api.EventMessage{}, ctx.Err())
				return
			}
		}
		yield(api.EventMessage{}, s.ended)
	}
}

func (s *testServer) record(what string) {
	s.requests = append(s.requests, fmt.Sprintf("%.0f %s", s.now.Sub(startTime).Seconds(), what))
}

func (s *testServer) Timeline(context.Context, Target) (api.Timeline, error) {
	s.record("first")
	return api.Timeline{Cursor: s.cursor()}, s.err
}

func (s *testServer) cursor() string { return fmt.Sprintf("e%d", s.events) }

func (s *testServer) TimelineAfter(_ context.Context, _ Target, cursor, seen string) (api.Timeline, string, error) {
	s.record("after " + cursor)
	if s.err == nil && seen == s.cursor() {
		return api.Timeline{}, seen, ErrNotModified
	}
	t := api.Timeline{Cursor: s.cursor(), More: s.more}
	var from int
	_, _ = fmt.Sscanf(cursor, "e%d", &from)
	for n := from + 1; n <= s.events; n++ {
		t.Events = append(t.Events, api.TimelineEvent{
			Cursor: fmt.Sprintf("e%d", n), Kind: api.TimelineEdited, By: &api.User{UserFields: api.UserFields{ID: "other"}},
		})
	}
	return t, s.cursor(), s.err
}

func (s *testServer) User(context.Context) (api.User, error) {
	s.accessChecks++
	return api.User{}, s.err
}

func (s *testServer) Counts(_ context.Context, _, seen string) (api.QueueCounts, string, error) {
	s.record("counts")
	tag := fmt.Sprint(s.counts)
	if s.err == nil && seen == tag {
		return api.QueueCounts{}, seen, ErrNotModified
	}
	return s.counts, tag, s.err
}

var (
	startTime = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	target    = Target{Space: "s", ChangeRequest: "c"}
)

// newTestWatch returns a Watch with a test server and clock.
func newTestWatch() (*Watch, *testServer) {
	s := &testServer{now: startTime, ended: api.Errorf(503, api.ReasonBusy, "no stream")}
	return New(&Connection{Ctx: context.Background(), Client: s, Now: func() time.Time { return s.now }}), s
}

// passTime advances the clock second by second. In each second it runs the requests of a tick and passes their responses to w.
func passTime(w *Watch, s *testServer, seconds int) {
	for range seconds {
		s.now = s.now.Add(time.Second)
		for _, msg := range run(w.Tick()) {
			w.Take(msg)
		}
	}
}

func run(cmd tea.Cmd) (out []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if msg == nil {
		return nil
	}
	if list := reflect.ValueOf(msg); list.IsValid() && list.Kind() == reflect.Slice {
		for i := range list.Len() {
			part, _ := reflect.TypeAssert[tea.Cmd](list.Index(i))
			out = append(out, run(part)...)
		}
		return out
	}
	return []tea.Msg{msg}
}

func TestWatchPollingSchedule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*Watch, *testServer)
		want []string
	}{
		"a request and the counts": {func(w *Watch, s *testServer) {
			w.Show(target, "e0", "o")
			passTime(w, s, 31)
		}, []string{"1 counts", "5 after e0", "10 after e0", "15 after e0", "20 after e0", "25 after e0", "30 after e0", "31 counts"}},
		"no initial cursor": {func(w *Watch, s *testServer) {
			w.Show(target, "", "")
			passTime(w, s, 7)
		}, []string{"1 first", "6 after e0"}},
		"backoff after failures": {func(w *Watch, s *testServer) {
			w.Show(target, "e0", "")
			s.err = errors.New("no answer")
			passTime(w, s, 80)
		}, []string{"5 after e0", "15 after e0", "35 after e0", "75 after e0"}},
		"recovery after failures": {func(w *Watch, s *testServer) {
			w.Show(target, "e0", "")
			s.err = errors.New("no answer")
			passTime(w, s, 16)
			s.err = nil
			passTime(w, s, 30)
		}, []string{"5 after e0", "15 after e0", "35 after e0", "40 after e0", "45 after e0"}},
		"slower without focus": {func(w *Watch, s *testServer) {
			w.Show(target, "e0", "")
			w.Focus(false)
			passTime(w, s, 65)
			w.Focus(true)
			passTime(w, s, 2)
		}, []string{"30 after e0", "60 after e0", "66 after e0"}},
		"no target": {func(w *Watch, s *testServer) {
			w.Show(Target{}, "", "")
			passTime(w, s, 100)
		}, nil},
		"more events available": {func(w *Watch, s *testServer) {
			w.Show(target, "e0", "")
			s.more = true
			s.events = 1
			passTime(w, s, 8)
		}, []string{"5 after e0", "6 after e1", "7 after e1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newTestWatch()
			c.do(w, s)
			if diff := cmp.Diff(c.want, s.requests); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWatchNews(t *testing.T) {
	t.Parallel()
	w, s := newTestWatch()
	w.Show(target, "e0", "o")
	s.counts = api.QueueCounts{ReviewRequested: 1}
	passTime(w, s, 5)
	s.events, s.counts.ReviewRequested = 2, 3
	passTime(w, s, 30)
	if n := len(w.News()); n != 2 || w.CountsChange() != "2 more asked for your review" {
		t.Errorf("%d events, %q", n, w.CountsChange())
	}
	if counts, known := w.Counts(); !known || AttentionCount(counts) != 3 {
		t.Errorf("%+v %v", counts, known)
	}
	w.Show(target, "e2", "o") // reloaded
	w.ClearNews()
	if n := len(w.News()); n != 0 || w.CountsChange() != "" {
		t.Errorf("%d events, %q", n, w.CountsChange())
	}
	w.RecordWrite()
	s.counts.ReviewRequested = 2
	passTime(w, s, 2)
	if counts, _ := w.Counts(); counts.ReviewRequested != 2 || w.CountsChange() != "" {
		t.Errorf("the user's own doing is news: %+v %q", counts, w.CountsChange())
	}
	w.Show(target, "e2", "o")
	s.counts.Waiting = 7
	passTime(w, s, 31)
	if w.CountsChange() != "your inbox has changed" {
		t.Error(w.CountsChange())
	}
}

// TestOwnChangesAreNotNews checks that the user's own actions are not news, also if a response was requested before the action,
// and that pending news is shown with the action.
func TestOwnChangesAreNotNews(t *testing.T) {
	t.Parallel()
	w, s := newTestWatch()
	w.Show(Target{}, "", "o")
	passTime(w, s, 5)
	s.counts.NewSinceReview = 1
	passTime(w, s, 31)
	if w.CountsChange() != "1 more new since your review" {
		t.Error(w.CountsChange())
	}
	s.now = s.now.Add(31 * time.Second)
	late := run(w.Tick())
	w.RecordWrite()
	if w.CountsChange() != "" {
		t.Errorf("still news: %q", w.CountsChange())
	}
	for _, msg := range late {
		w.Take(msg)
	}
	s.counts = api.QueueCounts{Waiting: 1}
	passTime(w, s, 3)
	if counts, _ := w.Counts(); counts.Waiting != 1 || w.CountsChange() != "" {
		t.Errorf("the user's own doing is news: %+v %q", counts, w.CountsChange())
	}
}

// TestWatchIgnoresLateResponse checks that a late response for another change request or a superseded request is ignored.
func TestWatchIgnoresLateResponse(t *testing.T) {
	t.Parallel()
	w, s := newTestWatch()
	w.Show(target, "e0", "o")
	s.now = s.now.Add(6 * time.Second)
	s.events, s.counts.Ready = 3, 9
	late := run(w.Tick())
	w.Show(Target{Space: "s", ChangeRequest: "other"}, "e9", "p")
	for _, msg := range late {
		if !w.Take(msg) {
			t.Errorf("%T is not taken", msg)
		}
	}
	if _, known := w.Counts(); known || len(w.News()) != 0 {
		t.Errorf("%v %d", known, len(w.News()))
	}
	w.Show(target, "e0", "o")
	s.now = s.now.Add(6 * time.Second)
	late = run(w.Tick())
	w.Show(target, "e3", "o") // reloaded while the request is in progress
	for _, msg := range late {
		w.Take(msg)
	}
	if len(w.News()) != 0 {
		t.Errorf("%d", len(w.News()))
	}
}

// TestRequestRateIsLimited checks that the request rate is limited, and that there is one request of a kind at a time.
func TestRequestRateIsLimited(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, s := newTestWatch()
		var sent []time.Time
		var waiting []tea.Msg
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				w.Show(Target{Space: "s", ChangeRequest: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "at")},
					rapid.SampledFrom([]string{"", "e0", "e5"}).Draw(t, "cursor"), rapid.SampledFrom([]string{"", "o"}).Draw(t, "org"))
			case 1:
				w.Focus(rapid.Bool().Draw(t, "looked"))
			case 2:
				w.RecordWrite()
			case 3:
				s.err = rapid.SampledFrom([]error{nil, errors.New("no answer"), api.NotFound()}).Draw(t, "fail")
				s.more, s.events = rapid.Bool().Draw(t, "more"), s.events+1
			default:
				s.now = s.now.Add(time.Second)
				for _, msg := range run(w.Tick()) {
					sent, waiting = append(sent, s.now), append(waiting, msg)
				}
				if n := len(waiting); n > 0 && rapid.Bool().Draw(t, "answers") {
					w.Take(waiting[0])
					waiting = waiting[1:]
				}
			}
		}
		for i, at := range sent {
			if i >= maxPerMinute && at.Sub(sent[i-maxPerMinute]) < time.Minute {
				t.Fatalf("%d requests within %v", maxPerMinute+1, at.Sub(sent[i-maxPerMinute]))
			}
		}
	})
}

// TestRefusedTokenIsNoticed checks that a revoked token is noticed within 15 seconds, with and without a change request on display,
// with and without focus, and that a failure of the server is no refusal.
func TestRefusedTokenIsNoticed(t *testing.T) {
	t.Parallel()
	for name, show := range map[string]func(w *Watch){
		"nothing":             func(*Watch) {},
		"inbox":               func(w *Watch) { w.Show(Target{}, "", "o") },
		"change request":      func(w *Watch) { w.Show(target, "e0", "o") },
		"inbox without focus": func(w *Watch) { w.Show(Target{}, "", "o"); w.Focus(false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newTestWatch()
			show(w)
			passTime(w, s, 60)
			if w.Refused() != nil || s.accessChecks > 6 {
				t.Fatalf("refused with %v, asked %d times in a minute", w.Refused(), s.accessChecks)
			}
			s.err = api.Errorf(503, api.ReasonUnavailable, "away")
			passTime(w, s, 5)
			if w.Refused() != nil {
				t.Fatalf("an outage is %v", w.Refused())
			}
			s.err = nil
			passTime(w, s, 60)
			s.err = api.Errorf(401, api.ReasonUnauthenticated, "not known")
			passTime(w, s, 15)
			if w.Refused() == nil {
				t.Error("not noticed within 15 seconds")
			}
		})
	}
}
