// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// InstallationTokensService makes tokens for installations.
type InstallationTokensService struct{ c *Client }

// Create makes a token for an installation: for an hour, it opens what the scopes of the integration and the
// selections of the installation name. The answer holds a secret, so a repeat with the same [IdempotencyKey] fails
// with [api.ReasonAnswerSecret].
//
//	POST /v1/integrations/{integrationName}/installations/{installationId}/tokens (operation createIntegrationInstallationToken)
func (s InstallationTokensService) Create(ctx context.Context, in api.InstallationRef, options ...CallOption) (api.TemporaryToken, error) {
	return call(ctx, s.c, api.CreateInstallationToken, in, options)
}
