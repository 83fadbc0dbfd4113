// Package client is the typed Go client of wsd. It has a service per resource with a method per operation.
//
//	c := client.New("http://127.0.0.1:8080", client.WithToken(token))
//	space, err := c.Spaces.Get(ctx, api.GetSpaceInput{Space: "spc_1"})
//
// Methods return an [*api.Error] if the server refuses the request, a [*TransportError] if it cannot be reached, and an
// [*InvalidResponseError] or a [*CertificateError] if something other than the expected server answers.
// Use [api.IsReason] to test for a cause. Resources that do not exist and resources that the caller may not see both
// fail with [api.ReasonNotFound]. A write that may have been applied despite its error fails with an
// [*UnknownOutcomeError]. Temporary failures, such as rate limits, are retried; see [Client.Do].
package client

//go:generate go run ./generate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	mathrand "math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// Client calls a wsd server. It is safe for concurrent use.
type Client struct {
	baseURL   string
	source    TokenSource
	userAgent string
	http      *http.Client
	retries   int
	timeout   time.Duration
	logger    *slog.Logger
	onWait    func(Wait)
	onSilence func(Silence)

	sleep     func(context.Context, time.Duration) error
	afterFunc func(time.Duration, func()) Timer
	jitter    func() float64 // returns a number in [0, 1)
	newKey    func() string

	Services
}

// Option configures a Client.
type Option func(*Client)

// WithToken sends token as a bearer token with every request. An empty token is not sent.
func WithToken(token string) Option {
	return WithTokenSource(func(context.Context, string) (string, error) { return token, nil })
}

// WithTokenSource sends what source returns as a bearer token. source is asked before each request, and called concurrently.
func WithTokenSource(source TokenSource) Option { return func(c *Client) { c.source = source } }

// WithHTTPClient sends requests with h. Its redirect policy is replaced, because a redirected write would lose its
// body.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) {
		clone := *h
		c.http = &clone
	}
}

// WithUserAgent sets the User-Agent header.
func WithUserAgent(agent string) Option { return func(c *Client) { c.userAgent = agent } }

// WithRetries sets the maximum number of retries after 429, 502, 503, 504 or a failure to reach the server. The
// default is 3; 0 disables retries.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithTimeout sets the time without a byte in either direction after which an attempt ends. The default is DefaultTimeout.
// Operations that are marked slow have at least ten minutes between the end of the request and the first byte of the response.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithLogger logs every attempt at debug level: method, URL, status, duration and request id, but no headers or
// bodies. Credentials in the path and the query of the URL are masked.
func WithLogger(l *slog.Logger) Option { return func(c *Client) { c.logger = l } }

// WithNotice calls f before each wait that brings the total waiting time of a call above two seconds, so that
// programs can inform the user.
func WithNotice(f func(Wait)) Option { return func(c *Client) { c.onWait = f } }

// WithSilenceNotice calls f once for a call in which no byte was sent or received for two seconds.
func WithSilenceNotice(f func(Silence)) Option { return func(c *Client) { c.onSilence = f } }

// WithAfterFunc replaces time.AfterFunc, which watches for silence. It is intended for tests.
func WithAfterFunc(f func(time.Duration, func()) Timer) Option {
	return func(c *Client) { c.afterFunc = f }
}

// WithSleep replaces the function that waits between attempts. It is intended for tests.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.sleep = sleep }
}

// NewHTTPClient returns an HTTP client for WithHTTPClient that has connections of its own and tells a proxy that asks for
// a password from a server that cannot be reached.
func NewHTTPClient() *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = shared.Clone()
	}
	transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		if answer.StatusCode == http.StatusProxyAuthRequired {
			return errProxyLogin
		}
		return nil
	}
	return &http.Client{Transport: transport}
}

// New returns a Client of the server at baseURL, without /v1, such as http://127.0.0.1:8080.
func New(baseURL string, options ...Option) *Client {
	c := &Client{
		baseURL:   strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"),
		source:    func(context.Context, string) (string, error) { return "", nil },
		userAgent: "wsd-client",
		http:      &http.Client{},
		retries:   3,
		timeout:   DefaultTimeout,
		logger:    slog.New(slog.DiscardHandler),
		onWait:    func(Wait) {},
		onSilence: func(Silence) {},
		sleep:     sleep,
		afterFunc: func(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) },
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

// Call performs the operation of route. The methods of the services are wrappers of Call. It returns an *api.Error if
// the server refuses the request and a *TransportError if it cannot be reached.
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
	if text, ok := any(&out).(interface{ SetText(text string) }); ok && isText(response, route.Text) {
		text.SetText(string(response.Body))
		return out, nil
	}
	if err := json.Unmarshal(response.Body, &out); err != nil {
		return out, newInvalidResponseError(c.baseURL, response, err)
	}
	return out, nil
}

// isText reports whether r has the media type that a row offers as an alternative to JSON.
func isText(r Response, mediaType string) bool {
	if mediaType == "" {
		return false
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media == mediaType
}

// perform is like Call for operations without a response body.
func perform[In any](ctx context.Context, c *Client, route api.Route[In, api.None], in In, options []CallOption) error {
	req, err := Encode(route.Row, in)
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, req, options...)
	return err
}

// URL returns the address of the server, without a trailing slash.
func (c *Client) URL() string { return c.baseURL }
