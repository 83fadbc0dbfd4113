package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/store/redis"
)

// statusClientClosed is the logged status of a request whose client disconnected before the response. Proxies use the
// same number.
const statusClientClosed = 499

var errDisconnected = errors.New("the caller did not wait for the answer")

// WrapDisconnect wraps err if the request failed because its client disconnected; otherwise it returns err.
func WrapDisconnect(r *http.Request, err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled) {
		return fmt.Errorf("%w: %w", errDisconnected, err)
	}
	return err
}

// logRequest logs an operation with its ids, user, organization and the id of the token. The line never contains a body, a secret,
// a query value or user text.
func (p *Pipeline) logRequest(c *Call, w *recorder, start time.Time, err error) {
	attributes := c.logMembers("operation", c.Endpoint.Row.Name, "method", c.HTTP.Method, "route", c.Endpoint.Row.Path)
	if ids := append(c.ids(), c.bodyIDs...); len(ids) > 0 {
		attributes = append(attributes, slog.Group("ids", ids...))
	}
	if made := w.Header().Get("Location"); made != "" {
		attributes = append(attributes, "made", strings.TrimPrefix(made, p.publicURL))
	}
	if c.Caller != nil {
		attributes = append(attributes, "user", c.Caller.User, "organization", c.Org)
		if c.Caller.Token != "" {
			attributes = append(attributes, "token", c.Caller.Token)
		}
	} else if c.refused != nil {
		attributes = append(attributes, "user", c.refused.User, "token", c.refused.Token)
	}
	p.logResponse(c.HTTP, w, start, err, attributes...)
}

// LogID adds the id of a subject in the body to the ids of the log line. id must have the form of an id, since it is logged as it is.
func (c *Call) LogID(subject, id string) { c.bodyIDs = append(c.bodyIDs, subject, id) }

// ids returns the ids of the path, as pairs of subject and id. It omits page paths, which are text, and tokens given
// in the position of an id.
func (r *Request) ids() (ids []any) {
	for _, param := range r.Endpoint.params {
		id, text := r.pathValue(param.Name), strings.HasSuffix(r.Endpoint.Row.Path, "{"+param.Name+"...}")
		if !text && !auth.IsSecret(id) && redis.ValidID(id) {
			ids = append(ids, param.Subject, id)
		}
	}
	return ids
}

// logResponse counts the response and logs the attributes that all requests have. The line of a slow request is a warning with the
// time in Redis and the time that it waited for its turn. Streams are not slow.
func (p *Pipeline) logResponse(r *http.Request, w *recorder, start time.Time, err error, attributes ...any) {
	level, status := slog.LevelInfo, cmp.Or(w.status, http.StatusOK)
	elapsed := p.clock().Sub(start)
	attributes = append(attributes, "status", status, "bytes", w.bytes, "ms", milliseconds(elapsed), "client", clientAddress(r))
	if w.reason != "" {
		attributes = append(attributes, "reason", w.reason)
	}
	isStream := w.Header().Get("Content-Type") == api.MediaEventStream
	w.metrics.Add(metrics.Response{
		Method: r.Method, Status: status, Reason: string(w.reason), Bytes: w.bytes, Duration: elapsed, InRedis: w.inRedis.Duration(),
		IsStream: isStream,
	})
	if p.slow > 0 && elapsed >= p.slow && !isStream {
		level = slog.LevelWarn
		attributes = append(attributes, "redisMs", milliseconds(w.inRedis.Duration()), "turnMs", milliseconds(w.inTurns.Duration()))
	}
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
		if err != nil {
			attributes = append(attributes, "error", err)
		}
	}
	p.log.Log(context.WithoutCancel(r.Context()), level, "request", attributes...)
}

// milliseconds returns a duration as it is logged, exact to a microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// clientAddress returns the full address of the client, which the rate limiter may reduce to a network.
func clientAddress(r *http.Request) string {
	if client := listen.Client(r); client.IsValid() {
		return client.String()
	}
	return r.RemoteAddr
}
