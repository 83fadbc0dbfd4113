package oidc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"docspace.dev/wsd/server/core/fetch"
)

// Limits of the answers of providers.
const (
	maxAnswer = 1 << 20 // bytes
	maxWait   = 10 * time.Second
)

// transport sends requests to providers. It reads answers completely and returns an error for those that are too large, lead
// elsewhere, or say that the provider is unavailable.
type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Host
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, connectionError(host, err)
	}
	defer resp.Body.Close()
	switch status := resp.StatusCode; {
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return nil, fmt.Errorf("%w: %s has answered with the status %d", ErrUnavailable, host, status)
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return nil, refuse(ReasonRedirect, fmt.Sprintf("%s has answered with the status %d, which leads elsewhere", host, status))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, connectionError(host, err)
	}
	if len(body) > maxAnswer {
		return nil, refuse(ReasonTooLarge, fmt.Sprintf("an answer of %s has more than %d bytes", host, maxAnswer))
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// connectionError returns the error of a request that got no answer. It does not contain the address of the host.
func connectionError(host string, err error) error {
	switch {
	case fetch.IsBlocked(err):
		return refuse(ReasonBlocked, host+" is not a public address, or its port is neither 80 nor 443")
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%w: %s cannot be reached", ErrUnavailable, host)
}

// get returns the body of an answer with the status 200. accessToken is sent unless it is empty.
func (c *Client) get(ctx context.Context, address, accessToken string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, refuse(ReasonEndpoint, "an address of the provider cannot be parsed")
	}
	r.Header.Set("Accept", "application/json")
	if accessToken != "" {
		r.Header.Set("Authorization", "Bearer "+accessToken)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, clientError(r.URL.Host, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, clientError(r.URL.Host, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refuse(ReasonAnswer, fmt.Sprintf("%s has answered with the status %d, want 200", r.URL.Host, resp.StatusCode))
	}
	return body, nil
}

// clientError returns the cause of an error of http.Client. An error that is not one of RoundTrip is that of the time limit.
func clientError(host string, err error) error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %s cannot be reached", ErrUnavailable, host)
}
