package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// defaultUpgradeAfter is the default of --upgrade-after.
const defaultUpgradeAfter = "24h"

// parseUpgradeAfter returns the value of --upgrade-after.
func (c *config) parseUpgradeAfter() (time.Duration, error) {
	d, err := time.ParseDuration(cmp.Or(c.upgradeAfter, defaultUpgradeAfter))
	if err != nil || d < 0 {
		return 0, settingError("WSD_UPGRADE_AFTER", fmt.Errorf("%q is not a time such as 24h or 0", c.upgradeAfter))
	}
	return d, nil
}

func newUpgradeCmd(ctx context.Context, cfg *config) *cobra.Command {
	finish := false
	cmd := &cobra.Command{
		Use: "upgrade", Short: "Show whether an upgrade of the data is pending, and finish it", Args: noArgs,
		Long: `Show whether an upgrade of the data is pending, and finish it.

The data has a form, a number. While the build before can still be started again on the data, it keeps its form, and what
needs a newer form is refused (503, upgrade_pending). It gets the newer form when every serving node has known it for
WSD_UPGRADE_AFTER, or at once by --finish. Then the build before refuses the data: a backup is the only way back.`,
		Example: "  wsd upgrade\n  wsd upgrade --finish",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				if finish {
					return finishUpgrade(ctx, cmd, s)
				}
				return showUpgrade(ctx, cmd, s)
			})
		},
	}
	cmd.Flags().BoolVar(&finish, "finish", false, "give the data the newest form that this wsd knows; there is no way back")
	return cmd
}

// showUpgrade prints the form of the data, the pending upgrade, and the serving nodes.
func showUpgrade(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	now, err := s.FormatStatus(ctx)
	if err != nil {
		return err
	}
	nodes, err := s.ServingNodes(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), now)
	for _, n := range nodes {
		fmt.Fprintf(cmd.OutOrStdout(), "node %s knows form %d\n", n.Name(), n.Format)
	}
	if !now.Older() {
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing is pending")
	}
	return nil
}

// finishUpgrade gives the data the newest form. It does nothing if the data has it.
func finishUpgrade(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	now, err := s.FinishUpgrade(ctx)
	if errors.Is(err, redis.ErrOlderNode) {
		return fmt.Errorf("%w\n  replace or stop it; a node that crashed counts for %s", err, redis.NodeLease)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), now)
	return nil
}
