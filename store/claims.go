package store

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/store/redis"
)

// HostnameOwner returns the owner of the claim of a site's hostname. That of an organization's hostname is its id.
func HostnameOwner(org, site string) string { return org + "-" + site }

// hostnameRecord returns the key of the record of the site or organization that owns the claim of a hostname.
func hostnameRecord(owner string) redis.Key {
	if org, site, ofSite := strings.Cut(owner, "-"); ofSite {
		return SiteKey(org, site)
	}
	return OrganizationKey(owner)
}

// LoadHostname returns the hostname of the site or organization that owns a claim, or "" if it has none or does not exist.
func (s *Store) LoadHostname(ctx context.Context, owner string) (string, error) {
	b := s.NewBatch()
	record := b.Record(hostnameRecord(owner))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("owner of the hostname: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return "", err
	}
	var d Document[struct { // the member that sites and organizations have in common
		Hostname string `json:"hostname"`
	}, struct{}]
	err = d.Decode(r)
	return d.Fields.Hostname, err
}
