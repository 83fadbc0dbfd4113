package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reason is the machine-readable cause of an Error. Several reasons may share an HTTP status.
type Reason string

// Values of Reason. Clients preserve unknown ones.
const (
	ReasonMalformed       Reason = "malformed"         // 400: not JSON, duplicate key, trailing data
	ReasonInvalidParam    Reason = "invalid_param"     // 400: path or query
	ReasonInvalidCursor   Reason = "invalid_cursor"    // 400
	ReasonUnauthenticated Reason = "unauthenticated"   // 401
	ReasonForbidden       Reason = "forbidden"         // 403: the caller may see the resource but not act on it
	ReasonTokenEndedHere  Reason = "token_ended_here"  // 403: an admin of the organization has ended the token for it
	ReasonTokenTooOld     Reason = "token_too_old"     // 403: the token is older than the organization allows
	ReasonSSORequired     Reason = "sso_required"      // 403: members of the organization sign in by its identity provider
	ReasonQuotaExceeded   Reason = "quota_exceeded"    // 403: the fields name limit and usage
	ReasonNotFound        Reason = "not_found"         // 404: absent, or hidden from the caller
	ReasonMethod          Reason = "method"            // 405
	ReasonConflict        Reason = "conflict"          // 409
	ReasonNoChange        Reason = "no_change"         // 409: a move without effect
	ReasonState           Reason = "state"             // 409: not possible in the current state
	ReasonMergeRules      Reason = "merge_rules"       // 409: the fields name the unmet rules
	ReasonSpaceLocked     Reason = "space_locked"      // 409: live writes are locked
	ReasonInUse           Reason = "in_use"            // 409: delete of a resource in use; the fields list where it is used
	ReasonPrecondition    Reason = "precondition"      // 412: If-Match failed
	ReasonTooLarge        Reason = "too_large"         // 413
	ReasonMediaType       Reason = "media_type"        // 415
	ReasonInvalid         Reason = "invalid"           // 422: the fields list the violations
	ReasonKeyReused       Reason = "key_reused"        // 422: Idempotency-Key reused with another body
	ReasonAnswerSecret    Reason = "answer_not_saved"  // 409: repeat of a request whose response had a secret
	ReasonHeaders         Reason = "headers_too_large" // 431
	ReasonTooSlow         Reason = "too_slow"          // 408: the request did not arrive in time
	ReasonRateLimited     Reason = "rate_limited"      // 429
	ReasonGaveUp          Reason = "gave_up"           // 499, in logs only: the client closed the connection
	ReasonInternal        Reason = "internal"          // 500
	ReasonNotRun          Reason = "not_run"           // 501: integrations are stored but their code is not run
	ReasonUnavailable     Reason = "unavailable"       // 503: nothing was written
	ReasonStoreFull       Reason = "store_full"        // 503: nothing was written; do not retry before memory is freed
	ReasonBusy            Reason = "busy"              // 503: slow work timed out in the queue
	// ReasonContentUnreadable: 500, an object of the content is missing or damaged and has to be repaired.
	ReasonContentUnreadable Reason = "content_unreadable"
	ReasonContentLost       Reason = "content_lost" // 410: a revision whose content was lost and accepted as lost in a repair
	// ReasonOutcomeUnknown: 503, the write may have been applied, completely or in part. A repeat with the same
	// Idempotency-Key is safe.
	ReasonOutcomeUnknown Reason = "outcome_unknown"
	// ReasonReplicasBehind: 503, the replicas of a Cluster did not receive the data that the change refers to in
	// time. Nothing was written.
	ReasonReplicasBehind Reason = "replicas_behind"
	ReasonSecret         Reason = "secret" // 503: this node may not have the secrets of the data, so it stores no secret and no link
	// ReasonNewerForm: 503, the node would have to read data written by a newer wsd. Nothing was written. The node
	// must be upgraded.
	ReasonNewerForm Reason = "newer_form"
	// ReasonUpgradePending: 503, the write needs a newer form of the data, which the server does not write before its
	// upgrade is finished. Nothing was written; do not retry before.
	ReasonUpgradePending Reason = "upgrade_pending"
)

// Error is the error type of wsd: the server responds with it, the client returns it, and commands derive their exit
// code from it.
type Error struct {
	Code      int          `json:"code" doc:"The HTTP status."`
	Message   string       `json:"message" doc:"What is wrong, in a sentence for people."`
	Reason    Reason       `json:"reason"`
	Fields    []FieldError `json:"fields,omitempty" doc:"Every violation of the request."`
	Hint      string       `json:"hint,omitempty" doc:"What to do about it."`
	RequestID string       `json:"requestId,omitempty" doc:"Id of the request in the log of the server."`

	// RetryAfter is the delay before a retry, or zero if the response has none.
	RetryAfter time.Duration `json:"-"`

	cause error
}

// FieldError is a violation: the path of the value, the rule, and a message.
type FieldError struct {
	Path     string `json:"path" doc:"Path of the field, as in changes[2].title; or the parameter's name."`
	Message  string `json:"message" doc:"What is wrong with the value."`
	Conflict string `json:"conflict,omitzero" doc:"Id of a conflict that stands in the place of the one that was answered."`
}

// ErrorBody is the body of every unsuccessful response.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Errorf returns an Error with a status, a reason and a formatted message.
func Errorf(code int, reason Reason, format string, args ...any) *Error {
	return &Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error for resources that do not exist or that the caller may not see. The two cases must be
// indistinguishable.
func NotFound() *Error {
	return Errorf(http.StatusNotFound, ReasonNotFound, "Not found.")
}

// WrongState returns a 409 with ReasonState: the request is valid but not possible in the current state.
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

// summaryLength is the approximate maximum length of a message that combines several violations.
const summaryLength = 1000

func summary(fields []FieldError) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 && b.Len()+len(f.Path)+len(f.Message) > summaryLength {
			b.WriteString(moreSuffix)
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

// WithCause returns e with an underlying error, which is logged but never sent.
func (e *Error) WithCause(err error) *Error {
	e.cause = err
	return e
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the underlying error, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// AsError returns the first Error in the chain of err.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// IsReason reports whether err is an Error with the given reason.
func IsReason(err error, reason Reason) bool {
	e, ok := AsError(err)
	return ok && e.Reason == reason
}
