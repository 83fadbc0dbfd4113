package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/demo"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func newDemoCmd(ctx context.Context, cfg *config) *cobra.Command {
	var opts demoOptions
	cmd := &cobra.Command{
		Use: "demo", Short: "Serve a sample organization, with nothing to install", Args: noArgs,
		Long: `Serve a sample organization on this machine: eight people, six spaces of documentation with a specification and a site,
and the change requests of three weeks in every state: some wait for the reviewer, one has every kind of conflict. Its data
is gone when it ends.`,
		Example: `  wsd demo
  wsd demo --tui
  wsd demo -o json --addr 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(ctx, cmd, cfg, opts) },
	}
	cfg.addServeFlags(cmd)
	opts.format = formatText
	cmd.Flags().VarP(&opts.format, "output", "o", "text, or json: one line once it serves")
	cmd.Flags().BoolVar(&opts.openScreen, "tui", false, "open the review screen as the reviewer; the demo ends with it")
	return cmd
}

// demoOptions holds the flags of `wsd demo`.
type demoOptions struct {
	format     format
	openScreen bool // open the review screen of wsctl
}

// demoResult is the output of `wsd demo -o json`.
type demoResult struct {
	URL           string `json:"url"`
	Token         string `json:"token"`
	ReviewerToken string `json:"reviewerToken"`
	Organization  string `json:"organization"`
	Store         string `json:"store"`
	Metrics       string `json:"metrics,omitzero"`
}

func runDemo(ctx context.Context, cmd *cobra.Command, cfg *config, opts demoOptions) error {
	data, err := os.MkdirTemp("", "wsd-demo-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	own := *cfg
	own.data, own.redisURL, own.engine, own.logLevel = data, "", "memory", "error"
	own.redisCA, own.redisCert, own.redisKey = "", "", ""
	own.fetchAllow = strings.Join([]string{"loopback", cfg.fetchAllow}, ",")
	if own.encryptionKey == "" {
		own.encryptionKey = newEncryptionKey()
	}
	clock := &demo.Clock{}
	own.clock = clock.Now
	if err := own.checkServe(ctx, cmd.ErrOrStderr()); err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	secret, err := own.secretSettings().EnsureSecret()
	if err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	if own.secrets, err = own.secretSettings().Shared(secret); err != nil {
		return err
	}
	err = own.withStore(ctx, cmd, false, func(s *store.Store) error { return own.serveDemo(ctx, cmd, s, clock, opts) })
	return errors.Join(err, os.RemoveAll(data))
}

// serveDemo loads the sample into an open store and serves it until the context ends.
func (c *config) serveDemo(ctx context.Context, cmd *cobra.Command, s *store.Store, clock *demo.Clock, opts demoOptions) error {
	log, err := c.newLogger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	f, err := c.newFrontend(ctx, log)
	if err != nil {
		return err
	}
	run := demoRun{store: s, clock: clock, options: opts, log: log}
	return errors.Join(c.loadAndServeDemo(ctx, cmd, f, run), f.close(ctx))
}

// demoRun holds the store and the settings that the servers of a demo share.
type demoRun struct {
	store   *store.Store
	clock   *demo.Clock
	options demoOptions
	log     *slog.Logger
}

// loadAndServeDemo loads the sample through a server of its own and serves it until the context ends.
func (c *config) loadAndServeDemo(ctx context.Context, cmd *cobra.Command, f *frontend, run demoRun) error {
	unlimited := *c // loading the sample exceeds the request limit
	unlimited.rateLimit, unlimited.metricsAddr, unlimited.metricsToken = "0", "", ""
	loader, err := unlimited.newServer(run.store, c.baseURL(f.listener), run.log)
	if err != nil {
		return err
	}
	loaded, err := demo.Load(ctx, run.store, loader.Handler(), run.clock)
	if err != nil {
		return err
	}
	srv, err := c.newServer(run.store, c.baseURL(f.listener), run.log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	finished := make(chan error, 1)
	err = f.serve(ctx, srv, func() {
		go func() {
			finished <- run.options.present(ctx, cmd, cancel, localURL(f.listener), f.metricsURL(c), run.store.Describe(), loaded)
		}()
	})
	if err != nil {
		return err
	}
	return <-finished
}

// present prints how to reach the demo or, with --tui, runs the review screen and ends the demo after it.
func (d demoOptions) present(ctx context.Context, cmd *cobra.Command, cancel func(), url, metrics string,
	engine redis.Engine, loaded demo.Result,
) error {
	if !d.openScreen {
		return printDemo(cmd.OutOrStdout(), d.format, url, metrics, engine, loaded)
	}
	defer cancel()
	return runScreen(ctx, cmd, url, loaded)
}

// runScreen runs `wsctl tui` as the reviewer.
func runScreen(ctx context.Context, cmd *cobra.Command, url string, loaded demo.Result) error {
	wsctl, err := findWsctl()
	if err != nil {
		return err
	}
	run := exec.CommandContext(ctx, wsctl, "tui") //nolint:gosec // it is the program that this one comes with
	run.Stdin, run.Stdout, run.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	run.Env = append(os.Environ(), "WSCTL_URL="+url, "WSCTL_TOKEN="+loaded.ReviewerToken, "WSCTL_ORG="+loaded.Organization)
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	if err := run.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s tui: %w", wsctl, err)
	}
	return nil
}

func findWsctl() (string, error) {
	if self, err := os.Executable(); err == nil {
		sibling := filepath.Join(filepath.Dir(self), "wsctl")
		if _, err := os.Stat(sibling); err == nil {
			return sibling, nil
		}
	}
	found, err := exec.LookPath("wsctl")
	if err != nil {
		return "", errors.New("--tui needs wsctl, beside this program or on the PATH: go install ./cmd/wsctl")
	}
	return found, nil
}

// printDemo prints the address and tokens of the demo and commands to try.
func printDemo(w io.Writer, output format, url, metrics string, engine redis.Engine, loaded demo.Result) error {
	if output == formatJSON {
		return writeJSON(w, demoResult{
			URL: url, Token: loaded.Token, ReviewerToken: loaded.ReviewerToken, Organization: loaded.Organization, Store: engine.Name,
			Metrics: metrics,
		})
	}
	if metrics != "" {
		metrics = "\n  Metrics    " + metrics
	}
	_, err := fmt.Fprintf(w, `wsd demo: %s

  Address    %s
  Admin      %s
  Reviewer   %s%s

Type in another terminal (wsctl is built by: go install ./cmd/wsctl):

  export WSCTL_URL=%s WSCTL_TOKEN=%s
  wsctl spaces list
  wsctl content list-pages --space %s
  wsctl change-requests get --space %s 2
  wsctl change-request-comments list --space %s --change-request 2
  wsctl change-requests merge --space %s 2     # conflicts: nothing is applied

Try: wsctl tui

  WSCTL_URL=%s WSCTL_TOKEN=%s wsctl tui    # the reviewer, whom four requests wait for
  WSCTL_URL=%s WSCTL_TOKEN=%s wsctl tui    # the admin, who wrote most of them

Ctrl-C ends the demo.
`, engine, url, loaded.Token, loaded.ReviewerToken, metrics, url, loaded.Token, loaded.Open, loaded.Open, loaded.Open, loaded.Conflicting,
		url, loaded.ReviewerToken, url, loaded.Token)
	return err
}
