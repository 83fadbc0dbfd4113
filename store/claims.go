package store

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
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

// ReleaseHostname releases the claim of a hostname after the commit, which takes the hostname from the record of its owner.
func (tx *Tx) ReleaseHostname(owner, hostname string) {
	tx.Unclaim(HostnameKey(hostname), owner, func(ctx context.Context) (bool, error) {
		now, err := tx.store.LoadHostname(ctx, owner)
		return now == hostname, err
	})
}

// ReleaseRemovedHostname releases the claim of a hostname whose owner is removed for good. Nothing happens if the owner still
// has the hostname.
func (s *Store) ReleaseRemovedHostname(ctx context.Context, owner, hostname string) error {
	claim, claimed, err := s.Claim(ctx, HostnameKey(hostname))
	if err != nil || !claimed || claim.Owner != owner {
		return err
	}
	if now, err := s.LoadHostname(ctx, owner); err != nil || now == hostname {
		return err
	}
	return s.Unclaim(ctx, HostnameKey(hostname), claim)
}

// HasEmail reports whether an account has a verified e-mail address, which the caller has normalized.
func HasEmail(u UserDocument, email string) bool {
	return u.Version > 0 && u.Private.HasVerifiedEmail() && u.Fields.Email == email
}

// ReleaseInvalidEmail releases the claim of an e-mail address by an account that does not have it, or has it unverified. The
// account is written without changes, so that a verification in progress fails and claims the address again.
func (s *Store) ReleaseInvalidEmail(ctx context.Context, user, email string) error {
	return s.Update(ctx, User(user), txn.UpdateOptions{}, func(tx *Tx) error {
		u, err := tx.User(user)
		if err != nil || u.Version == 0 || HasEmail(u, email) {
			return err
		}
		tx.ReleaseEmail(user, email)
		_, err = tx.PutUser(u)
		return err
	})
}

// ReleaseEmail releases the claim of an e-mail address after the commit, which writes the account without the address, or with
// the address unverified.
func (tx *Tx) ReleaseEmail(user, email string) {
	tx.Unclaim(EmailKey(email), user, func(ctx context.Context) (bool, error) {
		b := tx.store.NewBatch()
		record := b.Record(UserKey(user))
		if err := b.Do(ctx); err != nil {
			return false, fmt.Errorf("owner of the address: %w", err)
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return false, err
		}
		var u UserDocument
		err = u.Decode(r)
		return HasEmail(u, email), err
	})
}
