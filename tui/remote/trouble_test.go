package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// TestExplainUsesDisplayNames checks that field errors are translated to display names and not repeated, and that general
// messages are unchanged.
func TestExplainUsesDisplayNames(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"drafts[0].quote": "the quote", "comments[2].suggestion.markdown": "the suggestion", "body.markdown": "the text",
		"users[1]":              "the reviewer",
		"changes[0].parentPage": "the parent page", "subject": "the subject", "": "the text",
	} {
		if got := FieldName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	several := api.Invalid(api.FieldError{
		Path: "subject", Message: "is required",
	}, api.FieldError{Path: "body.markdown", Message: "is too long"})
	whole := api.Errorf(409, api.ReasonConflict, "It is merged.").WithHint("open another one")
	for want, err := range map[string]error{
		"the subject is required; the text is too long": several, "It is merged.": whole, "no route": errors.New("no route"),
	} {
		if got := ErrorLine(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var slow, cut, portal error = fmt.Errorf("cannot reach it: %w", context.DeadlineExceeded), fmt.Errorf("cut: %w", io.ErrUnexpectedEOF),
		&foreignError{webPage: true}
	for label, err := range map[string]error{
		"offline": errors.New("no route"), "no answer": slow, "cut off": cut, "not wsd": portal, "not allowed": api.Errorf(403,
			api.ReasonForbidden, "No."),
	} {
		if got := DescribeError(err).Label; got != label {
			t.Errorf("%v: %q, want %q", err, got, label)
		}
		if line := ErrorLine(err); strings.ContainsAny(line, "{<") || strings.Contains(line, "EOF") || strings.Contains(line, "context") {
			t.Errorf("%q is not in the words of users", line)
		}
	}
	if got := ErrorLine(portal); !strings.Contains(got, "a web page") {
		t.Errorf("%q", got)
	}
	if got := ErrorLine(&foreignError{}); !strings.Contains(got, "not an answer of wsd") {
		t.Errorf("%q", got)
	}
	if got := ErrorLines(whole); !slices.Equal(got, []string{"It is merged.", "hint: open another one"}) {
		t.Errorf("%q", got)
	}
}

// foreignError is an invalidResponse: the error for a successful response that does not come from wsd.
type foreignError struct{ webPage bool }

func (f *foreignError) Error() string   { return "invalid character '<' looking for beginning of value" }
func (f *foreignError) IsWebPage() bool { return f.webPage }
