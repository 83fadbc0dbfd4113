package app

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Candidate is one of the resources that have a name. Name is a name that only this one has, or its id.
type Candidate struct {
	Name  string `json:"name"`
	ID    string `json:"id"`
	Title string `json:"title,omitzero"`
	Hint  string `json:"hint,omitzero"`
}

// AmbiguousNameError reports a name that several resources have. It is a usage error.
type AmbiguousNameError struct {
	message    string
	Hint       string
	Candidates []Candidate
}

// Ambiguousf returns an AmbiguousNameError with a formatted message and no candidates.
func Ambiguousf(format string, args ...any) *AmbiguousNameError {
	return &AmbiguousNameError{message: fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *AmbiguousNameError) Error() string { return e.message }

// Unwrap returns e as a usage error.
func (e *AmbiguousNameError) Unwrap() error { return &UsageError{message: e.message, hint: e.Hint} }

// lines returns a line for each candidate: its name, title and id.
func (e *AmbiguousNameError) lines() string {
	names, titles := 0, 0
	for _, c := range e.Candidates {
		names = max(names, ansi.StringWidth(SanitizeLine(c.Name)))
		titles = max(titles, ansi.StringWidth(SanitizeLine(c.Title)))
	}
	var b strings.Builder
	for _, c := range e.Candidates {
		name, title := SanitizeLine(c.Name), SanitizeLine(c.Title)
		name += strings.Repeat(" ", names-ansi.StringWidth(name))
		title += strings.Repeat(" ", titles-ansi.StringWidth(title))
		fmt.Fprintf(&b, "  %s  %s  %s\n", name, title, SanitizeLine(c.ID))
	}
	return b.String()
}
