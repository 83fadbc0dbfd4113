package server

import (
	"context"
	"net/url"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Server) shareLinkEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListShareLinks, auth.InSite(api.RoleCreate), s.listShareLinks),
		write(api.CreateShareLink, auth.InSite(api.RoleCreate), s.createShareLink),
		write(api.UpdateShareLink, auth.InSite(api.RoleCreate), s.updateShareLink),
		write(api.DeleteShareLink, auth.InSite(api.RoleCreate), s.deleteShareLink),
	}
}

// maxShareLinks bounds the share links of a site: one transaction deletes all of them.
const maxShareLinks = 200

// shareLinkObject writes out a share link. Its URL holds its key, and works while the site is published.
func (s *Server) shareLinkObject(sh *access.Model, site, id string, public []byte) *object {
	address := s.siteAddress(sh.Org, site, sh.Site(site).SiteEntry)
	return extend(public).set("urls", api.PublishedURLs{
		Published: address + "?" + url.Values{shareKeyParam: {s.signer.ShareKey(id)}}.Encode(),
	})
}

// listShareLinks pages through the index of the site's links; their records come with a second trip.
func (s *Server) listShareLinks(ctx context.Context, c *call, b *store.Batch, in api.ListShareLinksInput) finish[api.Page[api.ShareLink]] {
	return listIndexed[api.ShareLink](ctx, c, s, b, in.ListOptions, indexed{
		index: store.ShareLinksKey(c.org, in.Site),
		key:   func(id string) redis.Key { return store.ShareLinkKey(c.org, id) },
		write: func(id string, r store.Record) (item []byte, err error) {
			err = c.withSite(in.Site, func(sh *access.Model) error {
				item, err = s.shareLinkObject(sh, in.Site, id, r.Public).bytes()
				return err
			})
			return item, err
		},
	})
}

// WithSite lets fn look at the shape if it has the site.
func (c *call) withSite(id string, fn func(*access.Model) error) (err error) {
	c.withShape(func(sh *access.Model) {
		if sh.Site(id) == nil {
			err = api.NotFound()
			return
		}
		err = fn(sh)
	})
	return err
}

func (s *Server) shareLinkResult(c *call, site, id string, r store.Record) (result Result[api.ShareLink], err error) {
	err = c.withSite(site, func(sh *access.Model) (err error) {
		result, err = stored[api.ShareLink](s.shareLinkObject(sh, site, id, r.Public))
		return err
	})
	result.id = id
	return result.versioned(recordVersion(r)), err
}

func (s *Server) createShareLink(ctx context.Context, c *call, tx *store.Tx, in api.CreateShareLinkInput) (Result[api.ShareLink], error) {
	var none Result[api.ShareLink]
	if _, err := loadSite(c, tx, in.Site); err != nil {
		return none, err
	}
	count, err := tx.Card(store.ShareLinksKey(c.org, in.Site))
	if err != nil {
		return none, err
	}
	if count >= maxShareLinks {
		return none, api.WrongState("A site has at most %d share links.", maxShareLinks).WithHint("Delete one that is not used any more.")
	}
	id := tx.NewID(store.ShareLinkPrefix)
	link, err := tx.ShareLink(c.org, id)
	if err != nil {
		return none, err
	}
	link.Fields = api.ShareLinkFields{Object: "share-link", ID: id, CreatedAt: api.At(tx.Now()), Name: in.Body.Name, Active: true}
	link.Private = store.ShareLinkPrivate{Site: in.Site, Digest: auth.Digest(s.signer.ShareKey(id))}
	record, err := tx.PutShareLink(c.org, link)
	if err != nil {
		return none, err
	}
	result, err := s.shareLinkResult(c, in.Site, id, record)
	return result.created(id, s.siteURL(c.org, in.Site)+"/share-links/"+id), err
}

// loadShareLink reads the share link of the path.
func loadShareLink(c *call, tx *store.Tx, in api.ShareLinkRef) (store.ShareLinkDocument, error) {
	link, err := tx.ShareLink(c.org, in.ShareLink)
	if err == nil && (link.Version == 0 || link.Private.Site != in.Site) {
		err = api.NotFound()
	}
	return link, err
}

func (s *Server) updateShareLink(ctx context.Context, c *call, tx *store.Tx, in api.UpdateShareLinkInput) (Result[api.ShareLink], error) {
	var none Result[api.ShareLink]
	link, err := loadShareLink(c, tx, in.ShareLinkRef)
	if err != nil {
		return none, err
	}
	changed := in.Body.Name.Apply(&link.Fields.Name)
	changed = in.Body.Active.Apply(&link.Fields.Active) || changed
	return rewritten(tx, store.ShareLinkKey(c.org, in.ShareLink), changed,
		func() (store.Record, error) { return tx.PutShareLink(c.org, link) },
		func(r store.Record) (Result[api.ShareLink], error) {
			return s.shareLinkResult(c, in.Site, in.ShareLink, r)
		})
}

func (s *Server) deleteShareLink(ctx context.Context, c *call, tx *store.Tx, in api.ShareLinkRef) (Result[api.None], error) {
	link, err := loadShareLink(c, tx, in)
	if err != nil {
		return Result[api.None]{}, err
	}
	tx.DeleteShareLink(c.org, link)
	return none(in.ShareLink), nil
}

// linksOfSite lists the share links that go with a site.
func (s *Server) linksOfSite(ctx context.Context, c *call, site string) ([]string, error) {
	b := s.store.Pipeline()
	links := b.Range(store.ShareLinksKey(c.org, site), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	ids, _, err := links.Get()
	return ids, err
}

// deleteShareLinks removes the share links of a site. That none has been added since they were listed, their number
// in the read set makes sure.
func deleteShareLinks(c *call, tx *store.Tx, site string, links []string) error {
	count, err := tx.Card(store.ShareLinksKey(c.org, site))
	if err != nil {
		return err
	}
	if int(count) != len(links) {
		return errHeadMoved
	}
	keys := make([]redis.Key, len(links))
	for i, id := range links {
		keys[i] = store.ShareLinkKey(c.org, id)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, id := range links {
		link, err := tx.ShareLink(c.org, id)
		if err != nil {
			return err
		}
		tx.DeleteShareLink(c.org, link)
	}
	return nil
}
