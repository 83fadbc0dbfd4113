package operations_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// streamHarness is a Harness with a server that has a stream of events.
type streamHarness struct {
	*apptest.Harness

	mu       sync.Mutex
	requests []string // those for the stream
	reads    []string // the others
}

// newStreamHarness returns a harness whose server answers the stream with a text of messages, and other requests with the objects by
// path, or 404. If follow is not false, the stream does not end.
func newStreamHarness(t *testing.T, messages string, objects map[string]string) *streamHarness {
	t.Helper()
	h := &streamHarness{Harness: newHarness(t, nil)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/events/stream") {
			h.requests = append(h.requests, r.URL.RawQuery)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, messages)
			if r.URL.Query().Get("follow") != "false" {
				_ = http.NewResponseController(w).Flush()
				h.mu.Unlock()
				<-r.Context().Done()
				h.mu.Lock()
			}
			return
		}
		h.reads = append(h.reads, r.URL.Path)
		code, text, ok := strings.Cut(objects[r.URL.Path], " ")
		if !ok {
			code, text = "404", `{"error":{"code":404,"message":"Not found.","reason":"not_found"}}`
		}
		status := http.StatusOK
		_, _ = fmt.Sscan(code, &status)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	h.Env["WSCTL_URL"], h.Env["WSCTL_ORG"] = server.URL, "o_1"
	return h
}

// sent returns the reads that the server received.
func (h *streamHarness) sent() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.reads, "\n")
}

// event returns a message of the stream with an event at a fixed time, by Ben unless the members say otherwise.
func event(id, kind, members string) string {
	if !strings.Contains(members, `"by"`) {
		members = `"by":{"object":"user","id":"u_ben","displayName":"Ben"},` + members
	}
	const at = `"at":"2026-01-01T00:00:00.000Z"`
	return fmt.Sprintf("id: %s\ndata: {\"object\":\"event\",\"id\":%q,\"kind\":%q,%s,%s}\n\n", id, id, kind, at, members)
}

// cancelWriter ends a command after its first output.
type cancelWriter struct{ cancel context.CancelFunc }

func (w cancelWriter) Write(p []byte) (int, error) {
	w.cancel()
	return len(p), nil
}

// TestTailStoresPositionAfterLine checks that the position in the file of --state is not after an event that was not written.
func TestTailStoresPositionAfterLine(t *testing.T) {
	t.Parallel()
	h := newStreamHarness(t, "id: 1-0\n\n"+event("2-0", "spaces.update", `"space":"s_1"`), nil)
	state := filepath.Join(t.TempDir(), "position")
	full := failingWriter{errors.New("no space left")}
	if code := h.RunTo(full, io.Discard, "events", "tail", "--follow=false", "--state", state); code != app.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	if got := readFile(t, state); got != "1-0\n" {
		t.Errorf("position %q", got)
	}
	h.Run("events", "tail", "--follow=false", "--state", state, "-o", "ndjson").Want(t, app.ExitOK, `"id":"2-0"`)
	if got := readFile(t, state); got != "2-0\n" || h.requests[1] != "after=1-0&follow=false" {
		t.Errorf("position %q after the request %q", got, h.requests[1])
	}
}

// TestTailEndsWithSignal checks that a command that follows ends when its context does, and stores what it has written.
func TestTailEndsWithSignal(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"events tail", "audit list --follow"} {
		h := newStreamHarness(t, "id: 1-0\n\n"+event("2-0", "spaces.update", `"space":"s_1"`), map[string]string{
			"/v1/orgs/o_1/audit-events":     `200 {"items":[]}`,
			"/v1/orgs/o_1/audit-events/2-0": `200 ` + auditEntry("2-0"),
		})
		state := filepath.Join(t.TempDir(), "position")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := app.New(h.Environment(cancelWriter{cancel}, io.Discard))
		a.Args = append(strings.Fields(line), "--state", state, "-o", "ndjson")
		if code := a.Run(ctx, newRoot(a)); code != app.ExitInterrupted {
			t.Errorf("%s: exit code %d", line, code)
		}
		if got := readFile(t, state); got != "2-0\n" {
			t.Errorf("%s: position %q", line, got)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
