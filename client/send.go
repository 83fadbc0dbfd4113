package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerRequestID      = "X-Request-Id"

	// maxResponse is the maximum size of a response in bytes; a larger one is an error.
	maxResponse = 256 << 20

	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 10 * time.Second
	maxWait      = time.Minute // a longer Retry-After is returned as an error
	quietWait    = 2 * time.Second
)

// Response is an HTTP response with its body.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// ETag returns the version of the resource, for IfMatch.
func (r Response) ETag() string { return r.Header.Get("ETag") }

// RequestID returns the id of the request in the log of the server.
func (r Response) RequestID() string { return r.Header.Get(headerRequestID) }

// Location returns the address of the created resource.
func (r Response) Location() string { return r.Header.Get("Location") }

// ErrNotModified is returned by a read with IfNoneMatch if the response has not changed.
var ErrNotModified = errors.New("not modified")

// Wait describes a pause before a retry.
type Wait struct {
	For     time.Duration
	Attempt int // number of the failed attempt, from 1
	Cause   error
}

// Do sends a request, retries it if that is safe, and returns the response of a success. It returns an *api.Error if
// the server refuses the request, a *TransportError if it cannot be reached, and the error of ctx if that ends. Every
// write has an idempotency key, which makes retries safe. An error of a write that may have been applied is wrapped
// in an *UnknownOutcomeError.
func (c *Client) Do(ctx context.Context, req Request, options ...CallOption) (Response, error) {
	s := collectOptions(options)
	if req.writes() && s.header.Get(headerIdempotencyKey) == "" {
		s.header.Set(headerIdempotencyKey, c.newKey())
	}
	result := outcome{key: s.header.Get(headerIdempotencyKey)}
	if !req.writes() || s.query["dryRun"] != "" {
		result.key = ""
	}
	var waited time.Duration
	var noticed sync.Once
	announce := func(silence Silence) { noticed.Do(func() { c.onSilence(silence) }) }
	for attempt := 1; ; attempt++ {
		response, err := c.attempt(ctx, req, s, announce)
		err = result.wrap(err)
		if s.response != nil {
			*s.response = response
		}
		if err == nil || attempt > c.retries || ctx.Err() != nil || req.Content != nil && req.Content.readOnce {
			return response, err
		}
		pause, again := c.backoff(attempt, err)
		if !again {
			return response, err
		}
		waited += pause
		if waited > quietWait {
			c.onWait(Wait{For: pause, Attempt: attempt, Cause: err})
		}
		if c.sleep(ctx, pause) != nil {
			return response, result.interrupted(ctx, err)
		}
	}
}

func (r Request) writes() bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && !r.Reads
}

// backoff returns the delay before the next attempt. It returns false if the request is not to be retried: the failure is
// permanent, an operator has to act first, or Retry-After exceeds maxWait.
func (c *Client) backoff(attempt int, err error) (time.Duration, bool) {
	pause := min(firstBackoff<<(attempt-1), maxBackoff)
	pause = pause/2 + time.Duration(c.jitter()*float64(pause/2))
	if _, ok := errors.AsType[*TransportError](err); ok {
		return pause, true
	}
	refused, ok := api.AsError(err)
	if !ok || !isTemporary(refused.Code) || needsOperator(refused.Reason) || refused.RetryAfter > maxWait {
		return 0, false
	}
	return max(pause, refused.RetryAfter), true
}

// needsOperator reports whether a request cannot succeed before the operator of the server has acted.
func needsOperator(reason api.Reason) bool {
	return reason == api.ReasonStoreFull || reason == api.ReasonUpgradePending
}

// isTemporary reports whether a status indicates a temporary failure.
func isTemporary(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// attempt sends a request, and once more if another token replaces the one that the server refuses.
func (c *Client) attempt(ctx context.Context, req Request, s settings, announce func(Silence)) (response Response, err error) {
	err = c.withToken(ctx, req, func(token string) error {
		response, err = c.send(ctx, req, s, token, announce)
		return err
	})
	return response, err
}

func (c *Client) send(ctx context.Context, req Request, s settings, token string, announce func(Silence)) (Response, error) {
	watched, w := c.startWatch(ctx, req.Slow, announce)
	defer w.stop()
	r, err := c.newRequest(watched, w, req, s, token)
	if err != nil {
		return Response{}, err
	}
	start := time.Now()
	answer, err := c.http.Do(r)
	if failed := contentError(r); failed != nil && err != nil {
		return Response{}, failed
	}
	if err != nil {
		err = newConnectionError(c.baseURL, w.cause(ctx, err))
		c.logger.DebugContext(ctx, "no answer", "method", r.Method, "url", logged{r.URL}, "error", err)
		return Response{}, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := readAll(w.reader(answer.Body))
	if err != nil {
		return Response{}, newTransportError(c.baseURL, w.cause(ctx, err))
	}
	response := Response{Status: answer.StatusCode, Header: answer.Header, Body: body}
	c.logger.DebugContext(ctx, "answer", "method", r.Method, "url", logged{r.URL}, "status", response.Status,
		"bytes", len(body), "took", time.Since(start).Round(time.Millisecond), "requestId", response.RequestID())
	if response.Status == http.StatusNotModified {
		return response, ErrNotModified
	}
	if response.Status < 200 || response.Status > 299 {
		return response, decodeError(c.baseURL, response)
	}
	return response, checkSuccess(c.baseURL, req, s.query["dryRun"] != "", response)
}

func (c *Client) newRequest(ctx context.Context, w *watch, req Request, s settings, token string) (*http.Request, error) {
	query := url.Values{}
	maps.Copy(query, req.Query)
	for name, value := range s.query {
		query.Set(name, value)
	}
	address := c.baseURL + req.Path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", c.baseURL, err)
	}
	if body := api.PlainJSON(req.Body); body != nil {
		r.ContentLength = int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(w.reader(bytes.NewReader(body))), nil }
		r.Body = io.NopCloser(w.reader(bytes.NewReader(body)))
	}
	r.Header = s.header.Clone()
	r.Header.Set("User-Agent", c.userAgent)
	r.Header.Set("Accept", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if req.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if req.Content != nil {
		return r, setContent(r, w, req.Content)
	}
	return r, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxResponse+1))
	if err == nil && len(data) > maxResponse {
		return nil, fmt.Errorf("the answer is larger than %d MiB", maxResponse>>20)
	}
	return data, err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
