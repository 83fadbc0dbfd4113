package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// DescribeError converts any error to the error body of the API, sanitized for a terminal.
func DescribeError(err error) api.Error { return sanitizeError(describeError(err)) }

// describeError is DescribeError without the sanitizing.
func describeError(err error) api.Error {
	problem := api.Error{Message: err.Error(), Reason: "client"}
	var (
		usage       *UsageError
		several     *SeveralError
		conflict    *ConflictError
		login       *oauth.Error
		unreachable *client.TransportError
	)
	refused, ok := api.AsError(err)
	_, unprinted := errors.AsType[*UnprintedError](err)
	switch {
	case unprinted:
		problem.Reason = "not_printed"
	case errors.As(err, &several):
		problem.Reason, problem.Fields = "partial", several.fields()
	case ok:
		problem = *refused
		problem.Fields = append([]api.FieldError(nil), refused.Fields...)
		if len(problem.Fields) > 0 {
			problem.Message = fieldsMessage(refused)
		}
		if _, half := errors.AsType[*PartialError](err); half {
			problem.Message = err.Error()
		}
		if refused.Code == http.StatusTooManyRequests && refused.RetryAfter > 0 {
			problem.Hint = "try again in " + waitText(refused.RetryAfter)
		}
		if problem.Hint == "" && refused.Code == http.StatusUnauthorized {
			problem.Hint = "wsctl login signs in; wsctl auth login --with-token and WSCTL_TOKEN take a token"
		}
	case errors.As(err, &usage):
		problem.Reason, problem.Hint = "usage", usage.hint
	case errors.As(err, &conflict):
		problem.Reason, problem.Hint = "conflict", conflict.Hint
	case errors.Is(err, context.Canceled):
		problem.Reason, problem.Message = "interrupted", "interrupted"
	case errors.As(err, &login):
		problem.Reason, problem.Hint = "login", login.Hint
		if login.RetryAfter > 0 {
			problem.Hint = "try again in " + waitText(login.RetryAfter)
		}
	case errors.As(err, &unreachable):
		problem.Reason = "unreachable"
		problem.Hint = "is wsd running there? " + addressHint
	default:
		describeInvalidResponse(&problem, err)
	}
	if unknown, ok := errors.AsType[*client.UnknownOutcomeError](err); ok {
		problem = explainUnknownOutcome(problem, unknown)
	}
	if rest, ok := errors.AsType[*ContinueError](err); ok {
		problem.Message = rest.Done + ": " + strings.TrimPrefix(problem.Message, rest.Done+": ")
		problem.Hint = "the rest: " + rest.Next
	}
	return problem
}

// waitText returns a time to wait, rounded up: 45s, 3m, 1h5m.
func waitText(d time.Duration) string {
	unit := time.Second
	if d > 2*time.Minute {
		unit = time.Minute
	}
	text := ((d + unit - 1) / unit * unit).String()
	if unit == time.Minute {
		text = strings.TrimSuffix(text, "0s")
	}
	return strings.Replace(text, "h0m", "h", 1)
}

const addressHint = "choose another address with --url, WSCTL_URL or a profile; wsctl config list --show-origin says where " +
	"this one is from"

// describeInvalidResponse sets reason and hint of the error of an answer that is not from wsd, or from a server that is not
// trusted. It leaves the message of other errors as it is.
func describeInvalidResponse(problem *api.Error, err error) {
	if invalid, ok := errors.AsType[*client.InvalidResponseError](err); ok {
		problem.Reason, problem.Message = "not_wsd", invalid.Error()
		host, isPlain := strings.CutPrefix(invalid.URL, "http://")
		secure, isSecure := strings.CutPrefix(invalid.URL, "https://")
		switch {
		case invalid.Status == http.StatusProxyAuthRequired:
			problem.Hint = "put user and password into HTTPS_PROXY or HTTP_PROXY, or the host of the server into NO_PROXY"
		case invalid.Status == 0 && isSecure:
			problem.Hint = "if it is meant to be without TLS: --url http://" + secure
		case invalid.Status == http.StatusBadRequest && isPlain:
			problem.Hint = "if it is a server with TLS: --url https://" + host
		default:
			problem.Hint = addressHint
		}
	}
	if untrusted, ok := errors.AsType[*client.CertificateError](err); ok {
		problem.Reason, problem.Message = "certificate", untrusted.Error()
		problem.Hint = "is it the right server, and the clock of this computer right? SSL_CERT_FILE names a file of further authorities"
	}
}

// explainUnknownOutcome adds to the error of a write with an unknown outcome how to repeat the write safely.
func explainUnknownOutcome(problem api.Error, unknown *client.UnknownOutcomeError) api.Error {
	if problem.Reason != api.ReasonOutcomeUnknown { // the message of this reason already explains it
		problem.Message = strings.TrimSuffix(problem.Message, ".") + "; whether the change was made is not known"
		if problem.Reason == "interrupted" {
			problem.Message = "interrupted; whether the change was made is not known"
		}
	}
	problem.Hint = "the same command with --idempotency-key " + unknown.Key + " makes it once at most"
	return problem
}

// fieldsMessage returns the message to print above the fields of e: a general one for 400 and 422, whose messages repeat the
// fields, and otherwise the message of e.
func fieldsMessage(e *api.Error) string {
	if e.Code == http.StatusUnprocessableEntity || e.Code == http.StatusBadRequest {
		return fmt.Sprintf("the server refuses the request (%d):", e.Code)
	}
	return e.Message
}

func sanitizeError(e api.Error) api.Error {
	e.Message = Sanitize(e.Message)
	e.Hint = Sanitize(e.Hint)
	e.RequestID = SanitizeLine(e.RequestID)
	for i, f := range e.Fields {
		e.Fields[i] = api.FieldError{Path: SanitizeLine(f.Path), Message: SanitizeLine(f.Message)}
	}
	return e
}
