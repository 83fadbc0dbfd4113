package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// corsPage is a page that reads and changes the user of a token through the API at an address, and shows what it could read.
const corsPage = `<!doctype html><meta charset="utf-8"><body>waiting<script>
const send = (path, method, token, headers, body) =>
	fetch(%q + path, {method, body, headers: {Authorization: "Bearer " + token, ...headers}});
const run = async () => {
	const read = await send("/v1/user", "GET", %q), user = await read.json(), tag = read.headers.get("ETag");
	const changed = await send("/v1/users/" + user.id, "PATCH", %[2]q, {"If-Match": tag, "Content-Type": "application/json"},
		JSON.stringify({displayName: user.displayName}));
	const refused = await send("/v1/user", "GET", "wrong"), error = await refused.json();
	const isTraced = error.error.requestId === refused.headers.get("X-Request-Id");
	return "read " + read.status + " " + (tag ? "with a tag" : "") + ", changed " + changed.status +
		", refused " + refused.status + " " + isTraced;
};
run().then(text => document.body.textContent = text, error => document.body.textContent = "failed: " + error.name);
</script>`

// TestPagesOfOtherOrigins checks in a browser that a page of a listed origin uses the API with a token and reads the headers of answers,
// and that one of another origin reads nothing.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	var server demo
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, corsPage, server.URL, server.Token)
	})
	listed, unlisted := httptest.NewServer(page), httptest.NewServer(page)
	t.Cleanup(listed.Close)
	t.Cleanup(unlisted.Close)
	var stop func() error
	var err error
	server, stop, err = startDemo(binary(t, "wsd"), "--cors-origins", "https://app.example.com,"+listed.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	b := c.newTab()
	b.open(listed.URL)
	b.awaitText("read 200 with a tag, changed 200, refused 401 true")
	b.open(unlisted.URL)
	b.awaitText("failed: TypeError")
}
