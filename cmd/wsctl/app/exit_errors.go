package app

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"docspace.dev/wsd/client/api"
)

// UsageError reports an invalid command line or configuration. No request was sent.
type UsageError struct{ message, hint string }

// Error implements error.
func (e *UsageError) Error() string { return e.message }

// Usagef returns a UsageError with a formatted message.
func Usagef(format string, args ...any) *UsageError {
	return &UsageError{message: fmt.Sprintf(format, args...)}
}

// WithHint sets a formatted hint that is shown after the message. It returns e.
func (e *UsageError) WithHint(format string, args ...any) *UsageError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// ConflictError reports a successful request that changed nothing, such as a merge with conflicts.
type ConflictError struct{ Message, Hint string }

// Error implements error.
func (e *ConflictError) Error() string { return e.Message }

// PartialError reports a failure after part of a list was written.
type PartialError struct {
	Done  int // number of items written
	Cause error
}

// Error implements error.
func (e *PartialError) Error() string {
	return fmt.Sprintf("stopped after %s: %v", Pluralize(e.Done, "item"), e.Cause)
}

// Unwrap returns the cause.
func (e *PartialError) Unwrap() error { return e.Cause }

// ContinueError reports a failure after a part of what a command does was done, with the command that does the rest.
type ContinueError struct {
	Done  string // what was done
	Next  string // command
	Cause error
}

// Error implements error.
func (e *ContinueError) Error() string { return e.Done + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *ContinueError) Unwrap() error { return e.Cause }

// SeveralError reports that some of several requests failed. The others were made.
type SeveralError struct {
	Total  int // number of requests
	Names  []string
	Errors []error // why the requests for Names failed
}

// Add adds a failure.
func (e *SeveralError) Add(name string, err error) {
	e.Names, e.Errors = append(e.Names, name), append(e.Errors, err)
}

// Reason returns nil without a failure, the failure itself of a single request, and otherwise e.
func (e *SeveralError) Reason() error {
	switch {
	case len(e.Errors) == 0:
		return nil
	case e.Total == 1:
		return e.Errors[0]
	}
	return e
}

// Error implements error.
func (e *SeveralError) Error() string { return fmt.Sprintf("%d of %d failed", len(e.Errors), e.Total) }

// fields returns the message of each failure.
func (e *SeveralError) fields() []api.FieldError {
	fields := make([]api.FieldError, len(e.Errors))
	for i, err := range e.Errors {
		fields[i] = api.FieldError{Path: e.Names[i], Message: failureText(err)}
	}
	return fields
}

// failureText returns the message of an error, those of its fields and its hint in a line.
func failureText(err error) string {
	problem := describeError(err)
	parts := []string{strings.TrimSuffix(problem.Message, ":")}
	for _, f := range problem.Fields {
		parts = append(parts, f.Path+" "+f.Message)
	}
	if problem.Hint != "" {
		parts = append(parts, "hint: "+problem.Hint)
	}
	return strings.Join(parts, "; ")
}

// UnprintedError reports that a write was made and that its answer could not be printed. It does not wrap its cause, which
// says nothing about the write.
type UnprintedError struct {
	Done   string // what was done, such as made
	Name   string // ids of what was made or changed, or words for it
	Secret string // where the secret of the answer is, if it has one
	Cause  error
}

// Error implements error.
func (e *UnprintedError) Error() string {
	cause := e.Cause
	if file, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = file.Err
	}
	message := fmt.Sprintf("%s, but could not be printed: %s (%v)", e.Done, e.Name, cause)
	if e.Secret != "" {
		message += "; " + e.Secret
	}
	return message
}
