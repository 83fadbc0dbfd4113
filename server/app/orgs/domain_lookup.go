package orgs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// Resolver looks up TXT records in DNS. *net.Resolver implements it.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

const (
	recordNamePrefix  = "_wsd-verification."
	recordValuePrefix = "wsd-organization="

	lookupTimeout = 5 * time.Second
	slowThreshold = time.Second // a lookup that took longer is treated as slow the next time
)

// recordName returns the name of the TXT record that proves a domain.
func recordName(domain string) string { return recordNamePrefix + domain }

// recordValue returns the content of the TXT record that proves a domain, or "" if the domain has no value yet.
func recordValue(d store.EmailDomain) string {
	if d.Value == "" {
		return ""
	}
	return recordValuePrefix + d.Value
}

// lookupResult is the result of a DNS lookup of a domain.
type lookupResult struct {
	value     string // expected record value; "" = DNS was not queried
	verified  bool
	temporary bool // the lookup failed without an answer
	problem   string
	slow      bool
}

// lookup queries the TXT record of a domain for at most lookupTimeout. The queried name ends with a dot, so that the
// resolver does not append search domains of the machine.
func (ed *EmailDomains) lookup(ctx context.Context, domain string, d store.EmailDomain) lookupResult {
	if d.Value == "" {
		return lookupResult{}
	}
	began := ed.Store.Moment()
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	records, err := ed.Resolver.LookupTXT(ctx, recordName(domain)+".")
	a := lookupResult{value: d.Value, slow: ed.Store.Since(began) >= slowThreshold}
	wrong, fromDNS := errors.AsType[*net.DNSError](err)
	absent := fromDNS && wrong.IsNotFound
	switch {
	case err == nil && slices.ContainsFunc(records, func(text string) bool { return strings.TrimSpace(text) == recordValue(d) }):
		a.verified = true
	case ctx.Err() != nil || fromDNS && wrong.IsTimeout:
		a.temporary, a.slow, a.problem = true, true, fmt.Sprintf("DNS did not answer for %s within %d seconds.", recordName(domain),
			int(lookupTimeout/time.Second))
	case err != nil && !absent:
		a.temporary, a.problem = true, fmt.Sprintf("DNS could not be asked for %s: it answered with a failure.", recordName(domain))
	case len(records) == 0:
		a.problem = fmt.Sprintf("There is no TXT record %s.", recordName(domain))
	default:
		a.problem = fmt.Sprintf("The TXT record %s says something else than recordValue.", recordName(domain))
	}
	return a
}

// apply returns d updated by the result. A missing record ends the proof; a temporary failure leaves the last proof
// valid for a while.
func (a lookupResult) apply(d store.EmailDomain, now time.Time) store.EmailDomain {
	if a.value == "" || a.value != d.Value { // the domain was removed and set again in the meantime
		return d
	}
	d.CheckedAt, d.Problem, d.SlowQuery = api.At(now), a.problem, a.slow
	switch {
	case a.verified:
		d.SeenAt = api.At(now)
	case !a.temporary:
		d.SeenAt = api.Time{}
	}
	return d
}
