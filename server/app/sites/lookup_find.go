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

// maxOrganizations bounds in how many organizations of the caller the site of an address is looked for.
const maxOrganizations = 50

// find shows what is at an address. What the caller may not see is not there.
func (s *Lookup) find(ctx context.Context, c *rest.Call, in api.FindContentInput) (none rest.Result[api.FoundContent], err error) {
	p, ok := placeAt(in.URL, s.PublicURL)
	if !ok {
		return none, api.NotFound()
	}
	organizations, err := s.organizations(ctx, c, p)
	if err != nil {
		return none, err
	}
	for _, org := range organizations {
		there, err := s.enter(ctx, c, org, p.collection+p.space)
		if err != nil {
			return none, err
		}
		there.ShareKey = p.shareKey
		at := p
		if p.site != "" {
			if err := s.enterSite(ctx, there, &at); err != nil {
				return none, err
			}
		}
		if mayRead(there, at) {
			return s.show(ctx, there, at)
		}
	}
	return none, api.NotFound()
}

// organizations are those that a place may be in: its own; or, of a site elsewhere, the one that has its hostname, or else
// those of the caller, one of which may have the site behind a proxy.
func (s *Lookup) organizations(ctx context.Context, c *rest.Call, p place) ([]string, error) {
	if !p.isOutside {
		if org := p.home(); redis.ValidID(org) && strings.HasPrefix(org, txn.OrganizationPrefix) {
			return []string{org}, nil
		}
		return nil, nil
	}
	host, _, _ := strings.Cut(p.site, "/")
	if api.Patterns["hostname"].MatchString(host) {
		claim, _, err := s.Store.Claim(ctx, store.HostnameKey(host))
		if err != nil {
			return nil, fmt.Errorf("hostname: %w", err)
		}
		if owner, _, ofSite := strings.Cut(claim.Owner, "-"); ofSite {
			return []string{owner}, nil
		}
	}
	b := s.Store.Pipeline()
	mine := b.Range(store.UserOrganizationsKey(c.Caller.User), "", maxOrganizations, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("organizations of the caller: %w", err)
	}
	return mine.Value(), nil
}

// enter is the call as it would be in another organization, or in the one that a thing of it is in now.
func (s *Lookup) enter(ctx context.Context, c *rest.Call, org, id string) (*rest.Call, error) {
	there := c.InOrganization(org)
	b := s.Store.Pipeline()
	model := b.Follow(org)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the organization of the address: %w", err)
	}
	there.Enter(model)
	if now := movedTo(there, id); now != "" && now != org {
		return s.enter(ctx, c, now, "")
	}
	return there, nil
}

func movedTo(c *rest.Call, id string) (org string) {
	c.Access(func(model *access.Model) { org = model.MovedTo(id) })
	return org
}

// enterSite turns the address of a site into the space that the site shows there, and what stands behind it into the path of
// a page. The address of the site itself, or of a section, is that of the space with which it begins.
func (s *Lookup) enterSite(ctx context.Context, c *rest.Call, p *place) error {
	site, behind, found := s.onSite(c, p)
	if found || site == "" {
		return nil
	}
	sites, err := s.View.ReadSites(ctx, c, []string{site})
	if err != nil || sites[site] == nil {
		return err
	}
	if shown := sites[site].Private.Beginning(behind); shown != nil {
		p.space = shown.Space
	}
	return nil
}

// onSite finds the site of an address, and the space that the site shows there; where it shows none there, behind is what
// stands behind the address of the site. Only published sites have an address.
func (s *Lookup) onSite(c *rest.Call, p *place) (site, behind string, found bool) {
	c.Access(func(model *access.Model) {
		for _, id := range model.SiteIDs() {
			n := model.Site(id)
			base, err := url.Parse(s.View.SiteAddress(c.Org, id, n.SiteEntry))
			if err != nil || !n.Published {
				continue
			}
			path, is := below(p.site, base.Host+base.EscapedPath())
			if !is || !c.Caller.IsMember && !model.PublishedTo(id, c.Visitor()) {
				continue
			}
			site, behind = id, unescaped(path)
			if p.space, p.path, found = shownAt(n, behind); found {
				p.namesPage = p.path != ""
				return
			}
		}
	})
	return site, behind, found
}

// shownAt is the space that a site shows at a path below it, the one with the longest path that fits, and what is left.
func shownAt(n *access.Site, path string) (space, rest string, ok bool) {
	longest := -1
	for _, shown := range n.Spaces {
		if left, is := below(path, shown.Path); is && len(shown.Path) > longest {
			space, rest, longest = shown.Space, left, len(shown.Path)
		}
	}
	return space, rest, longest >= 0
}

// below takes a path off the beginning of another.
func below(path, base string) (left string, ok bool) {
	path, base = strings.Trim(path, "/"), strings.Trim(base, "/")
	if base == "" || path == base {
		return strings.Trim(strings.TrimPrefix(path, base), "/"), true
	}
	left, ok = strings.CutPrefix(path, base+"/")
	return strings.Trim(left, "/"), ok
}

// mayRead reports whether the caller may see all that the address names, as the operations ask for that show it.
func mayRead(c *rest.Call, p place) (may bool) {
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

// show answers what the operations answer that show the parts of a place. To visitors a site is its spaces: they have no
// role to read pages by.
func (s *Lookup) show(ctx context.Context, c *rest.Call, p place) (none rest.Result[api.FoundContent], err error) {
	b := s.Store.Pipeline()
	found := map[string]func() (part, error){}
	names := []string{"collection"}
	if p.collection != "" {
		found["collection"] = finished(ctx, s.Spaces.GetCollection(ctx, c, b, api.CollectionRef{Collection: p.collection}))
	} else {
		names = []string{"space", "changeRequest", "page"}
		at := revision.Target{Space: p.space, ChangeRequest: p.request}
		found["space"] = finished(ctx, s.Spaces.GetSpace(ctx, c, b, api.GetSpaceInput{Space: p.space}))
		if p.request != "" {
			found["changeRequest"] = finished(ctx, s.Reviews.Get(ctx, c, b, api.ChangeRequestRef{Space: p.space, ChangeRequest: p.request}))
		}
		if p.namesPage && !c.Caller.IsVisitor {
			found["page"] = finished(ctx, s.Pages.PageAt(c, b, at, p.page, p.path))
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
	result, err := rest.Stored[api.FoundContent](answer)
	return result.Versioned(strings.Join(versions, ".")), err
}

// part is an answer that stands in another, with its version.
type part struct {
	json    json.RawMessage
	version string
}

// finished is an answer, once its reads are done.
func finished[Out any](ctx context.Context, finish rest.Finish[Out]) func() (part, error) {
	return func() (part, error) {
		result, err := finish(ctx)
		return part{result.JSON, result.Version}, err
	}
}
