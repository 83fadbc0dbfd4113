// Command wsd is the documentation workspace server: it serves the /v1 interface over Redis. It turns flags and
// environment into a store and a server and has no logic of its own.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	cfg, err := fromEnvironment(environ)
	if err != nil {
		fmt.Fprintln(stderr, "wsd:", err)
		return exitUsage
	}
	root := newRoot(ctx, cfg)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "wsd:", err)
		if e, ok := api.AsError(err); ok && e.Hint != "" {
			fmt.Fprintln(stderr, "  hint:", e.Hint)
		}
		return exitError
	}
	return exitOK
}

func newRoot(ctx context.Context, cfg *config) *cobra.Command {
	root := &cobra.Command{
		Use:   "wsd",
		Short: "Documentation workspace server",
		Long: `wsd serves documentation workspaces over HTTP and keeps them in Redis.

Without a command it serves. On which Redis: the one that WSD_REDIS_URL names; else a redis-server or valkey-server
found on PATH, which wsd runs by itself with its data in WSD_DATA. 'wsd demo' needs neither.`,
		Example: `  wsd demo
  WSD_REDIS_URL=redis://127.0.0.1:6379 WSD_SECRET=$(head -c 32 /dev/urandom | base64) wsd serve
  wsd token create --user you@example.com --org Docs --role admin`,
		Args:          cobra.NoArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(ctx, cmd, cfg) },
	}
	cfg.storeFlags(root)
	cfg.serveFlags(root)
	root.AddCommand(newServe(ctx, cfg), newDemo(ctx, cfg), newInit(ctx, cfg), newToken(ctx, cfg), newDoctor(ctx, cfg), newFsck(ctx, cfg), newBudgets(cfg), newQuota(ctx, cfg), newVersion())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  wsd version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "wsd", version()) },
	}
}
