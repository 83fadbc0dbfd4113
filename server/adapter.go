package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"runtime/debug"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

const (
	dryRunParam   = "dryRun"
	shareKeyParam = "shareKey"
	touchTimeout  = time.Second
	// maxAuthorizations bounds how often a request whose permission changed while it ran is authorized anew.
	maxAuthorizations = 24
	// Between two of them a request waits for a random part of this, so that neighbours do not stay in step.
	authorizationPause = 20 * time.Millisecond
)

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// serve takes one request through the adapter: bind path and query, one pipeline, authorize, read the body,
// handle, answer (design section 3). The body is read last: strangers make no work.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, e *Endpoint, raw func(name string) string) {
	start := s.clock()
	recorder := &recorder{ResponseWriter: w}
	c := &call{request: r, requestID: s.requestID(r), endpoint: e, raw: raw, store: s.store, cursors: s.cursors, limits: s.budgets}
	ctx, written := store.WithTrace(r.Context())
	c.written = written
	defer c.allow(ctx, w)()

	err := s.handle(c, recorder)
	if err != nil {
		err = s.admitStranger(c, err)
		s.respondError(recorder, c, err)
	}
	s.logRequest(c, recorder, start, err)
	s.touch(ctx, c, recorder)
}

// allow gives the call its time. It is called again when the body has arrived: how long that took is the caller's line,
// not the call's work, and listen sees to it that it goes on.
func (c *call) allow(base context.Context, w http.ResponseWriter) (cancel context.CancelFunc) {
	limit := time.Duration(c.limits.CallTime)
	if c.endpoint.row.Slow {
		limit = time.Duration(c.limits.SlowTime)
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit))
	}
	c.base = base
	c.ctx, cancel = context.WithTimeout(base, limit)
	c.endings = append(c.endings, cancel)
	return func() {
		for _, end := range c.endings {
			end()
		}
	}
}

// requestID takes over a well-formed id of the caller's, so that logs can be joined.
func (s *Server) requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDs.MatchString(id) {
		return id
	}
	return s.ids.New("req_")
}

func (s *Server) handle(c *call, w *recorder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	in := c.endpoint.newInput()
	if err := checkHeaders(c.request); err != nil {
		return err
	}
	query, err := c.endpoint.binder.query(c.request.URL.RawQuery)
	if err != nil {
		return err
	}
	if err := c.endpoint.binder.bindParams(c.raw, query, in.Elem()); err != nil {
		return err
	}
	if c.dryRun, err = dryRun(query[dryRunParam]); err != nil {
		return err
	}
	c.in, c.shareKey, c.jwt = in.Interface(), query.Get(shareKeyParam), query.Get(auth.VisitorTokenParam)
	c.claims = s.visitors.Claims(c.jwt)
	org, ok := c.organization()
	if !ok {
		return s.hidden(c)
	}
	c.org = org
	return s.attempt(c, w, in.Elem())
}

// hidden answers an id that cannot exist as one that does not: only after the token was found to be good.
func (s *Server) hidden(c *call) error {
	c.endpoint = &Endpoint{row: c.endpoint.row, params: c.endpoint.params, need: auth.Self()}
	if err := s.authenticate(c); err != nil {
		return err
	}
	return api.NotFound()
}

// attempt authorizes and runs the operation; when what the permission rested on changed under it, again.
func (s *Server) attempt(c *call, w *recorder, in reflect.Value) error {
	for attempt := range maxAuthorizations {
		if err := stagger(c.ctx, attempt); err != nil {
			return err
		}
		c.guards = nil
		result, err := s.run(c, w, in)
		if errors.Is(err, redis.ErrStale) {
			continue
		}
		status, header := c.endpoint.row.Status, http.Header(nil)
		if err != nil {
			replay := s.remembered(c, w, err)
			if replay == nil {
				return err
			}
			if status, result, header, err = c.replay(replay); err != nil {
				return err
			}
		}
		s.respond(w, c, status, result, header)
		return nil
	}
	return store.ErrBusy
}

// stagger waits a little before another attempt.
func stagger(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	timer := time.NewTimer(rand.N(authorizationPause)) //nolint:gosec // spreads requests out, keeps no secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run takes the request from its first pipeline to its result.
func (s *Server) run(c *call, w *recorder, in reflect.Value) (Result[any], error) {
	if err := s.authenticate(c); err != nil {
		return Result[any]{}, err
	}
	if c.follow() { // one trip more
		if err := s.authenticate(c); err != nil {
			return Result[any]{}, err
		}
	}
	c.authorized = false
	if err := s.authorize(c); err != nil {
		return Result[any]{}, err
	}
	c.authorized = true
	c.base, c.ctx = workingFor(c.base, c.party()), workingFor(c.ctx, c.party())
	if err := s.bindBodyOnce(c, w, in); err != nil {
		return Result[any]{}, err
	}
	return c.endpoint.run(c)
}

func (s *Server) bindBodyOnce(c *call, w *recorder, in reflect.Value) error {
	if c.body != nil {
		return nil
	}
	body, err := c.endpoint.binder.readBody(w, c.request)
	if err != nil {
		return err
	}
	c.body = body
	if len(body) > 0 {
		c.allow(c.base, w)
	}
	if err := c.endpoint.binder.bindBody(body, c.request.Header.Get("Content-Type"), in, s.keeps(c)); err != nil {
		return err
	}
	c.in = in.Addr().Interface()
	return nil
}

func dryRun(values []string) (bool, error) {
	switch {
	case len(values) == 0:
		return false, nil
	case len(values) == 1 && (values[0] == "true" || values[0] == "false"):
		return values[0] == "true", nil
	}
	return false, api.InvalidParam(api.FieldError{Path: dryRunParam, Message: "must be true or false"})
}
