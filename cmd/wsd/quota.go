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

// quota is what `wsd quota` shows and changes.
type quota struct{ org, user string }

func newQuota(ctx context.Context, cfg *config) *cobra.Command {
	q := &quota{}
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
	cmd.AddCommand(newQuotaShow(ctx, cfg, q), newQuotaSet(ctx, cfg, q))
	return cmd
}

func newQuotaShow(ctx context.Context, cfg *config, q *quota) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show limits and use", Args: cobra.NoArgs,
		Example: "  wsd quota show --org Docs\n  wsd quota show --user you@example.com",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.beside(ctx, cmd, func(s *store.Store) error { return q.show(ctx, cmd, cfg, s) })
		},
	}
}

// setting is a limit that a flag sets.
type setting struct {
	name, about string
	unit        budgets.Unit
	user        bool
	value       string
}

func newQuotaSet(ctx context.Context, cfg *config, q *quota) *cobra.Command {
	settings := []*setting{
		{name: "bytes", about: "of an organization: what it stores, e.g. 20GiB", unit: budgets.Bytes},
		{name: "records", about: "of an organization"},
		{name: "tokens", about: "of a user", user: true},
		{name: "organizations", about: "of a user: those that the user made", user: true},
	}
	cmd := &cobra.Command{
		Use: "set", Short: "Change limits", Args: cobra.NoArgs,
		Long:    "Change limits. Beside a number, default is the limit of everybody, and none is no limit.",
		Example: "  wsd quota set --org Docs --bytes 20GiB --records 5000000\n  wsd quota set --user bot@example.com --tokens 500\n  wsd quota set --org Docs --bytes default",
		RunE: func(cmd *cobra.Command, _ []string) error {
			limits, err := q.limits(settings)
			if err != nil {
				return err
			}
			return cfg.beside(ctx, cmd, func(s *store.Store) error { return q.set(ctx, cmd, cfg, s, limits) })
		},
	}
	for _, s := range settings {
		cmd.Flags().StringVar(&s.value, s.name, "", s.about)
	}
	return cmd
}

// limits reads the flags; nil is the limit of everybody.
func (q *quota) limits(settings []*setting) (map[string]*int64, error) {
	if q.org == "" && q.user == "" {
		return nil, errors.New("whose? --org or --user")
	}
	limits := map[string]*int64{}
	for _, s := range settings {
		switch {
		case s.value == "":
			continue
		case s.user != (q.user != ""):
			return nil, fmt.Errorf("--%s is a limit %s", s.name, s.about)
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

func (q *quota) set(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store, limits map[string]*int64) error {
	accounts := orgs.Accounts{Store: s}
	if q.user != "" {
		id, err := accounts.UserNamed(ctx, q.user)
		if err == nil {
			err = accounts.SetLimits(ctx, store.User(id), store.UserQuotaKey(id), limits)
		}
		if err != nil {
			return err
		}
		return q.show(ctx, cmd, cfg, s)
	}
	id, err := accounts.OrganizationNamed(ctx, q.org)
	if err == nil {
		err = accounts.SetLimits(ctx, store.Organization(id), txn.QuotaKey(id), limits)
	}
	if err != nil {
		return err
	}
	return q.show(ctx, cmd, cfg, s)
}

func (q *quota) show(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store) error {
	accounts, w := orgs.Accounts{Store: s}, cmd.OutOrStdout()
	var limits []orgs.Limit
	counted := true
	switch {
	case q.user != "":
		numbers, err := cfg.limits()
		if err != nil {
			return err
		}
		id, err := accounts.UserNamed(ctx, q.user)
		if err != nil {
			return err
		}
		if limits, err = accounts.UserLimits(ctx, id, numbers); err != nil {
			return err
		}
		fmt.Fprintln(w, "user", id)
	case q.org != "":
		id, err := accounts.OrganizationNamed(ctx, q.org)
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
