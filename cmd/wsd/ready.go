package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	readyTimeout = 3 * time.Second
	maxReadyBody = 64 << 10 // bytes of the response that are read
)

func newReadyCmd(ctx context.Context, cfg *config) *cobra.Command {
	var purpose string
	cmd := &cobra.Command{
		Use: "ready", Short: "Ask the wsd that serves on this machine whether it is ready", Args: noArgs,
		Long: `Ask the wsd that serves on this machine whether it is ready, as /readyz says: exit 0 if it is, 1 if not. It is the
health check of containers, which have no other program to ask with. What somebody should look at is said on standard error.`,
		Example: "  wsd ready\n  wsd ready --for read",
		RunE: func(cmd *cobra.Command, _ []string) error {
			warnings, err := cfg.checkReady(ctx, purpose)
			if err != nil {
				return err
			}
			if len(warnings) > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "wsd: warning:", strings.Join(warnings, ", "))
			}
			fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return nil
		},
	}
	cmd.Flags().StringVar(&cfg.addr, "addr", cfg.addr, "address that it listens on (WSD_ADDR)")
	cmd.Flags().StringVar(&purpose, "for", "", "read: whether it can read, although it may not be able to write")
	return cmd
}

// checkReady requests /readyz of the wsd that listens on the configured address and returns its warnings. If wsd is not
// ready, the error contains the reasons.
func (c *config) checkReady(ctx context.Context, purpose string) (warnings []string, err error) {
	host, port, err := c.parseAddress(ctx)
	if err != nil {
		return nil, err
	}
	if isUnspecified(host) {
		host = "localhost"
	}
	target := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/readyz"}
	if purpose != "" {
		target.RawQuery = url.Values{"for": {purpose}}.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("readyz: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("nothing answers: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReadyBody))
	if err != nil {
		return nil, fmt.Errorf("readyz: %w", err)
	}
	var answer struct {
		Reasons []string `json:"reasons"`
	}
	_ = json.Unmarshal(body, &answer) // a server other than wsd may not answer in JSON
	switch {
	case response.StatusCode == http.StatusOK:
		return answer.Reasons, nil
	case answer.Reasons != nil:
		return nil, errors.New("not ready: " + strings.Join(answer.Reasons, ", "))
	}
	return nil, fmt.Errorf("not ready: it answers %d", response.StatusCode)
}
