package drafts_test

import (
	"reflect"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
)

// TestLimitsMatchContract checks that the limits are those of the contract.
func TestLimitsMatchContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of    reflect.Type
		field string
		limit int
	}{
		{reflect.TypeFor[api.CommentBody](), "markdown", drafts.MaxComment},
		{reflect.TypeFor[api.SuggestionCreate](), "markdown", drafts.MaxComment},
		{reflect.TypeFor[api.ChangeRequestPatch](), "description", drafts.MaxDescription},
	} {
		field, ok := api.NewCompiler().Compile(c.of).Field(c.field)
		if !ok || field.Schema.Max == nil || *field.Schema.Max != c.limit {
			t.Errorf("%s: the limit of %s is not %d", c.of, c.field, c.limit)
		}
	}
}

func TestTooLongReason(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", drafts.MaxComment+1)
	for want, d := range map[string]drafts.Draft{
		"": {Text: long[:2*drafts.MaxComment]},
		"the text has 65537 characters, at most 65536 are allowed":       {Text: long},
		"the suggestion has 65537 characters, at most 65536 are allowed": {Suggestion: &long},
		"the text has 10003 characters, at most 10000 are allowed":       {Description: true, Text: long[:2*10003]},
	} {
		if got := d.TooLongReason(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
