package oauth

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Revoke ends a login on the server (RFC 7009). A login that has ended already is no error. It returns an *Error if the server refuses,
// and a *client.TransportError if it cannot be reached.
func (c Client) Revoke(ctx context.Context, l Login) error {
	form := url.Values{"token": {l.RefreshToken}, "client_id": {ClientID}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.RevocationEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := c.bound(ctx).Do(r)
	if err != nil {
		return convertError(ctx, l.RevocationEndpoint, err)
	}
	defer func() { _ = answer.Body.Close() }()                     // only read from
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // the status says all
	if answer.StatusCode != http.StatusOK {
		e := newError(answer.StatusCode, "", "")
		e.RetryAfter = retryAfter(answer.Header)
		return e
	}
	return nil
}
