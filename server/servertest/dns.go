package servertest

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
)

// DNS is the resolver of a world's server. It holds TXT records by name.
type DNS struct {
	mu      sync.Mutex
	records map[string][]string
	failing bool
	lookups int
}

// LookupTXT implements orgs.Resolver.
func (d *DNS) LookupTXT(ctx context.Context, name string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lookups++
	records, there := d.records[name]
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !strings.HasSuffix(name, "."):
		return nil, errors.New("the name depends on the machine that asks")
	case d.failing:
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	case !there:
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return records, nil
}

// Set sets the TXT records of a name. Without records, the name does not exist.
func (d *DNS) Set(name string, records ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.records[name+"."] = records; len(records) == 0 {
		delete(d.records, name+".")
	}
}

// Fail makes all lookups fail or succeed.
func (d *DNS) Fail(failing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = failing
}

// Lookups returns the number of lookups since the world was created.
func (d *DNS) Lookups() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lookups
}

// ProveDomains sets the e-mail domains of an organization and their DNS records, and has the server check them. It fails the
// test unless all are proven.
func (w *World) ProveDomains(as, org string, domains ...string) {
	w.T.Helper()
	Do(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: org, Body: api.OrganizationPatch{EmailDomains: api.Some(domains)},
	})
	for _, d := range EmailDomains(w, as, org) {
		w.DNS.Set(d.RecordName, d.RecordValue)
		if now := Do(w, as, api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: org, EmailDomain: d.Domain}); !now.Proven {
			w.T.Fatalf("%s is not proven: %s", d.Domain, now.Problem)
		}
	}
}

// EmailDomains returns the e-mail domains of an organization.
func EmailDomains(w *World, as, org string) []api.EmailDomain {
	w.T.Helper()
	return Do(w, as, api.ListEmailDomains, api.ListEmailDomainsInput{Organization: org}).Items
}

// TrustDomains sets the e-mail domains of an organization and marks them as trusted, as the operator of the server may.
func (w *World) TrustDomains(as, org string, names ...string) {
	w.T.Helper()
	Do(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: org, Body: api.OrganizationPatch{EmailDomains: api.Some(names)},
	})
	w.Must(orgs.SetDomainTrust(w.T.Context(), w.Store, org, true, names...))
}
