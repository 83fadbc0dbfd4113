package main

import (
	"context"
	"encoding/json"
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

func newDemo(ctx context.Context, cfg *config) *cobra.Command {
	var shown display
	cmd := &cobra.Command{
		Use: "demo", Short: "Serve a sample organization, with nothing to install", Args: cobra.NoArgs,
		Long: `Serve a sample organization on this machine: eight people, six spaces of documentation with a specification and a site,
and the change requests of three weeks in every state: some wait for the reviewer, one has every kind of conflict. Its data
is gone when it ends.`,
		Example: `  wsd demo
  wsd demo --tui
  wsd demo -o json --addr 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(ctx, cmd, cfg, shown) },
	}
	cfg.serveFlags(cmd)
	cmd.Flags().StringVarP(&shown.output, "output", "o", "text", "text, or json: one line once it serves")
	cmd.Flags().BoolVar(&shown.screen, "tui", false, "open the review screen as the reviewer; the demo ends with it")
	return cmd
}

// display is how the demo shows itself once it serves.
type display struct {
	output string // text or json
	screen bool   // the review screen of wsctl
}

// demoLine is what `wsd demo -o json` prints.
type demoLine struct {
	URL           string `json:"url"`
	Token         string `json:"token"`
	ReviewerToken string `json:"reviewerToken"`
	Organization  string `json:"organization"`
	Store         string `json:"store"`
}

func runDemo(ctx context.Context, cmd *cobra.Command, cfg *config, shown display) error {
	if shown.output != "text" && shown.output != "json" {
		return fmt.Errorf("--output: %q is not text or json", shown.output)
	}
	data, err := os.MkdirTemp("", "wsd-demo-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	own := *cfg
	own.data, own.redisURL, own.engine, own.logLevel = data, "", "memory", "error"
	own.fetchAllow = strings.Join([]string{"loopback", cfg.fetchAllow}, ",")
	if own.encryptionKey == "" {
		own.encryptionKey = newEncryptionKey()
	}
	clock := &demo.Clock{}
	own.clock = clock.Now
	if err := own.checkAddresses(); err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	secret, err := own.serverSecret()
	if err != nil {
		return err
	}
	err = own.with(ctx, cmd, false, func(s *store.Store) error { return own.demo(ctx, cmd, s, secret, clock, shown) })
	return errors.Join(err, os.RemoveAll(data))
}

// demo fills an open store and serves it until the context ends.
func (c *config) demo(ctx context.Context, cmd *cobra.Command, s *store.Store, secret []byte, clock *demo.Clock, shown display) error {
	log, err := c.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	f, err := c.front(ctx, log)
	if err != nil {
		return err
	}
	return errors.Join(c.demoAt(ctx, cmd, f, s, secret, clock, shown, log), f.close(ctx))
}

func (c *config) demoAt(ctx context.Context, cmd *cobra.Command, f *front, s *store.Store, secret []byte, clock *demo.Clock, shown display, log *slog.Logger) error {
	unlimited := *c // the sample is made with more requests than anybody may be allowed
	unlimited.rateLimit = "0"
	maker, err := unlimited.server(s, secret, c.publicURLOn(f.listener), log)
	if err != nil {
		return err
	}
	loaded, err := demo.Load(ctx, s, maker.Handler(), clock)
	if err != nil {
		return err
	}
	made, err := c.server(s, secret, c.publicURLOn(f.listener), log)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	finished := make(chan error, 1)
	err = f.serve(ctx, made, func() {
		go func() { finished <- shown.show(ctx, cmd, end, reachable(f.listener), s.Describe(), loaded) }()
	})
	if err != nil {
		return err
	}
	return <-finished
}

// show says what runs where, or opens the screen and ends the demo with it.
func (d display) show(ctx context.Context, cmd *cobra.Command, end func(), url string, engine redis.Engine, loaded demo.Result) error {
	if !d.screen {
		return announce(cmd.OutOrStdout(), d.output, url, engine, loaded)
	}
	defer end()
	return screen(ctx, cmd, url, loaded)
}

// screen runs the review screen of wsctl, as the reviewer. wsctl is a program of its own, beside this one or on the PATH.
func screen(ctx context.Context, cmd *cobra.Command, url string, loaded demo.Result) error {
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
		beside := filepath.Join(filepath.Dir(self), "wsctl")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	found, err := exec.LookPath("wsctl")
	if err != nil {
		return "", errors.New("--tui needs wsctl, beside this program or on the PATH: go install ./cmd/wsctl")
	}
	return found, nil
}

// announce says what runs where, and what to type next.
func announce(w io.Writer, output, url string, engine redis.Engine, loaded demo.Result) error {
	if output == "json" {
		return json.NewEncoder(w).Encode(demoLine{
			URL: url, Token: loaded.Token, ReviewerToken: loaded.ReviewerToken, Organization: loaded.Organization, Store: engine.Name,
		})
	}
	_, err := fmt.Fprintf(w, `wsd demo: %s

  Address    %s
  Admin      %s
  Reviewer   %s

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
`, engine, url, loaded.Token, loaded.ReviewerToken, url, loaded.Token, loaded.Open, loaded.Open, loaded.Open, loaded.Conflicting,
		url, loaded.ReviewerToken, url, loaded.Token)
	return err
}
