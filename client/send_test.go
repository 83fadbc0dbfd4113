package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// scriptedServer is a server that responds to each request with the next of its steps and records the requests.
type scriptedServer struct {
	*httptest.Server
	mu       sync.Mutex
	steps    []step
	received []receivedRequest
}

type step struct {
	status int
	header http.Header
	body   string
	drop   bool // close the connection without a response
	cut    bool // close the connection after half of the body
}

type receivedRequest struct {
	Method, URI, Body string
	header            http.Header
}

func serve(t *testing.T, steps ...step) *scriptedServer {
	t.Helper()
	s := &scriptedServer{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.received = append(s.received, receivedRequest{r.Method, r.URL.RequestURI(), string(body), r.Header})
		if len(s.steps) == 0 {
			t.Errorf("one request too many: %s %s", r.Method, r.URL)
			return
		}
		next := s.steps[0]
		s.steps = s.steps[1:]
		if next.drop {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), next.header)
		if next.cut {
			w.Header().Set("Content-Length", strconv.Itoa(len(next.body)))
			next.body = next.body[:len(next.body)/2]
		}
		w.WriteHeader(next.status)
		_, _ = io.WriteString(w, next.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// requests returns the requests recorded so far. If a connection is dropped, the client may return before its request is
// recorded.
func (s *scriptedServer) requests() []receivedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// fakeSleeper records the waits instead of waiting.
type fakeSleeper struct{ waits []time.Duration }

func (s *fakeSleeper) sleep(_ context.Context, d time.Duration) error {
	s.waits = append(s.waits, d)
	return nil
}

const space = `{"id":"spc_1","title":"T"}`

var unavailable = step{status: 503, body: `{"error":{"code":503,"message":"Away.","reason":"unavailable"}}`}

func TestRetries(t *testing.T) {
	t.Parallel()
	busy := step{
		status: 429, header: http.Header{"Retry-After": {"7"}},
		body: `{"error":{"code":429,"message":"Slow down.","reason":"rate_limited"}}`,
	}
	patience := step{status: 503, header: http.Header{"Retry-After": {"3600"}}, body: unavailable.body}
	good := step{status: 200, body: space}
	for name, test := range map[string]struct {
		steps    []step
		wantCode int // 0 for success
		requests int
	}{
		"immediate success":      {[]step{good}, 0, 1},
		"unavailable twice":      {[]step{unavailable, unavailable, good}, 0, 3},
		"busy once":              {[]step{busy, good}, 0, 2},
		"bad gateway once":       {[]step{{status: 502, body: "<html>"}, good}, 0, 2},
		"connection closed once": {[]step{{drop: true}, good}, 0, 2},
		"always unavailable":     {[]step{unavailable, unavailable, unavailable, unavailable}, 503, 4},
		"Retry-After too long":   {[]step{patience}, 503, 1},
		"pending upgrade":        {[]step{{status: 503, body: `{"error":{"code":503,"message":"No.","reason":"upgrade_pending"}}`}}, 503, 1},
		"full store":             {[]step{{status: 503, body: `{"error":{"code":503,"message":"Full.","reason":"store_full"}}`}}, 503, 1},
		"object not found":       {[]step{{status: 404, body: `{"error":{"code":404,"message":"Not found."}}`}}, 404, 1},
		"internal error":         {[]step{{status: 500, body: `{"error":{"code":500,"message":"Failed."}}`}}, 500, 1},
		"conflict":               {[]step{{status: 409, body: `{"error":{"code":409,"message":"It has changed."}}`}}, 409, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := serve(t, test.steps...), &fakeSleeper{}
			c := client.New(s.URL, client.WithSleep(n.sleep))
			_, err := c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"})
			code := 0
			if e, ok := api.AsError(err); ok {
				code = e.Code
			} else if err != nil {
				t.Fatal(err)
			}
			if code != test.wantCode || len(s.requests()) != test.requests {
				t.Errorf("ended with %d after %d requests, want %d after %d", code, len(s.requests()), test.wantCode, test.requests)
			}
			if len(n.waits) != test.requests-1 {
				t.Errorf("waited %d times between %d requests", len(n.waits), test.requests)
			}
			for _, a := range s.requests() {
				if key := a.header.Get("Idempotency-Key"); key == "" || key != s.requests()[0].header.Get("Idempotency-Key") {
					t.Errorf("the keys of the attempts differ: %q", key)
				}
			}
		})
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	busy := step{status: 429, header: http.Header{"Retry-After": {"7"}}, body: `{"error":{"message":"Slow down."}}`}
	s, n := serve(t, unavailable, busy, step{status: 200, body: space}), &fakeSleeper{}
	var waits []client.Wait
	c := client.New(s.URL, client.WithSleep(n.sleep), client.WithNotice(func(w client.Wait) { waits = append(waits, w) }))
	if _, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"}); err != nil {
		t.Fatal(err)
	}
	if len(n.waits) != 2 || n.waits[0] > time.Second || n.waits[1] != 7*time.Second {
		t.Errorf("waited %v, want a moment and then 7 s", n.waits)
	}
	if len(waits) != 1 || waits[0].For != 7*time.Second || waits[0].Attempt != 2 {
		t.Errorf("announced %+v, want only the wait that people notice", waits)
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, step{status: 200, body: space}, step{status: 200, body: space})
	c := client.New(s.URL, client.WithToken("wsd_secret"), client.WithUserAgent("test/1"))
	var answer client.Response
	if _, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"}, client.Capture(&answer)); err != nil {
		t.Fatal(err)
	}
	in := api.UpdateSpaceInput{Space: "spc_1"}
	if _, err := c.Spaces.Update(t.Context(), in, client.IdempotencyKey("mine"), client.IfMatch(`"7-x"`), client.DryRun()); err != nil {
		t.Fatal(err)
	}
	read, write := s.requests()[0], s.requests()[1]
	if read.header.Get("Idempotency-Key") != "" || read.header.Get("Content-Type") != "" || answer.Status != 200 {
		t.Errorf("the read sent %v and captured %d", read.header, answer.Status)
	}
	if write.header.Get("Idempotency-Key") != "mine" || write.header.Get("If-Match") != `"7-x"` || write.Body != "{}" ||
		write.URI != "/v1/spaces/spc_1?dryRun=true" {
		t.Errorf("the write was %+v %v", write, write.header)
	}
	for _, a := range s.requests() {
		if a.header.Get("Authorization") != "Bearer wsd_secret" || a.header.Get("User-Agent") != "test/1" {
			t.Errorf("sent as %v", a.header)
		}
	}
}

