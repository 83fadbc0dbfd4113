package orgs

import (
	"context"
	"slices"
	"strings"

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

// State returns "proven" or "trusted", the reason why the domain admits users, or "not proven".
func (d ListedDomain) State() string {
	switch {
	case d.Proven:
		return "proven"
	case d.Trusted:
		return "trusted"
	}
	return "not proven"
}

// ListDomains returns the domains of the organization with an id or title, or those of all organizations if it is "".
// The domains of an organization follow each other.
func (a Accounts) ListDomains(ctx context.Context, idOrTitle string) (all []ListedDomain, err error) {
	org := ""
	if idOrTitle != "" {
		if org, err = a.FindOrganization(ctx, idOrTitle); err != nil {
			return nil, err
		}
	}
	err = eachOrganization(ctx, a.Store, func(o store.OrganizationDocument, entries map[string]string, _ []string) error {
		if org != "" && o.Fields.ID != org {
			return nil
		}
		for _, domain := range slices.Sorted(slices.Values(o.Fields.EmailDomains)) {
			d, err := store.DecodeEmailDomain(entries[domain])
			if err != nil {
				return err
			}
			all = append(all, ListedDomain{o.Fields.ID, o.Fields.Title, domainView(domain, d, a.Store.Now())})
		}
		return nil
	})
	return all, err
}

// OrganizationDomains are e-mail domains of one organization.
type OrganizationDomains struct {
	Organization string // id
	Domains      []string
}

// SelectDomains returns the domains with the given names, in lower case, of the organization with an id or title.
// Whether it has them is not checked. Without names it returns all domains of the organization, or of all
// organizations if idOrTitle is "".
func (a Accounts) SelectDomains(ctx context.Context, idOrTitle string, names ...string) (all []OrganizationDomains, err error) {
	if len(names) > 0 {
		id, err := a.FindOrganization(ctx, idOrTitle)
		if err != nil {
			return nil, err
		}
		selected := OrganizationDomains{Organization: id}
		for _, name := range names {
			selected.Domains = append(selected.Domains, strings.ToLower(name))
		}
		return []OrganizationDomains{selected}, nil
	}
	listed, err := a.ListDomains(ctx, idOrTitle)
	for _, l := range listed {
		if len(all) == 0 || all[len(all)-1].Organization != l.Organization {
			all = append(all, OrganizationDomains{Organization: l.Organization})
		}
		last := &all[len(all)-1]
		last.Domains = append(last.Domains, l.Domain)
	}
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
					WithHint("An admin sets them: wsctl organizations update %s --email-domains %s", org, domain)
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
