package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"time"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store/txn"
)

// metricsTokens is the form of a token that an Authorization header can hold.
var metricsTokens = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]+$`)

// hasMetrics reports whether the metrics can be read.
func (c *config) hasMetrics() bool { return c.metricsAddr != "" || c.metricsToken != "" }

// checkMetrics returns an error if the address or the token of the metrics is invalid. The error does not contain the token.
func (c *config) checkMetrics(ctx context.Context) error {
	address, token := error(nil), error(nil)
	if c.metricsAddr != "" {
		_, _, err := splitAddress(ctx, c.metricsAddr)
		if err != nil {
			address = fmt.Errorf("%q is not an address such as 127.0.0.1:9090", c.metricsAddr)
		}
	}
	switch n := len(c.metricsToken); {
	case n > 0 && n < server.MinMetricsToken:
		token = fmt.Errorf("it has %d characters, it needs at least %d", n, server.MinMetricsToken)
	case n > 0 && !metricsTokens.MatchString(c.metricsToken):
		token = errors.New("it has characters other than letters, digits and ._~+/=-")
	}
	return errors.Join(settingError("WSD_METRICS_ADDR", address), settingError("WSD_METRICS_TOKEN", token))
}

// metricsListener serves /metrics on an address of its own. It answers 503 until a server is attached. A nil metricsListener does
// nothing.
type metricsListener struct {
	listener net.Listener
	startup  *server.StartupHandler
	http     *listen.Server
}

// newMetricsListener starts to listen on the address of the metrics. It returns nil if none is set.
func (c *config) newMetricsListener(ctx context.Context, limits *budgets.Budgets, log *slog.Logger) (*metricsListener, error) {
	if c.metricsAddr == "" {
		return nil, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.metricsAddr)
	if err != nil {
		return nil, settingError("WSD_METRICS_ADDR", err)
	}
	m := &metricsListener{listener: listener, startup: &server.StartupHandler{IDs: txn.NewIDGenerator(time.Now)}}
	m.http = listen.New(m.startup, listen.LimitsOf(limits), listen.Networks{}, log)
	go func() {
		if err := m.http.Serve(listener); err != nil {
			log.Error("the metrics are not served any more", "error", err)
		}
	}()
	return m, nil
}

// attach serves the metrics of a server.
func (m *metricsListener) attach(srv *server.Server) {
	if m == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", srv.MetricsHandler())
	m.startup.SetHandler(mux)
}

// metricsURL returns the address of the metrics, or "" if they cannot be read.
func (f *frontend) metricsURL(c *config) string {
	switch {
	case f.metrics != nil:
		return localURL(f.metrics.listener) + "/metrics"
	case c.metricsToken != "":
		return localURL(f.listener) + "/metrics"
	}
	return ""
}

// close closes the listener and its connections.
func (m *metricsListener) close() error {
	if m == nil {
		return nil
	}
	return m.http.Close()
}
