package review

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/mergerules"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RuleSet is the rules of a merge as they are now, with the records that say so.
type RuleSet struct {
	organization, space int64 // versions
	ofSpace             bool  // the space has its own
	rules               []api.MergeRule
}

// RulesOf finds the rules that hold in a space: its own, or else those of the organization.
func RulesOf(organization, space *txn.Future[txn.Record]) (set RuleSet, err error) {
	var o store.OrganizationDocument
	if set.organization, err = decodeVersion(organization, &o); err != nil {
		return set, fmt.Errorf("rules of the organization: %w", err)
	}
	var d store.SpaceDocument
	if set.space, err = decodeVersion(space, &d); err != nil {
		return set, fmt.Errorf("rules of the space: %w", err)
	}
	hold := o.Fields.MergeRules
	if own := d.Fields.MergeRules; own != nil && own.Type != api.MergeRulesInherit {
		hold, set.ofSpace = own, true
	}
	if hold != nil {
		set.rules = hold.Rules
	}
	return set, nil
}

// decodeVersion decodes a record that was read, and returns the version that the read set is to hold it to.
func decodeVersion(record *txn.Future[txn.Record], into interface{ Decode(r txn.Record) error }) (int64, error) {
	r, _, err := record.Get()
	if err != nil {
		return 0, err
	}
	return r.Version, into.Decode(r)
}

// held puts the rules into the read set: when others hold by now, the merge is planned again.
func (r RuleSet) held(tx *store.Tx, org, space string) error {
	keys := map[redis.Key]int64{store.OrganizationKey(org): r.organization, store.SpaceKey(org, space): r.space}
	if err := tx.Prefetch(store.OrganizationKey(org), store.SpaceKey(org, space)); err != nil {
		return err
	}
	for key, version := range keys {
		record, _, err := tx.Record(key)
		if err != nil {
			return err
		}
		if record.Version != version {
			return rest.ErrHeadMoved
		}
	}
	return nil
}

// customRule is what came of the expression of a custom rule.
type customRule struct {
	holds   bool
	problem string // why it has no answer
}

// runCustomRules runs the expressions of the rules, once for all who look at the facts. One that fails, costs too much or
// would not be taken any more does not hold; only the end of the request is an error.
func (s *Service) runCustomRules(ctx context.Context, f *mergeFacts) error {
	f.custom = make([]customRule, len(f.ruleSet.rules))
	for i, rule := range f.ruleSet.rules {
		if rule.Rule != api.RuleCustom {
			continue
		}
		holds, err := mergerules.Holds(ctx, rule.Expression, f.input(), s.Orgs.RuleLimits())
		if ended := ctx.Err(); ended != nil {
			return fmt.Errorf("custom rules: %w", ended)
		}
		f.custom[i].holds = holds
		if err != nil {
			f.custom[i].problem = err.Error()
		}
	}
	return nil
}
