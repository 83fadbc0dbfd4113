package app

import (
	"errors"
	"fmt"
	"io/fs"
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
