// Command wsd is the documentation workspace server: it serves the /v1 interface over Redis. It turns flags and
// environment into a store and a server and has no logic of its own.
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
	asked, atOnce := signals()
	os.Exit(execute(asked, atOnce, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// signals are what a process is told: the first asks it to end, the second to end at once. A third ends it.
func signals() (asked context.Context, atOnce <-chan struct{}) {
	asked, ask := context.WithCancel(context.Background())
	told, now := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-told
		ask()
		<-told
		signal.Stop(told)
		close(now)
	}()
	return asked, now
}

// Exit codes.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitRefused = 2 // the store: it cannot be written to, or must not be served
)

// codeOf is the code that the process ends with after an error.
func codeOf(err error) int {
	if verdict, ok := errors.AsType[*verdictError](err); ok {
		return verdict.code
	}
	if errors.Is(err, redis.ErrRefused) || errors.Is(err, redis.ErrLocked) {
		return exitRefused
	}
	return exitError
}

// run is execute for a process that is only asked to end, never at once.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	return execute(ctx, nil, args, environ, stdout, stderr)
}

// execute is the program: it returns the exit code. atOnce is closed when it shall wait for nothing any more.
func execute(ctx context.Context, atOnce <-chan struct{}, args, environ []string, stdout, stderr io.Writer) int {
	cfg, err := fromEnvironment(environ)
	if err != nil {
		cmd, _, _ := newRoot(ctx, &config{}).Find(args)
		refuse(stderr, cmd, err)
		return exitUsage
	}
	cfg.atOnce = atOnce
	root := newRoot(ctx, cfg)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		refuse(stderr, cmd, err)
		return codeOf(err)
	}
	return exitOK
}

// refuse says why a command failed: one that serves as every other line that it writes, others to people.
func refuse(stderr io.Writer, cmd *cobra.Command, err error) {
	hint := ""
	if e, ok := api.AsError(err); ok {
		hint = e.Hint
	}
	if serves(cmd) {
		why := strings.Join(strings.Fields(err.Error()), " ") // some are written for a screen
		attributes := []any{"error", why}
		if hint != "" {
			attributes = append(attributes, "hint", hint)
		}
		lineTo(stderr).Error("wsd does not serve", attributes...)
		return
	}
	fmt.Fprintln(stderr, "wsd:", err)
	if hint != "" {
		fmt.Fprintln(stderr, "  hint:", hint)
	}
}

// serves reports whether a command is serve, which is also the one without a name. What is misspelt is none.
func serves(cmd *cobra.Command) bool {
	return cmd != nil && (cmd.Name() == "serve" || !cmd.HasParent() && cmd.Flags().NArg() == 0)
}

func newRoot(ctx context.Context, cfg *config) *cobra.Command {
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
  WSD_OLD_ENCRYPTION_KEY
                      the key before, for 'wsd secret replace'
  WSD_PDF_FONT        a TrueType file for characters that the fonts of PDFs lack, such as Chinese`,
		Example: `  wsd demo
  WSD_REDIS_URL=redis://127.0.0.1:6379 WSD_SECRET=$(head -c 32 /dev/urandom | base64) wsd serve
  wsd init --user you@example.com --org Docs`,
		Args:          cobra.NoArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(ctx, cmd, cfg) },
	}
	cfg.storeFlags(root)
	cfg.serveFlags(root)
	root.AddCommand(newServe(ctx, cfg), newDemo(ctx, cfg), newDomain(ctx, cfg), newInit(ctx, cfg), newToken(ctx, cfg), newDoctor(ctx, cfg), newFsck(ctx, cfg), newBudgets(cfg), newReady(ctx, cfg), newQuota(ctx, cfg), newSecret(ctx, cfg), newTrash(ctx, cfg), newVersion())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  wsd version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "wsd", version()) },
	}
}
