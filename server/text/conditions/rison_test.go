package conditions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRison(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]any{
		"":                        {},
		"()":                      {},
		"plan:pro,beta:!t":        {"plan": "pro", "beta": true},
		"(seats:12,rate:-0.5e3)":  {"seats": 12.0, "rate": -500.0},
		"(old:!f,none:!n)":        {"old": false, "none": nil},
		"(teams:!(a,'b c',!()))":  {"teams": []any{"a", "b c", []any{}}},
		"(unsigned:(lang:de))":    {"unsigned": map[string]any{"lang": "de"}},
		"('my name':'it!'s !!ö')": {"my name": "it's !ö"},
		"(v:1.2.3,id:007)":        {"v": "1.2.3", "id": "007"},
	} {
		got, err := ParseRison(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{
		"plan", "(a:b", "(a:b))", "(a:b c:d)", "(a)", "(:b)", "(a:)", "(a:'b)", "(a:!x)", "(a:'!x')", "(a:1,a:2)", "{}", "!t",
		"(a:" + strings.Repeat("!(", 40) + strings.Repeat(")", 40) + ")",
	} {
		if got, err := ParseRison(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
