package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// quotaCommand holds the flags of `wsd quota`.
type quotaCommand struct{ org, user string }

func newQuotaCmd(ctx context.Context, cfg *config) *cobra.Command {
	q := &quotaCommand{}
	cmd := &cobra.Command{
		Use: "quota", Short: "Show and change how much an organization or a user may have", Args: cobra.NoArgs,
		Long: `Show and change how much an organization may store, and how many tokens and organizations a user may have.

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
	return &cobra.Command{
		Use: "show", Short: "Show limits and use", Args: cobra.NoArgs,
		Example: "  wsd quota show --org Docs\n  wsd quota show --user you@example.com",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return q.show(ctx, cmd, cfg, s) })
		},
	}
}

// limitFlag is a flag that sets a limit.
type limitFlag struct {
	name, usage string
	unit        budgets.Unit
	forUser     bool
	value       string
}

func newQuotaSetCmd(ctx context.Context, cfg *config, q *quotaCommand) *cobra.Command {
	flags := []*limitFlag{
		{name: "bytes", usage: "of an organization: what it stores, e.g. 20GiB", unit: budgets.Bytes},
		{name: "records", usage: "of an organization"},
		{name: "tokens", usage: "of a user", forUser: true},
		{name: "organizations", usage: "of a user: those that the user made", forUser: true},
	}
	cmd := &cobra.Command{
		Use: "set", Short: "Change limits", Args: cobra.NoArgs,
		Long:    "Change limits. Beside a number, default is the limit of everybody, and none is no limit.",
		Example: "  wsd quota set --org Docs --bytes 20GiB --records 5000000\n  wsd quota set --user bot@example.com --tokens 500\n  wsd quota set --org Docs --bytes default",
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
		return nil, errors.New("whose? --org or --user")
	}
	limits := map[string]*int64{}
	for _, s := range flags {
		switch {
		case s.value == "":
			continue
		case s.forUser != (q.user != ""):
			return nil, fmt.Errorf("--%s is a limit %s", s.name, s.usage)
		case s.value == "default":
			limits[s.name] = nil
		case s.value == "none":
			limits[s.name] = new(int64(0))
		default:
			n, err := s.unit.Parse(s.value)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w, default or none", s.name, err)
			}
			limits[s.name] = &n
		}
	}
	if len(limits) == 0 {
		return nil, errors.New("nothing to change: give --bytes or --records with --org, --tokens or --organizations with --user")
	}
	return limits, nil
}

func (q *quotaCommand) set(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store, limits map[string]*int64) error {
	accounts := orgs.Accounts{Store: s}
	if q.user != "" {
		id, err := accounts.FindUser(ctx, q.user)
		if err == nil {
			err = accounts.SetLimits(ctx, store.User(id), store.UserQuotaKey(id), limits)
		}
		if err != nil {
			return err
		}
		return q.show(ctx, cmd, cfg, s)
	}
	id, err := accounts.FindOrganization(ctx, q.org)
	if err == nil {
		err = accounts.SetLimits(ctx, store.Organization(id), txn.QuotaKey(id), limits)
	}
	if err != nil {
		return err
	}
	return q.show(ctx, cmd, cfg, s)
}

func (q *quotaCommand) show(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store) error {
	accounts, w := orgs.Accounts{Store: s}, cmd.OutOrStdout()
	var limits []orgs.Limit
	counted := true
	switch {
	case q.user != "":
		defaults, err := cfg.limits()
		if err != nil {
			return err
		}
		id, err := accounts.FindUser(ctx, q.user)
		if err != nil {
			return err
		}
		if limits, err = accounts.UserLimits(ctx, id, defaults); err != nil {
			return err
		}
		fmt.Fprintln(w, "user", id)
	case q.org != "":
		id, err := accounts.FindOrganization(ctx, q.org)
		if err != nil {
			return err
		}
		if limits, counted, err = accounts.OrganizationLimits(ctx, id); err != nil {
			return err
		}
		fmt.Fprintln(w, "organization", id)
	default:
		return errors.New("whose? --org or --user")
	}
	for _, l := range limits {
		fmt.Fprintln(w, l)
	}
	if !counted {
		fmt.Fprintln(w, "What was stored before there were quotas is not counted yet; wsd does so when it serves, and refuses nothing until then.")
	}
	return nil
}
