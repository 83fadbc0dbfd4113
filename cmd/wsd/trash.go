package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// newTrashCmd returns the commands for deleted organizations, for use when none of their admins can be reached.
func newTrashCmd(ctx context.Context, cfg *config) *cobra.Command {
	trash := &cobra.Command{
		Use: "trash", Short: "Show and restore deleted organizations; resume removal", Args: noArgs,
		Long: `Show and restore deleted organizations.

A deleted organization is there for nobody. Its admins can restore it for 7 days (wsctl organizations restore), and so can
whoever runs the server. Then it is removed for good.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var f format
	list := &cobra.Command{
		Use: "list", Short: "List deleted organizations", Args: noArgs, Example: "  wsd trash list\n  wsd trash list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return listTrash(ctx, cmd, s, f) })
		},
	}
	addFormatFlag(list, &f)
	restore := &cobra.Command{
		Use: "restore ORGANIZATION", Short: "Restore a deleted organization as it was", Args: exactArgs("ORGANIZATION"),
		Long:    "Restore a deleted organization as it was. It is named by its id or, if no other one in the trash has it, by its title.",
		Example: "  wsd trash restore o_0apw3q003r2m8k\n  wsd trash restore Docs",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				id, err := (orgs.Accounts{Store: s}).Restore(ctx, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is restored\n", id)
				return nil
			})
		},
	}
	resume := &cobra.Command{
		Use: "resume", Short: "Let content be removed again after a clock jumped", Args: noArgs,
		Long: `Let content be removed again after a clock jumped.

While the time is not plausible, nothing is removed because of its age: /readyz warns of the clock, and wsd doctor says
why and until when. It goes on by itself when the clocks are right again, or after 24 hours. Where they are right now,
this command ends the wait: within 10 seconds all serving nodes accept the present time. It refuses while the clocks of
Redis and of this machine differ by more than a minute.`,
		Example: "  wsd trash resume",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return resumeRemoval(ctx, cmd, s) })
		},
	}
	trash.AddCommand(list, restore, resume)
	return trash
}

// resumeRemoval ends the removal holds of all nodes and prints them.
func resumeRemoval(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	holds, err := s.RemovalHolds(ctx)
	if err != nil {
		return err
	}
	if err := s.ResumeRemoval(ctx); err != nil {
		return err
	}
	for _, hold := range holds {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", hold.Host, hold)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "serving nodes accept the present time within %s\n", redis.ClockInterval)
	return nil
}

func listTrash(ctx context.Context, cmd *cobra.Command, s *store.Store, f format) error {
	found, err := orgs.Accounts{Store: s}.ListTrash(ctx)
	if err != nil {
		return err
	}
	if f == formatJSON {
		return writeJSON(cmd.OutOrStdout(), append([]orgs.TrashedOrganization{}, found...))
	}
	if len(found) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no organization is in the trash")
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, o := range found {
		fmt.Fprintf(w, "%s\t%q\tdeleted %s by %s\tuntil %s\n", o.ID, o.Title, o.DeletedAt.Format(time.RFC3339), o.DeletedBy,
			o.RestoreUntil.Format(time.RFC3339))
	}
	return w.Flush()
}
