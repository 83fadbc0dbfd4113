package orgs

import (
	"context"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// ListedDomain is a domain of an organization in the output of `wsd domain list`.
type ListedDomain struct {
	Organization string `json:"organization"`
	Title        string `json:"title"`
	api.EmailDomain
}

// ListDomains returns the domains of an organization, or those of all organizations if org is "".
func ListDomains(ctx context.Context, s *store.Store, org string) (all []ListedDomain, err error) {
	err = eachOrganization(ctx, s, func(o store.OrganizationDocument, entries map[string]string, _ []string) error {
		if org != "" && o.Fields.ID != org {
			return nil
		}
		for _, domain := range slices.Sorted(slices.Values(o.Fields.EmailDomains)) {
			d, err := store.DecodeEmailDomain(entries[domain])
			if err != nil {
				return err
			}
			all = append(all, ListedDomain{o.Fields.ID, o.Fields.Title, domainView(domain, d, s.Now())})
		}
		return nil
	})
	return all, err
}

// SetDomainTrust sets or clears the operator's trust in domains of an organization, for `wsd domain trust` and `wsd domain
// distrust`.
func SetDomainTrust(ctx context.Context, s *store.Store, org string, trusted bool, domains ...string) error {
	return s.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		o, err := tx.Organization(org)
		if err != nil {
			return err
		}
		for _, domain := range domains {
			if !slices.Contains(o.Fields.EmailDomains, domain) {
				return api.InvalidField("domain", "%q is no e-mail domain of %s", domain, org).
					WithHint("An admin sets them: wsctl organizations update ORGANIZATION --email-domains DOMAIN")
			}
		}
		if err := tx.UpdateEmailDomains(org, "", nil, domains); err != nil {
			return err
		}
		for _, domain := range domains {
			d, _, err := tx.EmailDomain(org, domain)
			if err != nil {
				return err
			}
			if d.Trusted == trusted {
				continue
			}
			d.Trusted = trusted
			if err := tx.PutEmailDomain(org, domain, d); err != nil {
				return err
			}
		}
		return nil
	})
}
