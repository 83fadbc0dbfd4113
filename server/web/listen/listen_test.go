package listen

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docspace.dev/wsd/server/core/budgets"
)

// pipeListener is a listener whose connections are pipes, for use with synctest.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	close(p.closed)
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// fakeConn is a connection with a given remote address.
type fakeConn struct {
	net.Conn
	address net.Addr
}

func (c fakeConn) RemoteAddr() net.Addr { return c.address }

// testServer is a server on pipes in a synctest bubble.
type testServer struct {
	t     *testing.T
	pipes *pipeListener
	log   strings.Builder
}

func newTestServer(t *testing.T, limits Limits, trusted Networks, handler http.HandlerFunc) *testServer {
	t.Helper()
	s := &testServer{t: t, pipes: &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}}
	server := New(handler, limits, trusted, slog.New(slog.NewTextHandler(&s.log, nil)))
	ended := make(chan error)
	go func() { ended <- server.Serve(s.pipes) }()
	t.Cleanup(func() {
		if err := server.http.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second) // in which net/http closes connections whose body it did not read
	})
	return s
}

// dial connects from an address.
func (s *testServer) dial(address string) net.Conn {
	s.t.Helper()
	at := netip.MustParseAddr(address)
	client, server := net.Pipe()
	s.pipes.conns <- fakeConn{server, net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 1))}
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

// readResponse reads a response. The status is 0 if the connection ends without one.
func readResponse(c net.Conn) (status int, body string) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err.Error()
	}
	data, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return response.StatusCode, string(data)
}

func defaultLimits() Limits { return LimitsOf(budgets.Defaults()) }

func echo(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusRequestTimeout)
		_, _ = io.WriteString(w, err.Error())
		return
	}
	_, _ = fmt.Fprintf(w, "%d bytes", len(data))
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Error(err)
	}
}

const getRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func TestLateHeadersAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, defaultLimits(), nil, echo)
		for text, want := range map[string]int{"GET / HTTP/1.1\r\nHost:": http.StatusRequestTimeout, "": 0} {
			c, start := s.dial("192.0.2.1"), time.Now()
			send(t, c, text)
			status, body := readResponse(c)
			if took := time.Since(start); status != want || took < 10*time.Second || took > 12*time.Second || want > 0 &&
				!strings.Contains(body, "too_slow") {
				t.Errorf("%q: %d %s after %s", text, status, body, took)
			}
		}
		c := s.dial("192.0.2.1") // a header that takes 9 s
		send(t, c, "GET / HTTP/1.1\r\n")
		time.Sleep(9 * time.Second)
		send(t, c, "Host: x\r\n\r\n")
		if status, body := readResponse(c); status != http.StatusOK {
			t.Errorf("a header in time: %d %s", status, body)
		}
	})
}

func TestTooManyHeadersAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, defaultLimits(), nil, echo)
		for name, c := range map[string]struct {
			headers string
			status  int
		}{
			"100":                  {strings.Repeat("X-A: b\r\n", 99), http.StatusOK},
			"101":                  {strings.Repeat("X-A: b\r\n", 100), http.StatusRequestHeaderFieldsTooLarge},
			"headers below 64 KiB": {"X-A: " + strings.Repeat("b", 64<<10-100) + "\r\n", http.StatusOK},
			"64 KiB":               {"X-A: " + strings.Repeat("b", 64<<10) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
			"1 MiB":                {"X-A: " + strings.Repeat("b", 1<<20) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
		} {
			conn := s.dial("192.0.2.1")
			go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n"+c.headers+"\r\n") }()
			if status, body := readResponse(conn); status != c.status {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
	})
}

// upload sends a request with a body in parts, with a pause before each. It stops at the first error.
func upload(c net.Conn, parts, size int, pause time.Duration) {
	_, _ = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", parts*size)
	for range parts {
		time.Sleep(pause)
		if _, err := io.WriteString(c, strings.Repeat("b", size)); err != nil {
			return
		}
	}
}

// TestSlowBodiesAreRefused checks that a body may take an hour if it keeps arriving, that a trickling one is refused,
// and that time in which the handler does not read does not count.
func TestSlowBodiesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parts, size int
		pause, idle time.Duration
		status      int
		atMost      time.Duration
	}{
		"1 KiB/s for 13 minutes":   {800, 1200, time.Second, 0, http.StatusOK, 14 * time.Minute},
		"10 KiB every 9 s":         {100, 10 << 10, 9 * time.Second, 0, http.StatusOK, time.Hour},
		"small body in time":       {1, 100, 8 * time.Second, 0, http.StatusOK, 9 * time.Second},
		"100 bytes a second":       {1000, 100, time.Second, 0, http.StatusRequestTimeout, 11 * time.Second},
		"stalled body":             {2, 20 << 10, 30 * time.Second, 0, http.StatusRequestTimeout, 11 * time.Second},
		"3 MiB, 80 KiB a second":   {48, 80 << 10, time.Second, 0, http.StatusOK, time.Minute},
		"3 MiB, 32 KiB a second":   {96, 32 << 10, time.Second, 0, http.StatusRequestTimeout, 25 * time.Second},
		"3 MiB that stalls":        {3, 1 << 20, 8 * time.Second, 0, http.StatusOK, 25 * time.Second},
		"body not read by handler": {10, 1 << 10, time.Second, time.Hour, http.StatusOK, time.Hour + time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newTestServer(t, defaultLimits(), nil, func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(c.idle)
					_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
					echo(w, r)
				})
				conn, start := s.dial("192.0.2.1"), time.Now()
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					upload(conn, c.parts, c.size, c.pause)
				}()
				status, body := readResponse(conn)
				if took := time.Since(start); status != c.status || took > c.atMost {
					t.Errorf("%d after %s: %s", status, took, body)
				}
				_ = conn.Close()
				<-sent
			})
		})
	}
}

