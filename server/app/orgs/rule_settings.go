package orgs

import (
	"fmt"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/mergerules"
	"docspace.dev/wsd/server/web/rest"
)

// ApplyMergeRules sets the merge rules of an organization or space. It returns an error if a rule names a user who is
// not a member or has an invalid expression. A space without rules inherits those of the organization.
func (s *Service) ApplyMergeRules(c *rest.Call, patch api.Optional[api.MergeRules], target **api.MergeRules) (changed bool, err error) {
	given, ok := patch.Get()
	if !ok || *target != nil && reflect.DeepEqual(**target, given) || *target == nil && given.Type == api.MergeRulesInherit {
		return false, nil
	}
	for i, rule := range given.Rules {
		path := fmt.Sprintf("mergeRules.rules[%d]", i)
		if rule.Rule == api.RuleCustom {
			if err := mergerules.Check(rule.Expression, s.RuleLimits()); err != nil {
				return false, api.InvalidField(path+".expression", "%s", err)
			}
		}
		for j, user := range rule.Users {
			c.Access(func(model *access.Model) { ok = model.Member(user) != nil })
			if !ok {
				return false, api.InvalidField(fmt.Sprintf("%s.users[%d]", path, j), "is not a member of the organization")
			}
		}
	}
	*target = &given
	return true, nil
}

// RuleLimits returns the cost limits of custom rules.
func (s *Service) RuleLimits() mergerules.Limits {
	return mergerules.Limits{
		Steps: s.Budgets.RuleSteps, Cells: s.Budgets.RuleCells, Pages: revision.MaxPages, Reviews: s.Budgets.RuleReviews,
	}
}
