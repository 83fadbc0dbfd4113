package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// uploadServer answers the first requests with the given status and then with success, and keeps what it read.
type uploadServer struct {
	*httptest.Server
	failures int
	bodies   []string
	requests []*http.Request
}

func newUploadServer(t *testing.T, failures int) *uploadServer {
	t.Helper()
	s := &uploadServer{failures: failures}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the client may end it early
		s.bodies, s.requests = append(s.bodies, string(body)), append(s.requests, r)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req_1")
		if len(s.bodies) <= s.failures {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error":{"code":503,"message":"Busy.","reason":"busy"}}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"revision":"r_1","importedResources":1,"totalResources":1,"source":"src_1","created":[],"updated":[],`+
			`"conflicting":[],"gone":[],"kept":[],"conflicts":[],"brokenLinks":{}}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *uploadServer) client() *client.Client {
	return client.New(s.URL, client.WithSleep(func(context.Context, time.Duration) error { return nil }))
}

// readOnly hides all methods of a reader but Read.
type readOnly struct{ io.Reader }

// TestUploadSendsContentAndParameters checks the request for content: its media type, its length, its bytes and its parameters.
func TestUploadSendsContentAndParameters(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reader io.Reader
		length int64
	}{
		"of a seeker from its position": {afterOne(strings.NewReader("x# A\n")), 4},
		"of another reader":             {readOnly{strings.NewReader("# A\n")}, -1},
	} {
		s := newUploadServer(t, 0)
		result, err := s.client().Content.ImportUpload(t.Context(), api.ImportUploadInput{
			Space: "s_1", ImportUpload: api.ImportUpload{
				Name: "docs", Delete: true, Filename: "a.md", Resolutions: []string{"c_1:ours", "c_2:both"},
			},
		}, client.NewContent(api.MediaMarkdown, tc.reader))
		if err != nil || result.Revision != "r_1" {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		r := s.requests[0]
		const query = "delete=true&filename=a.md&name=docs&resolutions=c_1%3Aours&resolutions=c_2%3Aboth"
		if r.URL.Path != "/v1/spaces/s_1/content/import" || r.URL.RawQuery != query || r.ContentLength != tc.length ||
			r.Header.Get("Content-Type") != api.MediaMarkdown || s.bodies[0] != "# A\n" {
			t.Errorf("%s: %s %d %v %q", name, r.URL, r.ContentLength, r.Header, s.bodies[0])
		}
	}
}

func afterOne(r *strings.Reader) *strings.Reader {
	_, _ = r.ReadByte()
	return r
}

// TestUploadIsRetriedIfContentCanBeReadAgain checks that content is sent whole and with the same key after a temporary failure, unless
// its reader can be read once only.
func TestUploadIsRetriedIfContentCanBeReadAgain(t *testing.T) {
	t.Parallel()
	s := newUploadServer(t, 2)
	in := api.ChangeRequestImportUploadInput{ChangeRequestRef: api.ChangeRequestRef{Space: "s_1", ChangeRequest: "2"}}
	if _, err := s.client().ChangeRequestContent.ImportUpload(t.Context(), in,
		client.NewContent(api.MediaZip, strings.NewReader("archive"))); err != nil {
		t.Fatal(err)
	}
	if len(s.bodies) != 3 || s.bodies[2] != "archive" {
		t.Errorf("%q", s.bodies)
	}
	if key := s.requests[0].Header.Get("Idempotency-Key"); key == "" || key != s.requests[2].Header.Get("Idempotency-Key") {
		t.Errorf("the keys differ, or are missing: %q", key)
	}

	s = newUploadServer(t, 1)
	_, err := s.client().ChangeRequestContent.ImportUpload(t.Context(), in,
		client.NewContent(api.MediaZip, readOnly{strings.NewReader("archive")}))
	if !api.IsReason(err, api.ReasonBusy) || len(s.bodies) != 1 {
		t.Errorf("%v after %d requests", err, len(s.bodies))
	}
}

// TestUploadEndsWithErrorOfContent checks that an error of reading the content is that of the call, and is not retried.
func TestUploadEndsWithErrorOfContent(t *testing.T) {
	t.Parallel()
	broken := errors.New("a.md has changed")
	opened := 0
	content := client.Content{MediaType: api.MediaZip, Size: -1, Open: func() (io.ReadCloser, error) {
		opened++
		reader, writer := io.Pipe()
		go func() {
			_, _ = io.WriteString(writer, "some")
			_ = writer.CloseWithError(broken)
		}()
		return reader, nil
	}}
	s := newUploadServer(t, 0)
	_, err := s.client().Content.ImportUpload(t.Context(), api.ImportUploadInput{Space: "s_1"}, content)
	failed, ok := errors.AsType[*client.ContentError](err)
	if !ok || !errors.Is(failed, broken) || opened != 1 {
		t.Errorf("%v after %d attempts", err, opened)
	}
	content.Open = func() (io.ReadCloser, error) { return nil, broken }
	if _, err = s.client().Content.ImportUpload(t.Context(), api.ImportUploadInput{Space: "s_1"}, content); !errors.Is(err, broken) {
		t.Errorf("content that cannot be opened: %v", err)
	}
}
