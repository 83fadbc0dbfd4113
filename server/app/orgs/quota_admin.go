package orgs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// quotaBytes is the name of the limit of the bytes that an organization stores.
const quotaBytes = "bytes"

// Limit is a quota and its use, as printed by `wsd quota`.
type Limit struct {
	Name       string       `json:"name"` // bytes, records, tokens or organizations
	Unit       budgets.Unit `json:"-"`
	Used       int64        `json:"used"`
	Max        int64        `json:"max,omitzero"` // absent = no limit
	Overridden bool         `json:"own,omitzero"` // set for this owner, not the default
}

// NearlyReached reports whether at least nine tenths of the limit are used.
func (l Limit) NearlyReached() bool { return l.Max > 0 && l.Used >= l.Max-l.Max/10 }

// String returns the limit as a line of `wsd quota`.
func (l Limit) String() string {
	most := "no limit"
	if l.Max > 0 {
		most = l.Unit.Format(l.Max)
	}
	if l.Overridden {
		most += " (its own)"
	}
	return fmt.Sprintf("%-14s %s of %s", l.Name, l.Unit.Format(l.Used), most)
}

// eventLimits are the least and greatest values of the limits of the event log of an organization. There is no value for no limit.
var eventLimits = map[string]struct{ least, most int64 }{
	txn.FieldEvents:    {store.MinEventsKept, 1_000_000_000},
	txn.FieldEventDays: {1, 36_500},
}

// ParseLimit parses a limit: a number in the unit of the limit with that name, "none" for no limit (0), or "default" for the
// default limit (nil).
func ParseLimit(name, text string) (*int64, error) {
	if text == "default" {
		return nil, nil
	}
	if limits, found := eventLimits[name]; found {
		n, err := budgets.Count.Parse(text)
		if err != nil || n < limits.least || n > limits.most {
			return nil, fmt.Errorf("%q is not a number from %d to %d or default", text, limits.least, limits.most)
		}
		return &n, nil
	}
	if text == "none" {
		return new(int64(0)), nil
	}
	unit := budgets.Count
	if name == quotaBytes {
		unit = budgets.Bytes
	}
	n, err := unit.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w, default or none", err)
	}
	return &n, nil
}

// Quotas are the limits of an organization or a user and their use.
type Quotas struct {
	Organization string    `json:"organization,omitzero"`
	User         string    `json:"user,omitzero"`
	Limits       []Limit   `json:"limits"`
	EventLog     *EventLog `json:"eventLog,omitzero"` // of an organization
	Counted      bool      `json:"counted"`           // whether the use is known
}

// Lines returns the quotas as lines of `wsd quota`.
func (q Quotas) Lines() []string {
	owner := "organization " + q.Organization
	if q.User != "" {
		owner = "user " + q.User
	}
	lines := []string{owner}
	for _, l := range q.Limits {
		lines = append(lines, l.String())
	}
	if q.EventLog != nil {
		lines = append(lines, q.EventLog.String())
	}
	if !q.Counted {
		lines = append(lines, "What was stored before there were quotas is not counted yet; "+
			"wsd does so when it serves, and refuses nothing until then.")
	}
	return lines
}

// OrganizationQuotas returns the quotas of the organization with an id or title.
func (a Accounts) OrganizationQuotas(ctx context.Context, idOrTitle string) (q Quotas, err error) {
	id, err := a.FindOrganization(ctx, idOrTitle)
	if err != nil {
		return q, err
	}
	q.Organization = id
	if q.Limits, q.Counted, err = a.OrganizationLimits(ctx, id); err != nil {
		return q, err
	}
	logs, err := a.EventLogs(ctx, []string{id})
	if err != nil {
		return q, err
	}
	q.EventLog = &logs[0]
	return q, nil
}

// UserQuotas returns the quotas of the user with an id or an e-mail address. defaults has the default limits.
func (a Accounts) UserQuotas(ctx context.Context, idOrEmail string, defaults *budgets.Budgets) (q Quotas, err error) {
	id, err := a.FindUser(ctx, idOrEmail)
	if err != nil {
		return q, err
	}
	q.User, q.Counted = id, true
	q.Limits, err = a.UserLimits(ctx, id, defaults)
	return q, err
}

