package listen

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
)

// TestClientBehindProxies checks that only the addresses appended by trusted proxies are used, from the end of the
// header.
func TestClientBehindProxies(t *testing.T) {
	t.Parallel()
	trusted, err := ParseNetworks("198.51.100.0/24,2001:db8:f::/48")
	if err != nil {
		t.Fatal(err)
	}
	const proxy = "198.51.100.7"
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"untrusted peer":                        {"192.0.2.1", nil, "192.0.2.1"},
		"untrusted peer with a header":          {"192.0.2.1", []string{"203.0.113.9"}, "192.0.2.1"},
		"through the proxy":                     {proxy, []string{"203.0.113.9"}, "203.0.113.9"},
		"forged address through the proxy":      {proxy, []string{"10.0.0.1, 203.0.113.9"}, "203.0.113.9"},
		"forged address before trusted proxies": {proxy, []string{"10.0.0.1, 198.51.100.9, 203.0.113.9"}, "203.0.113.9"},
		"forged address in a separate header":   {proxy, []string{"10.0.0.1", "203.0.113.9"}, "203.0.113.9"},
		"through two proxies":                   {proxy, []string{"203.0.113.9, 2001:db8:f::2"}, "203.0.113.9"},
		"the proxy itself":                      {proxy, nil, proxy},
		"client in the trusted network":         {proxy, []string{"198.51.100.9"}, "198.51.100.9"},
		"IPv4 with a port":                      {proxy, []string{"203.0.113.9:4711"}, "203.0.113.9"},
		"IPv6":                                  {proxy, []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 with a port":                      {"2001:db8:f::1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		"IPv4 written as IPv6":                  {proxy, []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"unknown address":                       {proxy, []string{"203.0.113.9, unknown"}, proxy},
		"empty header":                          {proxy, []string{""}, proxy},
		"host name":                             {proxy, []string{"203.0.113.9, evil.example"}, proxy},
	} {
		header := http.Header{"X-Real-Ip": {"10.9.9.9"}, "Forwarded": {"for=10.9.9.9"}, "X-Forwarded-For": c.forwarded}
		if got := trusted.clientOf(netip.MustParseAddr(c.peer), header); got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestHandlerGetsClient checks that Client returns the address within a handler.
func TestHandlerGetsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trusted, _ := ParseNetworks("198.51.100.7")
		s := newTestServer(t, lowLimits(), trusted, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, Client(r).String())
		})
		for peer, want := range map[string]string{
			"198.51.100.7": "203.0.113.9", "198.51.100.8": "198.51.100.8", "2001:db8::1": "2001:db8::1",
		} {
			c := s.dial(peer)
			send(t, c, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n")
			if _, body := readResponse(c); body != want {
				t.Errorf("from %s: %s, want %s", peer, body, want)
			}
		}
	})
}

// incompleteRequest returns a request of a client of the proxy whose body lacks one byte.
func incompleteRequest(client string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nContent-Length: 2\r\n\r\na", client)
}

// TestUnreadBodiesThroughProxyAreLimitedPerClient checks that requests through a trusted proxy with unreceived bodies are
// counted by the client, whose limit does not affect others, until the body has arrived or is abandoned.
func TestUnreadBodiesThroughProxyAreLimitedPerClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trusted, _ := ParseNetworks("198.51.100.7")
		limits := lowLimits()
		limits.Connections = 20
		s := newTestServer(t, limits, trusted, echo)
		begin := func(client string) net.Conn {
			c := s.dial("198.51.100.7")
			send(t, c, incompleteRequest(client))
			synctest.Wait()
			return c
		}
		refused := func(who, client string, want int) {
			t.Helper()
			c := s.dial("198.51.100.7")
			send(t, c, incompleteRequest(client)+"b")
			if status, body := readResponse(c); status != want || want == http.StatusTooManyRequests && !strings.Contains(body, "bodies") {
				t.Errorf("%s: %d %s, want %d", who, status, body, want)
			}
		}
		slow := []net.Conn{begin("203.0.113.9"), begin("203.0.113.9"), begin("203.0.113.9")}
		refused("a fourth of the same client", "203.0.113.9", http.StatusTooManyRequests)
		refused("another client", "203.0.113.10", http.StatusOK)
		send(t, slow[0], "b")
		if status, body := readResponse(slow[0]); status != http.StatusOK {
			t.Errorf("the first, once it is whole: %d %s", status, body)
		}
		refused("when one has arrived", "203.0.113.9", http.StatusOK)
		begin("203.0.113.9")
		refused("when there are three again", "203.0.113.9", http.StatusTooManyRequests)
		_ = slow[1].Close()
		synctest.Wait()
		refused("when one was given up", "203.0.113.9", http.StatusOK)
		for i := range 3 {
			begin(fmt.Sprintf("2001:db8::%d", i+1))
		}
		refused("a fourth of one IPv6 network", "2001:db8::ffff", http.StatusTooManyRequests)
		refused("of the next", "2001:db8:0:1::1", http.StatusOK)
	})
}
