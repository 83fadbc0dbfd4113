package sites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListSites, auth.Member(), s.listSites),
		rest.Write(api.CreateSite, auth.InOrganization(api.RoleCreate), s.createSite).On(rest.Organization),
		rest.Read(api.GetSite, auth.InSite(api.RoleRead), s.getSite),
		rest.Op(api.UpdateSite, auth.InSite(api.RoleCreate).AndOpened(), s.updateSite).On(rest.Site),
		rest.Op(api.DeleteSite, auth.InSite(api.RoleCreate), s.deleteSite).On(rest.Site).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Write(api.PublishSite, auth.InSite(api.RoleCreate).AndOpened(), s.setPublished(true)).On(rest.Site),
		rest.Write(api.UnpublishSite, auth.InSite(api.RoleCreate), s.setPublished(false)).On(rest.Site),
		rest.Read(api.GetSitePreview, auth.InSite(api.RoleCreate).AndOpened(), s.getSitePreview).WithScope(api.ScopeWrite),
		rest.Read(api.GetSitePublished, auth.InSite(api.RoleRead).WithVisitors(), s.getSitePublished),
		rest.Read(api.GetSiteStructure, auth.InSite(api.RoleRead).WithVisitors(), s.getSiteStructure),
		rest.Write(api.SortSiteStructure, auth.InSite(api.RoleCreate).AndOpened(), s.sortSiteStructure).On(rest.Site),
	}
}

// defaultSiteTitle is the title of a new site for which none is given.
const defaultSiteTitle = "Untitled"

// listSites lists the sites that the caller may see. It reads the records of a page, or of all sites if they are
// filtered by title or type.
func (s *Service) listSites(ctx context.Context, c *rest.Call, in api.ListSitesInput) (none rest.Result[api.Page[api.Site]], err error) {
	published, filtered := in.Published.Get()
	filters := []string{in.Space, in.Title, fmt.Sprint(filtered, published)}
	if len(in.Types) > 0 {
		filters = append(filters, fmt.Sprint(in.Types))
	}
	w := c.NewPager(in.ListOptions, false, filters...)
	if w.Err != nil {
		return none, w.Err
	}
	var ids []string
	c.Access(func(model *access.Model) {
		for _, id := range model.SiteIDs() {
			n := model.Site(id)
			if model.SiteRole(c.Caller, id).AtLeast(api.RoleRead) && (!filtered || n.Published == published) &&
				(in.Space == "" || n.Shows(in.Space) && access.NewViewer(model, c.Caller).CanRead(in.Space)) {
				ids = append(ids, id)
			}
		}
	})
	page, next := w.Slice(ids, rest.OldestFirst)
	byRecord := in.Title != "" || len(in.Types) > 0
	if byRecord {
		page = ids
	}
	sites, err := s.View.ReadSites(ctx, c, page)
	if err != nil {
		return none, err
	}
	if byRecord {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !matches(sites[id], in) })
		page, next = w.Slice(ids, rest.OldestFirst)
	}
	items, err := s.siteItems(c, page, sites)
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.Site](items, len(ids), next)
}

// matches reports whether a site has the title and the type that a list is filtered by.
func matches(site *store.SiteDocument, in api.ListSitesInput) bool {
	return site != nil && strings.Contains(strings.ToLower(site.Fields.Title), strings.ToLower(in.Title)) &&
		(len(in.Types) == 0 || slices.Contains(in.Types, site.Fields.Type))
}

