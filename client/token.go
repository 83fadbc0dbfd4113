package client

import (
	"context"
	"net/http"

	"docspace.dev/wsd/client/api"
)

// TokenSource returns the token for a request, or "" for a request without one. refused is "", or the token that the server has
// refused (401) for the request that is to be sent again. A source that has no other token returns refused. An error of the source
// is that of the call; the request is not sent.
type TokenSource func(ctx context.Context, refused string) (string, error)

// tokenError is an error of a TokenSource.
type tokenError struct{ error }

// Unwrap returns the error of the source.
func (e *tokenError) Unwrap() error { return e.error }

// withToken calls send with a token. If the server refuses the token, it calls send once more with another one, if there is another
// and the content of req can be read again. A request that was refused with 401 was not carried out.
func (c *Client) withToken(ctx context.Context, req Request, send func(token string) error) error {
	token, err := c.source(ctx, "")
	if err != nil {
		return &tokenError{err}
	}
	err = send(token)
	refused, ok := api.AsError(err)
	if !ok || refused.Code != http.StatusUnauthorized || token == "" || req.Content != nil && req.Content.readOnce {
		return err
	}
	other, failed := c.source(ctx, token)
	if failed != nil {
		return &tokenError{failed}
	}
	if other == token || other == "" {
		return err
	}
	return send(other)
}
