package listen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
)

// Limits are the limits of connections.
type Limits struct {
	HeaderBytes, HeaderFields       int
	HeaderTime                      time.Duration
	BodyBytes                       int64 // minimum bytes of a body per BodyTime while it is read
	BodyTime                        time.Duration
	BodyRate                        int64 // minimum bytes per second of a large body on average; 0 = none
	AnswerTime, IdleTime            time.Duration
	Connections, PerAddress, Unread int
	LogEvery                        time.Duration // minimum time between two log lines about refusals by address
}

// LimitsOf returns the limits configured by the budgets.
func LimitsOf(b *budgets.Budgets) Limits {
	return Limits{
		HeaderBytes: int(b.HeaderBytes), HeaderFields: int(b.HeaderFields), HeaderTime: time.Duration(b.HeaderTime),
		BodyBytes: b.MinBodyBytes, BodyTime: time.Duration(b.BodyTime), BodyRate: b.BodyRate,
		AnswerTime: time.Duration(b.AnswerTime), IdleTime: time.Duration(b.IdleTime),
		Connections: int(b.Connections), PerAddress: int(b.AddressConns), Unread: int(b.AddressRequests),
		LogEvery: time.Duration(b.RefusalLogEvery),
	}
}

// Server is an HTTP server with limits.
type Server struct {
	http           *http.Server
	limiter        *connLimiter
	limits         Limits
	trustedProxies Networks
}

// New returns a Server for handler. Connections of trusted proxies carry the requests of many clients, so they are
// only limited in total, and their requests are counted by client, see Client.
func New(handler http.Handler, limits Limits, trusted Networks, log *slog.Logger) *Server {
	s := &Server{limits: limits, trustedProxies: trusted}
	s.limiter = &connLimiter{
		limits: limits, now: time.Now, sources: map[netip.Addr]*sourceCounts{}, refused: map[int]int{},
		log: func(source netip.Addr, refused int) {
			log.Warn("an address is refused: it has as many connections, or bodies that have not arrived, as it may have",
				"address", source.String(), "refused", refused, "connections", limits.PerAddress, "unread", limits.Unread)
		},
	}
	s.http = &http.Server{
		Handler: s.limitRequests(handler), ReadHeaderTimeout: limits.HeaderTime, WriteTimeout: limits.AnswerTime,
		IdleTimeout:    limits.IdleTime,
		MaxHeaderBytes: limits.HeaderBytes, ConnState: s.connState, ConnContext: withConn,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // mostly clients that disconnect
	}
	return s
}

// Serve accepts connections until Shutdown or Close is called, and then returns nil.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.http.Serve(&limitListener{listener, s}); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Shutdown closes the listener and waits until all current requests are answered.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.http.Shutdown(ctx); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// Close closes the listener and all connections.
func (s *Server) Close() error {
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Use describes the connections of a Server.
type Use struct {
	Connections int
	Limit       int // of Connections
	Unread      int // connections, and requests by a trusted proxy, that have not arrived completely
	// Refused counts the connections and requests that were refused because of limits of connections so far, by their status, one of
	// RefusalStatuses.
	Refused map[int]int
}

// RefusalStatuses are the statuses of refusals because of limits of connections: a header was too slow, an address has too many
// connections or incomplete requests, or there are too many connections.
var RefusalStatuses = []int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// Use returns the present use and the refusals so far.
func (s *Server) Use() Use {
	l := s.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	u := Use{Connections: l.total, Limit: s.limits.Connections, Refused: maps.Clone(l.refused)}
	for _, counts := range l.sources {
		u.Unread += counts.unread
	}
	return u
}

// limitListener is a listener that enforces the limits of connections.
type limitListener struct {
	net.Listener
	server *Server
}

// Accept returns the next accepted connection. Refused ones are answered and closed.
func (l *limitListener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // net/http knows the errors of a listener
		}
		address := remoteAddress(raw)
		c := &conn{
			Conn: raw, limiter: l.server.limiter, address: address, source: Source(address),
			proxy: l.server.trustedProxies.contains(address),
		}
		refusal := l.server.limiter.admit(c)
		if refusal == 0 {
			return c, nil
		}
		c.refuse(refusal)
		_ = raw.Close() // nothing was sent on it
	}
}

