package app

import (
	"fmt"
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
