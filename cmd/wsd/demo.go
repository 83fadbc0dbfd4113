package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/demo"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func newDemo(ctx context.Context, cfg *config) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "demo", Short: "Serve a sample organization, with nothing to install", Args: cobra.NoArgs,
		Long: `Serve a sample organization on this machine: two users, collections, three spaces of documentation, an open change
request with comments, and one that conflicts. Its data is gone when it ends.`,
		Example: `  wsd demo
  wsd demo -o json --addr 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(ctx, cmd, cfg, output) },
	}
	cfg.serveFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, or json: one line once it serves")
	return cmd
}

// demoLine is what `wsd demo -o json` prints.
type demoLine struct {
	URL           string `json:"url"`
	Token         string `json:"token"`
	ReviewerToken string `json:"reviewerToken"`
	Organization  string `json:"organization"`
	Store         string `json:"store"`
}

func runDemo(ctx context.Context, cmd *cobra.Command, cfg *config, output string) error {
	if output != "text" && output != "json" {
		return fmt.Errorf("--output: %q is not text or json", output)
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
	if err := own.checkAddresses(); err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	secret, err := own.serverSecret()
	if err != nil {
		return err
	}
	err = own.with(ctx, cmd, false, func(s *store.Store) error { return own.demo(ctx, cmd, s, secret, output) })
	return errors.Join(err, os.RemoveAll(data))
}

// demo fills an open store and serves it until the context ends.
func (c *config) demo(ctx context.Context, cmd *cobra.Command, s *store.Store, secret []byte, output string) error {
	log, err := c.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	f, err := c.front(ctx, log)
	if err != nil {
		return err
	}
	return errors.Join(c.demoAt(ctx, cmd, f, s, secret, output, log), f.close(ctx))
}

func (c *config) demoAt(ctx context.Context, cmd *cobra.Command, f *front, s *store.Store, secret []byte, output string, log *slog.Logger) error {
	unlimited := *c // the sample is made with more requests than anybody may be allowed
	unlimited.rateLimit = "0"
	maker, err := unlimited.server(s, secret, c.publicURLOn(f.listener), log)
	if err != nil {
		return err
	}
	loaded, err := demo.Load(ctx, s, maker.Handler())
	if err != nil {
		return err
	}
	made, err := c.server(s, secret, c.publicURLOn(f.listener), log)
	if err != nil {
		return err
	}
	printed := make(chan error, 1)
	err = f.serve(ctx, made, func() {
		go func() { printed <- announce(cmd.OutOrStdout(), output, reachable(f.listener), s.Describe(), loaded) }()
	})
	if err != nil {
		return err
	}
	return <-printed
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

Ctrl-C ends the demo.
`, engine, url, loaded.Token, loaded.ReviewerToken, url, loaded.Token, loaded.Open, loaded.Open, loaded.Open, loaded.Conflicting)
	return err
}
