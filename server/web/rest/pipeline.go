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
	// maxAuthorizations bounds the attempts of a request whose permission changes while it runs.
	maxAuthorizations = 24
	// authorizationPause is the maximum random pause between two attempts; it keeps concurrent requests out of step.
	authorizationPause = 20 * time.Millisecond
)

// handle runs a request through the pipeline: bind, read, identify, charge, authorize, run. A panic becomes an error of
// this request.
func (p *Pipeline) handle(c *Call, w *recorder) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
		}
	}()
	found, err := p.bind(&c.Request)
	if err != nil {
		return err
	}
	if !found {
		return p.refuseNotFound(c)
	}
	return p.attempt(c, w)
}

// bind parses path, query and headers into the input. found is false for an id that cannot exist.
func (p *Pipeline) bind(r *Request) (found bool, err error) {
	if err := checkHeaders(r.HTTP); err != nil {
		return false, err
	}
	if api.PrefersLenient(r.HTTP.Header) {
		r.unknown = &api.Unknown{}
	}
	r.in = r.Endpoint.newInput().Interface()
	query, err := r.Endpoint.binder.parseQuery(r.HTTP.URL.RawQuery)
	if err != nil {
		return false, err
	}
	if r.Upload, err = newUpload(&r.Endpoint.binder, r.HTTP); err != nil {
		return false, err
	}
	if r.Upload != nil {
		err = r.bindUpload(query)
	} else {
		err = r.Endpoint.binder.bindParams(r.pathValue, query, r.input(), r.unknown)
	}
	if err != nil {
		return false, err
	}
	if r.DryRun, err = parseDryRun(query[dryRunParam]); err != nil {
		return false, err
	}
	r.ShareKey, r.jwt = query.Get(ShareKeyParam), query.Get(auth.VisitorTokenParam)
	r.claims = p.visitors.Claims(r.jwt)
	org, found := r.organization()
	if found {
		r.Org = org
	}
	return found, nil
}

// refuseNotFound refuses an id that cannot exist like one that does not: only after the token was verified.
func (p *Pipeline) refuseNotFound(c *Call) error {
	c.Endpoint = &Endpoint{Row: c.Endpoint.Row, params: c.Endpoint.params, Need: auth.Self()}
	if err := p.authenticate(c); err != nil {
		return err
	}
	return api.NotFound()
}

// attempt authorizes and runs the operation, repeatedly if the permission changes while it runs.
func (p *Pipeline) attempt(c *Call, w *recorder) error {
	for attempt := range maxAuthorizations {
		if err := stagger(c.ctx, attempt); err != nil {
			return err
		}
		c.Guards = nil
		result, err := p.run(c, w)
		if err != nil {
			err = p.checkSecondTransfer(c, p.checkInTransfer(c, err))
		}
		if errors.Is(err, redis.ErrStale) {
			continue
		}
		status, header := c.Endpoint.Row.Status, http.Header(nil)
		if err != nil {
			replay := p.findReplay(c, w, err)
			switch {
			case replay == nil && p.isAbsent(c, err):
				return p.respondAbsent(c, w)
			case replay == nil:
				return err
			}
			if status, result, header, err = c.replay(replay); err != nil {
				return err
			}
		}
		if header == nil {
			result = result.withRemoval(c)
		}
		return p.respond(w, c, status, result, header)
	}
	return txn.ErrBusy
}

// stagger pauses for a random time before every attempt but the first.
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

// run executes a bound request. The operation's records are read in one trip with the caller's, and discarded if the caller may
// not see them. The body is read last, so that unauthorized requests cause little work.
func (p *Pipeline) run(c *Call, w *recorder) (Result[any], error) {
	if err := p.authenticate(c); err != nil {
		return Result[any]{}, err
	}
	if c.followTransfer() { // costs another trip
		if err := p.authenticate(c); err != nil {
			return Result[any]{}, err
		}
	}
	if err := p.authorize(c); err != nil {
		return Result[any]{}, err
	}
	if err := p.bindBody(c, w); err != nil {
		return Result[any]{}, err
	}
	return c.Endpoint.run(c)
}

// authenticate reads what the request needs, identifies the caller, and charges the request. Afterwards c.Caller is set.
func (p *Pipeline) authenticate(c *Call) error {
	id, err := p.readRequest(c)
	if err != nil {
		return err
	}
	if err := p.identify(c, id); err != nil {
		p.countRefusal(c, id, err)
		return err
	}
	if err := p.checkTokenOrganization(c); err != nil {
		return err
	}
	if err := p.charge(c, id.countedRequests()); err != nil {
		return err
	}
	return c.loadOrganization()
}

// bindBody reads the body into the input. It does nothing if an earlier attempt has read it.
func (p *Pipeline) bindBody(c *Call, w *recorder) error {
	if c.Body != nil {
		return nil
	}
	body, err := c.Endpoint.binder.readBody(w, c.HTTP, c.bodyLimit(), c.holdBody)
	if err != nil {
		return err
	}
	c.Body = body
	if len(body) > 0 {
		c.setDeadline(c.baseContext, w)
	}
	if c.Upload != nil {
		return checkContent(c.Endpoint.Row, body)
	}
	return c.Endpoint.binder.bindBody(body, c.HTTP.Header.Get("Content-Type"), c.input(), p.isStoredText(c), c.unknown)
}

func parseDryRun(values []string) (bool, error) {
	switch {
	case len(values) == 0:
		return false, nil
	case len(values) == 1 && (values[0] == "true" || values[0] == "false"):
		return values[0] == "true", nil
	}
	return false, api.InvalidParam(api.FieldError{Path: dryRunParam, Message: "must be true or false"})
}
