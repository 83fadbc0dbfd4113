package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// TransportError reports that no response was received: the server is unreachable or the connection broke.
type TransportError struct {
	URL string // URL of the server, without credentials
	Err error
}

// Error implements error.
func (e *TransportError) Error() string { return fmt.Sprintf("cannot reach %s: %v", e.URL, e.Err) }

// Unwrap returns the cause.
func (e *TransportError) Unwrap() error { return e.Err }

func newTransportError(base string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the TransportError already names the URL
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer in time: %w", err)
	}
	if u, parseErr := url.Parse(base); parseErr == nil {
		base = u.Redacted()
	}
	return &TransportError{URL: base, Err: err}
}

// InvalidResponseError reports a successful response that violates the contract, for instance the page of a proxy.
type InvalidResponseError struct {
	Method, Path string // without credentials
	MediaType    string // of the response
	Err          error  // of its decoding
}

// Error implements error.
func (e *InvalidResponseError) Error() string {
	if e.IsWebPage() {
		return fmt.Sprintf("the answer of %s %s is a web page, not an answer of wsd", e.Method, e.Path)
	}
	return fmt.Sprintf("the answer of %s %s is not what the contract says: %v", e.Method, e.Path, e.Err)
}

// Unwrap returns the error of the decoding.
func (e *InvalidResponseError) Unwrap() error { return e.Err }

// IsWebPage reports whether the response is a web page.
func (e *InvalidResponseError) IsWebPage() bool { return e.MediaType == "text/html" }

func newInvalidResponseError(req Request, r Response, err error) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // "" if the response has no valid media type
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset == int64(len(r.Body)) && len(r.Body) > 0 {
		err = fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
	}
	return &InvalidResponseError{Method: req.Method, Path: maskedPath(req.Path), MediaType: media, Err: err}
}

// decodeError returns the error of an unsuccessful response. If the body was not written by wsd but, say, by a proxy,
// the error has the status only.
func decodeError(r Response) error {
	var body api.ErrorBody
	e := &body.Error
	if err := json.Unmarshal(r.Body, &body); err != nil || e.Message == "" {
		*e = api.Error{Message: statusMessage(r)}
	}
	e.Code = r.Status
	e.RetryAfter = retryAfter(r.Header)
	if e.RequestID == "" {
		e.RequestID = r.RequestID()
	}
	return e
}

// statusMessage returns the message for a response that was not written by wsd: the status and, for a redirect, its target.
func statusMessage(r Response) string {
	text := fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
	if location := r.Location(); location != "" && r.Status < 400 {
		if u, err := url.Parse(location); err == nil {
			location = maskedURL(u)
		}
		return fmt.Sprintf("%s to %s: is the address of the server right?", strings.TrimSpace(text), location)
	}
	return strings.TrimSpace(text)
}

func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
