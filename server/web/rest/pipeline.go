package rest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	dryRunParam = "dryRun"
	// ShareKeyParam is the query parameter that holds the key of a share link.
	ShareKeyParam = "shareKey"
	// maxAuthorizations bounds how often a request whose permission changed while it ran is authorized anew.
	maxAuthorizations = 24
	// Between two of them a request waits for a random part of this, so that neighbours do not stay in step.
	authorizationPause = 20 * time.Millisecond
)

// handle takes a request through the pipeline: bind, read, identify, charge, require, run. What crashes is an error of
// this request alone.
func (p *Pipeline) handle(c *Call, w *recorder) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
		}
	}()
	found, err := p.bind(c)
	if err != nil {
		return err
	}
	if !found {
		return p.notFound(c)
	}
	return p.attempt(c, w)
}

// bind reads path, query and headers into the input. found is false for an id that cannot exist.
func (p *Pipeline) bind(c *Call) (found bool, err error) {
	if err := checkHeaders(c.Request); err != nil {
		return false, err
	}
	if api.PrefersLenient(c.Request.Header) {
		c.unknown = &api.Unknown{}
	}
	c.in = c.Endpoint.newInput().Interface()
	query, err := c.Endpoint.binder.query(c.Request.URL.RawQuery)
	if err != nil {
		return false, err
	}
	if err := c.Endpoint.binder.bindParams(c.raw, query, c.input(), c.unknown); err != nil {
		return false, err
	}
	if c.DryRun, err = dryRun(query[dryRunParam]); err != nil {
		return false, err
	}
	c.ShareKey, c.jwt = query.Get(ShareKeyParam), query.Get(auth.VisitorTokenParam)
	c.claims = p.visitors.Claims(c.jwt)
	org, found := c.organization()
	if found {
		c.Org = org
	}
	return found, nil
}

// notFound answers an id that cannot exist as one that does not: only after the token was found to be good.
func (p *Pipeline) notFound(c *Call) error {
	c.Endpoint = &Endpoint{Row: c.Endpoint.Row, params: c.Endpoint.params, Need: auth.Self()}
	if err := p.arrive(c); err != nil {
		return err
	}
	return api.NotFound()
}

// attempt authorizes and runs the operation; when what the permission rested on changed under it, again.
func (p *Pipeline) attempt(c *Call, w *recorder) error {
	for attempt := range maxAuthorizations {
		if err := stagger(c.ctx, attempt); err != nil {
			return err
		}
		c.Guards = nil
		result, err := p.run(c, w)
		if errors.Is(err, redis.ErrStale) {
			continue
		}
		status, header := c.Endpoint.Row.Status, http.Header(nil)
		if err != nil {
			replay := p.findReplay(c, w, err)
			switch {
			case replay == nil && p.wasAbsent(c, err):
				return p.respondAbsent(c, w)
			case replay == nil:
				return err
			}
			if status, result, header, err = c.replay(replay); err != nil {
				return err
			}
		}
		if header == nil {
			result = result.removed(c)
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

// run takes a bound request to its result. What the operation names is read together with who asks, in one trip, and
// thrown away where they may not have it. The body is read last: strangers make no work.
func (p *Pipeline) run(c *Call, w *recorder) (Result[any], error) {
	if err := p.arrive(c); err != nil {
		return Result[any]{}, err
	}
	if c.follow() { // one trip more
		if err := p.arrive(c); err != nil {
			return Result[any]{}, err
		}
	}
	if err := p.require(c); err != nil {
		return Result[any]{}, err
	}
	if err := p.bindBody(c, w); err != nil {
		return Result[any]{}, err
	}
	return c.Endpoint.run(c)
}

// arrive reads, identifies and charges: from here on it is known who asks.
func (p *Pipeline) arrive(c *Call) error {
	who, err := p.read(c)
	if err != nil {
		return err
	}
	if err := p.identify(c, who); err != nil {
		return err
	}
	if err := p.rests(c); err != nil {
		return err
	}
	if err := p.charge(c, who.counted()); err != nil {
		return err
	}
	return c.join()
}

// bindBody reads the body into the input, once: when the request is authorized anew, it is there.
func (p *Pipeline) bindBody(c *Call, w *recorder) error {
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
	return c.Endpoint.binder.bindBody(body, c.Request.Header.Get("Content-Type"), c.input(), p.keeps(c), c.unknown)
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