// TestUnreadBodyDoesNotHoldConnection checks that the part of a body that a handler leaves unread has one BodyTime to
// arrive.
func TestUnreadBodyDoesNotHoldConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, defaultLimits(), nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		c, start := s.dial("192.0.2.1"), time.Now()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			upload(c, 100, 10, time.Second)
		}()
		if status, body := readResponse(c); status != http.StatusUnauthorized {
			t.Errorf("%d %s", status, body)
		}
		_, _ = io.Copy(io.Discard, c) // to its end
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("the connection was held for %s", took)
		}
		<-sent
	})
}

// lowLimits returns low limits.
func lowLimits() Limits {
	l := defaultLimits()
	l.Connections, l.PerAddress, l.Unread = 12, 6, 3
	return l
}

// TestConnectionsAreLimited checks the limits in total and per address, that only unreceived requests count as
// unread, that trusted proxies have the total limit only, and that refusals are logged once.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		trusted, err := ParseNetworks("198.51.100.0/24")
		if err != nil {
			t.Fatal(err)
		}
		s := newTestServer(t, lowLimits(), trusted, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		refused := func(address string, want int) {
			t.Helper()
			c := s.dial(address)
			if status, body := readResponse(c); status != want {
				t.Errorf("from %s: %d %s, want %d", address, status, body, want)
			}
		}
		for range 3 { // being answered: not counted as unread
			send(t, s.dial("192.0.2.1"), getRequest)
		}
		synctest.Wait()
		var open []net.Conn
		for range 3 {
			open = append(open, s.dial("192.0.2.1"))
		}
		synctest.Wait()
		refused("192.0.2.1", http.StatusTooManyRequests) // all six
		_ = open[0].Close()
		synctest.Wait()
		send(t, s.dial("192.0.2.1"), getRequest) // the address is below its limit again
		for range 3 {
			s.dial("2001:db8::1")
		}
		synctest.Wait()
		refused("2001:db8::ffff", http.StatusTooManyRequests) // three unread connections of one network
		if n := strings.Count(s.log.String(), "\n"); n != 1 {
			t.Errorf("the log has %d lines about refused connections:\n%s", n, s.log.String())
		}
		for range 3 {
			s.dial("198.51.100.7")
		}
		synctest.Wait()
		refused("203.0.113.1", http.StatusServiceUnavailable) // twelve in total
		close(release)
	})
}

// TestTrustedNetworksHaveNoAddressLimit checks that a trusted network is not limited per address.
func TestTrustedNetworksHaveNoAddressLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trusted, _ := ParseNetworks("198.51.100.0/24")
		s := newTestServer(t, lowLimits(), trusted, echo)
		for range 11 {
			s.dial("198.51.100.7")
		}
		c := s.dial("198.51.100.7")
		send(t, c, getRequest)
		if status, body := readResponse(c); status != http.StatusOK {
			t.Errorf("the twelfth: %d %s", status, body)
		}
	})
}

// TestIdleConnectionsAreCountedFromNextRequest checks that a kept connection counts as unread from the start of its
// next request, and that ended connections leave no counts.
func TestIdleConnectionsAreCountedFromNextRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, lowLimits(), nil, echo)
		kept := s.dial("192.0.2.1")
		send(t, kept, getRequest)
		if status, _ := readResponse(kept); status != http.StatusOK {
			t.Errorf("the first request: %d", status)
		}
		for range 3 {
			s.dial("192.0.2.1")
		}
		synctest.Wait()
		go func() { _, _ = io.WriteString(kept, "GET / HTTP/1.1\r\n") }()
		if status, body := readResponse(kept); status != http.StatusTooManyRequests {
			t.Errorf("a second request with three unreceived ones: %d %s", status, body)
		}
	})
}

func TestClosedConnectionsLeaveNoCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := New(http.HandlerFunc(echo), lowLimits(), nil, slog.New(slog.DiscardHandler))
		go func() { _ = server.Serve(p) }()
		s := &testServer{t: t, pipes: p}
		for i := range 50 {
			c := s.dial(fmt.Sprintf("192.0.2.%d", i))
			send(t, c, getRequest)
			readResponse(c)
			_ = c.Close()
			synctest.Wait()
		}
		server.limiter.mu.Lock()
		if server.limiter.total != 0 || len(server.limiter.sources) != 0 {
			t.Errorf("%d connections of %d addresses are left", server.limiter.total, len(server.limiter.sources))
		}
		server.limiter.mu.Unlock()
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestLimitsOnLoopback checks the limits on real sockets: too many connections of one address, and a body that stops.
func TestLimitsOnLoopback(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limits := lowLimits()
	limits.BodyTime, limits.HeaderTime = 50*time.Millisecond, 50*time.Millisecond
	server := New(http.HandlerFunc(echo), limits, nil, slog.New(slog.DiscardHandler))
	ended := make(chan error)
	go func() { ended <- server.Serve(listener) }()
	dial := func() net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	c := dial()
	send(t, c, getRequest)
	if status, body := readResponse(c); status != http.StatusOK {
		t.Errorf("a request: %d %s", status, body)
	}
	c = dial()
	send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
	if status, body := readResponse(c); status != http.StatusRequestTimeout || !strings.Contains(body, "too slowly") {
		t.Errorf("a body that stops: %d %s", status, body)
	}
	c = dial()
	send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n")
	if status, body := readResponse(c); status != http.StatusRequestTimeout || !strings.Contains(body, "too_slow") {
		t.Errorf("a header that stops: %d %s", status, body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestParseNetworks(t *testing.T) {
	t.Parallel()
	networks, err := ParseNetworks(" 10.1.0.0/16, 192.0.2.7 ,2001:db8::/32,::1,,")
	if err != nil || len(networks) != 4 {
		t.Fatalf("%v %v", networks, err)
	}
	for address, want := range map[string]bool{
		"10.1.2.3": true, "10.2.0.0": false, "192.0.2.7": true, "192.0.2.8": false, "2001:db8:1::1": true, "2001:db9::": false, "::1": true,
		"::2": false,
	} {
		if networks.contains(netip.MustParseAddr(address)) != want {
			t.Errorf("%s is in it: not %t", address, want)
		}
	}
	for text, want := range map[string]string{
		"10.0.0.1/8": "an address in the network 10.0.0.0/8", "0.0.0.0/0": "every address", "::/0": "every address",
		"proxy":       "is not a network",
		"10.0.0.0/33": "is not a network", "fe80::1%eth0": "is not a network", "10.0.0.0/8;10.1.0.0/16": "is not a network",
		"::ffff:10.0.0.0/104": "write it as IPv4",
	} {
		if _, err := ParseNetworks("10.9.0.0/16," + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestSourceGroupsIPv6ByNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fe80::1%eth0": "fe80::",
	} {
		if got := Source(netip.MustParseAddr(address)); got.String() != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}

// TestExemptConnectionsAreNotCounted checks that connections with ExemptConnection leave the limit of their address to others, in any
// order of their ends.
func TestExemptConnectionsAreNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		limits := lowLimits()
		limits.PerAddress = 1
		s := newTestServer(t, limits, nil, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stream" {
				ExemptConnection(r)
				ExemptConnection(r) // does nothing
				w.Header().Set("Connection", "close")
				_ = http.NewResponseController(w).Flush()
				<-release
			}
		})
		stream := func() net.Conn {
			c := s.dial("192.0.2.1")
			send(t, c, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
			synctest.Wait()
			return c
		}
		request := func(want int) net.Conn {
			t.Helper()
			c := s.dial("192.0.2.1")
			if want == http.StatusOK {
				send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			}
			if status, body := readResponse(c); status != want {
				t.Errorf("%d %s, want %d", status, body, want)
			}
			return c
		}
		first, second := stream(), stream()
		kept := request(http.StatusOK)
		request(http.StatusTooManyRequests)
		_ = kept.Close()
		synctest.Wait()
		_ = first.Close()
		kept = request(http.StatusOK)
		close(release)
		synctest.Wait()
		request(http.StatusTooManyRequests)
		_ = kept.Close()
		synctest.Wait()
		_ = second.Close()
		request(http.StatusOK)
	})
}