func TestDecodeError(t *testing.T) {
	t.Parallel()
	ours := `{"error":{"code":422,"message":"title: too long","reason":"invalid","fields":[{"path":"title","message":"too long"}],"hint":"Shorten it.","requestId":"req_1"}}`
	for name, test := range map[string]struct {
		step step
		want api.Error
	}{
		"error from wsd": {
			step{status: 422, body: ours},
			api.Error{
				Code: 422, Message: "title: too long", Reason: api.ReasonInvalid, Hint: "Shorten it.", RequestID: "req_1",
				Fields: []api.FieldError{{Path: "title", Message: "too long"}},
			},
		},
		"HTML page from a gateway": {
			step{status: 502, body: "<html>no</html>", header: http.Header{"X-Request-Id": {"req_2"}}},
			api.Error{Code: 502, Message: "SERVER answers 502 Bad Gateway", RequestID: "req_2"},
		},
		"status differs from code": {step{status: 404, body: `{"error":{"code":200,"message":"m"}}`}, api.Error{Code: 404, Message: "m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, test.step)
			_, err := client.New(s.URL, client.WithRetries(0)).Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
			got, ok := api.AsError(err)
			if !ok {
				t.Fatalf("the error is %v", err)
			}
			got.Message = strings.Replace(got.Message, s.URL, "SERVER", 1)
			if diff := cmp.Diff(&test.want, got, cmp.AllowUnexported(api.Error{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Close()
	n := &fakeSleeper{}
	address := strings.Replace(s.URL, "http://", "http://user:pass@", 1)
	_, err := client.New(address, client.WithSleep(n.sleep)).Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
	var unreachable *client.TransportError
	if !errors.As(err, &unreachable) || len(n.waits) != 3 {
		t.Fatalf("got %v after %d waits", err, len(n.waits))
	}
	if strings.Contains(err.Error(), "pass@") || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("the message is %q", err)
	}
}

func TestCanceledRequestIsNotRetried(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, n := serve(t), &fakeSleeper{}
	_, err := client.New(s.URL, client.WithSleep(n.sleep)).Spaces.Get(ctx, api.GetSpaceInput{Space: "spc_1"})
	if !errors.Is(err, context.Canceled) || len(n.waits) != 0 || len(s.requests()) != 0 {
		t.Errorf("got %v, waits %v, requests %v", err, n.waits, s.requests())
	}
}

func TestInvalidInputIsNotSent(t *testing.T) {
	t.Parallel()
	c := client.New(serve(t).URL)
	for _, id := range []string{"", ".", ".."} {
		if _, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: id}); err == nil {
			t.Errorf("the id %q was sent", id)
		}
	}
	_, err := c.Content.GetPageByPath(t.Context(), api.PagePathInput{Space: "s", PagePath: "a/../b"})
	if err == nil {
		t.Error("a path that climbs was sent")
	}
	in := api.CreateCommentInput{Space: "s", Body: api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("a\xffb")}}}
	if _, err := c.Comments.Create(t.Context(), in); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("text that JSON would change was sent: %v", err)
	}
}

