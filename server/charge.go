package server

import (
	"net/http"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
)

// admit counts the request once its principal is known for sure: who only pretends to be somebody uses up nothing
// of theirs. An operation that is authorized anew is the same request.
func (s *Server) admit(c *call, told string) error {
	if c.allowance.Limit > 0 {
		return nil
	}
	principal := c.caller.User
	if principal == "" {
		principal = auth.Address(c.request)
	}
	count, _ := strconv.ParseInt(told, 10, 64)
	return s.count(&c.allowance, principal, count)
}

// admitUnknown refuses, before anything is read, a request of whoever is not known by an address that has used up what
// strangers have.
func (s *Server) admitUnknown(c *call, given auth.Credential) error {
	from := auth.Address(c.request)
	if !s.limiter.Shuts(from, given.User, s.clock()) {
		return nil
	}
	return s.count(&c.allowance, from, 0)
}

// admitStranger counts a request of nobody who is known, by the address that it comes from: it was refused before its
// token was looked at, or because of it. The refusal stands unless that is one too many.
func (s *Server) admitStranger(c *call, refusal error) error {
	if c.allowance.Limit > 0 || publicError(refusal).Code >= http.StatusInternalServerError {
		return refusal
	}
	if err := s.count(&c.allowance, auth.Address(c.request), 0); err != nil {
		return err
	}
	return refusal
}

// admitAnybody counts a request that is answered without an operation.
func (s *Server) admitAnybody(w http.ResponseWriter, r *http.Request) error {
	var a auth.Allowance
	err := s.count(&a, auth.Address(r), 0)
	a.SetHeaders(w.Header())
	return err
}

// count takes one request of what a principal has left.
func (s *Server) count(a *auth.Allowance, principal string, told int64) (err error) {
	now := s.clock()
	var ok bool
	if *a, ok = s.limiter.Take(principal, now, told); ok {
		return nil
	}
	wait := max(a.Reset.Sub(now), time.Second).Round(time.Second)
	e := api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "More than %d requests in a minute: wait %s.", a.Limit, wait)
	e.RetryAfter = wait
	return e
}
