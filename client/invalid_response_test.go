package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// TestInvalidResponses checks that an answer that wsd does not give is never a success, a refusal or a server that cannot be
// reached, and that a write stays open if the program that answered may have passed it on.
func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	page, text := http.Header{"Content-Type": {"text/html; charset=utf-8"}}, http.Header{"Content-Type": {"text/plain"}}
	untyped, malformed := http.Header{"Content-Type": nil}, http.Header{"Content-Type": {"/"}}
	sso := http.Header{"Location": {"https://sso.example/in?state=secret"}}
	other := http.Header{"Location": {"https://u:secret@x.example/"}}
	for name, test := range map[string]struct {
		step    step
		says    string
		unknown bool // the outcome of a write
	}{
		"login page":         {step{status: 200, body: "<html>Log in</html>", header: page}, "(200, an HTML page)", true},
		"page not found":     {step{status: 404, body: "<html>no</html>", header: page}, "(404, an HTML page)", false},
		"page forbidden":     {step{status: 403, body: "<html>no</html>", header: page}, "(403, an HTML page)", false},
		"failure page":       {step{status: 500, body: "<html>no</html>", header: page}, "(500, an HTML page)", true},
		"empty success":      {step{status: 200}, "(200, an empty answer)", true},
		"empty creation":     {step{status: 201}, "(201, an empty answer)", true},
		"no content":         {step{status: 204}, "(204, an empty answer)", true},
		"empty refusal":      {step{status: 405}, "(405, an empty answer)", false},
		"text":               {step{status: 200, body: "welcome", header: text}, "text/plain instead of JSON", true},
		"text without type":  {step{status: 200, body: "welcome", header: untyped}, "text/plain instead of JSON", true},
		"malformed type":     {step{status: 200, body: "welcome", header: malformed}, "an unknown type instead of JSON", true},
		"other JSON":         {step{status: 200, body: `{"up":true}`}, "(200, JSON of another program)", true},
		"JSON array":         {step{status: 200, body: `[]`}, "(200, JSON of another program)", true},
		"half of the JSON":   {step{status: 200, body: `{"id":`}, "JSON that ends early", true},
		"refusal in JSON":    {step{status: 400, body: `{"error":"no"}`}, "(400, JSON of another program)", false},
		"proxy login":        {step{status: 407}, "a proxy on the way to http://127.0.0.1", false},
		"redirect":           {step{status: 302, header: sso}, "(302, a redirect to https://sso.example/in)", false},
		"redirect elsewhere": {step{status: 301, header: other}, "(301, a redirect to https://u:xxxxx@x.example/)", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, test.step, test.step)
			c := client.New(s.URL)
			_, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
			checkInvalidResponse(t, err, test.says, false)
			_, err = c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"})
			checkInvalidResponse(t, err, test.says, test.unknown)
		})
	}
}

// checkInvalidResponse fails the test unless err is an InvalidResponseError with the text says, which leaves a write open if
// unknown is set.
func checkInvalidResponse(t *testing.T, err error, says string, unknown bool) {
	t.Helper()
	invalid, ok := errors.AsType[*client.InvalidResponseError](err)
	if !ok || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "/v1") {
		t.Fatalf("the error is %v, want %s", err, says)
	}
	if invalid.IsWebPage() != strings.Contains(says, "HTML page") {
		t.Errorf("web page: %t", invalid.IsWebPage())
	}
	if _, refused := api.AsError(err); refused {
		t.Errorf("%v is a refusal of wsd", err)
	}
	if _, open := errors.AsType[*client.UnknownOutcomeError](err); open != unknown {
		t.Errorf("the outcome is unknown: %t, want %t", open, unknown)
	}
}

// TestInvalidResponseToDelete checks that a delete, whose answer has no body, is not taken for done if there is one, and that
// a dry run of it may have one.
func TestInvalidResponseToDelete(t *testing.T) {
	t.Parallel()
	ok := step{status: 200, body: `{"ok":true}`}
	c := client.New(serve(t, ok, step{status: 205}, ok).URL)
	in := api.SpaceRef{Space: "spc_1"}
	checkInvalidResponse(t, c.Spaces.Delete(t.Context(), in), "(200, JSON of another program)", true)
	if err := c.Spaces.Delete(t.Context(), in); err != nil {
		t.Error(err)
	}
	if err := c.Spaces.Delete(t.Context(), in, client.DryRun()); err != nil {
		t.Error(err)
	}
}

