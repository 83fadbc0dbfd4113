// Command wsd is the documentation workspace server: it serves the /v1 interface over Redis. It builds a store and a
// server from flags and environment variables.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

func main() {
	ctx, forceStop := handleSignals()
	os.Exit(execute(ctx, forceStop, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// handleSignals returns a context that the first signal cancels and a channel that the second closes, to end without
// any wait. A third signal kills the process.
func handleSignals() (ctx context.Context, forceStop <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	received, force := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(received, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-received
		cancel()
		<-received
		signal.Stop(received)
		close(force)
	}()
	return ctx, force
}

// Exit codes.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitRefused = 2 // the store cannot be written or must not be served
)

// exitCode returns the exit code for an error of a command.
func exitCode(err error) int {
	if verdict, ok := errors.AsType[*verdictError](err); ok {
		return verdict.code
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if errors.Is(err, redis.ErrRefused) || errors.Is(err, redis.ErrLocked) {
		return exitRefused
	}
	return exitError
}

// execute runs the command in args and returns its exit code. If forceStop is closed, the command ends without
// waiting for requests in flight.
func execute(ctx context.Context, forceStop <-chan struct{}, args, environ []string, stdout, stderr io.Writer) int {
	cfg, err := configFromEnviron(environ)
	if err != nil {
		cmd, _, _ := newRootCmd(ctx, &config{}).Find(args)
		reportError(stderr, cmd, err)
		return exitUsage
	}
	cfg.forceStop = forceStop
	root := newRootCmd(ctx, cfg)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		reportError(stderr, cmd, err)
		return exitCode(err)
	}
	return exitOK
}

// reportError prints the error of a command: as a JSON log line for serve, as text for all others and for errors of the
// command line.
func reportError(stderr io.Writer, cmd *cobra.Command, err error) {
	hint := ""
	if e, ok := api.AsError(err); ok {
		hint = e.Hint
	}
	usage, isUsage := errors.AsType[*usageError](err)
	if isUsage {
		hint = usage.hint
	}
	if isServeCommand(cmd) && !isUsage {
		why := strings.ReplaceAll(strings.ReplaceAll(err.Error(), "\n  ", " "), "\n", "; ") // continued lines, and several errors
		attributes := []any{"error", why}
		if hint != "" {
			attributes = append(attributes, "hint", hint)
		}
		newJSONLogger(stderr).Error("wsd does not serve", attributes...)
		return
	}
	fmt.Fprintln(stderr, "wsd:", err)
	if hint != "" {
		fmt.Fprintln(stderr, "  hint:", hint)
	}
}

// isServeCommand reports whether cmd is serve or the root command, which serves too unless it has arguments.
func isServeCommand(cmd *cobra.Command) bool {
	return cmd != nil && (cmd.Name() == "serve" || !cmd.HasParent() && cmd.Flags().NArg() == 0)
}

func newRootCmd(ctx context.Context, cfg *config) *cobra.Command {
	root := &cobra.Command{
		Use:   "wsd",
		Short: "Documentation workspace server",
		Long: `wsd serves documentation workspaces over HTTP and keeps them in Redis.

Without a command it serves. On which Redis: the one that WSD_REDIS_URL names; else a redis-server or valkey-server
found on PATH, which wsd runs by itself with its data in WSD_DATA. 'wsd demo' needs neither.

Each flag that names a variable in brackets can be given by it. Flags win. These have no flag:

  WSD_SECRET          signs addresses of downloads and makes keys of share links: at least 32 characters, the same on
                      every node. Needed with WSD_REDIS_URL; without that it is made once, in WSD_DATA
  WSD_ENCRYPTION_KEY  seals secrets that are read again: 32 bytes in base64 or hexadecimal, the same on every node.
                      Without it wsd keeps no such secrets
  WSD_OLD_SECRET, WSD_OLD_ENCRYPTION_KEY
                      the secrets before, while 'wsd secret replace' replaces them; they are accepted, too
  WSD_METRICS_TOKEN   bearer token with which /metrics is read at WSD_ADDR: at least 16 characters. Without it that is not
                      possible
  WSD_PDF_FONT        a TrueType file for characters that the fonts of PDFs lack, such as Chinese`,
		Example: `  wsd demo
  WSD_REDIS_URL=redis://127.0.0.1:6379 WSD_SECRET=$(head -c 32 /dev/urandom | base64) wsd serve
  wsd init --user you@example.com --org Docs`,
		Args:          noArgs,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return serve(ctx, cmd, cfg) },
	}
	root.SetFlagErrorFunc(flagError)
	cfg.addStoreFlags(root)
	cfg.addServeFlags(root)
	root.AddCommand(newServeCmd(ctx, cfg), newDemoCmd(ctx, cfg), newDomainCmd(ctx, cfg), newInitCmd(ctx, cfg), newTokenCmd(ctx, cfg),
		newDoctorCmd(ctx, cfg), newFsckCmd(ctx, cfg), newBudgetsCmd(cfg), newReadyCmd(ctx, cfg), newQuotaCmd(ctx, cfg), newSecretCmd(ctx,
			cfg), newTrashCmd(ctx, cfg), newUpgradeCmd(ctx, cfg), newUserCmd(ctx, cfg), newOrgCmd(ctx, cfg), newVersionCmd(),
		newReadSpecificationCmd())
	return root
}

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  wsd version", Args: noArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "wsd", version()) },
	}
}
