package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// doctor is one `wsd doctor`.
type doctor struct{ output string }

func newDoctor(ctx context.Context, cfg *config) *cobra.Command {
	d := &doctor{}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say whether the store is fit to keep documents", Args: cobra.NoArgs,
		Long: `Say whether the store is fit to keep documents: it comes to the verdict that wsd serve starts with and /readyz answers.

It ends with 0 where all is good, with 1 where wsd serves and somebody should do something, and with 2 where wsd cannot
write or must not start. It may run beside a serving wsd.`,
		Example: "  WSD_REDIS_URL=redis://127.0.0.1:6379 wsd doctor\n  wsd doctor -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.output != "text" && d.output != "json" {
				return fmt.Errorf("--output: %q is not text or json", d.output)
			}
			return d.visit(ctx, cmd, cfg)
		},
	}
	cmd.Flags().StringVarP(&d.output, "output", "o", "text", "text or json")
	return cmd
}

// beside opens the store, where need be beside a process that serves it, runs fn and closes it. It makes no data: only
// init and serve do.
func (c *config) beside(ctx context.Context, cmd *cobra.Command, fn func(*store.Store) error) error {
	own := *c
	own.existing = true
	return own.with(ctx, cmd, true, fn)
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

// verdictError is a verdict of the doctor that is not good.
type verdictError struct {
	code    int
	message string
}

// Error implements error.
func (e *verdictError) Error() string { return e.message }

// verdictOf is the error of a verdict; nil is good.
func verdictOf(h redis.Health) error {
	reasons := strings.Join(h.Reasons(), ", ")
	switch h.Verdict() {
	case redis.VerdictRefuse:
		return &verdictError{exitRefused, "wsd cannot write, or must not start: " + reasons}
	case redis.VerdictWarn:
		return &verdictError{exitError, "wsd serves, but somebody should do something: " + reasons}
	default:
		return nil
	}
}

// diagnosis is what the doctor prints with -o json.
type diagnosis struct {
	Verdict redis.Verdict `json:"verdict"`
	Code    int           `json:"code"` // that the command ends with
	Store   string        `json:"store,omitzero"`
	Checks  redis.Health  `json:"checks"`
	Quotas  []string      `json:"nearQuota"` // organizations
	Tokens  *rootTokens   `json:"tokensWithoutEnd,omitzero"`

	more bool // organizations
}

// visit examines the store. One that cannot be opened has a verdict, too.
func (d *doctor) visit(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	own := *cfg
	var err error
	if own.secrets, err = cfg.known(); err != nil {
		return err
	}
	own.examine = true
	found := diagnosis{Quotas: []string{}}
	err = own.beside(ctx, cmd, func(s *store.Store) error {
		found.Store, found.Checks = s.Describe().String(), s.Doctor(ctx)
		return found.look(ctx, s)
	})
	switch {
	case errors.Is(err, redis.ErrNoData):
		return &verdictError{exitRefused, err.Error()}
	case err != nil && found.Checks == nil:
		found.Checks = redis.Health{redis.Unopened(err)}
	case err != nil:
		return err
	}
	found.Verdict, found.Code = found.Checks.Verdict(), found.Checks.Code()
	return errors.Join(d.print(cmd.OutOrStdout(), found), verdictOf(found.Checks))
}

// quotaLines is how many organizations the doctor names that are near their quota.
const quotaLines = 20

// look finds out what else an operator wants to know, if the store can be read: who can soon add nothing any more, and
// which tokens nothing bounds.
func (f *diagnosis) look(ctx context.Context, s *store.Store) error {
	if !s.Look(ctx).Reads {
		return nil
	}
	lines, more, err := orgs.Accounts{Store: s}.NearQuota(ctx, quotaLines)
	if err != nil {
		return err
	}
	f.Quotas, f.more = append(f.Quotas, lines...), more
	f.Tokens, err = listRootTokens(ctx, s)
	return err
}

func (d *doctor) print(w io.Writer, f diagnosis) error {
	if d.output == "json" {
		return json.NewEncoder(w).Encode(f)
	}
	line := func(verdict redis.Verdict, name, message string) {
		fmt.Fprintf(w, "%-6s  %-22s %s\n", verdict, name, message)
	}
	if f.Store != "" {
		fmt.Fprintln(w, f.Store)
	}
	for _, check := range f.Checks {
		line(check.Verdict, check.Name, check.Message)
		if check.Hint != "" {
			line("", "", check.Hint)
		}
	}
	for _, quota := range f.Quotas {
		line(redis.VerdictInfo, "quota", quota)
	}
	if f.more {
		line("", "", "and more organizations")
	}
	f.Tokens.print(line)
	return nil
}
