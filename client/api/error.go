package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reason is the machine-readable cause of an Error. One HTTP status may have several reasons.
type Reason string

// The reasons that wsd answers with. Clients keep unknown ones.
const (
	ReasonMalformed       Reason = "malformed"         // 400: not JSON, duplicate key, trailing data
	ReasonInvalidParam    Reason = "invalid_param"     // 400: path or query
	ReasonInvalidCursor   Reason = "invalid_cursor"    // 400
	ReasonUnauthenticated Reason = "unauthenticated"   // 401
	ReasonForbidden       Reason = "forbidden"         // 403: may see, may not act
	ReasonQuotaExceeded   Reason = "quota_exceeded"    // 403: fields name limit and use
	ReasonNotFound        Reason = "not_found"         // 404: absent, or may not see
	ReasonMethod          Reason = "method"            // 405
	ReasonConflict        Reason = "conflict"          // 409
	ReasonNoChange        Reason = "no_change"         // 409: a move that changes nothing
	ReasonState           Reason = "state"             // 409: not possible in the present state
	ReasonMergeRules      Reason = "merge_rules"       // 409: fields name the rules that do not hold
	ReasonSpaceLocked     Reason = "space_locked"      // 409: live writes are locked
	ReasonInUse           Reason = "in_use"            // 409: a delete of what others need; fields name them
	ReasonPrecondition    Reason = "precondition"      // 412: If-Match failed
	ReasonTooLarge        Reason = "too_large"         // 413
	ReasonMediaType       Reason = "media_type"        // 415
	ReasonInvalid         Reason = "invalid"           // 422: violations are listed in fields
	ReasonKeyReused       Reason = "key_reused"        // 422: Idempotency-Key with another body
	ReasonAnswerSecret    Reason = "answer_not_saved"  // 409: a repeated request whose answer held a secret
	ReasonHeaders         Reason = "headers_too_large" // 431
	ReasonTooSlow         Reason = "too_slow"          // 408: the request did not arrive in time
	ReasonRateLimited     Reason = "rate_limited"      // 429
	ReasonGaveUp          Reason = "gave_up"           // 499, in logs: nobody waits for the answer
	ReasonInternal        Reason = "internal"          // 500
	ReasonNotRun          Reason = "not_run"           // 501: code of integrations is kept and not run
	ReasonUnavailable     Reason = "unavailable"       // 503: nothing was written
	ReasonStoreFull       Reason = "store_full"        // 503: nothing was written; trying again is of no use before there is room
	ReasonBusy            Reason = "busy"              // 503: slow work waited for its turn in vain
	// ReasonContentUnreadable: 500, an object of the content is missing or damaged. It stays so until it is repaired.
	ReasonContentUnreadable Reason = "content_unreadable"
	ReasonContentLost       Reason = "content_lost" // 410: of a revision, given up in a repair
	// ReasonOutcomeUnknown: 503, and what was to be written may have been, whole or in part. A repeat with the same
	// Idempotency-Key is safe.
	ReasonOutcomeUnknown Reason = "outcome_unknown"
	// ReasonReplicasBehind: 503, the replicas of a Cluster do not hold in time what the change would refer to. Nothing
	// was written.
	ReasonReplicasBehind Reason = "replicas_behind"
	// ReasonNewerForm: 503, a newer wsd has written what this node would have to read. Nothing was written. It stays so
	// until this node is a newer one, too.
	ReasonNewerForm Reason = "newer_form"
)

// Error is the one error of wsd: what the server answers, what the client returns, and what commands and the
// screen turn into an exit code or a status line.
type Error struct {
	Code      int          `json:"code" doc:"The HTTP status."`
	Message   string       `json:"message"`
	Reason    Reason       `json:"reason"`
	Fields    []FieldError `json:"fields,omitempty" doc:"Every violation of the request."`
	Hint      string       `json:"hint,omitempty" doc:"What to do about it."`
	RequestID string       `json:"requestId,omitempty"`

	// RetryAfter is how long to wait before trying again; zero when the answer does not say.
	RetryAfter time.Duration `json:"-"`

	cause error
}

// FieldError is one violation: where, which rule, and what was wrong with the value.
type FieldError struct {
	Path     string `json:"path" doc:"Path of the field, as in changes[2].title; or the parameter's name."`
	Message  string `json:"message"`
	Conflict string `json:"conflict,omitzero" doc:"Id of a conflict that stands in the place of the one that was answered."`
}

// ErrorBody is the body of every answer that is not a success.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Errorf returns an Error with a status, a reason and a message for people.
func Errorf(code int, reason Reason, format string, args ...any) *Error {
	return &Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// NotFound is the answer for what is absent and for what the caller may not see: the two must not differ.
func NotFound() *Error {
	return Errorf(http.StatusNotFound, ReasonNotFound, "Not found.")
}

// WrongState returns a 409 with ReasonState: the request is well-formed but not possible now.
func WrongState(format string, args ...any) *Error {
	return Errorf(http.StatusConflict, ReasonState, format, args...)
}

// Invalid returns a 422 that lists every violation.
func Invalid(fields ...FieldError) *Error {
	e := Errorf(http.StatusUnprocessableEntity, ReasonInvalid, "%s", summary(fields))
	e.Fields = fields
	return e
}

// InvalidField returns a 422 with one violation.
func InvalidField(path, format string, args ...any) *Error {
	return Invalid(FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
}

// InvalidParam returns a 400 about parameters of the path or the query.
func InvalidParam(fields ...FieldError) *Error {
	e := Errorf(http.StatusBadRequest, ReasonInvalidParam, "%s", summary(fields))
	e.Fields = fields
	return e
}

// summaryLength is about how long the message is that says several violations in one line.
const summaryLength = 1000

func summary(fields []FieldError) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 && b.Len()+len(f.Path)+len(f.Message) > summaryLength {
			b.WriteString(andMore)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Path + ": " + f.Message)
	}
	return b.String()
}

// WithHint returns e with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithCause returns e with the underlying error, which is logged and never sent.
func (e *Error) WithCause(err error) *Error {
	e.cause = err
	return e
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the underlying error, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// AsError finds the Error in a chain.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// IsReason reports whether err is an Error with that reason.
func IsReason(err error, reason Reason) bool {
	e, ok := AsError(err)
	return ok && e.Reason == reason
}