func TestZeroOptionalBodyIsNotSent(t *testing.T) {
	t.Parallel()
	s := serve(t, step{status: 201, body: space}, step{status: 201, body: space})
	c := client.New(s.URL)
	for _, body := range []api.SpaceCreate{{}, {Title: "T"}} {
		if _, err := c.Spaces.Create(t.Context(), api.CreateSpaceInput{Organization: "org_1", Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if s.requests()[0].Body != "" || s.requests()[0].header.Get("Content-Type") != "" || s.requests()[1].Body != `{"title":"T"}` {
		t.Errorf("sent %q and %q", s.requests()[0].Body, s.requests()[1].Body)
	}
}

func TestAllFollowsCursors(t *testing.T) {
	t.Parallel()
	page := func(ids, next string) step {
		return step{status: 200, body: `{"count":3,"items":[` + ids + `]` + next + `}`}
	}
	s := serve(
		t,
		page(`{"id":"a"},{"id":"b"}`, `,"next":{"page":"p 2"}`),
		page(``, `,"next":{"page":"p3"}`),
		page(`{"id":"c"}`, ``),
	)
	c := client.New(s.URL)
	in := api.ListSpacesInput{Organization: "org_1", ListOptions: api.ListOptions{Limit: api.Some(2)}}
	var ids []string
	for space, err := range client.All(t.Context(), c.Spaces.List, in) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, space.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids); diff != "" {
		t.Error(diff)
	}
	if got := s.requests()[1].URI; got != "/v1/orgs/org_1/spaces?limit=2&page=p+2" {
		t.Errorf("the second page was requested as %s", got)
	}
}

func TestAllEndsAfterError(t *testing.T) {
	t.Parallel()
	repeated := step{status: 200, body: `{"count":9,"items":[{"id":"a"}],"next":{"page":"same"}}`}
	for name, test := range map[string]struct {
		steps []step
		items int
	}{
		"error on the second page": {[]step{repeated, {status: 500}}, 1},
		"stuck cursor":             {[]step{repeated, repeated}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client.New(serve(t, test.steps...).URL)
			items, failed := 0, false
			for _, err := range client.All(t.Context(), c.Spaces.List, api.ListSpacesInput{Organization: "o"}) {
				if err != nil {
					failed = true
					continue
				}
				items++
			}
			if items != test.items || !failed {
				t.Errorf("%d items, failed %v", items, failed)
			}
		})
	}
	t.Run("caller stops early", func(t *testing.T) {
		t.Parallel()
		s := serve(t, repeated)
		for _, err := range client.All(t.Context(), client.New(s.URL).Spaces.List, api.ListSpacesInput{Organization: "o"}) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		if len(s.requests()) != 1 {
			t.Errorf("%d requests", len(s.requests()))
		}
	})
}

func TestDownload(t *testing.T) {
	t.Parallel()
	s := serve(t, step{status: 200, body: "\x00bytes"}, step{status: 404, body: `{"error":{"message":"Expired."}}`})
	c := client.New(s.URL, client.WithToken("secret"))
	var b bytes.Buffer
	n, err := c.Download(t.Context(), s.URL+"/raw/signed", &b)
	if err != nil || n != 6 || b.String() != "\x00bytes" {
		t.Errorf("downloaded %d bytes %q: %v", n, b.String(), err)
	}
	if got := s.requests()[0].header.Get("Authorization"); got != "" {
		t.Errorf("the token went with the signed address: %q", got)
	}
	if _, err := c.Download(t.Context(), s.URL+"/raw/old", io.Discard); err == nil || err.Error() != "Expired." {
		t.Errorf("the refusal is %v", err)
	}
	if _, err := c.Download(t.Context(), "file:///etc/passwd", io.Discard); err == nil {
		t.Error("a file was downloaded")
	}
}

// TestUnknownOutcomes checks that the outcome of a write without a response is reported as unknown until the server gives a
// conclusive response to a request with the same key.
func TestUnknownOutcomes(t *testing.T) {
	t.Parallel()
	dropped := step{drop: true}
	unknown := step{status: 503, body: `{"error":{"code":503,"message":"It broke off.","reason":"outcome_unknown"}}`}
	failed := step{status: 404, body: `{"error":{"code":404,"message":"Not found.","reason":"not_found"}}`}
	for name, test := range map[string]struct {
		steps   []step
		unknown bool
	}{
		"no response":                       {[]step{dropped, dropped}, true},
		"server reports an unknown outcome": {[]step{unknown, unknown}, true},
		"gateway timeout":                   {[]step{{status: 504}, {status: 504}}, true},
		"unavailable":                       {[]step{unavailable, unavailable}, false},
		"response lost, then unavailable":   {[]step{dropped, unavailable}, true},
		"response lost, then not found":     {[]step{dropped, failed}, false},
		"response lost, then success":       {[]step{dropped, {status: 200, body: space}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, test.steps...)
			c := client.New(s.URL, client.WithRetries(1), client.WithSleep((&fakeSleeper{}).sleep))
			_, err := c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"})
			var found *client.UnknownOutcomeError
			if errors.As(err, &found) != test.unknown {
				t.Fatalf("unknown is not %t: %v", test.unknown, err)
			}
			if test.unknown && found.Key != s.requests()[0].header.Get("Idempotency-Key") {
				t.Errorf("the key is %q", found.Key)
			}
		})
	}
	checkUnknownAfterRefusedConnection(t)
	nobody := client.New("http://127.0.0.1:1", client.WithRetries(0))
	for _, c := range []*client.Client{nobody, client.New(serve(t, dropped).URL, client.WithRetries(0))} {
		options := []client.CallOption{}
		if c != nobody {
			options = append(options, client.DryRun())
		}
		_, err := c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"}, options...)
		var found *client.UnknownOutcomeError
		if err == nil || errors.As(err, &found) {
			t.Errorf("a write that was not sent, or a read: %v", err)
		}
	}
}

