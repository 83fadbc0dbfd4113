package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"docspace.dev/wsd/client"
)

// Error codes of OAuth (RFC 6749, RFC 8628) with an effect of their own.
const (
	CodeInvalidGrant = "invalid_grant"
	codeAccessDenied = "access_denied"
	codeExpiredToken = "expired_token"
)

// Error reports that a login is refused, or that an answer is not accepted.
type Error struct {
	Status     int    // HTTP status; 0 if it was no answer with one
	Code       string // of OAuth; "" if there is none
	Message    string
	Hint       string
	RetryAfter time.Duration // 0 if the server did not give it
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// IsTemporary reports whether the same request may succeed later.
func (e *Error) IsTemporary() bool { return e.Status == http.StatusTooManyRequests || e.Status >= 500 }

// newError returns the error of a code and a description, which may be empty.
func newError(status int, code, description string) *Error {
	e := &Error{Status: status, Code: code, Hint: "wsctl login"}
	switch code {
	case codeAccessDenied:
		e.Status, e.Message = http.StatusForbidden, "the login was refused"
	case codeExpiredToken:
		e.Message = "nobody has confirmed the login in time"
		return e
	case "":
		e.Message, e.Hint = fmt.Sprintf("the server answers the login with %d %s", status, http.StatusText(status)), ""
	default:
		e.Message = "the server refuses the login: " + code
	}
	if description != "" {
		e.Message += " (" + strings.TrimSuffix(description, ".") + ")"
	}
	return e
}

// convertError converts an error of package oauth2, or of a request, to one of this package or of package client.
func convertError(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		e := newError(refused.Response.StatusCode, refused.ErrorCode, refused.ErrorDescription)
		e.RetryAfter = retryAfter(refused.Response.Header)
		return e
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return &client.TransportError{URL: originOf(address), Err: failed.Err}
	}
	return &client.InvalidResponseError{URL: originOf(address), Status: http.StatusOK, Err: err}
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(max(seconds, 0)) * time.Second
}

// endingBody calls end when the body was read or closed.
type endingBody struct {
	io.ReadCloser

	end func()
}

// Read implements io.Reader.
func (b *endingBody) Read(data []byte) (int, error) {
	n, err := b.ReadCloser.Read(data)
	if err != nil {
		b.end()
	}
	return n, err //nolint:wrapcheck // the error of the body
}

// Close implements io.Closer.
func (b *endingBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
