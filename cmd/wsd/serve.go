package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func newServeCmd(ctx context.Context, cfg *config) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve (the default)", Args: noArgs,
		Example: `  wsd serve --addr 127.0.0.1:8080
  WSD_REDIS_URL=redis://redis:6379 WSD_SECRET=... WSD_ADDR=:8080 WSD_PUBLIC_URL=https://docs.example.com wsd serve`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(ctx, cmd, cfg) },
	}
	cfg.addServeFlags(cmd)
	return cmd
}

// serve listens, opens the store, waiting for Redis if necessary, and serves until the context ends. Until the store
// is open, requests are answered with 503.
func serve(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	if err := cfg.checkServe(ctx, cmd.ErrOrStderr()); err != nil {
		return err
	}
	log, err := cfg.newLogger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(processors(os.Getenv("GOMAXPROCS"), runtime.GOMAXPROCS(0), runtime.NumCPU()))
	f, err := cfg.newFrontend(ctx, log) // before the secret is created: the address may be in use
	if err != nil {
		return err
	}
	if f.drainTime, err = cfg.parseDrainTime(cmd.ErrOrStderr()); err != nil {
		return errors.Join(err, f.close(ctx))
	}
	return errors.Join(cfg.serveStore(ctx, cmd, f, log), f.close(ctx))
}

// serveStore opens the store and serves it until the context ends.
func (c *config) serveStore(ctx context.Context, cmd *cobra.Command, f *frontend, log *slog.Logger) error {
	secret, err := c.ensureSecret()
	if err != nil {
		return err
	}
	own := *c
	own.onWait, own.nodeLabel = f.waitReporter(log), newNodeLabel()
	if own.secrets, err = c.secretSettings().Shared(secret); err != nil {
		return err
	}
	err = own.withStore(ctx, cmd, false, func(s *store.Store) error {
		srv, err := own.newServer(s, own.baseURL(f.listener), log)
		if err != nil {
			return err
		}
		return f.serve(ctx, srv, func() {
			address := localURL(f.listener)
			attributes := []any{"address", address, "store", s.Describe().String(), "version", version()}
			if metrics := f.metricsURL(c); metrics != "" {
				attributes = append(attributes, "metrics", metrics)
			}
			newJSONLogger(cmd.ErrOrStderr()).Info("serving at "+address, attributes...)
		})
	})
	if ctx.Err() != nil && errors.Is(err, redis.ErrUnavailable) {
		return nil // stopped while waiting for Redis
	}
	return err
}

// newNodeLabel returns the name of this process for operators: the host and the process id.
func newNodeLabel() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// frontend is the HTTP listener of a process. It answers 503 until a server is attached.
type frontend struct {
	listener        net.Listener
	startup         *server.StartupHandler
	http            *listen.Server
	metrics         *metricsListener // nil = none
	log             *slog.Logger
	drainTime       time.Duration   // time for load balancers to react before the listener closes
	shutdownTimeout time.Duration   // maximum time for requests in flight and jobs together
	forceStop       <-chan struct{} // closed to end both waits early
	serveErr        chan error
	closing         sync.Once
	deadline        time.Time // end of shutdownTimeout, set by the first call of timeLeft
}

// newFrontend starts to listen and to answer requests. It returns an error before it listens if a setting is invalid.
func (c *config) newFrontend(ctx context.Context, log *slog.Logger) (*frontend, error) {
	limits, err := c.parseBudgets()
	if err != nil {
		return nil, err
	}
	trusted, err := c.parseTrustedProxies()
	if err != nil {
		return nil, err
	}
	origins, err := c.parseCORSOrigins()
	if err != nil {
		return nil, err
	}
	if _, err := c.parseUpgradeAfter(); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return nil, settingError("WSD_ADDR", err)
	}
	metrics, err := c.newMetricsListener(ctx, limits, log)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	f := &frontend{
		listener: listener, metrics: metrics, log: log,
		startup:         &server.StartupHandler{IDs: txn.NewIDGenerator(time.Now), Origins: origins},
		shutdownTimeout: time.Duration(limits.ShutdownTime), forceStop: c.forceStop, serveErr: make(chan error, 1),
	}
	f.http = listen.New(f.startup, listen.LimitsOf(limits), trusted, log)
	go func() { f.serveErr <- f.http.Serve(listener) }()
	return f, nil
}

// waitReporter returns a function that reports the reason why the store is not open yet, in the log and to clients.
func (f *frontend) waitReporter(log *slog.Logger) func(error) {
	return func(cause error) {
		f.startup.SetCause(cause)
		log.Warn("waiting for Redis: "+redis.UnavailableReason(cause), "error", cause)
	}
}

// serve serves requests with srv and runs its jobs until the context ends, then drains and closes. It calls ready
// once srv is attached.
func (f *frontend) serve(ctx context.Context, srv *server.Server, ready func()) error {
	var jobs sync.WaitGroup
	defer func() { f.waitForJobs(jobs.Wait) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := srv.Join(ctx); err != nil {
		return err
	}
	joined, leave := context.WithCancel(context.WithoutCancel(ctx)) // canceled after the last request has been answered
	defer leave()
	jobs.Go(func() { srv.StayJoined(joined) })
	jobs.Go(func() { srv.ReportRefusals(joined) })
	jobs.Go(func() { srv.WatchClocks(ctx) })
	jobs.Go(func() { srv.RunJobs(ctx) })
	jobs.Go(func() { srv.WatchStore(ctx) })
	srv.MeasureListener(f.http)
	f.metrics.attach(srv)
	f.startup.SetHandler(srv.Handler())
	ready()
	select {
	case err := <-f.serveErr:
		return err
	case <-ctx.Done():
	}
	srv.Drain()
	f.drain()
	return f.close(ctx) // the store must still be open
}

// drain keeps serving for the drain time, so that load balancers can detect that the node is not ready before it closes.
func (f *frontend) drain() {
	if f.drainTime == 0 {
		return
	}
	f.log.Info("asked to stop: not ready any more, and closing soon", "in", f.drainTime.String())
	timer := time.NewTimer(f.drainTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.forceStop:
	}
}

// close waits at most shutdownTimeout for requests in flight and shuts the HTTP server down. It does not wait if forceStop is
// closed. It may be called more than once.
func (f *frontend) close(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.timeLeft())
	defer cancel()
	defer func() { err = errors.Join(err, f.metrics.close()) }() // last, so that the end can be observed
	done := make(chan error, 1)
	go func() { done <- f.http.Shutdown(ctx) }()
	select {
	case err := <-done:
		return err
	case <-f.forceStop:
		return f.http.Close()
	}
}

// timeLeft returns the rest of the shutdown timeout, which begins with the first call.
func (f *frontend) timeLeft() time.Duration {
	f.closing.Do(func() { f.deadline = time.Now().Add(f.shutdownTimeout) })
	return time.Until(f.deadline)
}

// waitForJobs calls wait, which returns when all jobs have ended, and returns with it, at the end of the shutdown
// timeout, or when forceStop is closed. A job that goes on ends with the process; its lease expires, and another node
// runs it again.
func (f *frontend) waitForJobs(wait func()) {
	ended := make(chan struct{})
	go func() {
		wait()
		close(ended)
	}()
	timer := time.NewTimer(f.timeLeft())
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		f.log.Warn("a job does not end; another node runs it again when its lease expires")
	case <-f.forceStop:
	}
}
