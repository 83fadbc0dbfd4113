package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// doctorCommand holds the flags of `wsd doctor`.
type doctorCommand struct{ output format }

func newDoctorCmd(ctx context.Context, cfg *config) *cobra.Command {
	d := &doctorCommand{}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say whether the store is fit to keep documents", Args: noArgs,
		Long: `Say whether the store is fit to keep documents: it comes to the verdict that wsd serve starts with and /readyz answers.

It ends with 0 where all is good, with 1 where wsd serves and somebody should do something, and with 2 where wsd cannot
write or must not start. It may run beside a serving wsd.`,
		Example: "  WSD_REDIS_URL=redis://127.0.0.1:6379 wsd doctor\n  wsd doctor -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return d.run(ctx, cmd, cfg)
		},
	}
	d.output = formatText
	cmd.Flags().VarP(&d.output, "output", "o", "text or json")
	return cmd
}

// withExistingStore opens the store, which must have data, runs fn and closes the store. It may attach to the Redis
// of a serving wsd.
func (c *config) withExistingStore(ctx context.Context, cmd *cobra.Command, fn func(*store.Store) error) error {
	own := *c
	own.requireExisting = true
	return own.withStore(ctx, cmd, true, fn)
}

// withStore opens the store, runs fn and closes the store. With attach, which all commands but serve and demo set, what fn changes
// leaves events of the command and a log line.
func (c *config) withStore(ctx context.Context, cmd *cobra.Command, attach bool, fn func(*store.Store) error) error {
	log, err := c.newLogger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	own := *c
	if attach {
		own.command = &txn.Command{Name: cmd.CommandPath(), Operator: operatorName()}
	}
	s, err := own.openStore(ctx, attach, log)
	if err != nil {
		return err
	}
	err = errors.Join(fn(s), s.Close())
	if attach {
		logCommand(cmd.ErrOrStderr(), log, own.command, err)
	}
	return err
}

// verdictError is the error of a health verdict other than good, with its exit code.
type verdictError struct {
	code    int
	message string
}

// Error implements error.
func (e *verdictError) Error() string { return e.message }

// diagnosisError returns the verdict of d as an error, or nil if it is good.
func diagnosisError(d server.Diagnosis) error {
	if problem := d.Checks.Problem(); problem != "" {
		return &verdictError{d.Code, problem}
	}
	return nil
}

// run checks the store and prints the diagnosis. A store that cannot be opened is reported as a failed check.
func (d *doctorCommand) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	own := *cfg
	var err error
	if own.secrets, err = cfg.secretSettings().Available(); err != nil {
		return err
	}
	own.examine = true
	maxAge, err := cfg.parseTokenMaxAge()
	if err != nil {
		return err
	}
	var found server.Diagnosis
	opened := false
	err = own.withExistingStore(ctx, cmd, func(s *store.Store) (err error) {
		opened = true
		found, err = server.Diagnose(ctx, s, cfg.secretSettings(), maxAge)
		return err
	})
	switch {
	case errors.Is(err, redis.ErrNoData):
		return &verdictError{exitRefused, err.Error()}
	case err != nil && !opened:
		found = server.DiagnoseOpenError(err)
	case err != nil:
		return err
	}
	return errors.Join(d.print(cmd.OutOrStdout(), found), diagnosisError(found))
}

func (d *doctorCommand) print(w io.Writer, f server.Diagnosis) error {
	if d.output == formatJSON {
		return writeJSON(w, f)
	}
	if f.Store != "" {
		fmt.Fprintln(w, f.Store)
	}
	for _, line := range f.Lines() {
		fmt.Fprintf(w, "%-6s  %-22s %s\n", line.Verdict, line.Name, line.Message)
	}
	return nil
}
