package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/store"
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
		if check.Verdict == store.VerdictRefuse {
			refused++
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of the checks would keep wsd from starting", refused)
	}
	return nil
}

func newFsck(ctx context.Context, cfg *config) *cobra.Command {
	var options store.FsckOptions
	var output string
	cmd := &cobra.Command{
		Use: "fsck", Short: "Check every invariant of the stored data", Args: cobra.NoArgs,
		Example: "  wsd fsck\n  wsd fsck --repair",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.beside(ctx, cmd, func(s *store.Store) error { return fsck(ctx, cmd, s, options, output) })
		},
	}
	cmd.Flags().BoolVar(&options.Repair, "repair", false, "derive again what is derived: indexes, counts, the shape")
	cmd.Flags().BoolVar(&options.GC, "gc", false, "remove objects that nothing refers to")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return cmd
}

var errNotClean = errors.New("the data is not clean")

func fsck(ctx context.Context, cmd *cobra.Command, s *store.Store, options store.FsckOptions, output string) error {
	report, err := s.Fsck(ctx, options)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if output == "json" {
		err = json.NewEncoder(w).Encode(map[string]any{
			"organizations": report.Organizations, "records": report.Records, "objects": report.Objects,
			"removed": report.Removed, "findings": findings(report),
		})
	} else {
		err = printReport(w, report)
	}
	if err == nil && !report.Clean() {
		return errNotClean
	}
	return err
}

// findings are one line each.
func findings(r store.Report) []string {
	lines := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		lines[i] = f.String()
	}
	return lines
}

func printReport(w io.Writer, r store.Report) error {
	for _, f := range r.Findings {
		fmt.Fprintln(w, f)
	}
	_, err := fmt.Fprintf(w, "%d organizations, %d records, %d objects; %d findings\n", r.Organizations, r.Records, r.Objects, len(r.Findings))
	return err
}
