package listen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
)

// Limits are what connections may cost.
type Limits struct {
	HeaderBytes, HeaderFields      int
	HeaderTime                     time.Duration
	BodyBytes                      int64 // that a body brings in BodyTime, while it is read
	BodyTime                       time.Duration
	AnswerTime, IdleTime           time.Duration
	Connections, OfAddress, Unread int
	LogEvery                       time.Duration // between two lines about refusals by address
}

// LimitsOf takes the limits out of the table.
func LimitsOf(b *budgets.Budgets) Limits {
	return Limits{
		HeaderBytes: int(b.HeaderBytes), HeaderFields: int(b.HeaderFields), HeaderTime: time.Duration(b.HeaderTime),
		BodyBytes: b.BodyProgress, BodyTime: time.Duration(b.BodyTime),
		AnswerTime: time.Duration(b.AnswerTime), IdleTime: time.Duration(b.IdleTime),
		Connections: int(b.Connections), OfAddress: int(b.AddressConns), Unread: int(b.AddressUnread),
		LogEvery: time.Duration(b.RefusalLogEvery),
	}
}

// Server serves HTTP within the limits.
type Server struct {
	http    *http.Server
	front   *front
	limits  Limits
	trusted Networks
}

// New returns a Server of a handler. The connections of trusted proxies, which bring the requests of many, are limited
// together with all, and not by address: their requests count by the client that the proxy names, see Client.
func New(handler http.Handler, limits Limits, trusted Networks, log *slog.Logger) *Server {
	s := &Server{limits: limits, trusted: trusted}
	s.front = &front{
		limits: limits, now: time.Now, sources: map[netip.Addr]*tally{},
		log: func(source netip.Addr, refused int) {
			log.Warn("an address is refused: it has as many connections, or bodies that have not arrived, as it may have",
				"address", source.String(), "refused", refused, "connections", limits.OfAddress, "unread", limits.Unread)
		},
	}
	s.http = &http.Server{
		Handler: s.guarded(handler), ReadHeaderTimeout: limits.HeaderTime, WriteTimeout: limits.AnswerTime, IdleTimeout: limits.IdleTime,
		MaxHeaderBytes: limits.HeaderBytes, ConnState: s.follow, ConnContext: withConn,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // of clients that break off
	}
	return s
}

// Serve answers the connections of a listener until Shutdown.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.http.Serve(&door{listener, s}); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Shutdown closes the listener and waits for the requests that are being answered.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.http.Shutdown(ctx); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// Close closes the listener and every connection, whatever is under way.
func (s *Server) Close() error {
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// door is a listener that counts.
type door struct {
	net.Listener
	server *Server
}

// Accept returns the next connection that is let in; the others hear why not.
func (d *door) Accept() (net.Conn, error) {
	for {
		raw, err := d.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // net/http knows the errors of a listener
		}
		address := addressOf(raw)
		c := &conn{Conn: raw, front: d.server.front, address: address, source: Source(address), proxy: d.server.trusted.contain(address)}
		refusal := d.server.front.enter(c)
		if refusal == 0 {
			return c, nil
		}
		c.tell(refusal)
		_ = raw.Close()
	}
}

// follow hears from the HTTP server that a request is over. That the next one begins is seen by the connection: the
// server says so only when its header is there.
func (s *Server) follow(given net.Conn, state http.ConnState) {
	if c, ok := given.(*conn); ok && state == http.StateIdle {
		s.front.reach(c, idle)
	}
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// guarded is the handler behind the limits that hold for one request.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		s.front.reach(c, atWork)
		if e := s.checkHeaders(r); e != nil {
			refuse(w, e)
			return
		}
		client := c.address
		if c.proxy {
			client = s.trusted.client(c.address, r.Header)
			r = withClient(r, client)
		}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{ReadCloser: r.Body, conn: c, limits: s.limits, control: http.NewResponseController(w)}
		if c.proxy {
			source := Source(client)
			if !s.front.hold(source) {
				refuse(w, tooManyBodies)
				return
			}
			b.arrived = sync.OnceFunc(func() { s.front.release(source) })
		}
		r.Body = b
		defer b.leave()
		next.ServeHTTP(w, r)
	})
}

// checkHeaders refuses too many headers, and too large ones more exactly than the HTTP server does.
func (s *Server) checkHeaders(r *http.Request) *api.Error {
	fields, size := 1, len("Host: \r\n")+len(r.Host) // the one that is no longer among them
	for name, values := range r.Header {
		fields += len(values)
		for _, v := range values {
			size += len(name) + len(": \r\n") + len(v)
		}
	}
	if fields > s.limits.HeaderFields {
		return api.Errorf(http.StatusRequestHeaderFieldsTooLarge, api.ReasonHeaders, "The request has %d headers, at most %d are allowed.", fields, s.limits.HeaderFields)
	}
	if size += len(r.Method) + len(r.RequestURI) + len("  HTTP/1.1\r\n"); size > s.limits.HeaderBytes {
		return api.Errorf(http.StatusRequestHeaderFieldsTooLarge, api.ReasonHeaders, "The headers have %d bytes, at most %d are allowed.", size, s.limits.HeaderBytes)
	}
	return nil
}

// refusals are the answers to what never becomes a request.
var refusals = map[int]*api.Error{
	http.StatusRequestTimeout:     api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow, "The headers of the request did not arrive in time."),
	http.StatusTooManyRequests:    api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "Your address has too many connections. Close some, or wait."),
	http.StatusServiceUnavailable: api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable, "The server has too many connections; nothing was changed. Try again."),
}

// tooManyBodies is the answer to a client behind a trusted proxy who has begun more than may be under way.
var tooManyBodies = &api.Error{
	Code: http.StatusTooManyRequests, Reason: api.ReasonRateLimited, RetryAfter: time.Second,
	Message: "Your address has too many requests whose bodies have not arrived. Wait for some of them.",
}

// lastAnswer is a whole answer for a connection that has no request.
func lastAnswer(status int) []byte {
	text := encoded(refusals[status])
	header := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n", status, http.StatusText(status), len(text))
	if status != http.StatusRequestTimeout {
		header += "Retry-After: 1\r\n"
	}
	return append([]byte(header+"\r\n"), text...)
}

// refuse answers a request that is not looked at. The connection ends with it: what follows of the request is not read.
func refuse(w http.ResponseWriter, e *api.Error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Connection", "close")
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
	}
	w.WriteHeader(e.Code)
	_, _ = w.Write(encoded(e))
}

func encoded(e *api.Error) []byte {
	text, err := json.Marshal(api.ErrorBody{Error: *e})
	if err != nil {
		return nil
	}
	return text
}