// TestEmptyTextIsAnAnswer checks that an empty patch, which says that nothing differs, is an answer of wsd.
func TestEmptyTextIsAnAnswer(t *testing.T) {
	t.Parallel()
	c := client.New(serve(t, step{status: 200, header: http.Header{"Content-Type": {api.MediaPatch + "; charset=utf-8"}}}).URL)
	diff, err := c.Revisions.Diff(t.Context(), api.RevisionDiffInput{RevisionRef: api.RevisionRef{Space: "s", Revision: "r"}})
	if err != nil || diff.Patch != "" {
		t.Errorf("%+v, %v", diff, err)
	}
}

// TestInvalidList checks that JSON without items is not taken for an empty list.
func TestInvalidList(t *testing.T) {
	t.Parallel()
	c := client.New(serve(t, step{status: 200, body: `{"count":0}`}).URL)
	_, err := c.Organizations.List(t.Context(), api.ListOrganizationsInput{})
	checkInvalidResponse(t, err, "(200, JSON of another program)", false)
}

// TestGatewayAnswersAreRetried checks that a gateway, which says that wsd does not answer now, is asked again and named.
func TestGatewayAnswersAreRetried(t *testing.T) {
	t.Parallel()
	for status, text := range map[int]string{429: "429 Too Many Requests", 502: "502 Bad Gateway", 503: "503 Service", 504: "504 Gateway"} {
		away := step{status: status, body: "<html>"}
		s := serve(t, away, away)
		_, err := client.New(s.URL, client.WithRetries(1), client.WithSleep((&fakeSleeper{}).sleep)).Spaces.Get(t.Context(),
			api.GetSpaceInput{Space: "spc_1"})
		refused, ok := api.AsError(err)
		if !ok || refused.Code != status || !strings.HasPrefix(refused.Message, s.URL+" answers "+text) || len(s.requests()) != 2 {
			t.Errorf("%d: %v after %d requests", status, err, len(s.requests()))
		}
	}
}

// TestInvalidConnections checks that a server without TLS, without HTTP or with a certificate that is not accepted is not
// reported as one that cannot be reached, and is not asked again.
func TestInvalidConnections(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it does not complete the handshakes
	secure.StartTLS()
	t.Cleanup(secure.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	wrongName := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "other.test"}}}
	for name, test := range map[string]struct {
		address, says string
		http          *http.Client
	}{
		"no TLS":               {strings.Replace(plain.URL, "http:", "https:", 1), "answers, but without TLS", &http.Client{}},
		"no HTTP":              {"http://" + serveLine(t, "-ERR unknown command 'GET'\r\n"), "answers, but not with HTTP", &http.Client{}},
		"untrusted authority":  {secure.URL, "from an authority that this computer does not trust", &http.Client{}},
		"certificate of other": {secure.URL, "is for other names: example.com, *.example.com, 127.0.0.1, ::1", wrongName},
		"HTTP to TLS":          {strings.Replace(secure.URL, "https:", "http:", 1), "(400, text/plain instead of JSON)", &http.Client{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &fakeSleeper{}
			c := client.New(test.address, client.WithHTTPClient(test.http), client.WithSleep(n.sleep))
			_, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.address) || len(n.waits) > 0 {
				t.Errorf("%v after %d waits, want %s", err, len(n.waits), test.says)
			}
			if _, unreachable := errors.AsType[*client.TransportError](err); unreachable {
				t.Error("it is reported as unreachable")
			}
		})
	}
}

// serveLine answers each connection with a line, and returns the address.
func serveLine(t *testing.T, line string) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // closed twice does no harm
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10)) // the request does not matter
			_, _ = io.WriteString(conn, line)     // an error shows in the client
			_ = conn.Close()                      // ends the answer
		}
	}()
	return listener.Addr().String()
}

// TestProxyAsksForPassword checks that a proxy that wants a password is reported as such, also on the way to a server with
// TLS, where net/http has only a text.
func TestProxyAsksForPassword(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"http://wsd.test", "https://wsd.test"} {
		h := client.NewHTTPClient()
		transport, ok := h.Transport.(*http.Transport)
		if !ok {
			t.Fatalf("the transport is %T", h.Transport)
		}
		transport.Proxy = http.ProxyURL(request.URL)
		_, err := client.New(server, client.WithHTTPClient(h)).Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
		checkInvalidResponse(t, err, "a proxy on the way to "+server+" asks for a password (407)", false)
	}
}
