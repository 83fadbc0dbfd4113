package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/store"
)

// Time-outs of the HTTP server. Imports lift the write time-out for themselves.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 2 * time.Minute
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 16 << 10
	shutdownTimeout   = 25 * time.Second
)

func newServe(ctx context.Context, cfg *config) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve (the default)", Args: cobra.NoArgs,
		Example: `  wsd serve --addr 127.0.0.1:8080
  WSD_REDIS_URL=redis://redis:6379 WSD_SECRET=... WSD_ADDR=:8080 WSD_PUBLIC_URL=https://docs.example.com wsd serve`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(ctx, cmd, cfg) },
	}
	cfg.serveFlags(cmd)
	return cmd
}

func serve(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	log, err := cfg.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	secret, err := cfg.serverSecret()
	if err != nil {
		return err
	}
	return cfg.with(ctx, cmd, false, func(s *store.Store) error { return cfg.serveOn(ctx, cmd, s, secret, log) })
}

// serveOn serves an open store until the context ends.
func (c *config) serveOn(ctx context.Context, cmd *cobra.Command, s *store.Store, secret []byte, log *slog.Logger) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	made, err := c.server(s, secret, publicURL(c, listener), log)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wsd: %s\nwsd: serving at http://%s\n", s.Describe(), listener.Addr())
	return listenUntil(ctx, listener, made)
}

func publicURL(cfg *config, listener net.Listener) string {
	if cfg.publicURL != "" {
		return cfg.publicURL
	}
	return "http://" + listener.Addr().String()
}

// listenUntil serves and does due jobs until the context ends, then lets requests in flight finish.
func listenUntil(ctx context.Context, listener net.Listener, made *server.Server) error {
	h := &http.Server{
		Handler: made.Handler(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
	var jobs sync.WaitGroup
	defer jobs.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	jobs.Go(func() { made.RunJobs(ctx) })
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	made.Drain()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}
