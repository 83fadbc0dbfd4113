package review

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/mergerules"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RuleSet holds the merge rules of a space and the versions of the records they were read from.
type RuleSet struct {
	organizationVersion, spaceVersion int64 // versions of the records
	fromSpace                         bool  // the space has its own rules
	rules                             []api.MergeRule
}

// EffectiveRules returns the effective merge rules of a space: its own, or those of the organization if the space inherits
// them.
func EffectiveRules(organization, space *txn.Future[txn.Record]) (set RuleSet, err error) {
	var o store.OrganizationDocument
	if set.organizationVersion, err = decodeVersion(organization, &o); err != nil {
		return set, fmt.Errorf("rules of the organization: %w", err)
	}
	var d store.SpaceDocument
	if set.spaceVersion, err = decodeVersion(space, &d); err != nil {
		return set, fmt.Errorf("rules of the space: %w", err)
	}
	hold := o.Fields.MergeRules
	if own := d.Fields.MergeRules; own != nil && own.Type != api.MergeRulesInherit {
		hold, set.fromSpace = own, true
	}
	if hold != nil {
		set.rules = hold.Rules
	}
	return set, nil
}

// decodeVersion decodes a record and returns its version for the read set.
func decodeVersion(record *txn.Future[txn.Record], into interface{ Decode(r txn.Record) error }) (int64, error) {
	r, _, err := record.Get()
	if err != nil {
		return 0, err
	}
	return r.Version, into.Decode(r)
}

// checkUnchanged adds the records of the rules to the read set. It returns ErrHeadMoved if one has changed, so that
// the merge is planned again.
func (r RuleSet) checkUnchanged(tx *store.Tx, org, space string) error {
	keys := map[redis.Key]int64{store.OrganizationKey(org): r.organizationVersion, store.SpaceKey(org, space): r.spaceVersion}
	if err := tx.Prefetch(store.OrganizationKey(org), store.SpaceKey(org, space)); err != nil {
		return err
	}
	for key, version := range keys {
		record, _, err := tx.Record(key)
		if err != nil {
			return err
		}
		if record.Version != version {
			return store.ErrHeadMoved
		}
	}
	return nil
}

// customRuleResult is the result of the expression of a custom rule.
type customRuleResult struct {
	passed  bool
	problem string // reason why the expression has no result
}

// evaluateCustomRules evaluates the expressions of the custom rules once. An expression that fails, exceeds its
// limits or is no longer valid counts as false; only the end of the request is an error.
func (s *Service) evaluateCustomRules(ctx context.Context, f *mergeFacts) error {
	f.customResults = make([]customRuleResult, len(f.ruleSet.rules))
	for i, rule := range f.ruleSet.rules {
		if rule.Rule != api.RuleCustom {
			continue
		}
		holds, err := mergerules.Holds(ctx, rule.Expression, f.ruleInput(), s.Orgs.RuleLimits())
		if ended := ctx.Err(); ended != nil {
			return fmt.Errorf("custom rules: %w", ended)
		}
		f.customResults[i].passed = holds
		if err != nil {
			f.customResults[i].problem = err.Error()
		}
	}
	return nil
}
