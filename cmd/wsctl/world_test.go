package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// stage is a world for one command: a server that answers by path, an environment, streams.
type stage struct {
	t      *testing.T
	url    string
	env    map[string]string
	dir    string
	input  string
	term   bool // all three streams are a terminal
	width  int
	opened []string
	ring   *fakeRing

	mu    sync.Mutex
	asked []string
}

// result is what a command did.
type result struct {
	code     int
	out, err string
}

// newStage serves answers by "METHOD /path?query": a status, a space, a body. A missing answer is a 404.
func newStage(t *testing.T, answers map[string]string) *stage {
	t.Helper()
	s := &stage{t: t, env: map[string]string{}, dir: t.TempDir(), ring: &fakeRing{secrets: map[string]string{}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		s.mu.Unlock()
		answer, ok := answers[r.Method+" "+r.URL.RequestURI()]
		if !ok {
			answer = `404 {"error":{"code":404,"message":"Not found.","reason":"not_found","requestId":"req_1"}}`
		}
		status, text, _ := strings.Cut(answer, " ")
		w.WriteHeader(statusOf(status))
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.env["WSCTL_URL"], s.env["WSCTL_TOKEN"], s.env["WSCTL_CONFIG_DIR"] = server.URL, "wsd_secret", s.dir
	return s
}

func statusOf(text string) int {
	status := 0
	for _, r := range text {
		status = status*10 + int(r-'0')
	}
	return status
}

// run runs a command line; words are separated by spaces, or given one by one.
func (s *stage) run(words ...string) result {
	s.t.Helper()
	if len(words) == 1 {
		words = strings.Fields(words[0])
	}
	var out, talk bytes.Buffer
	w := s.world(&out, &talk)
	w.args = words
	code := run(s.t.Context(), w)
	return result{code, out.String(), talk.String()}
}

func (s *stage) world(out, talk io.Writer) world {
	return world{
		env: func(name string) string { return s.env[name] }, in: strings.NewReader(s.input), out: out, err: talk,
		inTerminal: s.term, outTerminal: s.term, errTerminal: s.term, width: s.width, http: http.DefaultClient,
		now:      func() time.Time { return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC) },
		open:     func(url string) error { s.opened = append(s.opened, url); return nil },
		password: func() (string, error) { return "wsd_typed", nil },
		keyring:  s.ring,
	}
}

// requests are those that the server saw: "METHOD /path?query body".
func (s *stage) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// want fails the test unless the command ended with the code and the output has the text.
func (r result) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, r.out, r.err)
	}
	for _, text := range texts {
		if !strings.Contains(r.out+r.err, text) {
			t.Errorf("the output lacks %q\nstdout: %s\nstderr: %s", text, r.out, r.err)
		}
	}
}

// fakeRing is a keyring in memory, or none at all.
type fakeRing struct {
	secrets map[string]string
	broken  bool
}

var errNoRing = errors.New("no keyring here")

func (f *fakeRing) Get(service, user string) (string, error) {
	if f.broken {
		return "", errNoRing
	}
	return f.secrets[service+"/"+user], nil
}

func (f *fakeRing) Set(service, user, secret string) error {
	if f.broken {
		return errNoRing
	}
	f.secrets[service+"/"+user] = secret
	return nil
}

func (f *fakeRing) Delete(service, user string) error {
	delete(f.secrets, service+"/"+user)
	return nil
}
