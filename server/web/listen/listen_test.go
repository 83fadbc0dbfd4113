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

// pipes is a listener whose connections are pipes: in a bubble of synctest time passes for them when nothing else does.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// from is a connection that comes from an address.
type from struct {
	net.Conn
	address net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.address }

// stage is a server on pipes, within a bubble.
type stage struct {
	t     *testing.T
	pipes *pipes
	log   strings.Builder
}

func newStage(t *testing.T, limits Limits, trusted Networks, handler http.HandlerFunc) *stage {
	t.Helper()
	s := &stage{t: t, pipes: &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})}}
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
	})
	return s
}

// dial connects from an address.
func (s *stage) dial(address string) net.Conn {
	s.t.Helper()
	at := netip.MustParseAddr(address)
	client, server := net.Pipe()
	s.pipes.incoming <- from{server, net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 1))}
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

// answer reads an answer: its status and its body. It is 0 when the connection ends without one.
func answer(c net.Conn) (status int, body string) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err.Error()
	}
	data, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return response.StatusCode, string(data)
}

func defaults() Limits { return LimitsOf(budgets.Defaults()) }

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

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func TestHeadersThatDoNotArrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, defaults(), nil, echo)
		for text, want := range map[string]int{"GET / HTTP/1.1\r\nHost:": http.StatusRequestTimeout, "": 0} {
			c, start := s.dial("192.0.2.1"), time.Now()
			send(t, c, text)
			status, body := answer(c)
			if took := time.Since(start); status != want || took < 10*time.Second || took > 12*time.Second || want > 0 && !strings.Contains(body, "too_slow") {
				t.Errorf("%q: %d %s after %s", text, status, body, took)
			}
		}
		c := s.dial("192.0.2.1") // a header that takes 9 s
		send(t, c, "GET / HTTP/1.1\r\n")
		time.Sleep(9 * time.Second)
		send(t, c, "Host: x\r\n\r\n")
		if status, body := answer(c); status != http.StatusOK {
			t.Errorf("a header in time: %d %s", status, body)
		}
	})
}

func TestTooManyHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, defaults(), nil, echo)
		for name, c := range map[string]struct {
			headers string
			status  int
		}{
			"100":           {strings.Repeat("X-A: b\r\n", 99), http.StatusOK},
			"101":           {strings.Repeat("X-A: b\r\n", 100), http.StatusRequestHeaderFieldsTooLarge},
			"nearly 64 KiB": {"X-A: " + strings.Repeat("b", 64<<10-100) + "\r\n", http.StatusOK},
			"64 KiB":        {"X-A: " + strings.Repeat("b", 64<<10) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
			"1 MiB":         {"X-A: " + strings.Repeat("b", 1<<20) + "\r\n", http.StatusRequestHeaderFieldsTooLarge},
		} {
			conn := s.dial("192.0.2.1")
			go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n"+c.headers+"\r\n") }()
			if status, body := answer(conn); status != c.status {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
	})
}

// upload sends a body in parts, with a pause before each.
func upload(c net.Conn, parts, size int, pause time.Duration) {
	_, _ = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", parts*size)
	for range parts {
		time.Sleep(pause)
		if _, err := io.WriteString(c, strings.Repeat("b", size)); err != nil {
			return
		}
	}
}

// A body that goes on arriving may take an hour, one that trickles is given up after the time it has, and how long wsd
// itself takes before it reads counts for nothing.
func TestBodiesThatArriveSlowly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parts, size int
		pause, idle time.Duration
		status      int
		atMost      time.Duration
	}{
		"1 KiB/s for an hour":        {3600, 1200, time.Second, 0, http.StatusOK, 2 * time.Hour},
		"10 KiB every 9 s":           {100, 10 << 10, 9 * time.Second, 0, http.StatusOK, time.Hour},
		"small, in time":             {1, 100, 8 * time.Second, 0, http.StatusOK, 9 * time.Second},
		"100 bytes a second":         {1000, 100, time.Second, 0, http.StatusRequestTimeout, 11 * time.Second},
		"nothing after a good start": {2, 20 << 10, 30 * time.Second, 0, http.StatusRequestTimeout, 11 * time.Second},
		"wsd does not read":          {10, 1 << 10, time.Second, time.Hour, http.StatusOK, time.Hour + time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, defaults(), nil, func(w http.ResponseWriter, r *http.Request) {
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
				status, body := answer(conn)
				if took := time.Since(start); status != c.status || took > c.atMost {
					t.Errorf("%d after %s: %s", status, took, body)
				}
				_ = conn.Close()
				<-sent
			})
		})
	}
}

// What a handler leaves unread of a body does not hold the connection for longer than a body may.
func TestBodiesThatNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, defaults(), nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		c, start := s.dial("192.0.2.1"), time.Now()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			upload(c, 100, 10, time.Second)
		}()
		if status, body := answer(c); status != http.StatusUnauthorized {
			t.Errorf("%d %s", status, body)
		}
		_, _ = io.Copy(io.Discard, c) // to its end
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("the connection was held for %s", took)
		}
		<-sent
	})
}

