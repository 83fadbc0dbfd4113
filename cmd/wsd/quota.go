package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// quotaCommand holds the flags of `wsd quota`.
type quotaCommand struct {
	org, user string
	output    format
}

func newQuotaCmd(ctx context.Context, cfg *config) *cobra.Command {
	q := &quotaCommand{output: formatText}
	cmd := &cobra.Command{
		Use: "quota", Short: "Show and change how much an organization or a user may have", Args: noArgs,
		Long: `Show and change how much an organization may store, and how many tokens and organizations a user may have.

The event log of an organization is no part of what it stores and is never refused: of a log that takes more than a tenth
of the quota of bytes, the oldest events are removed. An organization may keep fewer events, and for less time, than
WSD_EVENTS_KEPT says (wsd quota set --events, --event-days).

What has no limit of its own has that of everybody: the budgets organization-bytes, organization-records, user-tokens and
user-organizations (wsd budgets). Over a limit nothing can be added (403, quota_exceeded); reading and deleting go on.
A change holds at once, on every node.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&q.org, "org", "", "id or title of an organization")
	cmd.PersistentFlags().StringVar(&q.user, "user", "", "id or e-mail address of a user")
	cmd.MarkFlagsMutuallyExclusive("org", "user")
	cmd.AddCommand(newQuotaShowCmd(ctx, cfg, q), newQuotaSetCmd(ctx, cfg, q))
	return cmd
}

func newQuotaShowCmd(ctx context.Context, cfg *config, q *quotaCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Show limits and use", Args: noArgs,
		Example: "  wsd quota show --org Docs\n  wsd quota show --org Docs -o json\n  wsd quota show --user you@example.com",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return q.show(ctx, cmd, cfg, s) })
		},
	}
	addFormatFlag(cmd, &q.output)
	return cmd
}

// limitFlag is a flag that sets a limit.
type limitFlag struct {
	name, usage string
	forUser     bool
	value       string
}

func newQuotaSetCmd(ctx context.Context, cfg *config, q *quotaCommand) *cobra.Command {
	flags := []*limitFlag{
		{name: "bytes", usage: "of an organization: what it stores, e.g. 20GiB"},
		{name: "records", usage: "of an organization"},
		{name: txn.FieldEvents, usage: "of an organization: events that are kept, if fewer than of all, e.g. 100000"},
		{name: txn.FieldEventDays, usage: "of an organization: days for which events are kept, if fewer than of all, e.g. 30"},
		{name: "tokens", usage: "of a user", forUser: true},
		{name: "organizations", usage: "of a user: those that the user made", forUser: true},
	}
	cmd := &cobra.Command{
		Use: "set", Short: "Change limits", Args: noArgs,
		Long: "Change limits. Beside a number, default is the limit of everybody, and none is no limit.",
		Example: "  wsd quota set --org Docs --bytes 20GiB --records 5000000\n  wsd quota set --user bot@example.com --tokens 500\n" +
			"  wsd quota set --org Docs --bytes default",
		RunE: func(cmd *cobra.Command, _ []string) error {
			limits, err := q.parseLimits(flags)
			if err != nil {
				return err
			}
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return q.set(ctx, cmd, cfg, s, limits) })
		},
	}
	for _, s := range flags {
		cmd.Flags().StringVar(&s.value, s.name, "", s.usage)
	}
	return cmd
}

// parseLimits returns the limits that the flags set, by name; nil stands for the default.
func (q *quotaCommand) parseLimits(flags []*limitFlag) (map[string]*int64, error) {
	if q.org == "" && q.user == "" {
		return nil, usagef("whose? --org or --user")
	}
	limits := map[string]*int64{}
	for _, s := range flags {
		switch {
		case s.value == "":
			continue
		case s.forUser != (q.user != ""):
			return nil, usagef("--%s is a limit %s", s.name, s.usage)
		}
		limit, err := orgs.ParseLimit(s.name, s.value)
		if err != nil {
			return nil, usagef("--%s: %s", s.name, err)
		}
		limits[s.name] = limit
	}
	if len(limits) == 0 {
		return nil, usagef("nothing to change: give --bytes, --records, --events or --event-days with --org, " +
			"--tokens or --organizations with --user")
	}
	return limits, nil
}

func (q *quotaCommand) set(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store, limits map[string]*int64) (err error) {
	accounts := orgs.Accounts{Store: s}
	if q.user != "" {
		err = accounts.SetUserLimits(ctx, q.user, limits)
	} else {
		err = accounts.SetOrganizationLimits(ctx, q.org, limits)
	}
	if err != nil {
		return err
	}
	return q.show(ctx, cmd, cfg, s)
}

func (q *quotaCommand) show(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store) error {
	defaults, err := cfg.parseBudgets()
	if err != nil {
		return err
	}
	var quotas orgs.Quotas
	switch accounts := (orgs.Accounts{Store: s}); {
	case q.user != "":
		quotas, err = accounts.UserQuotas(ctx, q.user, defaults)
	case q.org != "":
		quotas, err = accounts.OrganizationQuotas(ctx, q.org)
	default:
		err = usagef("whose? --org or --user")
	}
	if err != nil {
		return err
	}
	if q.output == formatJSON {
		return writeJSON(cmd.OutOrStdout(), quotas)
	}
	for _, line := range quotas.Lines() {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	return nil
}
