package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
)

// TransportError reports that no response was received: the server is unreachable or the connection broke.
type TransportError struct {
	URL string // URL of the server, without credentials
	Err error
}

// Error implements error.
func (e *TransportError) Error() string {
	if _, silent := errors.AsType[*silenceError](e.Err); silent {
		return fmt.Sprintf("%s does not answer: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("cannot reach %s: %v", e.URL, e.Err)
}

// Unwrap returns the cause.
func (e *TransportError) Unwrap() error { return e.Err }

func newTransportError(base string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the TransportError already names the URL
	}
	if _, silent := errors.AsType[*silenceError](err); !silent && errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer in time: %w", err)
	}
	return &TransportError{URL: redact(base), Err: err}
}

// decodeError returns the error of an unsuccessful response of the server at base: an *api.Error, or an
// *InvalidResponseError if the body was not written by wsd. Who answers with 429, 502, 503 or 504 does not matter,
// because these say that wsd cannot answer now.
func decodeError(base string, r Response) error {
	var body api.ErrorBody
	e := &body.Error
	if err := json.Unmarshal(r.Body, &body); err != nil || e.Message == "" {
		invalid := newInvalidResponseError(base, r, err)
		if !isTemporary(r.Status) {
			return invalid
		}
		*e = api.Error{Message: fmt.Sprintf("%s answers %s", redact(base), statusText(r.Status))}
	}
	e.Code = r.Status
	e.RetryAfter = retryAfter(r.Header)
	if e.RequestID == "" {
		e.RequestID = r.RequestID()
	}
	return e
}

// statusText returns a status with its name, such as 502 Bad Gateway.
func statusText(status int) string { return fmt.Sprintf("%d %s", status, http.StatusText(status)) }

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