// few are limits that a test reaches.
func few() Limits {
	l := defaults()
	l.Connections, l.OfAddress, l.Unread = 12, 6, 3
	return l
}

// Connections whose request has not arrived count, those that are answered do not; all together and all of one address
// have their limits, and who is trusted has only the first. The log hears of it once.
func TestConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		trusted, err := ParseNetworks("198.51.100.0/24")
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(t, few(), trusted, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		refused := func(address string, want int) {
			t.Helper()
			c := s.dial(address)
			if status, body := answer(c); status != want {
				t.Errorf("from %s: %d %s, want %d", address, status, body, want)
			}
		}
		for range 3 { // at work: they do not count as unread
			send(t, s.dial("192.0.2.1"), get)
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
		send(t, s.dial("192.0.2.1"), get) // there is place again
		for range 3 {
			s.dial("2001:db8::1")
		}
		synctest.Wait()
		refused("2001:db8::ffff", http.StatusTooManyRequests) // three unread of one network
		if n := strings.Count(s.log.String(), "\n"); n != 1 {
			t.Errorf("the log has %d lines about refused connections:\n%s", n, s.log.String())
		}
		for range 3 {
			s.dial("198.51.100.7")
		}
		synctest.Wait()
		refused("203.0.113.1", http.StatusServiceUnavailable) // twelve in all
		close(release)
	})
}

// A trusted network is not limited by address.
func TestTrustedNetworks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trusted, _ := ParseNetworks("198.51.100.0/24")
		s := newStage(t, few(), trusted, echo)
		for range 11 {
			s.dial("198.51.100.7")
		}
		c := s.dial("198.51.100.7")
		send(t, c, get)
		if status, body := answer(c); status != http.StatusOK {
			t.Errorf("the twelfth: %d %s", status, body)
		}
	})
}

// A connection that is kept counts as unread again once its next request has begun, and nothing is left of those that
// ended.
func TestKeptConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, few(), nil, echo)
		kept := s.dial("192.0.2.1")
		send(t, kept, get)
		if status, _ := answer(kept); status != http.StatusOK {
			t.Errorf("the first request: %d", status)
		}
		for range 3 {
			s.dial("192.0.2.1")
		}
		synctest.Wait()
		go func() { _, _ = io.WriteString(kept, "GET / HTTP/1.1\r\n") }()
		if status, body := answer(kept); status != http.StatusTooManyRequests {
			t.Errorf("a second request beside three that do not arrive: %d %s", status, body)
		}
	})
}

func TestNothingIsLeftOfConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})}
		server := New(http.HandlerFunc(echo), few(), nil, slog.New(slog.DiscardHandler))
		go func() { _ = server.Serve(p) }()
		s := &stage{t: t, pipes: p}
		for i := range 50 {
			c := s.dial(fmt.Sprintf("192.0.2.%d", i))
			send(t, c, get)
			answer(c)
			_ = c.Close()
			synctest.Wait()
		}
		server.front.mu.Lock()
		if server.front.all != 0 || len(server.front.sources) != 0 {
			t.Errorf("%d connections of %d addresses are left", server.front.all, len(server.front.sources))
		}
		server.front.mu.Unlock()
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// The same on real sockets: more connections than one address may have, and a body that stops.
func TestOnLoopback(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limits := few()
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
	send(t, c, get)
	if status, body := answer(c); status != http.StatusOK {
		t.Errorf("a request: %d %s", status, body)
	}
	c = dial()
	send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
	if status, body := answer(c); status != http.StatusRequestTimeout || !strings.Contains(body, "too slowly") {
		t.Errorf("a body that stops: %d %s", status, body)
	}
	c = dial()
	send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n")
	if status, body := answer(c); status != http.StatusRequestTimeout || !strings.Contains(body, "too_slow") {
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
		"10.1.2.3": true, "10.2.0.0": false, "192.0.2.7": true, "192.0.2.8": false, "2001:db8:1::1": true, "2001:db9::": false, "::1": true, "::2": false,
	} {
		if networks.contain(netip.MustParseAddr(address)) != want {
			t.Errorf("%s is in it: not %t", address, want)
		}
	}
	for text, want := range map[string]string{
		"10.0.0.1/8": "an address in the network 10.0.0.0/8", "0.0.0.0/0": "every address", "::/0": "every address", "proxy": "is not a network",
		"10.0.0.0/33": "is not a network", "fe80::1%eth0": "is not a network", "10.0.0.0/8;10.1.0.0/16": "is not a network", "::ffff:10.0.0.0/104": "write it as IPv4",
	} {
		if _, err := ParseNetworks("10.9.0.0/16," + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fe80::1%eth0": "fe80::",
	} {
		if got := Source(netip.MustParseAddr(address)); got.String() != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}
