package fetch

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
)

// Reason says why a fetch failed.
type Reason string

// Reasons of an Error.
const (
	// Blocked: the address is not public, or the port is neither 80 nor 443.
	Blocked Reason = "blocked"
	// Unreachable: the name does not resolve, or nothing answers sensibly.
	Unreachable Reason = "unreachable"
	// TooLarge: the decompressed body is larger than allowed.
	TooLarge Reason = "too_large"
	// Timeout: the answer took too long.
	Timeout Reason = "timeout"
	// Canceled: the caller gave up.
	Canceled Reason = "canceled"
	// Status: the answer is not 2xx; Error.Status has the number.
	Status Reason = "status"
	// Redirects: too many of them.
	Redirects Reason = "redirects"
	// Unsupported: not an http or https URL, or one with credentials.
	Unsupported Reason = "unsupported"
)

// Error is every failure of Get. Its text names the URL and the reason and can be
// shown to a caller: it never tells which address a name resolved to.
type Error struct {
	URL     string
	Reason  Reason
	Status  int // HTTP status where Reason is Status, else 0
	Message string
	Err     error // what lies beneath, for logs
}

// Error says which URL failed and why.
func (e *Error) Error() string { return e.URL + ": " + e.Message }

// Unwrap returns what lies beneath.
func (e *Error) Unwrap() error { return e.Err }

// classify turns a failure of net/http into an Error.
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
