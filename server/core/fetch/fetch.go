// Package fetch provides the server's only HTTP client. It connects to public addresses only, so that a URL given by
// a caller cannot reach the server's own machine or network.
//
// Every connection is checked when it is dialed, against the resolved address, so neither a rebinding resolver nor a
// redirect bypasses the check. The size of decompressed bodies and the time of requests are limited.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Defaults of Options.
const (
	DefaultMaxBytes = 10 << 20
	DefaultTimeout  = 30 * time.Second
	// MaxRedirects is the maximum number of redirects that one Get follows.
	MaxRedirects = 5

	maxHeaderBytes   = 64 << 10
	defaultUserAgent = "wsd"
)

// Options configures a Client. The zero value allows public addresses on ports 80 and 443.
type Options struct {
	// Allow lists networks that are allowed, on every port, in addition to public addresses.
	Allow []netip.Prefix
	// MaxBytes limits the body of Get, in bytes after decompression.
	MaxBytes int64
	// Timeout limits one request including redirects and body.
	Timeout time.Duration
	// UserAgent is sent with every request.
	UserAgent string
	// Lookup resolves a host name; nil uses the system's resolver. The returned addresses are checked like all
	// others.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Client fetches URLs. It is safe for concurrent use and stores no cookies.
type Client struct {
	opts  Options
	guard guard
	http  *http.Client
	// connect opens a connection to an address that the guard has accepted. Tests replace it to redirect a public
	// address to a local server.
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// Response is a complete response with status 2xx or, for GetChanged, 304.
type Response struct {
	// URL is the URL of the response, after redirects.
	URL string
	// Status is the HTTP status.
	Status int
	// ContentType is the header field with its parameters.
	ContentType string
	// Header contains the header fields of the last response.
	Header http.Header
	// Body is the decompressed body.
	Body []byte
}

// New returns a client with the given options.
func New(opts Options) *Client {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.UserAgent == "" {
		opts.UserAgent = defaultUserAgent
	}
	c := &Client{opts: opts, guard: newGuard(opts.Allow)}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: c.guard.control}
	c.connect = dialer.DialContext
	c.http = &http.Client{
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			// No Proxy: the environment must not influence which hosts are contacted.
			DialContext:            c.dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        30 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
	}
	return c
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Get fetches a URL with a body of at most Options.MaxBytes. All errors are of type *Error, including those for a
// status other than 2xx.
func (c *Client) Get(ctx context.Context, rawURL string) (*Response, error) {
	return c.GetUpTo(ctx, rawURL, c.opts.MaxBytes)
}

// GetUpTo is like Get with a limit of maxBytes for the body after decompression.
func (c *Client) GetUpTo(ctx context.Context, rawURL string, maxBytes int64) (*Response, error) {
	return c.GetChanged(ctx, rawURL, maxBytes, "")
}

// GetChanged is like GetUpTo for a caller that has the body with the given ETag. If it is still current, the response
// has status 304 and no body. Without an ETag, GetChanged is the same as GetUpTo.
func (c *Client) GetChanged(ctx context.Context, rawURL string, maxBytes int64, etag string) (*Response, error) {
	if err := checkURL(rawURL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return nil, &Error{URL: rawURL, Reason: Unsupported, Message: "the URL cannot be parsed", Err: err}
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, classify(rawURL, err)
	}
	defer resp.Body.Close()
	if etag != "" && resp.StatusCode == http.StatusNotModified {
		return &Response{URL: resp.Request.URL.String(), Status: resp.StatusCode, Header: resp.Header}, nil
	}
	return read(resp, maxBytes)
}

// read reads the body of an HTTP response. It returns an *Error if the status is not 2xx, or if the body is larger than
// maxBytes or cannot be read.
func read(resp *http.Response, maxBytes int64) (*Response, error) {
	final := resp.Request.URL.String()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, &Error{
			URL: final, Reason: Status, Status: resp.StatusCode,
			Message: fmt.Sprintf("the server answered %d", resp.StatusCode),
		}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if err != nil {
		return nil, classify(final, err)
	}
	if int64(len(body)) > maxBytes {
		return nil, &Error{
			URL: final, Reason: TooLarge,
			Message: fmt.Sprintf("the body is larger than %d bytes", maxBytes),
		}
	}
	return &Response{
		URL: final, Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"),
		Header: resp.Header, Body: body,
	}, nil
}

// checkRedirect returns an error if there are too many redirects or the new URL is invalid, and removes the Referer. The
// resolved address is checked by dial.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return &Error{
			URL: via[0].URL.String(), Reason: Redirects,
			Message: fmt.Sprintf("more than %d redirects", MaxRedirects),
		}
	}
	req.Header.Del("Referer") // do not disclose the previous URL
	return checkURL(req.URL.String())
}

// checkURL returns an error unless the URL is a plain http or https URL.
func checkURL(rawURL string) error {
	refuse := func(message string) error {
		return &Error{URL: rawURL, Reason: Unsupported, Message: message}
	}
	u, err := url.Parse(rawURL)
	switch {
	case err != nil:
		return refuse("the URL cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("only http and https are fetched")
	case u.Hostname() == "":
		return refuse("the URL has no host")
	case u.User != nil:
		return &Error{URL: u.Redacted(), Reason: Unsupported, Message: "a URL with credentials is not fetched"}
	}
	return nil
}

// dial resolves the host, by Options.Lookup if set, and connects to the first address that the guard accepts and that
// responds.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || c.opts.Lookup == nil {
		return c.connect(ctx, network, address)
	}
	addrs, err := c.opts.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	failure := errors.New("the host has no address")
	for _, addr := range addrs {
		target := net.JoinHostPort(addr.String(), port)
		if failure = c.guard.check(network, target); failure != nil {
			continue
		}
		conn, err := c.connect(ctx, network, target)
		if err == nil {
			return conn, nil
		}
		failure = err
	}
	return nil, failure
}

// Transport returns the transport of c, for a client of a protocol that sends more than GET. It connects to the addresses that c
// connects to, and limits neither bodies nor the time of requests.
func (c *Client) Transport() http.RoundTripper { return c.http.Transport }

// IsBlocked reports whether err is the error of a request to an address or a port that is not allowed.
func IsBlocked(err error) bool {
	if typed, ok := errors.AsType[*Error](err); ok && typed.Reason == Blocked {
		return true
	}
	return errors.Is(err, errBlocked)
}
