package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// charge counts the request for its principal. It is called once the principal is verified, so that nobody can use up
// the allowance of another user. A repeated authorization is not counted again.
func (p *Pipeline) charge(c *Call, counted string) error {
	if c.allowance.Limit > 0 {
		return nil
	}
	principal := c.Caller.User
	if principal == "" {
		principal = auth.Address(c.HTTP)
	}
	count, _ := strconv.ParseInt(counted, 10, 64)
	return p.count(&c.allowance, principal, count)
}

// chargeUnknown refuses a request with unknown credentials before anything is read, if its address has used up its
// allowance.
func (p *Pipeline) chargeUnknown(c *Call, given auth.Credential) error {
	from := auth.Address(c.HTTP)
	if !p.limiter.Refuses(from, given.User, p.clock()) {
		return nil
	}
	return p.count(&c.allowance, from, 0)
}

// chargeAnonymous counts a request without a verified caller for its address. It returns refusal, or a rate limit
// error if the allowance is used up.
func (p *Pipeline) chargeAnonymous(c *Call, refusal error) error {
	if c.allowance.Limit > 0 || PublicError(refusal).Code >= http.StatusInternalServerError {
		return refusal
	}
	if err := p.count(&c.allowance, auth.Address(c.HTTP), 0); err != nil {
		return err
	}
	return refusal
}

// count takes one request from the allowance of a principal and sets a to the rest. It returns a rate limit error if no request
// is left.
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

// countRefusal counts a request that was refused although its token exists, for the logs of the user and the organizations.
func (p *Pipeline) countRefusal(c *Call, id identity, refusal error) {
	if id.token == nil || !api.IsReason(refusal, api.ReasonUnauthenticated) {
		return
	}
	record, ok, err := id.token.Get()
	var token store.TokenPrivate
	if err != nil || !ok || json.Unmarshal(record.Private, &token) != nil {
		return
	}
	if match, matches, err := p.matchSecret(id, record, token); err == nil && matches && !match.HasEnded(p.clock()) &&
		id.checkEnabled() == nil {
		return // its integration or its installation is not there any more
	}
	if auth.IsAccessExpired(token, id.credential.Secret, p.clock()) && id.checkEnabled() == nil {
		return
	}
	p.addRefusal(c, id.credential.User, id.credential.Token, token)
}

// CountRefusal counts a request that was refused although its login exists: the code or the refresh secret is not valid.
func (c *Call) CountRefusal(user string, token store.TokenDocument) {
	c.pipeline.addRefusal(c, user, token.Fields.ID, token.Private)
}

// addRefusal counts a refused request with a token.
func (p *Pipeline) addRefusal(c *Call, user, id string, token store.TokenPrivate) {
	r := auth.Refusal{User: user, Organization: token.Organization, EndedIn: token.EndedIn, Token: id, Count: 1}
	if p.auditAddresses {
		r.Address = auth.Address(c.HTTP)
	}
	c.refused = &r
	p.refusals.Add(r)
}
