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

// leaver is a caller who goes away at a step of the work: a call to Redis, or a page that is fetched. It counts the steps
// that are begun after that all the same.
type leaver struct {
	mu          sync.Mutex
	leave       context.CancelFunc
	at          int // the step with which the caller goes; 0 = stays
	steps, late int
}

// comes is a request of a caller who goes at a step.
func (l *leaver) comes(ctx context.Context, at int) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, l.leave = context.WithCancel(ctx)
	l.at, l.steps, l.late = at, 0, 0
	return ctx
}

// step counts one. Who ends what was begun, as a turn, does so with a context of its own.
func (l *leaver) step(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps++; l.at == 0 || l.steps < l.at {
		return
	}
	if l.steps == l.at {
		l.leave()
	} else if ctx.Err() != nil {
		l.late++
	}
}

func (l *leaver) told() (steps, late int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.steps, l.late
}

// DialHook implements redis.Hook.
func (l *leaver) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (l *leaver) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		l.step(ctx)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (l *leaver) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		l.step(ctx)
		return next(ctx, commands)
	}
}

// sitePages is how many pages the site has that is imported.
const sitePages = 30

// GetUpTo implements importer.Fetcher: every page leads to the next.
func (l *leaver) GetUpTo(ctx context.Context, url string, _ int64) (*fetch.Response, error) {
	l.step(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var n int
	if _, err := fmt.Sscanf(url, "https://example.com/%d", &n); err != nil || n >= sitePages {
		return nil, &fetch.Error{URL: url, Status: http.StatusNotFound, Message: "no such page"}
	}
	body := fmt.Appendf(nil, `<html><body><main><h1>Page %d</h1><p>Text, and <a href="/%d">the next page</a>.</p></main></body></html>`, n, n+1)
	return &fetch.Response{URL: url, Status: http.StatusOK, ContentType: "text/html; charset=utf-8", Body: body}, nil
}

// work is a request that takes many steps. make makes what it is about, anew for each caller.
type work struct {
	method string
	make   func() (path string, body any)
	least  int // steps that it takes, so that the test does not pass for want of work
}

// abandonable are the kinds of work that may be long.
func abandonable(w *servertest.World) map[string]work {
	space, _ := w.Seed("Text with words.\n")
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
	return map[string]work{
		"diff":  {http.MethodGet, func() (string, any) { return of(proposed()) + "/diff", nil }, 4},
		"merge": {http.MethodPost, func() (string, any) { return of(proposed()) + "/merge", nil }, 5},
		"PDF": {http.MethodGet, func() (string, any) {
			pdf := servertest.Do(w, "admin", api.GetSpacePdf, api.GetSpacePDFInput{Space: space})
			return pdf.URL[len(servertest.PublicURL):], nil
		}, 3},
		"search": {http.MethodGet, func() (string, any) {
			w.Merged(proposed()) // the index has to follow
			return "/v1/spaces/" + space + "/search?query=words", nil
		}, 5},
		"import": {http.MethodPost, func() (string, any) {
			live := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive}}).ID
			return "/v1/spaces/" + live + "/content/import", api.Import{URL: "https://example.com/0", Source: api.ImportWebsite}
		}, sitePages},
	}
}

// maxLate is how many steps may be begun for a caller who has gone: what has their context finds out with the next one, and
// what is only a courtesy, as to keep an index that was made, fails unheard before that.
const maxLate = 2

// Whatever a caller waits for, and whenever they go: the work ends with the next step, the log has an ordinary line,
// and who comes after them is answered. What is done between two steps is looked at by TestWorkIsGivenUp.
func TestAbandonedWorkEnds(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"diff", "merge", "PDF", "search", "import"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := &leaver{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
				c.Hooks, c.CacheBytes = append(c.Hooks, l), -1
			})
			work := abandonable(w)[kind]
			whole := l.stays(w, work)
			left := 0
			for at := 1; at <= whole; at++ {
				status, lines := l.asks(w, at, work)
				if _, late := l.told(); late > maxLate {
					t.Errorf("at %d of %d: %d steps were begun after the caller had gone", at, whole, late)
				}
				gone := len(lines) == 1 && lines[0]["status"] == 499.0
				if gone {
					left++
				}
				if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["error"] != nil || !gone && status >= http.StatusBadRequest {
					t.Errorf("at %d of %d: %v", at, whole, lines)
				}
			}
			if left < work.least {
				t.Errorf("only %d of %d callers found nobody working for them any more", left, whole)
			}
			t.Logf("%d steps, %d of the callers who went were told of as gone", whole, left)
			l.stays(w, work)
		})
	}
}

// stays makes the request of a caller who stays, and returns its steps.
func (l *leaver) stays(w *servertest.World, work work) int {
	w.T.Helper()
	status, _ := l.asks(w, 0, work)
	steps, _ := l.told()
	if status >= http.StatusBadRequest || steps < work.least {
		w.T.Fatalf("%d in %d steps, at least %d", status, steps, work.least)
	}
	return steps
}

// asks makes a request whose caller goes at a step, of a server that remembers nothing. It returns the status and what was
// logged.
func (l *leaver) asks(w *servertest.World, at int, work work) (status int, lines []map[string]any) {
	w.T.Helper()
	path, body := work.make()
	j := &journal{}
	w.Serve(func(o *server.Options) { o.Log, o.Importer = j.logger(), importer.New(l, importer.Limits{}) })
	var data []byte
	if body != nil {
		var err error
		data, err = json.Marshal(body)
		w.Must(err)
	}
	r := httptest.NewRequestWithContext(l.comes(w.T.Context(), at), work.method, path, bytes.NewReader(data))
	r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return recorder.Code, j.lines(w.T)
}
