package server_test

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// otherReads are paths that are not operations and can be read.
func otherReads(w *servertest.World) []string {
	return []string{
		"/healthz", "/readyz", "/readyz?for=nothing", "/v1/openapi.json", "/", "/app/organizations/" + w.Org, "/app/nothing/x",
		"/sites/" + w.Org + "/site", "/openapi/" + w.Org + "/none", "/account", "/account/sign-in", "/account/style.css", "/account/device",
		"/.well-known/oauth-authorization-server", "/raw/nothing",
	}
}

// exchange sends a request to a server without following redirects.
func exchange(t *testing.T, address, method, path string, headers map[string]string) servertest.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return servertest.Response{Status: response.StatusCode, Header: response.Header, Body: body}
}

// stableHeaders returns the headers of a response that do not differ between two equal requests. The names of cookies are kept.
func stableHeaders(r servertest.Response) http.Header {
	header := r.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Connection"} {
		header.Del(name)
	}
	for i, cookie := range header["Set-Cookie"] {
		header["Set-Cookie"][i], _, _ = strings.Cut(cookie, "=")
	}
	return header
}

// TestHeadAnswersAsGet checks that HEAD has the status and the headers of GET and no body, for all that can be read, also with
// If-None-Match, and that it changes nothing.
func TestHeadAnswersAsGet(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	web := httptest.NewServer(w.Handler)
	t.Cleanup(web.Close)
	paths := otherReads(w)
	for _, row := range slices.Concat(api.Rows(), api.Refusals()) {
		if row.Method == http.MethodGet && !row.Stream {
			paths = append(paths, w.SamplePath(row, s))
		}
	}
	for _, token := range []string{w.Tokens["admin"], "wrong"} {
		for _, path := range paths {
			headers := map[string]string{"Authorization": "Bearer " + token}
			want := exchange(t, web.URL, http.MethodGet, path, headers)
			for range 2 {
				got := exchange(t, web.URL, http.MethodHead, path, headers)
				wanted := stableHeaders(want)
				if isRedirect := want.Status/100 == 3; isRedirect || len(want.Body) == 0 {
					wanted.Del("Content-Length") // net/http does not know it: the handler has written nothing
				}
				if diff := cmp.Diff(wanted, stableHeaders(got)); got.Status != want.Status || diff != "" || len(got.Body) > 0 {
					t.Errorf("HEAD %s: %d, want %d, %d bytes (-GET +HEAD):\n%s", path, got.Status, want.Status, len(got.Body), diff)
				}
				tag := want.Header.Get("ETag")
				if tag == "" || path == "/raw/nothing" {
					break
				}
				headers["If-None-Match"] = tag
				if want = exchange(t, web.URL, http.MethodGet, path, headers); want.Status != http.StatusNotModified || len(want.Body) > 0 {
					t.Errorf("GET %s with its tag: %d", path, want.Status)
				}
			}
		}
	}
}

// TestHeadOfStreamDoesNotBegin checks that HEAD of a stream of events is answered at once with its headers and takes no stream.
func TestHeadOfStreamDoesNotBegin(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path := strings.ReplaceAll(api.TailEvents.Path, "{organizationId}", w.Org)
	for range 10 {
		a := w.Call("admin", http.MethodHead, path, nil, http.StatusOK)
		if a.Header.Get("Content-Type") != api.MediaEventStream || len(a.Body) > 0 {
			t.Errorf("HEAD: %v %s", a.Header, a.Body)
		}
	}
	w.Call("admin", http.MethodGet, path+"?follow=false", nil, http.StatusOK)
	w.Call("admin", http.MethodHead, path+"?after=nonsense", nil, http.StatusBadRequest)
	w.Call("", http.MethodHead, path, nil, http.StatusUnauthorized)
}

// TestOptionsNamesMethods checks that OPTIONS of each known path names its methods without a token, as a refusal does, and that an
// unknown path has none.
func TestOptionsNamesMethods(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	paths := methodsByPath()
	for _, row := range api.Rows() {
		path, _, _ := strings.Cut(w.SamplePath(row, s), "?")
		paths[path] = nil // the methods of a refusal
	}
	for _, path := range otherReads(w) {
		path, _, _ = strings.Cut(path, "?")
		paths[path] = []string{"GET", "HEAD", "OPTIONS"}
	}
	paths["/account/sign-in"] = []string{"GET", "HEAD", "OPTIONS", "POST"}
	paths["/account/device"] = paths["/account/sign-in"]
	paths["/oauth/token"] = []string{"OPTIONS", "POST"}
	paths["/account/identified"] = []string{"GET", "OPTIONS"}
	for path, want := range paths {
		a := w.Call("", http.MethodOptions, path, nil, http.StatusNoContent)
		refused := w.Send("", http.MethodTrace, path, nil)
		if path != "/healthz" && path != "/readyz" && a.Header.Get("X-Request-Id") == "" {
			t.Errorf("OPTIONS %s has no request id", path)
		}
		if got := allowedMethods(a); want != nil && !slices.Equal(got, want) || !slices.Equal(got, allowedMethods(refused)) ||
			refused.Status != http.StatusMethodNotAllowed {
			t.Errorf("OPTIONS %s: %v, want %v; TRACE %d %v", path, got, want, refused.Status, allowedMethods(refused))
		}
	}
	for _, path := range []string{"/v1", "/v1/nothing", "/nothing", "/v1/orgs/x/y/z"} {
		w.Call("", http.MethodOptions, path, nil, http.StatusNotFound)
	}
}

