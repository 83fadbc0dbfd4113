package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// addMergeRuleFlag adds --merge-rule to a command with merge rules in its body.
func (r *rowCommand) addMergeRuleFlag() {
	r.cmd.Flags().StringArrayVar(&r.mergeRules, "merge-rule", nil,
		"a `rule` that has to hold before a merge: "+strings.Join(ruleWords(), ", ")+"; of people as in "+
			"require-specific-reviewers=ID,ID; a custom one as in {rule: custom, expression: approvals > 1, message: Two approvals}; "+
			"one flag per rule, which replace the present ones")
	app.CompleteWords(r.cmd, "merge-rule", ruleWords())
}

// ruleWords returns the names of merge rules as they are typed.
func ruleWords() []string {
	var words []string
	for _, rule := range api.MergeRuleName("").Values() {
		if rule != api.RuleCustom {
			words = append(words, strings.ReplaceAll(string(rule), "_", "-"))
		}
	}
	return words
}

// addMergeRules sets the members of the merge rules that --merge-rule stands for. Rules without a type are listed rules.
func (r *rowCommand) addMergeRules(object map[string]json.RawMessage) error {
	var rules []json.RawMessage
	for _, text := range r.mergeRules {
		rule, err := parseMergeRule(text)
		if err != nil {
			return err
		}
		rules = append(rules, rule)
	}
	var err error
	if object["rules"], err = json.Marshal(rules); err != nil || object["type"] != nil {
		return err
	}
	object["type"], err = json.Marshal(api.MergeRulesListed)
	return err
}

// parseMergeRule returns the rule that --merge-rule describes: its name, its name with people, or an object.
func parseMergeRule(text string) (json.RawMessage, error) {
	if isInline(text) {
		d, err := parseDocument([]byte(text), "--merge-rule")
		return d.json, err
	}
	word, people, named := strings.Cut(text, "=")
	rule := api.MergeRule{Rule: api.MergeRuleName(strings.ReplaceAll(word, "-", "_"))}
	if !slices.Contains(rule.Rule.Values(), rule.Rule) || rule.Rule == api.RuleCustom {
		return nil, app.Usagef("--merge-rule must be one of %s or an object, not %q", strings.Join(ruleWords(), ", "), word)
	}
	if named {
		rule.Users = strings.Split(people, ",")
	}
	return json.Marshal(rule)
}
