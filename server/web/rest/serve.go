package rest

import (
	"context"
	"net/http"
	"regexp"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store/txn"
)

const requestIDHeader = "X-Request-Id"

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Serve serves one request of an operation. raw returns the values of path parameters.
func (p *Pipeline) Serve(w http.ResponseWriter, r *http.Request, e *Endpoint, raw func(name string) string) {
	start := p.clock()
	recorder := newRecorder(w, r, e.metrics)
	e.metrics.Begin()
	defer e.metrics.End()
	c := &Call{Request: Request{HTTP: r, requestID: p.RequestID(r), Endpoint: e, pathValue: raw, pipeline: p}}
	ctx, written := txn.WithTrace(recorder.measure(r.Context()))
	c.trace = written
	defer c.releaseBody()
	defer c.setDeadline(budgets.WithRequester(ctx, &c.charged), w)()

	err := p.handle(c, recorder)
	if err != nil {
		err = p.chargeAnonymous(c, WrapDisconnect(r, err))
		if recorder.status == 0 {
			p.respondError(recorder, c, err)
		}
	}
	p.logRequest(c, recorder, start, err)
	p.recordUse(ctx, c, recorder)
	if recorder.incomplete {
		panic(http.ErrAbortHandler)
	}
}

// setDeadline sets the deadline of the call. It is called again after the body was read, so that slow uploads do not use up
// the time of the work; package listen enforces their minimum rate.
func (r *Request) setDeadline(base context.Context, w http.ResponseWriter) (cancel context.CancelFunc) {
	limit := time.Duration(r.pipeline.budgets.CallTime)
	if r.Endpoint.Row.Slow {
		limit = time.Duration(r.pipeline.budgets.SlowTime)
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit)) // without it, the context still limits the call
	}
	r.baseContext = base
	r.ctx, cancel = context.WithTimeout(base, limit)
	r.cancels = append(r.cancels, cancel)
	return func() {
		for _, end := range r.cancels {
			end()
		}
	}
}

// RequestID returns the well-formed request id of the client, so that logs can be joined, or a new one.
func (p *Pipeline) RequestID(r *http.Request) string { return RequestID(r, p.ids) }

// RequestID is Pipeline.RequestID for a process that has no pipeline yet.
func RequestID(r *http.Request, ids txn.IDGenerator) string {
	if id := r.Header.Get(requestIDHeader); requestIDs.MatchString(id) {
		return id
	}
	return ids.New("req_")
}
