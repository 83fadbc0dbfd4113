// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// EmailDomainsService shows the verification of the e-mail domains of organizations.
type EmailDomainsService struct{ c *Client }

// Check asks DNS now whether an e-mail domain is the organization's; wsd asks once a day by itself.
//
//	POST /v1/orgs/{organizationId}/email-domains/{emailDomain}/check (operation emailDomainsCheck)
func (s EmailDomainsService) Check(ctx context.Context, in api.OrganizationEmailDomainRef, options ...CallOption) (api.EmailDomain, error) {
	return call(ctx, s.c, api.CheckEmailDomain, in, options)
}

// List lists the e-mail domains of an organization, with the DNS record that proves each. It answers a page of the
// list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/email-domains (operation emailDomainsList)
func (s EmailDomainsService) List(ctx context.Context, in api.ListEmailDomainsInput, options ...CallOption) (api.Page[api.EmailDomain], error) {
	return call(ctx, s.c, api.ListEmailDomains, in, options)
}
