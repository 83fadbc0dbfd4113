// Package browser opens the pages of accounts in end-to-end tests.
package browser

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	pageForm  = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)">(.*?)</form>`)
	formInput = regexp.MustCompile(`<input type="[a-z]*"[^>]*name="([^"]*)"[^>]*>`)
	formValue = regexp.MustCompile(`value="([^"]*)"`)
)

// Browser opens pages of an account. It keeps cookies and follows redirects.
type Browser struct {
	t      *testing.T
	url    string
	client *http.Client
}

// New returns a browser without cookies for the server at an address.
func New(t *testing.T, address string) Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return Browser{t, address, &http.Client{Jar: jar}}
}

// Using returns a browser that sends its requests with a client.
func (b Browser) Using(client *http.Client) Browser {
	b.client = client
	return b
}

// Open opens a page and returns its text.
func (b Browser) Open(address string) string {
	b.t.Helper()
	return b.send(http.MethodGet, address, "")
}

// Submit fills in the form of a page for an action, sends it, and returns the text of the next page.
func (b Browser) Submit(body, action, name, value string) string {
	b.t.Helper()
	for _, form := range pageForm.FindAllStringSubmatch(body, -1) {
		if form[1] != action {
			continue
		}
		fields := url.Values{}
		for _, input := range formInput.FindAllStringSubmatch(form[2], -1) {
			if given := formValue.FindStringSubmatch(input[0]); given != nil {
				fields.Set(input[1], html.UnescapeString(given[1]))
			}
		}
		fields.Set(name, value)
		return b.send(http.MethodPost, b.url+action, fields.Encode())
	}
	b.t.Fatalf("no form for %s in:\n%s", action, body)
	return ""
}

func (b Browser) send(method, address, form string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}
