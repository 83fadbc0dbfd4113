package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// The exit codes; every error gets one in exitCode.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAuth        = 4
	exitConflict    = 5
	exitUnavailable = 6
	exitPartial     = 9
	exitInterrupted = 130
)

// usageError is a command that cannot be run as it was typed. Nothing was sent.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) *usageError {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

func (e *usageError) withHint(format string, args ...any) *usageError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// conflictError says that an operation went through and decided to change nothing.
type conflictError struct{ message, hint string }

func (e *conflictError) Error() string { return e.message }

// partialError is a failure after part of the output was written.
type partialError struct {
	done  int
	cause error
}

func (e *partialError) Error() string {
	return fmt.Sprintf("stopped after %s: %v", plural(e.done, "item"), e.cause)
}

func (e *partialError) Unwrap() error { return e.cause }

// exitCode maps every error to the code that the process ends with.
func exitCode(err error) int {
	var (
		partial     *partialError
		usage       *usageError
		conflict    *conflictError
		unreachable *client.TransportError
	)
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	case errors.As(err, &partial):
		return exitPartial
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, output.ErrQuery):
		return exitUsage
	case errors.As(err, &conflict):
		return exitConflict
	case errors.As(err, &unreachable):
		return exitUnavailable
	}
	if refused, ok := api.AsError(err); ok {
		return exitOf(refused.Code)
	}
	return exitError
}

func exitOf(status int) int {
	switch status {
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return exitAuth
	case http.StatusConflict, http.StatusPreconditionFailed:
		return exitConflict
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return exitUnavailable
	default:
		return exitError
	}
}

// report tells people, or with -o json programs, what went wrong, and returns the exit code.
func (a *app) report(err error) int {
	code := exitCode(err)
	if code == exitOK {
		return code
	}
	problem := describe(err)
	if a.flags.output == string(output.JSON) {
		encoder := json.NewEncoder(a.err)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(api.ErrorBody{Error: problem}) // there is nobody left to tell
		return code
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.paint("wsctl:"), strings.TrimSpace(problem.Message))
	for _, f := range problem.Fields {
		fmt.Fprintf(&b, "  %s: %s\n", f.Path, f.Message)
	}
	if problem.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", problem.Hint)
	}
	if problem.RequestID != "" {
		fmt.Fprintf(&b, "request: %s\n", problem.RequestID)
	}
	_, _ = fmt.Fprint(a.err, b.String())
	return code
}

// describe turns any error into the shape of the contract, cleaned for a terminal.
func describe(err error) api.Error {
	problem := api.Error{Message: err.Error(), Reason: "client"}
	var (
		usage       *usageError
		conflict    *conflictError
		unreachable *client.TransportError
	)
	refused, ok := api.AsError(err)
	switch {
	case ok:
		problem = *refused
		problem.Fields = append([]api.FieldError(nil), refused.Fields...)
		if len(problem.Fields) > 0 {
			problem.Message = fieldsMessage(refused)
		}
		if _, half := errors.AsType[*partialError](err); half {
			problem.Message = err.Error()
		}
		if problem.Hint == "" && refused.Code == http.StatusUnauthorized {
			problem.Hint = "set WSCTL_TOKEN, or store a token with: wsctl auth login --with-token"
		}
	case errors.As(err, &usage):
		problem.Reason, problem.Hint = "usage", usage.hint
	case errors.As(err, &conflict):
		problem.Reason, problem.Hint = "conflict", conflict.hint
	case errors.As(err, &unreachable):
		problem.Reason = "unreachable"
		problem.Hint = "is wsd running there? choose another with --url, WSCTL_URL or a profile; wsctl config list --show-origin says where this one is from"
	case errors.Is(err, context.Canceled):
		problem.Reason, problem.Message = "interrupted", "interrupted"
	}
	if unknown, ok := errors.AsType[*client.UnknownOutcomeError](err); ok {
		problem = undecided(problem, unknown)
	}
	return cleaned(problem)
}

// undecided says of a write how to go on when nobody knows whether it was carried out.
func undecided(problem api.Error, unknown *client.UnknownOutcomeError) api.Error {
	if problem.Reason != api.ReasonOutcomeUnknown { // which says so
		problem.Message = strings.TrimSuffix(problem.Message, ".") + "; whether the change was made is not known"
		if problem.Reason == "interrupted" {
			problem.Message = "interrupted; whether the change was made is not known"
		}
	}
	problem.Hint = "the same command with --idempotency-key " + unknown.Key + " makes it once at most"
	return problem
}

// fieldsMessage leaves out of a message what its fields say again.
func fieldsMessage(e *api.Error) string {
	if e.Code == http.StatusUnprocessableEntity || e.Code == http.StatusBadRequest {
		return fmt.Sprintf("the server refuses the request (%d):", e.Code)
	}
	return e.Message
}

func cleaned(e api.Error) api.Error {
	e.Message = output.Sanitize(e.Message)
	e.Hint = output.Sanitize(e.Hint)
	e.RequestID = output.Line(e.RequestID)
	for i, f := range e.Fields {
		e.Fields[i] = api.FieldError{Path: output.Line(f.Path), Message: output.Line(f.Message)}
	}
	return e
}
