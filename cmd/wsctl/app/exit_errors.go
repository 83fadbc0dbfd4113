package app

import (
	"fmt"
)

// UsageError is a command that cannot be run as it was typed. Nothing was sent.
type UsageError struct{ message, hint string }

// Error implements error.
func (e *UsageError) Error() string { return e.message }

// Usagef makes a UsageError with a message as fmt.Sprintf writes it.
func Usagef(format string, args ...any) *UsageError {
	return &UsageError{message: fmt.Sprintf(format, args...)}
}

// WithHint says, behind the message, how to do it right. It returns e.
func (e *UsageError) WithHint(format string, args ...any) *UsageError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// ConflictError is an operation that went through and decided to change nothing, as a merge with conflicts does.
type ConflictError struct{ Message, Hint string }

// Error implements error.
func (e *ConflictError) Error() string { return e.Message }

// PartialError is a failure after part of a list was written.
type PartialError struct {
	Done  int // items that were written
	Cause error
}

// Error implements error.
func (e *PartialError) Error() string {
	return fmt.Sprintf("stopped after %s: %v", Count(e.Done, "item"), e.Cause)
}

// Unwrap returns the cause.
func (e *PartialError) Unwrap() error { return e.Cause }