// checkUnknownAfterRefusedConnection fails the test unless the outcome of a write stays unknown if the first attempt got no
// response and the second reached no server.
func checkUnknownAfterRefusedConnection(t *testing.T) {
	t.Helper()
	s := serve(t, step{drop: true})
	c := client.New(s.URL, client.WithRetries(1), client.WithSleep(func(context.Context, time.Duration) error {
		s.Close()
		return nil
	}))
	_, err := c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"})
	if _, unknown := errors.AsType[*client.UnknownOutcomeError](err); !unknown {
		t.Errorf("the second attempt was refused, and the outcome is known: %v", err)
	}
}

// TestUnchangedReadReturnsErrNotModified checks that a conditional read of an unchanged resource returns ErrNotModified, is not
// retried, and is not reported as a server error.
func TestUnchangedReadReturnsErrNotModified(t *testing.T) {
	t.Parallel()
	s := serve(t, step{status: http.StatusNotModified, header: http.Header{"Etag": {`"7"`}}})
	var answer client.Response
	_, err := client.New(s.URL).Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"}, client.IfNoneMatch(`"7"`),
		client.Capture(&answer))
	if !errors.Is(err, client.ErrNotModified) || answer.ETag() != `"7"` {
		t.Errorf("%v, %q", err, answer.ETag())
	}
	if got := s.received[0].header.Get("If-None-Match"); got != `"7"` {
		t.Errorf("requested with %q", got)
	}
}
