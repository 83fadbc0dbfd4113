// Package client is the typed Go client of wsd: one service per resource, one method per row of the contract.
//
//	c := client.New("http://127.0.0.1:8080", client.WithToken(token))
//	space, err := c.Spaces.Get(ctx, api.GetSpaceInput{Space: "s_1"})
//
// Every method answers an [*api.Error] when the server refused, and a [*TransportError] when it could not be reached;
// [api.IsReason] asks for one cause. What is absent and what the caller may not see fails alike, with
// [api.ReasonNotFound]. A write that may have been carried out in spite of its error is an [*UnknownOutcomeError]. What
// passes, such as a rate limit, is tried again: see [Client.Do].
//
// The services are generated from the rows; how an input travels ([Encode]), retries, idempotency keys and the reading
// of errors are written here. The package imports client/api and the standard library, never the server: whatever
// both sides must agree on is in the contract.
package client

//go:generate go run ./generate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"mime"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// Client calls one wsd. It is safe for concurrent use.
type Client struct {
	base      string
	token     string
	userAgent string
	http      *http.Client
	retries   int
	timeout   time.Duration
	logger    *slog.Logger
	notice    func(Wait)

	sleep  func(context.Context, time.Duration) error
	jitter func() float64 // in [0, 1)
	newKey func() string

	Services
}

// Option configures a Client.
type Option func(*Client)

// WithToken sends the token as a bearer token with every request.
func WithToken(token string) Option { return func(c *Client) { c.token = token } }

// WithHTTPClient uses h to send requests; its redirect policy is replaced, because a redirected write is a lost
// one.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) {
		clone := *h
		c.http = &clone
	}
}

// WithUserAgent sets the User-Agent header.
func WithUserAgent(agent string) Option { return func(c *Client) { c.userAgent = agent } }

// WithRetries sets how often a request is tried again after 429, 502, 503, 504 or when the server could not be
// reached; the default is 3, and 0 turns retries off.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithTimeout limits one attempt of an operation that is not marked slow; the default is a minute.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithLogger logs every attempt at debug level: method, URL, status, time and request id, and no header or body.
func WithLogger(l *slog.Logger) Option { return func(c *Client) { c.logger = l } }

// WithNotice calls f before a wait that makes a call wait longer than two seconds in all, so that people are
// told why nothing happens.
func WithNotice(f func(Wait)) Option { return func(c *Client) { c.notice = f } }

// WithSleep replaces how the client waits between attempts, for tests.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.sleep = sleep }
}

// New returns a Client of the wsd at baseURL, which has no /v1: http://127.0.0.1:8080.
func New(baseURL string, options ...Option) *Client {
	c := &Client{
		base:      strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"),
		userAgent: "wsd-client",
		http:      &http.Client{},
		retries:   3,
		timeout:   time.Minute,
		logger:    slog.New(slog.DiscardHandler),
		notice:    func(Wait) {},
		sleep:     sleep,
		jitter:    mathrand.Float64,
		newKey:    rand.Text,
	}
	for _, o := range options {
		o(c)
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Services = newServices(c)
	return c
}

// Call performs the operation of a row. The methods of the services are Calls with a name. The error is an
// *api.Error when the server refused, a *TransportError when it could not be reached.
func Call[In, Out any](ctx context.Context, c *Client, route api.Route[In, Out], in In, options ...CallOption) (Out, error) {
	return call(ctx, c, route, in, options)
}

func call[In, Out any](ctx context.Context, c *Client, route api.Route[In, Out], in In, options []CallOption) (Out, error) {
	var out Out
	req, err := Encode(route.Row, in)
	if err != nil {
		return out, err
	}
	response, err := c.Do(ctx, req, options...)
	if err != nil {
		return out, err
	}
	if text, ok := any(&out).(interface{ SetText(text string) }); ok && route.Text != "" && isText(response, route.Text) {
		text.SetText(string(response.Body))
		return out, nil
	}
	if err := json.Unmarshal(response.Body, &out); err != nil {
		return out, fmt.Errorf("the answer of %s %s is not what the contract says: %w", req.Method, req.Path, err)
	}
	return out, nil
}

// isText reports whether an answer is of the type that a row has beside JSON.
func isText(r Response, mediaType string) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == mediaType
}

// perform is call for operations that answer without a body.
func perform[In any](ctx context.Context, c *Client, route api.Route[In, api.None], in In, options []CallOption) error {
	req, err := Encode(route.Row, in)
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, req, options...)
	return err
}
