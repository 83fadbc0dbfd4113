package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// updateSite commits, and sees to the claim of the hostname around it.
func (s *Server) updateSite(ctx context.Context, c *rest.Call, in api.UpdateSiteInput) (rest.Result[api.Site], error) {
	var released string
	run := func() (rest.Result[api.Site], error) {
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Site], error) {
			released = ""
			d, err := loadSite(c, tx, in.Site)
			if err != nil {
				return rest.Result[api.Site]{}, err
			}
			hostname := d.Fields.Hostname
			changed, err := patchSite(c, tx, &d, in.Body)
			if err == nil && changed {
				err = putSite(c, tx, &d)
			}
			if err == nil && hostname != d.Fields.Hostname {
				released = hostname
				err = whereDefault(tx, c.Org, in.Site, func(o *api.OrganizationFields) { o.CustomHostname = d.Fields.Hostname })
			}
			if err != nil {
				return rest.Result[api.Site]{}, err
			}
			result, err := s.siteResult(c, d)
			result.Unchanged = !changed
			return result, err
		})
	}
	return withHostname(ctx, c, s, hostnameOwner(c.Org, in.Site), &released, run)
}

// withHostname runs what may claim a hostname for its owner, once more if a claim that is not good any more stands in
// the way, and gives up the hostname that it released.
func withHostname[Out any](ctx context.Context, c *rest.Call, s *Server, owner string, released *string, run func() (rest.Result[Out], error)) (rest.Result[Out], error) {
	result, err := run()
	if claimed := (*txn.Claimed)(nil); errors.As(err, &claimed) {
		if err := s.freeHostname(ctx, claimed); err != nil {
			return rest.Result[Out]{}, err
		}
		result, err = run()
	}
	if err == nil && *released != "" && !c.DryRun {
		s.releaseHostname(ctx, owner, *released)
	}
	if errors.Is(err, txn.ErrExists) {
		err = hostnameTaken()
	}
	return result, err
}

// patchSite applies a patch. What only one site can have is claimed.
func patchSite(c *rest.Call, tx *store.Tx, d *store.SiteDocument, patch api.SitePatch) (changed bool, err error) {
	f := &d.Fields
	for _, applied := range []bool{
		patch.Title.Apply(&f.Title), patch.Visibility.Apply(&f.Visibility), patch.AdaptiveContent.Apply(&f.AdaptiveContent),
		patch.AgentsContext.Apply(&f.AgentsContext), patch.Proxy.ApplyNull(&d.Private.Proxy), applyIcon(patch.Icon, &f.Icon),
	} {
		changed = changed || applied
	}
	if basename, ok := patch.Basename.Get(); ok && basename != f.Basename {
		err := tx.Rename(c.Org, d, basename)
		if errors.Is(err, txn.ErrExists) {
			return false, api.InvalidField("basename", "is that of another site of the organization")
		}
		if err != nil {
			return false, err
		}
		changed = true
	}
	if patch.Hostname.ApplyNull(&f.Hostname) {
		changed = true
		if f.Hostname != "" {
			tx.Claim(store.HostnameKey(f.Hostname), hostnameOwner(c.Org, f.ID))
		}
	}
	defaults, err := patchDefaults(&d.Private, patch)
	return changed || defaults, err
}

func applyIcon(o api.Optional[api.SiteIcon], target **api.SiteIcon) bool {
	if o.IsNull() {
		changed := *target != nil
		*target = nil
		return changed
	}
	icon := api.SiteIcon{}
	if *target != nil {
		icon = **target
	}
	if !o.Apply(&icon) {
		return false
	}
	*target = &icon
	return true
}

func patchDefaults(p *store.SitePrivate, patch api.SitePatch) (changed bool, err error) {
	if id, ok := patch.DefaultSiteSpace.Get(); ok {
		space := p.Space(id)
		if space == nil {
			return false, api.InvalidField("defaultSiteSpace", "is not a site space of this site")
		}
		changed = p.MakeDefaultSpace(space)
	}
	if id, ok := patch.DefaultSiteSection.Get(); ok {
		section := p.Section(id)
		if section == nil {
			return false, api.InvalidField("defaultSiteSection", "is not a section of this site")
		}
		changed = p.MakeDefaultSection(section) || changed
	}
	return changed, nil
}

// hostnameOwner is who claims a hostname: a site, and the organization in which it is found.
func hostnameOwner(org, site string) string { return org + "-" + site }

func hostnameTaken() error {
	return api.Errorf(http.StatusConflict, api.ReasonConflict, "The hostname is taken.")
}

// hostnameOf reads the hostname of the owner of a claim, a site or an organization; "" without one.
func (s *Server) hostnameOf(ctx context.Context, owner string) (string, error) {
	org, site, ofSite := strings.Cut(owner, "-")
	b := s.store.Pipeline()
	organization, siteRecord := b.Record(store.OrganizationKey(org)), b.Record(store.SiteKey(org, site))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("owner of the hostname: %w", err)
	}
	if ofSite {
		d, err := decodeSite(siteRecord)
		if _, gone := api.AsError(err); gone {
			err = nil
		}
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

// freeHostname gives up a claim that is not good any more: its owner does not exist or has another hostname, and it
// is too old to be of a commit on its way.
func (s *Server) freeHostname(ctx context.Context, claimed *txn.Claimed) error {
	claim, held, err := s.store.Claim(ctx, claimed.Key)
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
	settled, err := s.store.Settled(ctx, claimed.Key, claim)
	if err != nil {
		return err
	}
	if good || !settled {
		return hostnameTaken()
	}
	return s.store.Unclaim(ctx, claimed.Key, claim)
}

// releaseHostname lets another site have a hostname at once. That is a courtesy: a claim whose site does not point
// back is found out when the hostname is wanted.
func (s *Server) releaseHostname(ctx context.Context, owner, hostname string) {
	key := store.HostnameKey(hostname)
	claim, held, err := s.store.Claim(ctx, key)
	if err == nil && held && claim.Owner == owner {
		err = s.store.Unclaim(ctx, key, claim)
	}
	if err != nil {
		s.log.Debug("hostname not released", "owner", owner, "error", err)
	}
}
