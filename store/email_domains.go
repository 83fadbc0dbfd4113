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

// EmailDomain is what an organization has of one of its e-mail domains. Anybody can write anybody's domain into their
// settings; it counts where its owner says so in DNS, or whoever runs the server does.
type EmailDomain struct {
	Value     string   `json:"value"`              // random: what the DNS record of the domain has to say for this organization
	By        string   `json:"by,omitzero"`        // the user who set the domain, for whom DNS is asked; "" = set before this was stored
	Trusted   bool     `json:"trusted,omitzero"`   // whoever runs the server says that it is the organization's
	SeenAt    api.Time `json:"seenAt,omitzero"`    // when the record was found last; zero = never, or it has gone
	CheckedAt api.Time `json:"checkedAt,omitzero"` // when DNS was asked last
	Problem   string   `json:"problem,omitzero"`   // what was wrong then
	Slow      bool     `json:"slow,omitzero"`      // it took long
}

// ProofTime is how long a proof holds that could not be renewed, because DNS does not answer.
const ProofTime = 3 * 24 * time.Hour

// Proven reports whether DNS says that the domain is the organization's.
func (d EmailDomain) Proven(now time.Time) bool {
	return !d.SeenAt.IsZero() && now.Before(d.SeenAt.Add(ProofTime))
}

// Counts reports whether an address of the domain lets people in: also when nobody has asked DNS for long.
func (d EmailDomain) Counts(now time.Time) bool { return d.Trusted || d.Proven(now) }

// DomainCounts reports whether an address of a domain lets people into an organization, given the field of EmailDomainsKey:
// the domain is among its own, and counts. What another organization has proven says nothing here.
func DomainCounts(o OrganizationDocument, domain, field string, now time.Time) (bool, error) {
	if GoneOrganization(o) || !slices.Contains(o.Fields.EmailDomains, domain) {
		return false, nil
	}
	d, err := DecodeEmailDomain(field)
	return d.Counts(now), err
}

// The kind of the jobs that ask DNS for e-mail domains, which are named by domain.
const (
	EmailDomainKind = "domains"
	emailDomainTime = 24 * time.Hour
)

// EmailDomainJob is the job that asks DNS for a domain.
func EmailDomainJob(domain string) string { return txn.JobName(EmailDomainKind, domain) }

// EmailDomainsKey is the HASH of what an organization has of its e-mail domains.
func EmailDomainsKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "domains") }

// DecodeEmailDomain reads a field of EmailDomainsKey; "" is the zero EmailDomain.
func DecodeEmailDomain(text string) (d EmailDomain, err error) {
	if text == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("%w: e-mail domain: %w", redis.ErrCorrupt, err)
	}
	return d, nil
}

// EmailDomain reads what an organization has of a domain; ok is false if that is none of its domains.
func (tx *Tx) EmailDomain(org, domain string) (d EmailDomain, ok bool, err error) {
	text, ok, err := tx.Field(EmailDomainsKey(org), domain)
	if err != nil || !ok {
		return d, false, err
	}
	d, err = DecodeEmailDomain(text)
	return d, err == nil, err
}

// PutEmailDomain writes what an organization has of a domain that was read.
func (tx *Tx) PutEmailDomain(org, domain string, d EmailDomain) error {
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("e-mail domain %s of %s: %w", domain, org, err)
	}
	tx.SetField(EmailDomainsKey(org), domain, string(data))
	return nil
}

// KeepEmailDomains follows a change of an organization's domains by a user: new ones get a value, which DNS is asked for
// from then on, and those that go lose it. One that comes again has to be proven again.
func (tx *Tx) KeepEmailDomains(org, by string, before, after []string) error {
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

// EmailDomainSpread is a part of a day: so long after it was set, and as much earlier or later than a day after the last
// time, a domain's DNS is asked, so that not all are asked at once.
func EmailDomainSpread(org, domain string) time.Duration {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(org + " " + domain)) // never fails
	return emailDomainTime * time.Duration(sum.Sum32()%1024) / 1024
}
