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

// doctorCommand is a run of `wsd doctor`.
type doctorCommand struct{ output string }

func newDoctorCmd(ctx context.Context, cfg *config) *cobra.Command {
	d := &doctorCommand{}
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
			return d.run(ctx, cmd, cfg)
		},
	}
	cmd.Flags().StringVarP(&d.output, "output", "o", "text", "text or json")
	return cmd
}

// withExistingStore opens the store, which must have data, runs fn and closes the store. It may attach to the Redis
// of a serving wsd.
func (c *config) withExistingStore(ctx context.Context, cmd *cobra.Command, fn func(*store.Store) error) error {
	own := *c
	own.requireExisting = true
	return own.withStore(ctx, cmd, true, fn)
}

// withStore opens the store, runs fn and closes the store.
func (c *config) withStore(ctx context.Context, cmd *cobra.Command, attach bool, fn func(*store.Store) error) error {
	log, err := c.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	s, err := c.openStore(ctx, attach, log)
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.Close())
}

// verdictError is the error of a health verdict other than good, with its exit code.
type verdictError struct {
	code    int
	message string
}

// Error implements error.
func (e *verdictError) Error() string { return e.message }

// verdictErr returns the verdict of h as an error, or nil if it is good.
func verdictErr(h redis.Health) error {
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

// diagnosis is the output of `wsd doctor -o json`.
type diagnosis struct {
	Verdict    redis.Verdict `json:"verdict"`
	Code       int           `json:"code"` // exit code
	Store      string        `json:"store,omitzero"`
	Checks     redis.Health  `json:"checks"`
	NearQuota  []string      `json:"nearQuota"` // one line per organization
	RootTokens *rootTokens   `json:"tokensWithoutEnd,omitzero"`

	moreNearQuota bool // NearQuota is truncated
}

// run checks the store and prints the diagnosis. A store that cannot be opened is reported as a failed check.
func (d *doctorCommand) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	own := *cfg
	var err error
	if own.secrets, err = cfg.secretSettings().Available(); err != nil {
		return err
	}
	own.examine = true
	found := diagnosis{NearQuota: []string{}}
	err = own.withExistingStore(ctx, cmd, func(s *store.Store) error {
		found.Store, found.Checks = s.Describe().String(), s.Doctor(ctx)
		return found.addDetails(ctx, s)
	})
	switch {
	case errors.Is(err, redis.ErrNoData):
		return &verdictError{exitRefused, err.Error()}
	case err != nil && found.Checks == nil:
		found.Checks = redis.Health{redis.OpenErrorCheck(err)}
	case err != nil:
		return err
	}
	found.Verdict, found.Code = found.Checks.Verdict(), found.Checks.Code()
	return errors.Join(d.print(cmd.OutOrStdout(), found), verdictErr(found.Checks))
}

// maxQuotaLines is the maximum number of organizations near their quota that the doctor lists.
const maxQuotaLines = 20

// addDetails adds the organizations near their quota and the root tokens, if the store can be read.
func (d *diagnosis) addDetails(ctx context.Context, s *store.Store) error {
	if !s.CheckNow(ctx).Readable {
		return nil
	}
	lines, more, err := orgs.Accounts{Store: s}.OrganizationsNearQuota(ctx, maxQuotaLines)
	if err != nil {
		return err
	}
	d.NearQuota, d.moreNearQuota = append(d.NearQuota, lines...), more
	d.RootTokens, err = listRootTokens(ctx, s)
	return err
}

func (d *doctorCommand) print(w io.Writer, f diagnosis) error {
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
	for _, quota := range f.NearQuota {
		line(redis.VerdictInfo, "quota", quota)
	}
	if f.moreNearQuota {
		line("", "", "and more organizations")
	}
	f.RootTokens.print(line)
	return nil
}
