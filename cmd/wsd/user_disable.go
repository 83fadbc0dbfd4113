package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/store"
)

func newUserDisableCmd(ctx context.Context, cfg *config) *cobra.Command {
	disable := &cobra.Command{
		Use: "disable USER", Short: "Refuse everything of an account until it is enabled again", Args: exactArgs("USER"),
		Long: `Refuse everything of an account until it is enabled again: its tokens and the invites that it made are refused on every
node, and its open screens end within 15 seconds. Memberships, roles and tokens are kept, and members lists show the account
as disabled. Every organization of the user gets an event.`,
		Example: "  wsd user disable you@example.com",
	}
	return withSetDisabled(ctx, cfg, disable, true)
}

func newUserEnableCmd(ctx context.Context, cfg *config) *cobra.Command {
	enable := &cobra.Command{
		Use: "enable USER", Short: "Let a disabled account be used again, as it was", Args: exactArgs("USER"),
		Example: "  wsd user enable you@example.com",
	}
	return withSetDisabled(ctx, cfg, enable, false)
}

// withSetDisabled adds what the commands disable and enable do.
func withSetDisabled(ctx context.Context, cfg *config, cmd *cobra.Command, disabled bool) *cobra.Command {
	var f format
	addFormatFlag(cmd, &f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
			d, err := operator.Service{Store: s}.SetDisabled(ctx, args[0], disabled)
			if err != nil {
				return err
			}
			if f == formatJSON {
				return writeJSON(cmd.OutOrStdout(), d)
			}
			writeDisableResult(cmd, d)
			return nil
		})
	}
	return cmd
}

func writeDisableResult(cmd *cobra.Command, d operator.DisableResult) {
	what := "is " + string(d.State)
	if !d.Changed {
		what += " already"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", d.User, what)
	if d.State != operator.AccountDisabled {
		return
	}
	for _, m := range d.WithoutAdmin() {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %q has no other admin now\n", m.Organization, m.Title)
	}
}
