package app_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestPatternsHaveWords checks that no error of a flag shows a regular expression.
func TestPatternsHaveWords(t *testing.T) {
	t.Parallel()
	for name := range api.Patterns {
		v := app.FlagValue{Name: "x", Schema: &api.Schema{Kind: api.KindString, Pattern: name}}
		if err := v.Set("a b\\"); err == nil || !strings.HasPrefix(err.Error(), "must be ") || strings.ContainsAny(err.Error(), "^$") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
