package store

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// EmailDomain is the state of one e-mail domain of an organization. Any organization can list any domain; a domain
// counts only if its owner confirms it in DNS, or the operator of the server does.
type EmailDomain struct {
	Value     string   `json:"value"`              // random value expected in the DNS record of the domain for this organization
	By        string   `json:"by,omitzero"`        // user who set the domain, charged for DNS queries; "" = set before this was stored
	Trusted   bool     `json:"trusted,omitzero"`   // confirmed by the operator of the server
	SeenAt    api.Time `json:"seenAt,omitzero"`    // last time the record was found; zero = never, or it was removed
	CheckedAt api.Time `json:"checkedAt,omitzero"` // last DNS query
	Problem   string   `json:"problem,omitzero"`   // result of the last query if it failed
	SlowQuery bool     `json:"slow,omitzero"`      // the last query was slow
}

// ProofTime is how long a proof is valid while DNS does not answer.
const ProofTime = 3 * 24 * time.Hour

// Proven reports whether DNS confirms that the domain belongs to the organization.
func (d EmailDomain) Proven(now time.Time) bool {
	return !d.SeenAt.IsZero() && now.Before(d.SeenAt.Add(ProofTime))
}

// Counts reports whether addresses of the domain admit users. A domain may count even if DNS was not queried for
// long.
func (d EmailDomain) Counts(now time.Time) bool { return d.Trusted || d.Proven(now) }

// DomainCounts reports whether addresses of a domain admit users to an organization: the domain is one of its own,
// and counts according to field, its field of EmailDomainsKey. Proofs of other organizations do not matter.
func DomainCounts(o OrganizationDocument, domain, field string, now time.Time) (bool, error) {
	if IsOrganizationGone(o) || !slices.Contains(o.Fields.EmailDomains, domain) {
		return false, nil
	}
	d, err := DecodeEmailDomain(field)
	return d.Counts(now), err
}

// Kind of the jobs that query DNS for e-mail domains, which are named by domain.
const (
	EmailDomainKind   = "domains"
	emailDomainPeriod = 24 * time.Hour
)

// EmailDomainJob returns the name of the job that queries DNS for a domain.
func EmailDomainJob(domain string) string { return txn.JobName(EmailDomainKind, domain) }

// EmailDomainsKey returns the key of the HASH of the states of an organization's e-mail domains.
func EmailDomainsKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "domains") }

// DecodeEmailDomain decodes a field of EmailDomainsKey; "" is the zero EmailDomain.
func DecodeEmailDomain(text string) (d EmailDomain, err error) {
	if text == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("%w: e-mail domain: %w", redis.ErrCorrupt, err)
	}
	return d, nil
}

// EmailDomain reads the state of a domain; ok is false if it is not one of the organization's domains.
func (tx *Tx) EmailDomain(org, domain string) (d EmailDomain, ok bool, err error) {
	text, ok, err := tx.Field(EmailDomainsKey(org), domain)
	if err != nil || !ok {
		return d, false, err
	}
	d, err = DecodeEmailDomain(text)
	return d, err == nil, err
}

// PutEmailDomain writes the state of a domain. tx must have read it.
func (tx *Tx) PutEmailDomain(org, domain string, d EmailDomain) error {
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("e-mail domain %s of %s: %w", domain, org, err)
	}
	tx.SetField(EmailDomainsKey(org), domain, string(data))
	return nil
}

// UpdateEmailDomains applies a change of an organization's domains by a user: new domains get a value and a DNS job,
// removed ones lose both. A domain that is added again must be proven again.
func (tx *Tx) UpdateEmailDomains(org, by string, before, after []string) error {
	for _, domain := range before {
		if !slices.Contains(after, domain) {
			tx.DeleteField(EmailDomainsKey(org), domain)
			tx.Unschedule(org, EmailDomainJob(domain))
		}
	}
	for _, domain := range after {
		_, there, err := tx.EmailDomain(org, domain)
		if err == nil && !there {
			err = tx.PutEmailDomain(org, domain, EmailDomain{Value: rand.Text(), By: by})
		}
		if err != nil {
			return err
		}
		tx.ScheduleOnce(org, EmailDomainJob(domain), EmailDomainSpread(org, domain))
	}
	return nil
}

// EmailDomainSpread returns the offset of a domain's DNS queries within a day, so that the domains are not all
// queried at once.
func EmailDomainSpread(org, domain string) time.Duration {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(org + " " + domain)) // never fails
	return emailDomainPeriod * time.Duration(sum.Sum32()%1024) / 1024
}
