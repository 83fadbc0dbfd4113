package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// newLocalClient returns a client that may connect to the loopback network.
func newLocalClient(opts Options) *Client {
	opts.Allow = append(opts.Allow, netip.MustParsePrefix("127.0.0.0/8"))
	return New(opts)
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error is %v (%T), want *Error with reason %q", err, err, want)
	}
	if failure.Reason != want {
		t.Fatalf("reason is %q (%v, beneath it %v), want %q", failure.Reason, failure, failure.Err, want)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		address string
		public  bool
	}{
		{"93.184.216.34:443", true},
		{"93.184.216.34:80", true},
		{"[2606:2800:220:1:248:1893:25c8:1946]:443", true},
		{"93.184.216.34:22", false},
		{"93.184.216.34:6379", false},
		{"127.0.0.1:80", false},
		{"127.8.9.10:443", false},
		{"[::1]:80", false},
		{"[::]:80", false},
		{"[::ffff:127.0.0.1]:80", false},
		{"[::ffff:10.0.0.1]:80", false},
		{"0.0.0.0:80", false},
		{"10.1.2.3:80", false},
		{"172.16.0.1:80", false},
		{"192.168.1.1:80", false},
		{"100.64.0.1:80", false},
		{"169.254.169.254:80", false},
		{"[fe80::1]:80", false},
		{"[fd00::1]:80", false},
		{"[64:ff9b::7f00:1]:80", false},
		{"[2002:7f00:1::]:80", false},
		{"[2001:db8::1]:80", false},
		{"224.0.0.1:80", false},
		{"[ff02::1]:80", false},
		{"198.18.0.1:80", false},
		{"255.255.255.255:80", false},
		{"240.0.0.1:80", false},
		{"192.0.2.1:80", false},
		{"localhost:80", false},
	}
	g := newGuard(nil)
	for _, test := range tests {
		for _, network := range []string{"tcp", networkOf(test.address)} {
			if err := g.check(network, test.address); (err == nil) != test.public {
				t.Errorf("check(%s, %s) = %v, want public %t", network, test.address, err, test.public)
			}
		}
	}
	if err := g.check("udp4", "93.184.216.34:443"); err == nil {
		t.Error("a datagram socket passed")
	}
}

func networkOf(address string) string {
	if strings.HasPrefix(address, "[") {
		return "tcp6"
	}
	return "tcp4"
}

func TestGuardAllows(t *testing.T) {
	t.Parallel()
	allow, err := ParseAllow("10.0.0.0/8, fd00::/8")
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(allow)
	for address, want := range map[string]bool{
		"10.1.2.3:6379":         true,
		"[fd00::1]:8080":        true,
		"[fd00::1%eth0]:8080":   true,
		"[::ffff:10.1.2.3]:22":  true,
		"11.1.2.3:8080":         false,
		"127.0.0.1:80":          false,
		"[::ffff:127.0.0.1]:80": false,
	} {
		if err := g.check("tcp", address); (err == nil) != want {
			t.Errorf("check(%s) = %v, want allowed %t", address, err, want)
		}
	}
}

func TestParseAllow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		list, want string // want is the list of prefixes joined by spaces, or "error"
	}{
		{"", ""},
		{" , ", ""},
		{"loopback", "127.0.0.0/8 ::1/128"},
		{"127.0.0.0/8,::1/128", "127.0.0.0/8 ::1/128"},
		{"10.1.2.3/8", "10.0.0.0/8"},
		{"192.168.1.7", "192.168.1.7/32"},
		{"::ffff:192.168.1.7", "192.168.1.7/32"},
		{"fd00::1", "fd00::1/128"},
		{"example.org", "error"},
		{"10.0.0.0/33", "error"},
	}
	for _, test := range tests {
		prefixes, err := ParseAllow(test.list)
		var texts []string
		for _, prefix := range prefixes {
			texts = append(texts, prefix.String())
		}
		got := strings.Join(texts, " ")
		if err != nil {
			got = "error"
		}
		if got != test.want {
			t.Errorf("ParseAllow(%q) = %q, want %q", test.list, got, test.want)
		}
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("it sent Cookie %q and Referer %q", r.Header.Get("Cookie"), r.Header.Get("Referer"))
		}
		if r.URL.Path == "/from" {
			w.Header().Set("Set-Cookie", "a=b")
			http.Redirect(w, r, "/to", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=latin1")
		if r.UserAgent() != "tester" {
			t.Errorf("it calls itself %q", r.UserAgent())
		}
		_, _ = io.WriteString(w, "body")
	})
	resp, err := newLocalClient(Options{UserAgent: "tester"}).Get(t.Context(), url+"/from")
	if err != nil {
		t.Fatal(err)
	}
	if resp.URL != url+"/to" || string(resp.Body) != "body" || resp.ContentType != "text/plain; charset=latin1" || resp.Status != 200 {
		t.Errorf("got %+v with body %q", resp, resp.Body)
	}
}

func TestGetRejectsUnsupportedURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "//example.org/", "http://", "example.org",
		"http://user:pass@example.org/", "http://[::1", "http:///path", "javascript:alert(1)",
	} {
		_, err := New(Options{}).Get(t.Context(), url)
		wantReason(t, err, Unsupported)
		if strings.Contains(err.Error(), "pass@") {
			t.Errorf("%q: the error tells the password: %v", url, err)
		}
	}
}

func TestGetRejectsPrivateAddress(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	url := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	for _, target := range []string{
		url, strings.Replace(url, "127.0.0.1", "localhost", 1), strings.Replace(url, "127.0.0.1", "2130706433", 1),
	} {
		_, err := New(Options{Timeout: 5 * time.Second}).Get(t.Context(), target)
		var failure *Error
		if !errors.As(err, &failure) || (failure.Reason != Blocked && failure.Reason != Unreachable) {
			t.Errorf("%s: got %v, want blocked", target, err)
		}
	}
	if reached.Load() {
		t.Error("a private address was reached")
	}
}

func TestErrorOmitsResolvedAddress(t *testing.T) {
	t.Parallel()
	c := New(Options{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.9.8.7")}, nil
	}})
	_, err := c.Get(t.Context(), "http://intranet.example/")
	wantReason(t, err, Blocked)
	if text := err.Error(); strings.Contains(text, "10.9.8.7") || !strings.Contains(text, "intranet.example") {
		t.Errorf("the error is %q, want the host and not its address", text)
	}
}

// TestDNSRebinding checks that only the first connection is opened if a resolver returns a public address first and a private
// one later.
func TestDNSRebinding(t *testing.T) {
	t.Parallel()
	var served, lookups atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	backend := strings.TrimPrefix(url, "http://")
	c := New(Options{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	c.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "93.184.216.34:80" {
			t.Errorf("it connects to %s", address)
		}
		return (&net.Dialer{}).DialContext(ctx, network, backend)
	}
	_, err := c.Get(t.Context(), "http://rebind.example/")
	wantReason(t, err, Blocked)
	if served.Load() != 1 || lookups.Load() != 2 {
		t.Errorf("served %d requests after %d look-ups, want 1 and 2", served.Load(), lookups.Load())
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var secret atomic.Bool
	private := serve(t, func(http.ResponseWriter, *http.Request) { secret.Store(true) })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loopback":
			http.Redirect(w, r, private, http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/credentials":
			http.Redirect(w, r, "http://a:b@example.org/", http.StatusFound)
		default:
			http.Redirect(w, r, "/"+strings.Repeat("x", len(r.URL.Path)), http.StatusFound)
		}
	})
	// Only the address of the front server, used in place of a public one, is allowed.
	c := New(Options{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}})
	guarded := c.connect
	c.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "93.184.216.34:80" {
			return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(url, "http://"))
		}
		return guarded(ctx, network, address)
	}
	for path, want := range map[string]Reason{
		"/loopback": Blocked, "/file": Unsupported, "/credentials": Unsupported, "/x": Redirects,
	} {
		_, err := c.Get(t.Context(), "http://public.example"+path)
		wantReason(t, err, want)
	}
	if secret.Load() {
		t.Error("a redirect led to loopback")
	}
}

