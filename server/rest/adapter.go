package rest

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
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	dryRunParam   = "dryRun"
	ShareKeyParam = "shareKey"
	touchTimeout  = time.Second
	// maxAuthorizations bounds how often a request whose permission changed while it ran is authorized anew.
	maxAuthorizations = 24
	// Between two of them a request waits for a random part of this, so that neighbours do not stay in step.
	authorizationPause = 20 * time.Millisecond
)

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Serve takes one request through the adapter: bind path and query, one pipeline, authorize, read the body,
// handle, answer (design section 3). The body is read last: strangers make no work.
func (p *Pipeline) Serve(w http.ResponseWriter, r *http.Request, e *Endpoint, raw func(name string) string) {
	start := p.clock()
	recorder := &recorder{ResponseWriter: w}
	c := &Call{Request: r, requestID: p.RequestID(r), Endpoint: e, raw: raw, store: p.store, cursors: p.cursors, limits: p.budgets}
	ctx, written := txn.WithTrace(r.Context())
	c.written = written
	defer c.allow(ctx, w)()

	err := p.handle(c, recorder)
	if err != nil {
		err = p.chargeAnonymous(c, err)
		p.respondError(recorder, c, err)
	}
	p.logRequest(c, recorder, start, err)
	p.touch(ctx, c, recorder)
}

// allow gives the call its time. It is called again when the body has arrived: how long that took is the caller's line,
// not the call's work, and listen sees to it that it goes on.
func (c *Call) allow(base context.Context, w http.ResponseWriter) (cancel context.CancelFunc) {
	limit := time.Duration(c.limits.CallTime)
	if c.Endpoint.Row.Slow {
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

// RequestID takes over a well-formed id of the caller's, so that logs can be joined.
func (p *Pipeline) RequestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDs.MatchString(id) {
		return id
	}
	return p.ids.New("req_")
}

func (p *Pipeline) handle(c *Call, w *recorder) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
		}
	}()
	in := c.Endpoint.newInput()
	if err := checkHeaders(c.Request); err != nil {
		return err
	}
	query, err := c.Endpoint.binder.query(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if err := c.Endpoint.binder.bindParams(c.raw, query, in.Elem()); err != nil {
		return err
	}
	if c.DryRun, err = dryRun(query[dryRunParam]); err != nil {
		return err
	}
	c.in, c.ShareKey, c.jwt = in.Interface(), query.Get(ShareKeyParam), query.Get(auth.VisitorTokenParam)
	c.claims = p.visitors.Claims(c.jwt)
	org, ok := c.organization()
	if !ok {
		return p.notFound(c)
	}
	c.Org = org
	return p.attempt(c, w, in.Elem())
}

// notFound answers an id that cannot exist as one that does not: only after the token was found to be good.
func (p *Pipeline) notFound(c *Call) error {
	c.Endpoint = &Endpoint{Row: c.Endpoint.Row, params: c.Endpoint.params, Need: auth.Self()}
	if err := p.authenticate(c); err != nil {
		return err
	}
	return api.NotFound()
}

// attempt authorizes and runs the operation; when what the permission rested on changed under it, again.
func (p *Pipeline) attempt(c *Call, w *recorder, in reflect.Value) error {
	for attempt := range maxAuthorizations {
		if err := stagger(c.ctx, attempt); err != nil {
			return err
		}
		c.Guards = nil
		result, err := p.run(c, w, in)
		if errors.Is(err, redis.ErrStale) {
			continue
		}
		status, header := c.Endpoint.Row.Status, http.Header(nil)
		if err != nil {
			replay := p.findReplay(c, w, err)
			if replay == nil {
				return err
			}
			if status, result, header, err = c.replay(replay); err != nil {
				return err
			}
		}
		p.respond(w, c, status, result, header)
		return nil
	}
	return txn.ErrBusy
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
func (p *Pipeline) run(c *Call, w *recorder, in reflect.Value) (Result[any], error) {
	if err := p.authenticate(c); err != nil {
		return Result[any]{}, err
	}
	if c.follow() { // one trip more
		if err := p.authenticate(c); err != nil {
			return Result[any]{}, err
		}
	}
	c.authorized = false
	if err := p.authorize(c); err != nil {
		return Result[any]{}, err
	}
	c.authorized = true
	c.base, c.ctx = budgets.WorkingFor(c.base, c.party()), budgets.WorkingFor(c.ctx, c.party())
	if err := p.bindBodyOnce(c, w, in); err != nil {
		return Result[any]{}, err
	}
	return c.Endpoint.run(c)
}

func (p *Pipeline) bindBodyOnce(c *Call, w *recorder, in reflect.Value) error {
	if c.Body != nil {
		return nil
	}
	body, err := c.Endpoint.binder.readBody(w, c.Request)
	if err != nil {
		return err
	}
	c.Body = body
	if len(body) > 0 {
		c.allow(c.base, w)
	}
	if err := c.Endpoint.binder.bindBody(body, c.Request.Header.Get("Content-Type"), in, p.keeps(c)); err != nil {
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
