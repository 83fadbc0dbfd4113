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

// Resolver asks DNS; *net.Resolver is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

const (
	recordLabel = "_wsd-verification."
	recordWord  = "wsd-organization="

	lookupTime = 5 * time.Second
	slowLookup = time.Second // what took so long counts as slow the next time
)

// recordName is the name of the record that proves a domain.
func recordName(domain string) string { return recordLabel + domain }

// recordValue is what that record says; "" where there is no value yet.
func recordValue(d store.EmailDomain) string {
	if d.Value == "" {
		return ""
	}
	return recordWord + d.Value
}

// answer is what DNS said about a domain.
type answer struct {
	value     string // that was looked for; "" = DNS was not asked
	found     bool
	temporary bool // no answer: nothing is known
	problem   string
	slow      bool
}

// ask looks the record of a domain up. It takes lookupTime at most. The name ends with a dot, so that no domain that the
// machine itself is in is tried behind it.
func (s *EmailDomains) ask(ctx context.Context, domain string, d store.EmailDomain) answer {
	if d.Value == "" {
		return answer{}
	}
	began := s.Store.Moment()
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	records, err := s.Resolver.LookupTXT(ctx, recordName(domain)+".")
	a := answer{value: d.Value, slow: s.Store.Since(began) >= slowLookup}
	wrong, fromDNS := errors.AsType[*net.DNSError](err)
	absent := fromDNS && wrong.IsNotFound
	switch {
	case err == nil && slices.ContainsFunc(records, func(text string) bool { return strings.TrimSpace(text) == recordValue(d) }):
		a.found = true
	case ctx.Err() != nil || fromDNS && wrong.IsTimeout:
		a.temporary, a.slow, a.problem = true, true, fmt.Sprintf("DNS did not answer for %s within %d seconds.", recordName(domain), int(lookupTime/time.Second))
	case err != nil && !absent:
		a.temporary, a.problem = true, fmt.Sprintf("DNS could not be asked for %s: it answered with a failure.", recordName(domain))
	case len(records) == 0:
		a.problem = fmt.Sprintf("There is no TXT record %s.", recordName(domain))
	default:
		a.problem = fmt.Sprintf("The TXT record %s says something else than recordValue.", recordName(domain))
	}
	return a
}

// with is a domain after DNS was asked. What is not there proves nothing any more; without an answer, the last proof holds
// for a while.
func (a answer) with(d store.EmailDomain, now time.Time) store.EmailDomain {
	if a.value == "" || a.value != d.Value { // it was taken out and set again meanwhile
		return d
	}
	d.CheckedAt, d.Problem, d.Slow = api.At(now), a.problem, a.slow
	switch {
	case a.found:
		d.SeenAt = api.At(now)
	case !a.temporary:
		d.SeenAt = api.Time{}
	}
	return d
}
