package sites

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// updateSite applies a patch and claims or releases the hostname.
func (s *Service) updateSite(ctx context.Context, c *rest.Call, in api.UpdateSiteInput) (rest.Result[api.Site], error) {
	run := func() (rest.Result[api.Site], error) {
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Site], error) {
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
				if hostname != "" {
					tx.ReleaseHostname(store.HostnameOwner(c.Org, in.Site), hostname)
				}
				err = tx.UpdateIfDefaultSite(c.Org, in.Site, func(o *api.OrganizationFields) { o.CustomHostname = d.Fields.Hostname })
			}
			if err != nil {
				return rest.Result[api.Site]{}, err
			}
			result, err := s.siteResult(c, d)
			result.Unchanged = !changed
			return result, err
		})
	}
	return orgs.ClaimHostname(ctx, s.Orgs, run)
}

// patchSite applies a patch and claims the unique values in it. It reports whether the site changed.
func patchSite(c *rest.Call, tx *store.Tx, d *store.SiteDocument, patch api.SitePatch) (changed bool, err error) {
	f := &d.Fields
	for _, applied := range []bool{
		patch.Title.Apply(&f.Title), patch.Visibility.Apply(&f.Visibility), patch.AdaptiveContent.Apply(&f.AdaptiveContent),
		patch.AgentsContext.Apply(&f.AgentsContext), patch.Proxy.ApplyNull(&d.Private.Proxy), patchIcon(patch.Icon, &f.Icon),
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
			tx.Claim(store.HostnameKey(f.Hostname), store.HostnameOwner(c.Org, f.ID))
		}
	}
	defaults, err := patchDefaults(&d.Private, patch)
	return changed || defaults, err
}

func patchIcon(o api.Optional[api.SiteIcon], target **api.SiteIcon) bool {
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
