package sites

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxOrganizations is the maximum number of the caller's organizations in which the site of an address is searched.
const maxOrganizations = 50

// findContent returns the content at an address. It returns not_found for content that the caller may not see.
func (l *Lookup) findContent(ctx context.Context, c *rest.Call, in api.FindContentInput) (none rest.Result[api.FoundContent], err error) {
	p, ok := parseAddress(in.URL, l.PublicURL)
	if !ok {
		return none, api.NotFound()
	}
	organizations, err := l.candidateOrganizations(ctx, c, p)
	if err != nil {
		return none, err
	}
	for _, org := range organizations {
		there, err := l.callInOrganization(ctx, c, org, p.collection+p.space)
		if err != nil {
			return none, err
		}
		there.ShareKey = p.shareKey
		at := p
		if p.site != "" {
			if err := l.resolveSiteAddress(ctx, there, &at); err != nil {
				return none, err
			}
		}
		if canRead(there, at) {
			return l.encode(ctx, there, at)
		}
	}
	return none, api.NotFound()
}

// candidateOrganizations returns the organizations that may contain a location: its own or, for a site at another
// host, the one with that hostname or else those of the caller, because the site may be served through a proxy.
func (l *Lookup) candidateOrganizations(ctx context.Context, c *rest.Call, p location) ([]string, error) {
	if !p.external {
		if org := p.homeOrganization(); redis.ValidID(org) && strings.HasPrefix(org, txn.OrganizationPrefix) {
			return []string{org}, nil
		}
		return nil, nil
	}
	host, _, _ := strings.Cut(p.site, "/")
	if api.Patterns["hostname"].MatchString(host) {
		claim, _, err := l.Store.Claim(ctx, store.HostnameKey(host))
		if err != nil {
			return nil, fmt.Errorf("hostname: %w", err)
		}
		if owner, _, ofSite := strings.Cut(claim.Owner, "-"); ofSite {
			return []string{owner}, nil
		}
	}
	b := l.Store.NewBatch()
	mine := b.Range(store.UserOrganizationsKey(c.Caller.User), "", maxOrganizations, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("organizations of the caller: %w", err)
	}
	return mine.Value(), nil
}

// callInOrganization returns the call in another organization, or in the one to which the object with id was transferred.
func (l *Lookup) callInOrganization(ctx context.Context, c *rest.Call, org, id string) (*rest.Call, error) {
	there := c.InOrganization(org)
	b := l.Store.NewBatch()
	model := b.Follow(org)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the organization of the address: %w", err)
	}
	there.LoadMembership(model)
	if now := organizationOf(there, id); now != "" && now != org {
		return l.callInOrganization(ctx, c, now, "")
	}
	return there, nil
}

func organizationOf(c *rest.Call, id string) (org string) {
	c.Access(func(model *access.Model) { org = model.MovedTo(id) })
	return org
}

// resolveSiteAddress replaces the address of a site in p with the space that the site shows there, and the remaining
// path by that of a page. The address of a site or section is that of its default space.
func (l *Lookup) resolveSiteAddress(ctx context.Context, c *rest.Call, p *location) error {
	site, subpath, found := l.findOnSite(c, p)
	if found || site == "" {
		return nil
	}
	sites, err := l.View.ReadSites(ctx, c, []string{site})
	if err != nil || sites[site] == nil {
		return err
	}
	if shown := sites[site].Private.DefaultSpace(subpath); shown != nil {
		p.space = shown.Space
	}
	return nil
}

// findOnSite returns the published site of an address and the space that the site shows there. If it shows none,
// found is false and subpath is the path below the address of the site.
func (l *Lookup) findOnSite(c *rest.Call, p *location) (site, subpath string, found bool) {
	c.Access(func(model *access.Model) {
		for _, id := range model.SiteIDs() {
			n := model.Site(id)
			base, err := url.Parse(l.View.SiteAddress(c.Org, id, n.SiteEntry))
			if err != nil || !n.Published {
				continue
			}
			path, is := trimPathPrefix(p.site, base.Host+base.EscapedPath())
			if !is || !c.Caller.IsMember && !model.PublishedTo(id, c.Visitor()) {
				continue
			}
			site, subpath = id, unescapePath(path)
			if p.space, p.path, found = siteSpaceAt(n, subpath); found {
				p.namesPage = p.path != ""
				return
			}
		}
	})
	return site, subpath, found
}

