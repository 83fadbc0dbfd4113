package api

import "fmt"

// MergeRulesType is the origin of the merge rules of a space or organization.
type MergeRulesType string

// Values of MergeRulesType.
const (
	MergeRulesInherit MergeRulesType = "inherit" // the rules of the organization; only for spaces
	MergeRulesNone    MergeRulesType = "none"    // no rules
	MergeRulesListed  MergeRulesType = "rules"   // the listed rules
)

// Values returns the values of MergeRulesType.
func (MergeRulesType) Values() []MergeRulesType {
	return []MergeRulesType{MergeRulesInherit, MergeRulesNone, MergeRulesListed}
}

// MergeRules are the conditions for merging a change request.
type MergeRules struct {
	Type  MergeRulesType `json:"type" doc:"inherit is for spaces."`
	Rules []MergeRule    `json:"rules,omitzero" len:"0..20" doc:"With the type rules: each of them has to hold."`
}

// MergeRuleName is the name of a merge rule.
type MergeRuleName string

// The merge rules. A review counts while the reviewed changes are those that would be merged. Reviews by the author
// of the change request do not count.
const (
	RuleSpecificReviewers      MergeRuleName = "require_specific_reviewers"        // all of the users have approved
	RuleOneOfSpecificReviewers MergeRuleName = "require_one_of_specific_reviewers" // one of the users has approved
	RuleBypass                 MergeRuleName = "allow_bypass"                      // the users may merge regardless of the other rules
	RuleReview                 MergeRuleName = "require_at_least_one_review"
	RuleApproval               MergeRuleName = "require_at_least_one_approved_review"
	RuleAllApproved            MergeRuleName = "require_all_reviews_approved"
	RuleUpToDate               MergeRuleName = "require_up_to_date_change_request"
	RuleSubject                MergeRuleName = "require_change_request_subject"
	RuleAuthorMerges           MergeRuleName = "require_author_to_merge"
	RuleThreads                MergeRuleName = "threads"  // no comment is open
	RuleBlocking               MergeRuleName = "blocking" // no blocking comment is open
	RuleCustom                 MergeRuleName = "custom"
)

// Values returns the rules.
func (MergeRuleName) Values() []MergeRuleName {
	return []MergeRuleName{
		RuleSpecificReviewers, RuleOneOfSpecificReviewers, RuleBypass, RuleReview, RuleApproval, RuleAllApproved,
		RuleUpToDate, RuleSubject, RuleAuthorMerges, RuleThreads, RuleBlocking, RuleCustom,
	}
}

// MergeRule is one rule of a merge.
type MergeRule struct {
	Rule       MergeRuleName `json:"rule"`
	Users      []string      `json:"users,omitzero" len:"1..100" each:"..100" doc:"Ids of members; of the rules that name people."`
	Expression string        `json:"expression,omitzero" len:"1..2000" doc:"Of a custom rule: what has to be true, in the syntax of expr-lang.org: comparisons, and, or, not, in, contains, startsWith, endsWith, matches, arithmetic, ?:, ??, lists, and the functions all, any, none, one, count, filter, map, len, lower, upper and trim. It may speak of changeRequest (number, subject, status, createdBy, outdated), actor (id, role), reviews (reviewer, status, outdated), serviceReviews (those of service accounts), approvals, unresolvedThreads, brokenLinks and pages (id, path, title, change)."`
	Message    string        `json:"message,omitzero" len:"1..200" doc:"Of a custom rule: what to tell people when it does not hold."`
}

// Validate checks that rules are listed if and only if the type is MergeRulesListed, and that each rule has exactly the members
// that belong to it.
func (r MergeRules) Validate() []FieldError {
	var wrong []FieldError
	if (r.Type == MergeRulesListed) != (len(r.Rules) > 0) {
		wrong = append(wrong, FieldError{Path: "rules", Message: "goes with the type rules, and only with it"})
	}
	for i, rule := range r.Rules {
		for _, w := range rule.validate() {
			wrong = append(wrong, FieldError{Path: fmt.Sprintf("rules[%d].%s", i, w.Path), Message: w.Message})
		}
	}
	return wrong
}

func (r MergeRule) validate() []FieldError {
	named := r.Rule == RuleSpecificReviewers || r.Rule == RuleOneOfSpecificReviewers || r.Rule == RuleBypass
	custom := r.Rule == RuleCustom
	var wrong []FieldError
	for _, m := range []struct {
		name        string
		given, goes bool
	}{{"users", len(r.Users) > 0, named}, {"expression", r.Expression != "", custom}, {"message", r.Message != "", custom}} {
		switch {
		case m.goes && !m.given:
			wrong = append(wrong, FieldError{Path: m.name, Message: "is required for " + string(r.Rule)})
		case m.given && !m.goes:
			wrong = append(wrong, FieldError{Path: m.name, Message: "does not go with " + string(r.Rule)})
		}
	}
	return wrong
}

// checkMergeRules validates the merge rules of a patch. Only spaces can inherit rules.
func checkMergeRules(patch Optional[MergeRules], inherits bool) []FieldError {
	rules, ok := patch.Get()
	if !ok {
		return nil
	}
	var wrong []FieldError
	if rules.Type == MergeRulesInherit && !inherits {
		wrong = append(wrong, FieldError{Path: "mergeRules.type", Message: "inherit is for spaces"})
	}
	for _, w := range rules.Validate() {
		wrong = append(wrong, FieldError{Path: "mergeRules." + w.Path, Message: w.Message})
	}
	return wrong
}
