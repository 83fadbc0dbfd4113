package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// disconnectingClient simulates a client that disconnects at a given step of the work: a Redis command or a page that is fetched.
// It counts the steps started afterwards.
type disconnectingClient struct {
	mu               sync.Mutex
	cancel           context.CancelFunc
	lastStep         int // step at which the client disconnects; 0 = never
	steps, lateSteps int
}

// newRequest returns the context of a new request whose client disconnects at the given step.
func (c *disconnectingClient) newRequest(ctx context.Context, at int) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, c.cancel = context.WithCancel(ctx)
	c.lastStep, c.steps, c.lateSteps = at, 0, 0
	return ctx
}

// countStep counts a step. Steps that release a permit are not late: they use a context of their own.
func (c *disconnectingClient) countStep(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.steps++; c.lastStep == 0 || c.steps < c.lastStep {
		return
	}
	if c.steps == c.lastStep {
		c.cancel()
	} else if ctx.Err() != nil {
		c.lateSteps++
	}
}

func (c *disconnectingClient) counts() (steps, late int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps, c.lateSteps
}

// DialHook implements redis.Hook.
func (c *disconnectingClient) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (c *disconnectingClient) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		c.countStep(ctx)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (c *disconnectingClient) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		c.countStep(ctx)
		return next(ctx, commands)
	}
}

// sitePages is the number of pages of the imported site.
const sitePages = 30

// GetUpTo implements importer.Fetcher. Every page links to the next.
func (c *disconnectingClient) GetUpTo(ctx context.Context, url string, _ int64) (*fetch.Response, error) {
	c.countStep(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var n int
	if _, err := fmt.Sscanf(url, "https://example.com/%d", &n); err != nil || n >= sitePages {
		return nil, &fetch.Error{URL: url, Status: http.StatusNotFound, Message: "no such page"}
	}
	body := fmt.Appendf(nil, `<html><body><main><h1>Page %d</h1><p>Text, and <a href="/%d">the next page</a>.</p></main></body></html>`, n,
		n+1)
	return &fetch.Response{URL: url, Status: http.StatusOK, ContentType: "text/html; charset=utf-8", Body: body}, nil
}

// longRequest is a request that takes many steps. create creates the objects of one request.
type longRequest struct {
	method   string
	create   func() (path string, body any)
	minSteps int // minimum number of steps, so that the test cannot pass vacuously
}

// longRequests returns the kinds of work that may take long.
func longRequests(w *servertest.World) map[string]longRequest {
	space, _ := w.NewSpaceWithPage("Text with words.\n")
	proposed := func() api.ChangeRequestRef {
		ref := w.NewRequest("editor", space)
		for i := range 5 {
			w.InsertPage(ref, servertest.NewPage(fmt.Sprint("Page ", i), "Words of the page.\n"))
		}
		return ref
	}
	of := func(ref api.ChangeRequestRef) string {
		return "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest
	}
	return map[string]longRequest{
		"diff":  {http.MethodGet, func() (string, any) { return of(proposed()) + "/diff", nil }, 4},
		"merge": {http.MethodPost, func() (string, any) { return of(proposed()) + "/merge", nil }, 5},
		"PDF": {http.MethodGet, func() (string, any) {
			pdf := servertest.Do(w, "admin", api.GetSpacePdf, api.GetSpacePDFInput{Space: space})
			return pdf.URL[len(servertest.PublicURL):], nil
		}, 3},
		"search": {http.MethodGet, func() (string, any) {
			w.MustMerge(proposed()) // the search has to update the index
			return "/v1/spaces/" + space + "/search?query=words", nil
		}, 5},
		"import": {http.MethodPost, func() (string, any) {
			live := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive},
			}).ID
			return "/v1/spaces/" + live + "/content/import", api.Import{URL: "https://example.com/0", Source: api.ImportWebsite}
		}, sitePages},
	}
}

// maxLateSteps is the number of steps that may start after the client disconnected: work ends at its next step, and best effort
// steps, such as storing a computed index, may fail silently before that.
const maxLateSteps = 2

// TestWorkEndsAfterClientDisconnects checks that work ends at the next step after its client disconnects, whatever step
// that is, that the request is logged without error, and that later requests succeed.
func TestWorkEndsAfterClientDisconnects(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"diff", "merge", "PDF", "search", "import"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := &disconnectingClient{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
				c.Hooks, c.CacheBytes = append(c.Hooks, l), -1
			})
			work := longRequests(w)[kind]
			whole := l.send(w, work)
			left := 0
			for at := 1; at <= whole; at++ {
				status, lines := l.sendUntil(w, at, work)
				if _, late := l.counts(); late > maxLateSteps {
					t.Errorf("at %d of %d: %d steps were started after the client disconnected", at, whole, late)
				}
				gone := len(lines) == 1 && lines[0]["status"] == 499.0
				if gone {
					left++
				}
				if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["error"] != nil || !gone && status >= http.StatusBadRequest {
					t.Errorf("at %d of %d: %v", at, whole, lines)
				}
			}
			if left < work.minSteps {
				t.Errorf("only %d of %d clients had their work ended", left, whole)
			}
			t.Logf("%d steps, %d of the requests were logged as disconnected", whole, left)
			l.send(w, work)
		})
	}
}

// send sends a request whose client stays connected, and returns its number of steps.
func (c *disconnectingClient) send(w *servertest.World, work longRequest) int {
	w.T.Helper()
	status, _ := c.sendUntil(w, 0, work)
	steps, _ := c.counts()
	if status >= http.StatusBadRequest || steps < work.minSteps {
		w.T.Fatalf("%d in %d steps, at least %d", status, steps, work.minSteps)
	}
	return steps
}

// sendUntil sends a request whose client disconnects at the given step to a new server without caches. It returns the
// status and the logged lines.
func (c *disconnectingClient) sendUntil(w *servertest.World, at int, work longRequest) (status int, lines []map[string]any) {
	w.T.Helper()
	path, body := work.create()
	j := &logBuffer{}
	w.Serve(func(o *server.Options) { o.Log, o.Importer = j.logger(), importer.New(c, importer.Limits{}) })
	var data []byte
	if body != nil {
		var err error
		data, err = json.Marshal(body)
		w.Must(err)
	}
	r := httptest.NewRequestWithContext(c.newRequest(w.T.Context(), at), work.method, path, bytes.NewReader(data))
	r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return recorder.Code, j.lines(w.T)
}
