package signin_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/server/servertest"
)

// browser is a browser of a person: it keeps cookies, follows no redirects, and sends the headers of forms.
type browser struct {
	t       *testing.T
	handler http.Handler
	jar     http.CookieJar
	address string // of the computer
}

// page is an answer to a browser.
type page struct {
	status int
	header http.Header
	body   string
}

const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func newBrowser(w *servertest.World) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return &browser{t: w.T, handler: w.Handler, jar: jar, address: "192.0.2.7:4000"}
}

// send sends a request with the cookies of the browser and keeps those of the answer.
func (b *browser) send(method, target string, form url.Values, header http.Header) page {
	b.t.Helper()
	address, err := url.Parse(servertest.PublicURL + target)
	if err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.t.Context(), method, address.String(), strings.NewReader(form.Encode()))
	r.RemoteAddr = b.address
	r.Header.Set("User-Agent", userAgent)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range b.jar.Cookies(address) {
		r.AddCookie(c)
	}
	for name := range header {
		r.Header.Set(name, header.Get(name))
	}
	answer := httptest.NewRecorder()
	b.handler.ServeHTTP(answer, r)
	b.jar.SetCookies(address, answer.Result().Cookies())
	return page{status: answer.Code, header: answer.Header(), body: answer.Body.String()}
}

func (b *browser) get(target string) page {
	b.t.Helper()
	return b.send(http.MethodGet, target, nil, nil)
}

var sameOrigin = http.Header{"Origin": {servertest.PublicURL}, "Sec-Fetch-Site": {"same-origin"}}

var (
	formElement  = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)">(.*?)</form>`)
	inputElement = regexp.MustCompile(`<input type="[a-z]*"[^>]*name="([^"]*)"[^>]*>`)
	valueOfInput = regexp.MustCompile(`value="([^"]*)"`)
)

// form returns the fields of the first form of a page that is sent to an address.
func (p page) form(t *testing.T, action string) url.Values {
	t.Helper()
	for _, f := range formElement.FindAllStringSubmatch(p.body, -1) {
		if f[1] != action {
			continue
		}
		fields := url.Values{}
		for _, input := range inputElement.FindAllStringSubmatch(f[2], -1) {
			if value := valueOfInput.FindStringSubmatch(input[0]); value != nil {
				fields.Set(input[1], html.UnescapeString(value[1]))
			}
		}
		return fields
	}
	t.Fatalf("no form for %s in:\n%s", action, p.body)
	return nil
}

// submit sends the form of a page with further values.
func (b *browser) submit(p page, action string, values ...string) page {
	b.t.Helper()
	fields := p.form(b.t, action)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.send(http.MethodPost, action, fields, sameOrigin)
}

// signIn signs in with the token of a person of the world.
func (b *browser) signIn(token string) {
	b.t.Helper()
	p := b.submit(b.get("/account/sign-in"), "/account/sign-in", "token", token)
	p.wantRedirect(b.t, "/account")
}

// wantRedirect checks that a page leads to an address.
func (p page) wantRedirect(t *testing.T, to string) {
	t.Helper()
	if p.status != http.StatusSeeOther || p.header.Get("Location") != to {
		t.Fatalf("status %d, leads to %q, want %s\n%s", p.status, p.header.Get("Location"), to, p.body)
	}
}

// want checks the status and a part of the text of a page.
func (p page) want(t *testing.T, status int, text string) {
	t.Helper()
	if p.status != status || !strings.Contains(html.UnescapeString(p.body), text) {
		t.Fatalf("status %d, want %d with %q:\n%s", p.status, status, text, p.body)
	}
}

// sessionCookie is the cookie with the session.
const sessionCookie = "__Host-wsd_session"

// session returns the session in the cookie of the browser.
func (b *browser) session() string {
	address, _ := url.Parse(servertest.PublicURL) // a constant
	for _, c := range b.jar.Cookies(address) {
		if c.Name == sessionCookie {
			return c.Value
		}
	}
	return ""
}

// setSession gives the browser a session that the server has not sent.
func (b *browser) setSession(value string) {
	address, _ := url.Parse(servertest.PublicURL) // a constant
	b.jar.SetCookies(address, []*http.Cookie{{Name: sessionCookie, Value: value, Path: "/", Secure: true}})
}

// signInCookie returns the cookie of the sign-in by a provider that is under way.
func (b *browser) signInCookie() *http.Cookie {
	b.t.Helper()
	address, _ := url.Parse(servertest.PublicURL) // a constant
	for _, c := range b.jar.Cookies(address) {
		if c.Name == "__Host-wsd_sign_in" {
			return c
		}
	}
	b.t.Fatal("the browser has no sign-in under way")
	return nil
}

// setCookie gives the browser a cookie of another one.
func (b *browser) setCookie(c *http.Cookie) {
	address, _ := url.Parse(servertest.PublicURL) // a constant
	b.jar.SetCookies(address, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/", Secure: true}})
}

// client is a program that signs in with OAuth 2.0.
type client struct{ *browser }

func newClient(w *servertest.World) client {
	b := newBrowser(w)
	b.address = "198.51.100.9:5000"
	return client{b}
}

// secrets is the answer to a client.
type secrets struct {
	Access       string `json:"access_token"`
	Refresh      string `json:"refresh_token"`
	ExpiresIn    int    `json:"expires_in"`
	Scope        string `json:"scope"`
	Organization string `json:"organization"`
	Error        string `json:"error"`

	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Complete   string `json:"verification_uri_complete"`
}

// post sends a form of a client, whose values are pairs of name and value.
func (c client) post(target string, values ...string) (status int, s secrets) {
	c.t.Helper()
	form := url.Values{"client_id": {"wsctl"}}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	p := c.send(http.MethodPost, target, form, nil)
	if err := json.Unmarshal([]byte(p.body), &s); err != nil {
		c.t.Fatalf("POST %s: status %d: %v\n%s", target, p.status, err, p.body)
	}
	return p.status, s
}

// wantError checks that a client is refused with an error.
func (c client) wantError(want, target string, values ...string) {
	c.t.Helper()
	status, s := c.post(target, values...)
	if status < http.StatusBadRequest || s.Error != want || s.Access != "" {
		c.t.Fatalf("POST %s: status %d, error %q, want %q", target, status, s.Error, want)
	}
}

// renew renews a login.
func (c client) renew(refresh string) secrets {
	c.t.Helper()
	status, s := c.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", refresh)
	if status != http.StatusOK {
		c.t.Fatalf("renew: status %d, error %q", status, s.Error)
	}
	return s
}
