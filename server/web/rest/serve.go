package rest

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

const (
	touchTimeout    = time.Second
	requestIDHeader = "X-Request-Id"
)

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Serve answers one request. raw gives the parameters of its path.
func (p *Pipeline) Serve(w http.ResponseWriter, r *http.Request, e *Endpoint, raw func(name string) string) {
	start := p.clock()
	recorder := &recorder{ResponseWriter: w}
	c := &Call{Request: r, requestID: p.RequestID(r), Endpoint: e, raw: raw, pipeline: p}
	ctx, written := txn.WithTrace(r.Context())
	c.written = written
	defer c.allow(budgets.WorkingFor(ctx, &c.worksFor), w)()

	err := p.handle(c, recorder)
	if err != nil {
		err = p.chargeAnonymous(c, GaveUp(r, err))
		p.respondError(recorder, c, err)
	}
	p.logRequest(c, recorder, start, err)
	p.touch(ctx, c, recorder)
}

// allow gives the call its time. It is called again when the body has arrived: how long that took is the caller's line,
// not the call's work, and listen sees to it that it goes on.
func (c *Call) allow(base context.Context, w http.ResponseWriter) (cancel context.CancelFunc) {
	limit := time.Duration(c.pipeline.budgets.CallTime)
	if c.Endpoint.Row.Slow {
		limit = time.Duration(c.pipeline.budgets.SlowTime)
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
	if id := r.Header.Get(requestIDHeader); requestIDs.MatchString(id) {
		return id
	}
	return p.ids.New("req_")
}

// touch remembers when the token was used, to the minute, and what its user has used up. It does so after the answer:
// it must not slow one down.
func (p *Pipeline) touch(ctx context.Context, c *Call, w *recorder) {
	if c.Caller == nil || c.Caller.Token == "" {
		return
	}
	now := p.clock()
	used := strconv.FormatInt(now.Truncate(time.Minute).Unix(), 10)
	made := p.limiter.Pending(c.Caller.User, now)
	if used == c.lastUse && made == 0 {
		return
	}
	_ = http.NewResponseController(w).Flush()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	var err error
	if used != c.lastUse {
		err = p.store.Touch(ctx, store.UsedKey(c.Caller.User, c.Caller.Token), used)
	}
	if made > 0 {
		err = errors.Join(err, p.store.Count(ctx, auth.RateKey(c.Caller.User, now), made, 2*auth.RateWindow))
	}
	if err != nil {
		p.log.Debug("use of a token not noted", "token", c.Caller.Token, "error", err)
	}
}
