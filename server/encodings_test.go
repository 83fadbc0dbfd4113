package server_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// decoded returns the body of a response in the given encoding.
func decoded(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatalf("%s: %v", encoding, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Errorf("%s: %v", encoding, err)
	}
	return data
}

// isText reports whether answers of the media type are compressed.
func isText(header http.Header) bool {
	media := header.Get("Content-Type")
	return strings.HasPrefix(media, "text/") && media != api.MediaEventStream || strings.HasPrefix(media, "application/json")
}

// checkEncoded compares an answer in an encoding with the plain one.
func checkEncoded(t *testing.T, where, encoding string, plain, got servertest.Response) {
	t.Helper()
	wanted := encoding
	if len(plain.Body) < 1<<10 || !isText(plain.Header) {
		wanted = ""
	}
	tag := plain.Header.Get("ETag")
	if tag != "" && wanted != "" {
		tag = "W/" + tag
	}
	if got.Status != plain.Status || got.Header.Get("Content-Encoding") != wanted || got.Header.Get("ETag") != tag {
		t.Errorf("%s: %d %v, want %q and the tag %s", where, got.Status, got.Header, wanted, tag)
	}
	if text := decoded(t, wanted, got.Body); !bytes.Equal(text, plain.Body) {
		t.Errorf("%s with %q is %s\nwant %s", where, encoding, text, plain.Body)
	}
	if length := got.Header.Get("Content-Length"); wanted != "" && length != strconv.Itoa(len(got.Body)) {
		t.Errorf("%s has Content-Length %s and %d bytes", where, length, len(got.Body))
	}
	for _, r := range []servertest.Response{plain, got} {
		if varies := slices.Contains(r.Header.Values("Vary"), "Accept-Encoding"); wanted != "" && !varies {
			t.Errorf("%s does not vary: %v", where, r.Header)
		}
	}
}

// TestAnswersAreCompressed checks that all that can be read has the same content with gzip and zstd, that HEAD has the headers of GET,
// and that a weak tag is answered with 304.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	web := httptest.NewServer(w.Handler)
	t.Cleanup(web.Close)
	paths := otherReads(w)
	for _, row := range slices.Concat(api.Rows(), api.Refusals()) {
		if row.Method == http.MethodGet && !row.Stream && !row.Secret {
			paths = append(paths, w.SamplePath(row, s))
		}
	}
	compressed := 0
	for _, path := range paths {
		headers := map[string]string{"Authorization": "Bearer " + w.Tokens["admin"]}
		plain := exchange(t, web.URL, http.MethodGet, path, headers)
		if strings.HasPrefix(path, "/account") || strings.HasPrefix(path, "/.well-known") || path == "/app/organizations/"+w.Org {
			plain.Header.Set("Content-Type", "never compressed")
		}
		if plain.Status >= http.StatusBadRequest || len(plain.Header["Set-Cookie"]) > 0 {
			continue // has the request id, or the token of the form
		}
		for _, encoding := range []string{"gzip", "zstd"} {
			headers["Accept-Encoding"] = encoding
			delete(headers, "If-None-Match")
			got := exchange(t, web.URL, http.MethodGet, path, headers)
			checkEncoded(t, path, encoding, plain, got)
			if got.Header.Get("Content-Encoding") == "" {
				continue
			}
			compressed++
			head := exchange(t, web.URL, http.MethodHead, path, headers)
			for _, name := range []string{"Content-Encoding", "Content-Length", "Etag", "Vary"} {
				if !slices.Equal(head.Header[name], got.Header[name]) {
					t.Errorf("HEAD %s has %s %v, GET %v", path, name, head.Header[name], got.Header[name])
				}
			}
			headers["If-None-Match"] = got.Header.Get("ETag")
			if headers["If-None-Match"] == "" {
				continue
			}
			same := exchange(t, web.URL, http.MethodGet, path, headers)
			if same.Status != http.StatusNotModified || same.Header.Get("ETag") != got.Header.Get("ETag") ||
				!slices.Contains(same.Header.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s with its tag: %d %v", path, same.Status, same.Header)
			}
		}
	}
	if compressed < 20 {
		t.Errorf("%d answers were compressed", compressed)
	}
}

