package remote

import (
	"errors"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Field errors are translated to display names and not repeated; general messages are unchanged.
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
	if got := ErrorLines(whole); !slices.Equal(got, []string{"It is merged.", "hint: open another one"}) {
		t.Errorf("%q", got)
	}
}
