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

	"docspace.dev/wsd/cmd/wsctl/app"
)

// Stage is a world for one command after the other. Its fields may be changed between two.
type Stage struct {
	URL      string // of its server
	Env      map[string]string
	Dir      string   // of the configuration
	Input    string   // on standard input
	Terminal bool     // all three streams are one
	Opened   []string // what the browser was sent to
	Keyring  *Keyring
	Headers  map[string]string // of every answer

	t     *testing.T
	root  func(*app.App) *cobra.Command
	mu    sync.Mutex
	asked []string
}

// New sets a stage up for the commands below the root that is made for each run. Its server answers by
// "METHOD /path?query" with a status, a space and a body. A missing answer is a 404.
func New(t *testing.T, root func(*app.App) *cobra.Command, answers map[string]string) *Stage {
	t.Helper()
	s := &Stage{t: t, Dir: t.TempDir(), Keyring: &Keyring{Secrets: map[string]string{}}, root: root}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		s.mu.Unlock()
		answer, ok := answers[r.Method+" "+r.URL.RequestURI()]
		if !ok {
			answer = `404 {"error":{"code":404,"message":"Not found.","reason":"not_found","requestId":"req_1"}}`
		}
		code, text, _ := strings.Cut(answer, " ")
		status, _ := strconv.Atoi(code)
		for name, value := range s.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	s.Env = map[string]string{"WSCTL_URL": server.URL, "WSCTL_TOKEN": "wsd_secret", "WSCTL_CONFIG_DIR": s.Dir}
	return s
}

// Run runs a command line; words are separated by spaces, or given one by one.
func (s *Stage) Run(words ...string) Result {
	s.t.Helper()
	if len(words) == 1 {
		words = strings.Fields(words[0])
	}
	var out, talk bytes.Buffer
	code := s.RunTo(&out, &talk, words...)
	return Result{code, out.String(), talk.String()}
}

// RunTo runs the words of a command line with other streams, and returns the exit code.
func (s *Stage) RunTo(out, talk io.Writer, words ...string) int {
	s.t.Helper()
	a := app.New(s.World(out, talk))
	a.Args = words
	return a.Run(s.t.Context(), s.root(a))
}

// World is the world of one run, without arguments.
func (s *Stage) World(out, talk io.Writer) app.World {
	return app.World{
		Env: func(name string) string { return s.Env[name] }, In: strings.NewReader(s.Input), Out: out, Err: talk,
		InTerminal: s.Terminal, OutTerminal: s.Terminal, ErrTerminal: s.Terminal, HTTP: http.DefaultClient,
		Now:      func() time.Time { return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC) },
		Open:     func(url string) error { s.Opened = append(s.Opened, url); return nil },
		Password: func() (string, error) { return "wsd_typed", nil },
		Keyring:  s.Keyring,
	}
}

// Requests are those that the server saw: "METHOD /path?query body".
func (s *Stage) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Result is what a command did.
type Result struct {
	Code     int
	Out, Err string
}

// Want fails the test unless the command ended with the code and the output has the texts.
func (r Result) Want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.Code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.Code, code, r.Out, r.Err)
	}
	for _, text := range texts {
		if !strings.Contains(r.Out+r.Err, text) {
			t.Errorf("the output lacks %q\nstdout: %s\nstderr: %s", text, r.Out, r.Err)
		}
	}
}
