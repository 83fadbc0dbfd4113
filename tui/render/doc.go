// Package render draws changes, checks, events and Markdown as lines of styled spans for a terminal. Every span is
// sanitized when it is created, and only Theme.Paint writes escape sequences, so text from a server cannot control
// the terminal. Markdown that is not supported is shown as written. The package does no I/O. The screen and the
// output of wsctl use the same functions.
package render