// TestLogNamesMethod checks that the log has the method of the request.
func TestLogNamesMethod(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	var log strings.Builder
	w.Serve(func(o *server.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.Call("admin", http.MethodHead, "/v1/user", nil, http.StatusOK)
	w.Call("", http.MethodOptions, "/v1/orgs/"+w.Org, nil, http.StatusNoContent)
	lines := strings.SplitAfter(log.String(), "\n")
	for i, want := range []string{"operation=user.get method=HEAD route=/v1/user", "method=OPTIONS route=/v1/orgs/{organizationId}"} {
		if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], " bytes=0 ") {
			t.Errorf("%s is missing in %s", want, lines[i])
		}
	}
}

const (
	listedOrigin   = "https://app.example.com"
	unlistedOrigin = "https://evil.example.com"
)

// corsHeaders returns the headers of a response that are about other origins.
func corsHeaders(header http.Header) map[string]string {
	found := map[string]string{}
	for name := range header {
		if strings.HasPrefix(name, "Access-Control-") {
			found[name] = header.Get(name)
		}
	}
	return found
}

// newCORSWorld returns a world whose server has two origins and a rate limit.
func newCORSWorld(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) {
		o.Origins, o.RateLimit = []string{"http://localhost:3000", listedOrigin}, 20
	})
	return w
}

// TestPreflights checks that a preflight of a listed origin is answered for all paths of the API without a token and is not counted,
// and that all others have no headers for other origins.
func TestPreflights(t *testing.T) {
	t.Parallel()
	w := newCORSWorld(t)
	question := []string{
		"Origin", listedOrigin, "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "authorization",
	}
	for path, methods := range methodsByPath() {
		a := w.Call("", http.MethodOptions, path, nil, http.StatusNoContent, question...)
		want := map[string]string{
			"Access-Control-Allow-Origin": listedOrigin, "Access-Control-Max-Age": "600",
			"Access-Control-Allow-Methods": strings.Join(methods, ", "),
			"Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, " +
				"Prefer, X-Request-Id, traceparent",
		}
		if diff := cmp.Diff(want, corsHeaders(a.Header)); diff != "" || a.Header.Get("Vary") != "Origin" ||
			a.Header.Get("X-Ratelimit-Limit") != "" {
			t.Errorf("%s: %v (-want +got):\n%s", path, a.Header, diff)
		}
	}
	if a := w.Call("", http.MethodOptions, "/v1/openapi.json", nil, http.StatusNoContent, question...); len(corsHeaders(a.Header)) != 4 {
		t.Errorf("/v1/openapi.json: %v", a.Header)
	}
	for _, path := range []string{"/account", "/oauth/token", "/raw/nothing", "/account/sign-in", "/healthz", "/"} {
		if a := w.Call("", http.MethodOptions, path, nil, http.StatusNoContent, question...); len(corsHeaders(a.Header)) > 0 ||
			a.Header.Get("Vary") != "" {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
	question[1] = unlistedOrigin
	a := w.Call("", http.MethodOptions, "/v1/user", nil, http.StatusNoContent, question...)
	if len(corsHeaders(a.Header)) > 0 || a.Header.Get("Vary") != "Origin" || a.Header.Get("X-Ratelimit-Limit") == "" {
		t.Errorf("of an unlisted origin: %v", a.Header)
	}
}

// TestAnswersForOrigins checks that all answers of the API, also refusals, can be read by pages of listed origins only, and vary by
// origin.
func TestAnswersForOrigins(t *testing.T) {
	t.Parallel()
	w := newCORSWorld(t)
	statuses := map[int]bool{}
	check := func(as, method, path string) {
		t.Helper()
		for _, origin := range []string{listedOrigin, "http://localhost:3000", unlistedOrigin, "null", ""} {
			a := w.Send(as, method, path, nil, "Origin", origin)
			statuses[a.Status] = true
			got := corsHeaders(a.Header)
			exposed := got["Access-Control-Expose-Headers"]
			delete(got, "Access-Control-Expose-Headers")
			want := map[string]string{}
			if origin == listedOrigin || origin == "http://localhost:3000" {
				want["Access-Control-Allow-Origin"] = origin
			}
			if !maps.Equal(got, want) || (exposed != "") != (len(want) > 0) || !slices.Contains(a.Header.Values("Vary"), "Origin") {
				t.Errorf("%s %s as %q for %q: %d %v", method, path, as, origin, a.Status, a.Header)
			}
			if exposed != "" && (!strings.Contains(exposed, "ETag, ") || !strings.Contains(exposed, "Retry-After")) {
				t.Errorf("%s %s exposes %s", method, path, exposed)
			}
		}
	}
	check("admin", http.MethodGet, "/v1/user")
	check("admin", http.MethodGet, "/v1/openapi.json")
	check("admin", http.MethodGet, "/v1/nothing")
	check("admin", http.MethodPut, "/v1/user")
	check("stranger", http.MethodGet, strings.ReplaceAll(api.TailEvents.Path, "{organizationId}", w.OtherOrg)+"?follow=false")
	for range 5 {
		check("", http.MethodGet, "/v1/user")
	}
	for _, status := range []int{200, 401, 404, 405, 429} {
		if !statuses[status] {
			t.Errorf("no answer had the status %d", status)
		}
	}
	startup := &server.StartupHandler{Origins: []string{listedOrigin}, IDs: txn.NewIDGenerator(w.Clock.Now)}
	recorder := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/user", nil)
	r.Header.Set("Origin", listedOrigin)
	if startup.ServeHTTP(recorder, r); recorder.Code != http.StatusServiceUnavailable || len(corsHeaders(recorder.Header())) != 2 {
		t.Errorf("while the store is opened: %d %v", recorder.Code, recorder.Header())
	}
	w.Serve()
	if a := w.Call("admin", http.MethodGet, "/v1/user", nil, http.StatusOK, "Origin", listedOrigin); len(corsHeaders(a.Header)) > 0 {
		t.Errorf("without origins: %v", a.Header)
	}
}
