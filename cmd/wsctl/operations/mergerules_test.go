package operations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestMergeRuleFlags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		words []string
		want  string // "" if the command line is refused
	}{
		"rules":         {[]string{"--merge-rule", "threads", "--merge-rule", "require-at-least-one-review"}, `{"mergeRules":{"rules":[{"rule":"threads"},{"rule":"require_at_least_one_review"}],"type":"rules"}}`},
		"people":        {[]string{"--merge-rule", "allow_bypass=u_1,u_2"}, `{"mergeRules":{"rules":[{"rule":"allow_bypass","users":["u_1","u_2"]}],"type":"rules"}}`},
		"an object":     {[]string{"--merge-rule", "{rule: custom, expression: 'approvals > 1', message: Two}"}, `{"mergeRules":{"rules":[{"rule":"custom","expression":"approvals > 1","message":"Two"}],"type":"rules"}}`},
		"with the type": {[]string{"--merge-rules-type", "rules", "--merge-rule", "threads"}, `{"mergeRules":{"rules":[{"rule":"threads"}],"type":"rules"}}`},
		"with data":     {[]string{"--data", `{"mergeRules":{"type":"none"}}`, "--merge-rule", "threads"}, `{"mergeRules":{"rules":[{"rule":"threads"}],"type":"rules"}}`},
		"no such rule":  {[]string{"--merge-rule", "approvals"}, ""},
		"custom alone":  {[]string{"--merge-rule", "custom"}, ""},
		"no object":     {[]string{"--merge-rule", "{rule: a, rule: b}"}, ""},
	} {
		s := newHarness(t, nil)
		got := s.Run(append([]string{"spaces", "update", "s_1"}, test.words...)...)
		if test.want == "" {
			got.Want(t, app.ExitUsage, "--merge-rule")
			continue
		}
		if diff := cmp.Diff([]string{"PATCH /v1/spaces/s_1 " + test.want}, s.Requests()); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, got.Stderr)
		}
	}
}