// siteSpaceAt returns the space that a site shows at a path below it, with the longest matching path, and the
// remaining path.
func siteSpaceAt(n *access.Site, path string) (space, rest string, ok bool) {
	longest := -1
	for _, shown := range n.Spaces {
		if left, is := trimPathPrefix(path, shown.Path); is && len(shown.Path) > longest {
			space, rest, longest = shown.Space, left, len(shown.Path)
		}
	}
	return space, rest, longest >= 0
}

// trimPathPrefix returns path without the leading segments base and without slashes at its ends. ok is false if path does not
// begin with base.
func trimPathPrefix(path, base string) (left string, ok bool) {
	path, base = strings.Trim(path, "/"), strings.Trim(base, "/")
	if base == "" || path == base {
		return strings.Trim(strings.TrimPrefix(path, base), "/"), true
	}
	left, ok = strings.CutPrefix(path, base+"/")
	return strings.Trim(left, "/"), ok
}

// canRead reports whether the caller may read the content of a location, which for a change request requires the role comment.
// It sets the caller's role in the content, or marks the caller as a visitor of a site that publishes the space.
func canRead(c *rest.Call, p location) (may bool) {
	c.Access(func(model *access.Model) {
		id := p.collection + p.space
		if _, active := model.Active(id); !active {
			return
		}
		c.Caller.ContentRole = model.Role(c.Caller, id)
		switch {
		case p.request != "":
			may = c.Caller.ContentRole.AtLeast(api.RoleComment)
		case c.Caller.ContentRole.AtLeast(api.RoleRead):
			may = true
		case p.space != "" && model.SpacePublishedTo(p.space, c.Visitor()):
			c.Caller.IsVisitor, may = true, true
		}
	})
	return may
}

// encode returns the parts of a location as their own operations return them. Visitors get the space without the page, because
// they have no role to read pages with.
func (l *Lookup) encode(ctx context.Context, c *rest.Call, p location) (none rest.Result[api.FoundContent], err error) {
	b, r := l.Store.NewBatch(), &c.Request
	found := map[string]func() (response, error){}
	names := []string{"collection"}
	if p.collection != "" {
		found["collection"] = finishResponse(ctx, c, l.Spaces.GetCollection(ctx, r, b, api.CollectionRef{Collection: p.collection}))
	} else {
		names = []string{"space", "changeRequest", "page"}
		at := revision.Target{Space: p.space, ChangeRequest: p.request}
		found["space"] = finishResponse(ctx, c, l.Spaces.GetSpace(ctx, r, b, api.GetSpaceInput{Space: p.space}))
		if p.request != "" {
			ref := api.ChangeRequestRef{Space: p.space, ChangeRequest: p.request}
			found["changeRequest"] = finishResponse(ctx, c, l.Reviews.Get(ctx, r, b, ref))
		}
		if p.namesPage && !c.Caller.IsVisitor {
			found["page"] = finishResponse(ctx, c, l.Pages.GetPage(r, b, at, p.page, p.path))
		}
	}
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read what is at an address: %w", err)
	}
	answer, versions := rest.ObjectOf(struct{}{}), []string{}
	for _, name := range names {
		if found[name] == nil {
			continue
		}
		p, err := found[name]()
		if err != nil {
			return none, err
		}
		answer.Set(name, p.json)
		versions = append(versions, p.version)
	}
	result, err := rest.ObjectResult[api.FoundContent](answer)
	return result.WithVersion(strings.Join(versions, ".")), err
}

// response is the JSON of an operation that is part of another response, and its version.
type response struct {
	json    json.RawMessage
	version string
}

// finishResponse returns a function that finishes an operation after its reads and returns its response.
func finishResponse[Out any](ctx context.Context, c *rest.Call, finish rest.Finish[Out]) func() (response, error) {
	return func() (response, error) {
		result, err := finish(ctx, c)
		return response{result.JSON, result.Version}, err
	}
}
