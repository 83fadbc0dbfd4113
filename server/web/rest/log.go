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

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store/redis"
)

// statusGaveUp is what the log says of a request whose caller did not wait: nobody reads it as an answer. Proxies have the
// same number for it.
const statusGaveUp = 499

var errGaveUp = errors.New("the caller did not wait for the answer")

// GaveUp tells a failure that the caller caused by going away from one of wsd: the work was broken off for want of
// somebody who waits for it.
func GaveUp(r *http.Request, err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled) {
		return fmt.Errorf("%w: %w", errGaveUp, err)
	}
	return err
}

// logRequest writes the line of an operation: which, on what, for whom. It never holds a body, a token, a value of the
// query, or text that people wrote.
func (p *Pipeline) logRequest(c *Call, w *recorder, start time.Time, err error) {
	attributes := []any{
		"request", c.requestID, "operation", c.Endpoint.Row.Name, "method", c.Request.Method, "route", c.Endpoint.Row.Path,
	}
	if ids := c.ids(); len(ids) > 0 {
		attributes = append(attributes, slog.Group("ids", ids...))
	}
	if made := w.Header().Get("Location"); made != "" {
		attributes = append(attributes, "made", strings.TrimPrefix(made, p.publicURL))
	}
	if c.Caller != nil {
		attributes = append(attributes, "user", c.Caller.User, "organization", c.Org)
	}
	p.logAnswer(c.Request, w, start, err, attributes...)
}

// ids are those that the path names, by what they name. Paths of pages are text, and a token that stands where its id
// belongs is none.
func (c *Call) ids() (ids []any) {
	for _, param := range c.Endpoint.params {
		id, text := c.raw(param.Name), strings.HasSuffix(c.Endpoint.Row.Path, "{"+param.Name+"...}")
		if !text && !auth.IsSecret(id) && redis.ValidID(id) {
			ids = append(ids, param.Subject, id)
		}
	}
	return ids
}

// logAnswer writes the line of a request, with what every one has.
func (p *Pipeline) logAnswer(r *http.Request, w *recorder, start time.Time, err error, attributes ...any) {
	level, status := slog.LevelInfo, cmp.Or(w.status, http.StatusOK)
	attributes = append(attributes, "status", status, "bytes", w.bytes,
		"ms", float64(p.clock().Sub(start).Microseconds())/1000, "client", clientOf(r))
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
		if err != nil {
			attributes = append(attributes, "error", err)
		}
	}
	p.log.Log(context.WithoutCancel(r.Context()), level, "request", attributes...)
}

// clientOf is the address that a request comes from, whole: what is counted may be a network.
func clientOf(r *http.Request) string {
	if client := listen.Client(r); client.IsValid() {
		return client.String()
	}
	return r.RemoteAddr
}
