package terminal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// wsd is a running server.
type wsd struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// serve starts wsd and points the proxy at it.
func (w *world) serve() *wsd {
	w.Helper()
	s := &wsd{cmd: exec.Command(filepath.Join(w.bin, "wsd"), "serve"), done: make(chan struct{})} //nolint:noctx // ends by kill
	s.cmd.Env = w.environment()
	stderr, err := s.cmd.StderrPipe()
	must(w, err)
	must(w, s.cmd.Start())
	w.Cleanup(s.kill)
	address, log := make(chan string, 1), &bytes.Buffer{}
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(log, lines.Text())
			if _, url, found := strings.Cut(lines.Text(), "serving at "); found {
				url, _, _ = strings.Cut(url, `"`) // the line is JSON
				address <- url
			}
		}
		_ = s.cmd.Wait()
		close(s.done)
	}()
	select {
	case url := <-address:
		w.proxy.setTarget(url)
	case <-s.done:
		w.Fatalf("wsd ended before it served:\n%s", log)
	case <-time.After(timeout):
		w.Fatal("wsd did not serve in time")
	}
	return s
}

// kill ends wsd with SIGKILL.
func (s *wsd) kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}

// restart kills wsd and starts another one on the same data.
func (w *world) restart() {
	w.Helper()
	w.wsd.kill()
	w.wsd = w.serve()
}

// holdingProxy is a proxy with a fixed address in front of wsd. It can hold a request or a response forever.
type holdingProxy struct {
	url   string
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	backend *url.URL
	held    *heldRequest
}

// heldRequest selects the request that a proxy holds or, with answered, whose response it holds.
type heldRequest struct {
	method, path string
	answered     bool
	caught       chan struct{}
}

func newHoldingProxy(t *testing.T) *holdingProxy {
	t.Helper()
	g := &holdingProxy{}
	g.proxy = &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(g.target()) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // closes the connection
		ModifyResponse: func(r *http.Response) error {
			g.intercept(r.Request, true)
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.intercept(r, false)
		g.proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	g.url = front.URL
	return g
}

func (g *holdingProxy) target() *url.URL {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.backend
}

func (g *holdingProxy) setTarget(address string) {
	target, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	g.mu.Lock()
	g.backend = target
	g.mu.Unlock()
}

// hold makes the proxy hold the next request with the method whose path contains part, or its response.
func (g *holdingProxy) hold(method, part string, answered bool) *heldRequest {
	h := &heldRequest{method: method, path: part, answered: answered, caught: make(chan struct{})}
	g.mu.Lock()
	g.held = h
	g.mu.Unlock()
	return h
}

// intercept returns at once unless r is the request to hold. Otherwise it waits until the client disconnects and then aborts
// the handler.
func (g *holdingProxy) intercept(r *http.Request, answered bool) {
	g.mu.Lock()
	h := g.held
	if h == nil || h.answered != answered || h.method != r.Method || !strings.Contains(r.URL.Path, h.path) {
		g.mu.Unlock()
		return
	}
	g.held = nil
	g.mu.Unlock()
	close(h.caught)
	_, _ = io.Copy(io.Discard, r.Body) // a disconnect is detected only after the body has been read
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// wait waits until the request is held. It fails the test after timeout.
func (h *heldRequest) wait(t *testing.T) {
	t.Helper()
	select {
	case <-h.caught:
	case <-time.After(timeout):
		t.Fatalf("nobody sent %s …%s", h.method, h.path)
	}
}
