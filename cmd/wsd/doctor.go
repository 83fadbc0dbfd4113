package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func newDoctor(ctx context.Context, cfg *config) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say whether the Redis is fit to keep documents", Args: cobra.NoArgs,
		Example: "  WSD_REDIS_URL=redis://127.0.0.1:6379 wsd doctor",
		RunE: func(cmd *cobra.Command, _ []string) error {
			own := *cfg
			own.allowEviction = true // the point is to be told
			return own.beside(ctx, cmd, func(s *store.Store) error { return doctor(ctx, cmd, s) })
		},
	}
}

// beside opens the store, where need be beside a process that serves it, runs fn and closes it.
func (c *config) beside(ctx context.Context, cmd *cobra.Command, fn func(*store.Store) error) error {
	return c.with(ctx, cmd, true, fn)
}

// with opens the store, runs fn and closes it.
func (c *config) with(ctx context.Context, cmd *cobra.Command, attach bool, fn func(*store.Store) error) error {
	log, err := c.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	s, err := c.open(ctx, attach, log)
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.Close())
}

func doctor(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	w := cmd.OutOrStdout()
	fmt.Fprintln(w, s.Describe())
	refused := 0
	for _, check := range s.Doctor(ctx) {
		fmt.Fprintf(w, "%-6s  %-22s %s\n", check.Verdict, check.Name, check.Message)
		if check.Hint != "" {
			fmt.Fprintf(w, "%-6s  %-22s %s\n", "", "", check.Hint)
		}
		if check.Verdict == redis.VerdictRefuse {
			refused++
		}
	}
	if err := nearQuota(ctx, w, s); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("%d of the checks would keep wsd from starting", refused)
	}
	return listRootTokens(ctx, w, s)
}

// quotaLines is how many organizations the doctor names that are near their quota.
const quotaLines = 20

// nearQuota says which organizations can soon add nothing any more.
func nearQuota(ctx context.Context, w io.Writer, s *store.Store) error {
	lines, more, err := orgs.Accounts{Store: s}.NearQuota(ctx, quotaLines)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-6s  %-22s %s\n", redis.VerdictWarn, "quota", line)
	}
	if more {
		fmt.Fprintf(w, "%-6s  %-22s %s\n", "", "", "and more organizations")
	}
	return nil
}
