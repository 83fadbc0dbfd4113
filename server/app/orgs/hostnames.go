package orgs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// WithHostname runs what may claim a hostname for its owner, once more if a claim that is not good any more stands in
// the way, and gives up the hostname that it released.
func WithHostname[Out any](ctx context.Context, c *rest.Call, s *Service, owner string, released *string, run func() (rest.Result[Out], error)) (rest.Result[Out], error) {
	result, err := run()
	if claimed := (*txn.Claimed)(nil); errors.As(err, &claimed) {
		if err := s.freeHostname(ctx, claimed); err != nil {
			return rest.Result[Out]{}, err
		}
		result, err = run()
	}
	if err == nil && *released != "" && !c.DryRun {
		s.ReleaseHostname(ctx, owner, *released)
	}
	if errors.Is(err, txn.ErrExists) {
		err = hostnameTaken()
	}
	return result, err
}

// freeHostname gives up a claim that is not good any more: its owner does not exist or has another hostname, and it
// is too old to be of a commit on its way.
func (s *Service) freeHostname(ctx context.Context, claimed *txn.Claimed) error {
	claim, held, err := s.Store.Claim(ctx, claimed.Key)
	if err != nil {
		return fmt.Errorf("hostname: %w", err)
	}
	if !held {
		return nil
	}
	hostname, err := s.hostnameOf(ctx, claim.Owner)
	if err != nil {
		return err
	}
	good := hostname != "" && store.HostnameKey(hostname) == claimed.Key
	settled, err := s.Store.Settled(ctx, claimed.Key, claim)
	if err != nil {
		return err
	}
	if good || !settled {
		return hostnameTaken()
	}
	return s.Store.Unclaim(ctx, claimed.Key, claim)
}

// ReleaseHostname lets another site have a hostname at once. That is a courtesy: a claim whose site does not point
// back is found out when the hostname is wanted.
func (s *Service) ReleaseHostname(ctx context.Context, owner, hostname string) {
	key := store.HostnameKey(hostname)
	claim, held, err := s.Store.Claim(ctx, key)
	if err == nil && held && claim.Owner == owner {
		err = s.Store.Unclaim(ctx, key, claim)
	}
	if err != nil {
		s.Log.Debug("hostname not released", "owner", owner, "error", err)
	}
}

func hostnameTaken() error {
	return api.Errorf(http.StatusConflict, api.ReasonConflict, "The hostname is taken.")
}

// hostnameOf reads the hostname of the owner of a claim, a site or an organization; "" without one.
func (s *Service) hostnameOf(ctx context.Context, owner string) (string, error) {
	org, site, ofSite := strings.Cut(owner, "-")
	b := s.Store.Pipeline()
	organization, siteRecord := b.Record(store.OrganizationKey(org)), b.Record(store.SiteKey(org, site))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("owner of the hostname: %w", err)
	}
	if ofSite {
		r, ok, err := siteRecord.Get()
		if err != nil || !ok {
			return "", err
		}
		var d store.SiteDocument
		err = d.Decode(r)
		return d.Fields.Hostname, err
	}
	r, ok, err := organization.Get()
	if err != nil || !ok {
		return "", err
	}
	var o store.OrganizationDocument
	err = o.Decode(r)
	return o.Fields.Hostname, err
}
