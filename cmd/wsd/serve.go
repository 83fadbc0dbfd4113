package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
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

// serve answers from the beginning, opens the store, however long that takes, and serves it until the context ends.
func serve(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	if err := cfg.checkAddresses(); err != nil {
		return err
	}
	log, err := cfg.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	secret, err := cfg.serverSecret()
	if err != nil {
		return err
	}
	pause, err := cfg.pause(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	f, err := cfg.front(ctx, log)
	if err != nil {
		return err
	}
	f.pause = pause
	own := *cfg
	own.waiting = f.waiting(log)
	if own.secrets, err = cfg.shared(secret); err != nil {
		return errors.Join(err, f.close(ctx))
	}
	err = own.with(ctx, cmd, false, func(s *store.Store) error {
		made, err := own.server(s, secret, own.publicURLOn(f.listener), log)
		if err != nil {
			return err
		}
		return f.serve(ctx, made, func() {
			at := reachable(f.listener)
			lineTo(cmd.ErrOrStderr()).Info("serving at "+at, "address", at, "store", s.Describe().String(), "version", version())
		})
	})
	if ctx.Err() != nil && errors.Is(err, redis.ErrUnavailable) {
		err = nil // it was asked to end while it waited
	}
	return errors.Join(err, f.close(ctx))
}

// front is what clients meet: it listens and answers, first that the store is being opened, then for a server.
type front struct {
	listener net.Listener
	door     *server.Door
	http     *listen.Server
	log      *slog.Logger
	pause    time.Duration   // for balancers to look elsewhere before the listener closes
	grace    time.Duration   // for requests in flight at the end
	atOnce   <-chan struct{} // ends both
	failed   chan error
}

// front listens, and answers from now on.
func (c *config) front(ctx context.Context, log *slog.Logger) (*front, error) {
	limits, err := c.limits()
	if err != nil {
		return nil, err
	}
	trusted, err := listen.ParseNetworks(c.trustedProxies)
	if err != nil {
		return nil, fmt.Errorf("--trusted-proxies (WSD_TRUSTED_PROXIES): %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	f := &front{
		listener: listener, door: &server.Door{}, log: log, grace: time.Duration(limits.ShutdownTime), atOnce: c.atOnce, failed: make(chan error, 1),
	}
	f.http = listen.New(f.door, listen.LimitsOf(limits), trusted, log)
	go func() { f.failed <- f.http.Serve(listener) }()
	return f, nil
}

// waiting says why the store is not open yet: to the log, and to whoever asks.
func (f *front) waiting(log *slog.Logger) func(error) {
	return func(cause error) {
		f.door.Wait(cause)
		log.Warn("waiting for Redis: "+redis.Why(cause), "error", cause)
	}
}

// serve lets a server answer, and does due jobs, until the context ends.
func (f *front) serve(ctx context.Context, made *server.Server, ready func()) error {
	var jobs sync.WaitGroup
	defer jobs.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := made.Join(ctx); err != nil {
		return err
	}
	joined, leave := context.WithCancel(context.WithoutCancel(ctx)) // until the last request is answered
	defer leave()
	jobs.Go(func() { made.StayJoined(joined) })
	jobs.Go(func() { made.RunJobs(ctx) })
	jobs.Go(func() { made.WatchStore(ctx) })
	f.door.Open(made.Handler())
	ready()
	select {
	case err := <-f.failed:
		return err
	case <-ctx.Done():
	}
	made.Drain()
	f.drain()
	return f.close(ctx) // while the store is open
}

// drain goes on answering for a while, so that those who send requests here hear first that they should not.
func (f *front) drain() {
	if f.pause == 0 {
		return
	}
	f.log.Info("asked to stop: not ready any more, and closing soon", "in", f.pause.String())
	timer := time.NewTimer(f.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.atOnce:
	}
}

// close lets requests in flight end, unless it shall end at once. Closing again does nothing.
func (f *front) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.grace)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f.http.Shutdown(ctx) }()
	select {
	case err := <-done:
		return err
	case <-f.atOnce:
		return f.http.Close()
	}
}