// SetOrganizationLimits is SetLimits for the organization with an id or title.
func (a Accounts) SetOrganizationLimits(ctx context.Context, idOrTitle string, limits map[string]*int64) error {
	id, err := a.FindOrganization(ctx, idOrTitle)
	if err != nil {
		return err
	}
	return a.SetLimits(ctx, store.Organization(id), txn.QuotaKey(id), limits)
}

// SetUserLimits is SetLimits for the user with an id or an e-mail address.
func (a Accounts) SetUserLimits(ctx context.Context, idOrEmail string, limits map[string]*int64) error {
	id, err := a.FindUser(ctx, idOrEmail)
	if err != nil {
		return err
	}
	return a.SetLimits(ctx, store.User(id), store.UserQuotaKey(id), limits)
}

// FindOrganization returns the id of the organization with an id or title. It returns an error unless there is
// exactly one.
func (a Accounts) FindOrganization(ctx context.Context, idOrTitle string) (string, error) {
	found, err := a.organizations(ctx, idOrTitle)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", api.InvalidField("org", "there is no organization %q", idOrTitle)
	case len(found) > 1:
		return "", api.InvalidField("org", "%d organizations have the title %q: name one by id (%s)", len(found), idOrTitle,
			strings.Join(found, ", "))
	}
	return found[0], nil
}

// OrganizationLimits returns the limits of an organization and their use. counted is false if the use is not known
// yet.
func (a Accounts) OrganizationLimits(ctx context.Context, org string) (limits []Limit, counted bool, err error) {
	b := a.Store.NewBatch()
	reply := b.Usage(org)
	if err := b.Do(ctx); err != nil {
		return nil, false, fmt.Errorf("read use: %w", err)
	}
	use := reply.Value()
	return []Limit{
		{quotaBytes, budgets.Bytes, use.Bytes, use.Quota.Bytes, use.HasCustomBytes},
		{"records", budgets.Count, use.Records, use.Quota.Records, use.HasCustomRecords},
	}, use.Complete, nil
}

// UserLimits returns the limits of a user and their use, which includes expired tokens.
func (a Accounts) UserLimits(ctx context.Context, user string, numbers *budgets.Budgets) ([]Limit, error) {
	b := a.Store.NewBatch()
	tokens, organizations := queueUserQuota(b, numbers, user, quotaTokens), queueUserQuota(b, numbers, user, quotaOrganizations)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read use: %w", err)
	}
	t, o := tokens(), organizations()
	return []Limit{
		{quotaTokens, budgets.Count, t.size, t.limit, t.overridden},
		{quotaOrganizations, budgets.Count, o.size, o.limit, o.overridden},
	}, nil
}

// SetLimits sets limits by name; 0 means no limit and nil restores the default.
func (a Accounts) SetLimits(ctx context.Context, shard redis.Shard, quota redis.Key, limits map[string]*int64) error {
	return a.Store.Update(ctx, shard, txn.UpdateOptions{}, func(tx *store.Tx) error {
		for name, most := range limits {
			if most == nil {
				tx.DeleteField(quota, name)
			} else {
				tx.SetField(quota, name, strconv.FormatInt(*most, 10))
			}
		}
		return nil
	})
}

// OrganizationsNearQuota returns a line for each of at most `most` organizations that use nine tenths of a limit or more; more
// reports whether there are others. It reads the use of every organization in batches.
func (a Accounts) OrganizationsNearQuota(ctx context.Context, most int) (lines []string, more bool, err error) {
	ids, err := a.Store.Organizations(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("list organizations: %w", err)
	}
	for _, id := range ids {
		limits, counted, err := a.OrganizationLimits(ctx, id)
		if err != nil {
			return nil, false, err
		}
		for _, l := range limits {
			if !counted || !l.NearlyReached() {
				continue
			}
			if len(lines) == most {
				return lines, true, nil
			}
			lines = append(lines, id+" "+strings.Join(strings.Fields(l.String()), " "))
		}
	}
	return lines, false, nil
}
