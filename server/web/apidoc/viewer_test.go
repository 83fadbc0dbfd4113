package apidoc_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestReferencePageLoadsOwnFilesOnly checks that the page and its files are served, that every address in the page is one of this
// server, and that its policy allows no other scripts.
func TestReferencePageLoadsOwnFilesOnly(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	page := w.Send("", http.MethodGet, "/docs", nil)
	servertest.Equal(t, "status", http.StatusOK, page.Status)
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'; script-src 'self';") || page.Header.Get("Set-Cookie") != "" {
		t.Errorf("policy %q, cookie %q", policy, page.Header.Get("Set-Cookie"))
	}
	if strings.Contains(string(page.Body), "<script>") || strings.Contains(string(page.Body), "//") {
		t.Errorf("the page has a script or an address of elsewhere:\n%s", page.Body)
	}
	files := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(page.Body), -1)
	if len(files) < 5 {
		t.Fatalf("only %d files: %s", len(files), page.Body)
	}
	for _, file := range files {
		for _, encoding := range []string{"", "gzip;q=0", "gzip", "br, zstd, gzip"} {
			a := w.Send("", http.MethodGet, "/"+strings.TrimPrefix(file[1], "/"), nil, "Accept-Encoding", encoding)
			refusesGzip := encoding == "" || encoding == "gzip;q=0"
			if a.Status != http.StatusOK || len(a.Body) < 100 || a.Header.Get("Content-Encoding") == "gzip" && refusesGzip {
				t.Errorf("%s with Accept-Encoding %q: %d, %d bytes, %v", file[1], encoding, a.Status, len(a.Body), a.Header)
			}
		}
	}
	if a := w.Send("", http.MethodGet, "/docs/index.html.bak", nil); a.Status != http.StatusNotFound {
		t.Errorf("a file that does not exist: %d", a.Status)
	}
}

// TestDocumentAsYAML checks that the YAML document has the values of the JSON document.
func TestDocumentAsYAML(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	var fromYAML, fromJSON any
	a := w.Send("", http.MethodGet, "/v1/openapi.yaml", nil)
	servertest.Equal(t, "media type", "application/yaml; charset=utf-8", a.Header.Get("Content-Type"))
	for _, in := range []struct {
		data []byte
		out  *any
	}{{a.Body, &fromYAML}, {w.Send("", http.MethodGet, "/v1/openapi.json", nil).Body, &fromJSON}} {
		if err := yaml.Unmarshal(in.data, in.out); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(fromJSON, fromYAML); d != "" {
		t.Error(d)
	}
	if strings.HasPrefix(string(a.Body), "{") {
		t.Errorf("it is in flow style: %.80s", a.Body)
	}
}