// connState records the end of a request. The start of the next one is recorded by the connection, since net/http
// reports it only after the header has arrived.
func (s *Server) connState(netConn net.Conn, state http.ConnState) {
	if c, ok := netConn.(*conn); ok && state == http.StateIdle {
		s.limiter.setPhase(c, idle)
	}
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// ExemptConnection stops counting the connection of a request for its address, for a response that lasts and has a limit of its own.
// The connection has to be closed after the response.
func ExemptConnection(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		c.limiter.exemptFromSource(c)
	}
}

// limitRequests returns a handler that enforces the limits of single requests and calls next.
func (s *Server) limitRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		s.limiter.setPhase(c, answering)
		if e := s.checkHeaders(r); e != nil {
			refuse(w, e)
			return
		}
		client := c.address
		if c.proxy {
			client = s.trustedProxies.clientOf(c.address, r.Header)
			r = withClient(r, client)
		}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{ReadCloser: r.Body, conn: c, limits: s.limits, control: http.NewResponseController(w), declared: r.ContentLength}
		if c.proxy {
			source := Source(client)
			if !s.limiter.acquireBody(source) {
				refuse(w, errTooManyBodies)
				return
			}
			b.onReceived = sync.OnceFunc(func() { s.limiter.releaseBody(source) })
		}
		r = r.WithContext(r.Context()) // net/http needs the body of its own request, to know whether it was read and 100 Continue was sent
		r.Body = b
		b.limitUnread()
		defer b.finish()
		next.ServeHTTP(w, r)
	})
}

// checkHeaders returns an error for too many headers and, more exactly than net/http, for too large ones.
func (s *Server) checkHeaders(r *http.Request) *api.Error {
	fields, size := 1, len("Host: \r\n")+len(r.Host) // net/http removes Host from the header
	for name, values := range r.Header {
		fields += len(values)
		for _, v := range values {
			size += len(name) + len(": \r\n") + len(v)
		}
	}
	if fields > s.limits.HeaderFields {
		return api.Errorf(http.StatusRequestHeaderFieldsTooLarge, api.ReasonHeaders, "The request has %d headers, at most %d are allowed.",
			fields, s.limits.HeaderFields)
	}
	if size += len(r.Method) + len(r.RequestURI) + len("  HTTP/1.1\r\n"); size > s.limits.HeaderBytes {
		return api.Errorf(http.StatusRequestHeaderFieldsTooLarge, api.ReasonHeaders, "The headers have %d bytes, at most %d are allowed.",
			size, s.limits.HeaderBytes)
	}
	return nil
}

// refusals maps status codes to the responses to connections that are refused before a request is read.
var refusals = map[int]*api.Error{
	http.StatusRequestTimeout: api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow,
		"The headers of the request did not arrive in time."),
	http.StatusTooManyRequests: api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited,
		"Your address has too many connections. Close some, or wait."),
	http.StatusServiceUnavailable: api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable,
		"The server has too many connections; nothing was changed. Try again."),
}

// errTooManyBodies is the response to a client of a trusted proxy with too many unreceived bodies.
var errTooManyBodies = &api.Error{
	Code: http.StatusTooManyRequests, Reason: api.ReasonRateLimited, RetryAfter: time.Second,
	Message: "Your address has too many requests whose bodies have not arrived. Wait for some of them.",
}

// rawResponse returns a complete HTTP response for a connection without a request.
func rawResponse(status int) []byte {
	text := encodeError(refusals[status])
	header := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n",
		status, http.StatusText(status), len(text))
	if status != http.StatusRequestTimeout {
		header += "Retry-After: 1\r\n"
	}
	return append([]byte(header+"\r\n"), text...)
}

// refuse answers a request without processing it and closes the connection without reading its rest.
func refuse(w http.ResponseWriter, e *api.Error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Connection", "close")
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
	}
	w.WriteHeader(e.Code)
	_, _ = w.Write(encodeError(e)) // the client has disconnected
}

func encodeError(e *api.Error) []byte {
	text, err := json.Marshal(api.ErrorBody{Error: *e})
	if err != nil {
		return nil
	}
	return api.PlainJSON(text)
}
