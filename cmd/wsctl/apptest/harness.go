package apptest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Harness is the environment of a sequence of commands. Its fields may be changed between them.
type Harness struct {
	URL      string // address of the server
	Env      map[string]string
	Dir      string   // configuration directory
	Input    string   // standard input
	Terminal bool     // whether the standard streams are a terminal
	Opened   []string // URLs opened in the browser
	Keyring  *Keyring
	Headers  map[string]string // added to every response

	Now      func() time.Time       // nil is a fixed time
	Password string                 // typed without echo; default wsd_typed
	Browser  func(url string) error // opens a URL, which is also recorded; nil does nothing
	Display  bool                   // whether there is a browser; set by New
	HTTP     *http.Client

	AnyDryRun bool // dry runs without a response are answered with {}

	t        *testing.T
	newRoot  func(*app.App) *cobra.Command
	mu       sync.Mutex
	requests []string
	header   http.Header // of the last request
	timers   []func()
}

// New returns a Harness that runs commands below the root command returned by root. responses maps "METHOD /path?query" to a
// status code, a space and a body; other requests are answered with 404.
func New(t *testing.T, root func(*app.App) *cobra.Command, responses map[string]string) *Harness {
	t.Helper()
	h := &Harness{
		t: t, newRoot: root, Dir: t.TempDir(), Keyring: &Keyring{Secrets: map[string]string{}},
		Display: true, HTTP: http.DefaultClient, Password: "wsd_typed",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.requests = append(h.requests, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		h.header = r.Header
		h.mu.Unlock()
		response, ok := responses[r.Method+" "+r.URL.RequestURI()]
		if !ok && h.AnyDryRun && r.URL.Query().Get("dryRun") == "true" {
			response, ok = "200 {}", true
		}
		if !ok {
			response = `404 {"error":{"code":404,"message":"Not found.","reason":"not_found","requestId":"req_1"}}`
		}
		code, text, _ := strings.Cut(response, " ")
		status, _ := strconv.Atoi(code)
		for name, value := range h.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // fails if the command has already ended
	}))
	t.Cleanup(server.Close)
	h.URL = server.URL
	h.Env = map[string]string{"WSCTL_URL": server.URL, "WSCTL_TOKEN": "wsd_secret", "WSCTL_CONFIG_DIR": h.Dir}
	return h
}

// Run runs a command line. A single argument is split at spaces.
func (h *Harness) Run(args ...string) Result {
	h.t.Helper()
	if len(args) == 1 {
		args = strings.Fields(args[0])
	}
	var stdout, stderr bytes.Buffer
	code := h.RunTo(&stdout, &stderr, args...)
	return Result{code, stdout.String(), stderr.String()}
}

// RunTo runs a command line with the given output streams and returns the exit code.
func (h *Harness) RunTo(stdout, stderr io.Writer, args ...string) int {
	h.t.Helper()
	a := app.New(h.Environment(stdout, stderr))
	a.Args = args
	return a.Run(h.t.Context(), h.newRoot(a))
}

// Environment returns the environment of a run, without arguments.
func (h *Harness) Environment(stdout, stderr io.Writer) app.Environment {
	e := app.Environment{
		Getenv: func(name string) string { return h.Env[name] }, In: strings.NewReader(h.Input), Out: stdout, Err: stderr,
		InTerminal: h.Terminal, OutTerminal: h.Terminal, ErrTerminal: h.Terminal, HTTP: h.HTTP,
		Now:          func() time.Time { return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC) },
		ReadPassword: func() (string, error) { return h.Password, nil },
		Hostname:     func() (string, error) { return "box", nil },
		Keyring:      h.Keyring,
		AfterFunc:    func(_ time.Duration, f func()) client.Timer { return h.startTimer(f) },
	}
	if h.Now != nil {
		e.Now = h.Now
	}
	if h.Display {
		e.OpenURL = h.openURL
	}
	return e
}

func (h *Harness) openURL(url string) error {
	h.mu.Lock()
	h.Opened = append(h.Opened, url)
	h.mu.Unlock()
	if h.Browser == nil {
		return nil
	}
	return h.Browser(url)
}

// startTimer starts a timer that never ends by itself; see EndTimers.
func (h *Harness) startTimer(f func()) client.Timer {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timers = append(h.timers, f)
	return stillTimer{}
}

// EndTimers ends all timers that were started so far, as if a request had waited long enough.
func (h *Harness) EndTimers() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.timers {
		f()
	}
}

// stillTimer is a client.Timer that never ends.
type stillTimer struct{}

func (stillTimer) Reset(time.Duration) bool { return true }
func (stillTimer) Stop() bool               { return true }

// Requests returns the requests that the server received, as "METHOD /path?query body".
func (h *Harness) Requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.requests
}

// LastHeader returns the header of the last request.
func (h *Harness) LastHeader() http.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.header
}

// Result is the result of a command.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Want fails the test unless the exit code is code and the output contains all texts.
func (r Result) Want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.Code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.Code, code, r.Stdout, r.Stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.Stdout+r.Stderr, text) {
			t.Errorf("the output lacks %q\nstdout: %s\nstderr: %s", text, r.Stdout, r.Stderr)
		}
	}
}