func (s *Service) siteItems(c *rest.Call, ids []string, sites map[string]*store.SiteDocument) (items [][]byte, err error) {
	items = make([][]byte, 0, len(ids))
	c.Access(func(model *access.Model) {
		for _, id := range ids {
			if sites[id] == nil {
				continue
			}
			item, e := s.View.NewSite(c, model, *sites[id]).Object().Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

func (s *Service) getSite(ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteRef) rest.Finish[api.Site] {
	site := b.Record(store.SiteKey(r.Org, in.Site))
	return func(_ context.Context, c *rest.Call) (rest.Result[api.Site], error) {
		d, err := decodeSite(site)
		if err != nil {
			return rest.Result[api.Site]{}, err
		}
		return s.siteResult(c, d)
	}
}

func decodeSite(future *txn.Future[txn.Record]) (d store.SiteDocument, err error) {
	record, ok, err := future.Get()
	if err != nil || !ok {
		return d, rest.NotFoundIfNil(err)
	}
	return d, d.Decode(record)
}

// siteResult returns the response with a site. made are the spaces created by the same transaction.
func (s *Service) siteResult(c *rest.Call, d store.SiteDocument, made ...store.SpaceDocument) (result rest.Result[api.Site], err error) {
	c.Access(func(model *access.Model) {
		for _, space := range made {
			model = model.With(space.Fields.ID, spaces.AccessEntry(space))
		}
		result, err = rest.ObjectResult[api.Site](s.View.NewSite(c, model, d).Object())
	})
	result.ID = d.Fields.ID
	return result.WithVersion(fmt.Sprint(d.Version)), err
}

// putSite stores a site and updates the version in d. It returns an error if the change makes spaces visible that the
// caller cannot read.
func putSite(c *rest.Call, tx *store.Tx, d *store.SiteDocument) error {
	stored, err := tx.Site(c.Org, d.Fields.ID)
	if err != nil {
		return err
	}
	opened := access.OpenedSpaces(stored.Private.Entry(stored.Fields), d.Private.Entry(d.Fields))
	var readable []access.Dependency
	c.Access(func(model *access.Model) { readable, err = c.CheckReadable(model, opened) })
	if err != nil {
		return err
	}
	if err := c.Recheck(tx, readable); err != nil {
		return err
	}
	record, err := tx.PutSite(c.Org, *d)
	d.Version = record.Version
	return err
}

// loadSite reads the site of the path in a transaction.
func loadSite(c *rest.Call, tx *store.Tx, id string) (store.SiteDocument, error) {
	d, err := tx.Site(c.Org, id)
	if err == nil && d.Version == 0 {
		err = api.NotFound()
	}
	return d, err
}

func (s *Service) createSite(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateSiteInput) (none rest.Result[api.Site],
	err error,
) {
	id := tx.NewID(txn.SitePrefix)
	d, err := tx.Site(c.Org, id)
	if err != nil {
		return none, err
	}
	d.Fields = api.SiteFields{
		Object: "site", ID: id, Type: cmp.Or(in.Body.Type, api.SiteBasic), Title: cmp.Or(in.Body.Title, defaultSiteTitle),
		Visibility: cmp.Or(in.Body.Visibility, api.SitePublic), CreatedAt: api.At(tx.Now()), AgentsContext: api.AgentsIncluded,
	}
	d.Private.Creator = c.Caller.User
	made, err := s.selectSpaces(ctx, c, tx, &d, in.Body.Spaces)
	if err != nil {
		return none, err
	}
	if err := putSite(c, tx, &d); err != nil {
		return none, err
	}
	result, err := s.siteResult(c, d, made...)
	return result.WithLocation(id, s.View.SiteURL(c.Org, id)), err
}

// selectSpaces adds the named spaces to a new site. If the selection is a word instead, it creates a space with the sample
// pages of that name, adds it to the site, and returns it.
func (s *Service) selectSpaces(ctx context.Context, c *rest.Call, tx *store.Tx, d *store.SiteDocument,
	selection api.SpaceSelection,
) (made []store.SpaceDocument, err error) {
	if word, ok := selection.Word(); ok {
		space, _, _, err := s.Spaces.NewSpace(ctx, c, tx, api.SpaceCreate{Title: spaceTitle(d.Fields.Title)}, samplePages[word]...)
		if err != nil {
			return nil, err
		}
		_, err = addSiteSpace(tx, d, "", space.Fields, "spaces")
		return []store.SpaceDocument{space}, err
	}
	for i, id := range selection {
		field := fmt.Sprintf("spaces[%d]", i)
		space, err := s.checkMayShow(c, tx, field, id)
		if err != nil {
			return nil, err
		}
		if _, err := addSiteSpace(tx, d, "", space.Fields, field); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// spaceTitle shortens the title of a site to the maximum length of a space's title.
func spaceTitle(title string) string {
	const most = 50
	letters := []rune(title)
	return string(letters[:min(len(letters), most)])
}

// setPublished returns the handler that publishes or unpublishes a site.
func (s *Service) setPublished(on bool) func(context.Context, *rest.Call, *store.Tx, api.SiteRef) (rest.Result[api.Site], error) {
	return func(_ context.Context, c *rest.Call, tx *store.Tx, in api.SiteRef) (none rest.Result[api.Site], err error) {
		d, err := loadSite(c, tx, in.Site)
		if err != nil {
			return none, err
		}
		unchanged := d.Fields.Published == on
		if !unchanged {
			d.Fields.Published = on
			if err := putSite(c, tx, &d); err != nil {
				return none, err
			}
		}
		result, err := s.siteResult(c, d)
		result.Unchanged = unchanged
		return result, err
	}
}

// deleteSite deletes a site with its share links and releases its hostname.
func (s *Service) deleteSite(ctx context.Context, c *rest.Call, in api.SiteRef) (rest.Result[api.None], error) {
	links, err := s.loadShareLinks(ctx, c, in.Site)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	result, err := rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
		d, err := loadSite(c, tx, in.Site)
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		if d.Fields.Hostname != "" {
			tx.ReleaseHostname(store.HostnameOwner(c.Org, in.Site), d.Fields.Hostname)
		}
		tx.DeleteSite(c.Org, d)
		err = tx.UpdateIfDefaultSite(c.Org, in.Site, func(o *api.OrganizationFields) {
			o.DefaultContent, o.CustomHostname = nil, ""
		})
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		taken := append(deletedStructure(&d.Private), api.NewTaken("share-links", len(links)))
		return rest.Removed(api.Removal{ID: in.Site, Title: d.Fields.Title, With: taken}), deleteShareLinks(c, tx, in.Site, links)
	})
	if err == nil && !c.DryRun {
		s.removeSiteGrants(ctx, c, in.Site)
	}
	return result, err
}

// deletedStructure describes the parts that are deleted with a site.
func deletedStructure(p *store.SitePrivate) []api.Taken {
	var groups, sections []api.TakenThing
	for _, g := range p.Groups {
		groups = append(groups, api.TakenThing{ID: g.Fields.ID, Title: g.Fields.Title})
	}
	for _, section := range p.Sections {
		sections = append(sections, api.TakenThing{ID: section.Fields.ID, Title: section.Fields.Title})
	}
	return []api.Taken{
		api.NewTaken("section-groups", len(groups), groups...), api.NewTaken("sections", len(sections), sections...), deletedSiteSpaces(p,
			p.Spaces),
	}
}

// deletedSiteSpaces describes site spaces by their URLs.
func deletedSiteSpaces(p *store.SitePrivate, spaces []store.SiteSpace) api.Taken {
	var named []api.TakenThing
	for _, shown := range spaces {
		named = append(named, api.TakenThing{ID: shown.ID, Title: "/" + p.PublishedPath(shown)})
	}
	return api.NewTaken("site-spaces", len(named), named...)
}

// removeSiteGrants removes the grants of members in a deleted site. Errors are only logged, because grants have no effect
// without the site.
func (s *Service) removeSiteGrants(ctx context.Context, c *rest.Call, site string) {
	var members []string
	c.Access(func(model *access.Model) { members = model.GrantedMembers(site) })
	err := store.RemoveGrants(ctx, s.Store, c.Org, site, members, func(*store.Tx) error { return nil })
	if err != nil {
		s.Log.Debug("grants on a deleted site are left", "site", site, "error", err)
	}
}
