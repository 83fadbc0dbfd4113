package fetch

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
)

// Reason is the cause of a failed fetch.
type Reason string

// Reasons of an Error.
const (
	// Blocked: the address is not public, or the port is neither 80 nor 443.
	Blocked Reason = "blocked"
	// Unreachable: the name does not resolve, or there is no valid response.
	Unreachable Reason = "unreachable"
	// TooLarge: the decompressed body exceeds the limit.
	TooLarge Reason = "too_large"
	// Timeout: the response took too long.
	Timeout Reason = "timeout"
	// Canceled: the context was canceled.
	Canceled Reason = "canceled"
	// Status: the status is not 2xx; see Error.Status.
	Status Reason = "status"
	// Redirects: there were more than MaxRedirects.
	Redirects Reason = "redirects"
	// Unsupported: the URL is not http or https, or contains credentials.
	Unsupported Reason = "unsupported"
)

// Error is the type of all errors of Client.Get and its variants. Its text contains the URL and the reason and may be
// shown to users: it never contains a resolved address.
type Error struct {
	URL     string
	Reason  Reason
	Status  int // HTTP status if Reason is Status, else 0
	Message string
	Err     error // underlying error, for logs
}

// Error returns the URL and the message.
func (e *Error) Error() string { return e.URL + ": " + e.Message }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// classify converts an error of net/http to an Error.
func classify(rawURL string, err error) *Error {
	if typed, ok := errors.AsType[*Error](err); ok {
		return typed
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		rawURL = outer.URL
	}
	e := &Error{URL: rawURL, Reason: Unreachable, Message: "the server cannot be reached", Err: err}
	var timeout net.Error
	var name *net.DNSError
	switch {
	case errors.Is(err, errBlocked):
		e.Reason, e.Message = Blocked, "address is not public, or its port is neither 80 nor 443"
	case errors.Is(err, context.Canceled):
		e.Reason, e.Message = Canceled, "the request was given up"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		e.Reason, e.Message = Timeout, "the server took too long"
	case errors.As(err, &name):
		e.Message = "the host name does not resolve"
	}
	return e
}
