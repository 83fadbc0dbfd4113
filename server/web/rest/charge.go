package rest

import (
	"net/http"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
)

// charge counts the request once its principal is known for sure: who only pretends to be somebody uses up nothing
// of theirs. An operation that is authorized anew is the same request.
func (p *Pipeline) charge(c *Call, counted string) error {
	if c.allowance.Limit > 0 {
		return nil
	}
	principal := c.Caller.User
	if principal == "" {
		principal = auth.Address(c.Request)
	}
	count, _ := strconv.ParseInt(counted, 10, 64)
	return p.count(&c.allowance, principal, count)
}

// chargeUnknown refuses, before anything is read, a request of whoever is not known by an address that has used up what
// strangers have.
func (p *Pipeline) chargeUnknown(c *Call, given auth.Credential) error {
	from := auth.Address(c.Request)
	if !p.limiter.Shuts(from, given.User, p.clock()) {
		return nil
	}
	return p.count(&c.allowance, from, 0)
}

// chargeAnonymous counts a request of nobody who is known, by the address that it comes from: it was refused before its
// token was looked at, or because of it. The refusal stands unless that is one too many.
func (p *Pipeline) chargeAnonymous(c *Call, refusal error) error {
	if c.allowance.Limit > 0 || PublicError(refusal).Code >= http.StatusInternalServerError {
		return refusal
	}
	if err := p.count(&c.allowance, auth.Address(c.Request), 0); err != nil {
		return err
	}
	return refusal
}

// count takes one request of what a principal has left.
func (p *Pipeline) count(a *auth.Allowance, principal string, counted int64) (err error) {
	now := p.clock()
	var ok bool
	if *a, ok = p.limiter.Take(principal, now, counted); ok {
		return nil
	}
	wait := max(a.Reset.Sub(now), time.Second).Round(time.Second)
	e := api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "More than %d requests in a minute: wait %s.", a.Limit, wait)
	e.RetryAfter = wait
	return e
}