func TestRedirectLimit(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) > MaxRedirects {
			return
		}
		http.Redirect(w, r, "/"+strings.Repeat("x", len(r.URL.Path)), http.StatusFound)
	})
	if _, err := newLocalClient(Options{}).Get(t.Context(), url+"/"); err != nil {
		t.Errorf("%d redirects: %v", MaxRedirects, err)
	}
}

func TestErrorReportsStatus(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	_, err := newLocalClient(Options{}).Get(t.Context(), url)
	wantReason(t, err, Status)
	if failure, _ := errors.AsType[*Error](err); failure.Status != http.StatusTeapot {
		t.Errorf("status is %d", failure.Status)
	}
}

// TestGetChanged checks that a current ETag results in status 304, also after a redirect. Without an ETag, 304 is an
// error.
func TestGetChanged(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.Header().Set("Etag", `"now"`)
		if r.URL.Path == "/odd" || r.Header.Get("If-None-Match") == `"now"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "body")
	})
	c := newLocalClient(Options{})
	for _, path := range []string{"/", "/moved"} {
		for etag, want := range map[string]string{"": "200 body", `"then"`: "200 body", `"now"`: "304 "} {
			r, err := c.GetChanged(t.Context(), url+path, 100, etag)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%d %s", r.Status, r.Body); got != want || r.Header.Get("Etag") != `"now"` {
				t.Errorf("%s with the ETag %s: %s with %v, want %s", path, etag, got, r.Header, want)
			}
		}
	}
	_, err := c.GetUpTo(t.Context(), url+"/odd", 100)
	wantReason(t, err, Status)
}

func TestGetLimitsBody(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	if _, err := packer.Write(make([]byte, 8<<20)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 4<<10)); err != nil {
					return
				}
			}
		default:
			_, _ = w.Write(make([]byte, 1000))
		}
	})
	c := newLocalClient(Options{MaxBytes: 1000})
	for _, path := range []string{"/bomb", "/endless"} {
		_, err := c.Get(t.Context(), url+path)
		wantReason(t, err, TooLarge)
	}
	if resp, err := c.Get(t.Context(), url); err != nil || len(resp.Body) != 1000 {
		t.Errorf("a body of exactly the limit: %v", err)
	}
	_, err := c.GetUpTo(t.Context(), url, 999)
	wantReason(t, err, TooLarge)
}

// TestGetRejectsIncompleteBody checks that a body that ends early is an error, whatever its encoding.
func TestGetRejectsIncompleteBody(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if _, err := io.WriteString(packer, "The text of a page."); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes()[:packed.Len()-9])
			return
		case "/length":
			w.Header().Set("Content-Length", "100")
		}
		_, _ = io.WriteString(w, "The text")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // closes the connection
	})
	for _, path := range []string{"/gzip", "/length", "/chunks"} {
		if resp, err := newLocalClient(Options{}).Get(t.Context(), url+path); err == nil {
			t.Errorf("%s: incomplete body %q is accepted", path, resp.Body)
		} else {
			wantReason(t, err, Unreachable)
		}
	}
}

func TestSlowBodyEndsAtTimeoutOrCancel(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	begun := make(chan struct{}, 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "a")
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	_, err := newLocalClient(Options{Timeout: 50 * time.Millisecond}).Get(t.Context(), url)
	wantReason(t, err, Timeout)
	<-begun

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err = newLocalClient(Options{}).Get(ctx, url)
	wantReason(t, err, Canceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
}

func TestGetUnreachableHost(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	_, err := newLocalClient(Options{}).Get(t.Context(), url)
	wantReason(t, err, Unreachable)

	nobody := New(Options{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}})
	_, err = nobody.Get(t.Context(), "http://nobody.example/")
	wantReason(t, err, Unreachable)
}

// TestProxyFromEnvironmentIsIgnored checks that the environment cannot set a proxy, which would bypass all checks.
func TestProxyFromEnvironmentIsIgnored(t *testing.T) {
	proxied := make(chan string, 1)
	proxy := serve(t, func(_ http.ResponseWriter, r *http.Request) { proxied <- r.URL.String() })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	c := New(Options{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("offline") }})
	_, err := c.Get(t.Context(), "http://public.example/")
	wantReason(t, err, Unreachable)
	select {
	case url := <-proxied:
		t.Errorf("the proxy was asked for %s", url)
	default:
	}
}
