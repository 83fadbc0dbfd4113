package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// ruleSet is the rules of a merge as they are now, with the records that say so.
type ruleSet struct {
	organization, space int64 // versions
	ofSpace             bool  // the space has its own
	rules               []api.MergeRule
}

// rulesOf finds the rules that hold in a space: its own, or else those of the organization.
func rulesOf(organization, space store.Record) (ruleSet, error) {
	set := ruleSet{organization: organization.Version, space: space.Version}
	var o store.OrganizationDocument
	if err := o.Decode(organization); err != nil {
		return set, fmt.Errorf("rules of the organization: %w", err)
	}
	var d store.SpaceDocument
	if err := d.Decode(space); err != nil {
		return set, fmt.Errorf("rules of the space: %w", err)
	}
	rules := o.Fields.MergeRules
	if own := d.Fields.MergeRules; own != nil && own.Type != api.MergeRulesInherit {
		rules, set.ofSpace = own, true
	}
	if rules != nil {
		set.rules = rules.Rules
	}
	return set, nil
}

// held puts the rules into the read set: when others hold by now, the merge is planned again.
func (r ruleSet) held(tx *store.Tx, org, space string) error {
	keys := map[store.Key]int64{store.OrganizationKey(org): r.organization, store.SpaceKey(org, space): r.space}
	if err := tx.Prefetch(store.OrganizationKey(org), store.SpaceKey(org, space)); err != nil {
		return err
	}
	for key, version := range keys {
		record, _, err := tx.Record(key)
		if err != nil {
			return err
		}
		if record.Version != version {
			return errHeadMoved
		}
	}
	return nil
}

// applyMergeRules sets the rules of an organization or a space. Who is named in them has to be a member, and an
// expression has to make sense.
func applyMergeRules(c *call, patch api.Optional[api.MergeRules], target **api.MergeRules) (changed bool, err error) {
	rules, ok := patch.Get()
	if !ok || *target != nil && reflect.DeepEqual(**target, rules) {
		return false, nil
	}
	for i, rule := range rules.Rules {
		path := fmt.Sprintf("mergeRules.rules[%d]", i)
		if _, err := compileRule(rule); err != nil {
			return false, api.InvalidField(path+".expression", "%s", err)
		}
		for j, user := range rule.Users {
			c.withShape(func(sh *shape) { ok = sh.people[user] != nil && sh.people[user].Member != nil })
			if !ok {
				return false, api.InvalidField(fmt.Sprintf("%s.users[%d]", path, j), "is not a member of the organization")
			}
		}
	}
	*target = &rules
	return true, nil
}

// ruleInput is what an expression of a custom rule may speak of.
type ruleInput struct {
	ChangeRequest     ruleRequest  `expr:"changeRequest"`
	Actor             ruleActor    `expr:"actor"`
	Reviews           []ruleReview `expr:"reviews"`
	Approvals         int          `expr:"approvals"`
	UnresolvedThreads int          `expr:"unresolvedThreads"`
	BrokenLinks       int          `expr:"brokenLinks"`
	Pages             []rulePage   `expr:"pages"`
}

type ruleRequest struct {
	Number    int    `expr:"number"`
	Subject   string `expr:"subject"`
	Status    string `expr:"status"`
	CreatedBy string `expr:"createdBy"`
	Outdated  bool   `expr:"outdated"`
}

type ruleActor struct {
	ID   string `expr:"id"`
	Role string `expr:"role"`
}

type ruleReview struct {
	Reviewer string `expr:"reviewer"`
	Status   string `expr:"status"`
	Outdated bool   `expr:"outdated"`
}

type rulePage struct {
	ID     string `expr:"id"`
	Path   string `expr:"path"`
	Title  string `expr:"title"`
	Change string `expr:"change"`
}

// maxRuleNodes bounds the size of an expression.
const maxRuleNodes = 500

// compileRule checks the expression of a custom rule; other rules have none.
func compileRule(rule api.MergeRule) (*vm.Program, error) {
	if rule.Rule != api.RuleCustom {
		return nil, nil //nolint:nilnil // nothing to compile
	}
	program, err := expr.Compile(rule.Expression, expr.Env(ruleInput{}), expr.AsBool(), expr.MaxNodes(maxRuleNodes))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %s", firstLine(err.Error()))
	}
	return program, nil
}

// evaluateRule runs the expression of a custom rule. One that fails does not hold.
func evaluateRule(rule api.MergeRule, in ruleInput) (holds bool, problem string) {
	program, err := compileRule(rule)
	if err != nil {
		return false, err.Error()
	}
	out, err := expr.Run(program, in)
	if err != nil {
		return false, "the expression fails: " + firstLine(err.Error())
	}
	holds, _ = out.(bool)
	return holds, ""
}

func firstLine(text string) string {
	line, _, _ := bytes.Cut([]byte(text), []byte("\n"))
	return string(line)
}

// withoutRules takes the rules out of a space that a visitor sees: they name people.
func withoutRules(public []byte) []byte {
	if !bytes.Contains(public, []byte(`"mergeRules"`)) {
		return public
	}
	var fields api.SpaceFields
	if err := json.Unmarshal(public, &fields); err != nil {
		return []byte("{}")
	}
	fields.MergeRules = nil
	data, _ := json.Marshal(fields) // it was written so
	return data
}
