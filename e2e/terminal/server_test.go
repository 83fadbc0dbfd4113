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

// wsd is a server that runs.
type wsd struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// serve starts wsd on the world's Redis and lets the gate lead to it.
func (w *world) serve() *wsd {
	w.Helper()
	s := &wsd{cmd: exec.Command(filepath.Join(w.bin, "wsd"), "serve"), ended: make(chan struct{})} //nolint:noctx // ends by kill
	s.cmd.Env = w.environment()
	stderr, err := s.cmd.StderrPipe()
	must(w, err)
	must(w, s.cmd.Start())
	w.Cleanup(s.kill)
	address, log := make(chan string, 1), &bytes.Buffer{}
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(log, lines.Text())
			if _, at, found := strings.Cut(lines.Text(), "serving at "); found {
				at, _, _ = strings.Cut(at, `"`) // the line is JSON
				address <- at
			}
		}
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	select {
	case at := <-address:
		w.gate.leadTo(at)
	case <-s.ended:
		w.Fatalf("wsd ended before it served:\n%s", log)
	case <-time.After(patience):
		w.Fatal("wsd did not serve in time")
	}
	return s
}

// kill ends wsd at once, as a machine does that loses its power.
func (s *wsd) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// restart kills wsd and starts another one over the same data.
func (w *world) restart() {
	w.Helper()
	w.wsd.kill()
	w.wsd = w.serve()
}

// gate stands before wsd at an address that stays, and can hold a request.
type gate struct {
	url   string
	proxy *httputil.ReverseProxy

	mu     sync.Mutex
	server *url.URL
	held   *held
}

// held is the next request of a kind, which goes no further. Where the server has answered it, the answer is what is held.
type held struct {
	method, path string
	answered     bool
	caught       chan struct{}
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{}
	g.proxy = &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(g.target()) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // as where nobody listens
		ModifyResponse: func(r *http.Response) error {
			g.stop(r.Request, true)
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.stop(r, false)
		g.proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	g.url = front.URL
	return g
}

func (g *gate) target() *url.URL {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.server
}

func (g *gate) leadTo(address string) {
	at, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	g.mu.Lock()
	g.server = at
	g.mu.Unlock()
}

// hold has the next request with a method, whose path has a part, come no further: to the server, or back from it.
func (g *gate) hold(method, part string, answered bool) *held {
	h := &held{method: method, path: part, answered: answered, caught: make(chan struct{})}
	g.mu.Lock()
	g.held = h
	g.mu.Unlock()
	return h
}

// stop holds a request, if it is the one to be held, until who sent it is gone: it is lost.
func (g *gate) stop(r *http.Request, answered bool) {
	g.mu.Lock()
	h := g.held
	if h == nil || h.answered != answered || h.method != r.Method || !strings.Contains(r.URL.Path, h.path) {
		g.mu.Unlock()
		return
	}
	g.held = nil
	g.mu.Unlock()
	close(h.caught)
	_, _ = io.Copy(io.Discard, r.Body) // a server sees that a client is gone when there is nothing else to read
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// wait waits until the request is held.
func (h *held) wait(t *testing.T) {
	t.Helper()
	select {
	case <-h.caught:
	case <-time.After(patience):
		t.Fatalf("nobody sent %s …%s", h.method, h.path)
	}
}
