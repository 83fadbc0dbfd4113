// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SubdomainsService finds organizations by their subdomain.
type SubdomainsService struct{ c *Client }

// Get finds the organization of yours that has a subdomain as its hostname.
//
//	GET /v1/subdomains/{subdomain} (operation getSubdomain)
func (s SubdomainsService) Get(ctx context.Context, in api.SubdomainRef, options ...CallOption) (api.Subdomain, error) {
	return call(ctx, s.c, api.GetSubdomain, in, options)
}