// encodingRequired are the headers of a request that refuses answers without an encoding, so that small ones are compressed, too.
var encodingRequired = []string{"Accept-Encoding", "identity;q=0, gzip"}

// TestWeakTagsArePreconditions checks that the weak tag of a compressed answer is a condition of changes.
func TestWeakTagsArePreconditions(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	path := "/v1/spaces/" + s.Handbook
	a := w.Call("admin", http.MethodGet, path, nil, http.StatusOK, encodingRequired...)
	tag := a.Header.Get("Etag")
	if !strings.HasPrefix(tag, `W/"`) || a.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("a compressed answer: %v", a.Header)
	}
	body := map[string]any{"title": "Another title"}
	changed := w.Call("admin", http.MethodPatch, path, body, http.StatusOK, append([]string{"If-Match", tag}, encodingRequired...)...)
	if after := changed.Header.Get("Etag"); !strings.HasPrefix(after, `W/"`) || after == tag {
		t.Errorf("after the change: %v", changed.Header)
	}
	w.Call("admin", http.MethodPatch, path, body, http.StatusPreconditionFailed, "If-Match", tag)
	w.Call("admin", http.MethodPatch, path, body, http.StatusOK, "If-Match", `"0-0", `+changed.Header.Get("Etag"))
}

// TestSecretsAreNotCompressed checks that no answer with a secret, page of the sign-in or refusal is compressed, whatever the client
// wants.
func TestSecretsAreNotCompressed(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	succeeded := 0
	for _, row := range api.Rows() {
		if !row.Secret {
			continue
		}
		a := w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s), encodingRequired...)
		if a.Status < http.StatusBadRequest {
			succeeded++
		}
		if a.Header.Get("Content-Encoding") != "" || a.Header.Get("Vary") != "" || strings.HasPrefix(a.Header.Get("Etag"), "W/") {
			t.Errorf("%s: %d %v", row.Name, a.Status, a.Header)
		}
	}
	if succeeded < 3 {
		t.Errorf("%d operations with secrets have succeeded", succeeded)
	}
	for _, path := range []string{"/account/sign-in", "/account/device", "/account/style.css", "/v1/nothing", "/v1/spaces/none"} {
		if a := w.Send("admin", http.MethodGet, path, nil, encodingRequired...); a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %v", path, a.Status, a.Header)
		}
	}
	tail := strings.ReplaceAll(api.TailEvents.Path, "{organizationId}", w.Org) + "?follow=false"
	if a := w.Call("admin", http.MethodGet, tail, nil, http.StatusOK, encodingRequired...); a.Header.Get("Content-Encoding") != "" {
		t.Errorf("a stream of events: %v", a.Header)
	}
}

// TestFullTurnsSendPlain checks that an answer is sent plain, with the tag of plain answers, if no turn is free to compress it.
func TestFullTurnsSendPlain(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	path := "/v1/spaces/" + s.Handbook
	plain := w.Call("admin", http.MethodGet, path, nil, http.StatusOK)
	w.Serve(func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		o.Budgets.CompressTurns = 0 // as if all were taken
	})
	a := w.Call("admin", http.MethodGet, path, nil, http.StatusOK, encodingRequired...)
	if !bytes.Equal(a.Body, plain.Body) || a.Header.Get("Content-Encoding") != "" || a.Header.Get("Etag") != plain.Header.Get("Etag") ||
		!slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") {
		t.Errorf("%v", a.Header)
	}
	a = w.Call("admin", http.MethodGet, "/v1/openapi.json", nil, http.StatusOK, "Accept-Encoding", "zstd")
	if a.Header.Get("Content-Encoding") != "zstd" {
		t.Errorf("the OpenAPI document, which is kept: %v", a.Header)
	}
}
