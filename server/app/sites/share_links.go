package sites

import (
	"context"
	"net/url"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) shareLinkEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListShareLinks, auth.InSite(api.RoleCreate).AndShown(), s.listShareLinks),
		rest.Write(api.CreateShareLink, auth.InSite(api.RoleCreate).AndShown(), s.createShareLink).On(rest.Site),
		rest.Write(api.UpdateShareLink, auth.InSite(api.RoleCreate).AndShown(), s.updateShareLink).On(rest.ShareLink),
		rest.Write(api.DeleteShareLink, auth.InSite(api.RoleCreate),
			s.deleteShareLink).On(rest.ShareLink).AllowAbsent(auth.InSite(api.RoleCreate)),
	}
}

// maxShareLinks is the maximum number of share links of a site: one transaction deletes all of them.
const maxShareLinks = 200

// encodeShareLink returns the JSON of a share link. Its URL contains the key and works while the site is published.
func (s *Service) encodeShareLink(model *access.Model, site, id string, public []byte) *rest.Object {
	address := s.View.SiteAddress(model.Org, site, model.Site(site).SiteEntry)
	return rest.ExtendObject(public).Set("urls", api.PublishedURLs{
		Published: address + "?" + url.Values{rest.ShareKeyParam: {s.Signer.ShareKey(id)}}.Encode(),
	})
}

// listShareLinks lists the share links of a site by its index. The records are read in a second trip.
func (s *Service) listShareLinks(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListShareLinksInput,
) rest.Finish[api.Page[api.ShareLink]] {
	return rest.ListIndexed[api.ShareLink](r, b, in.ListOptions, rest.IndexedList{
		Index:  store.ShareLinksKey(r.Org, in.Site),
		Filter: in.Search,
		Keep: func(r txn.Record) (bool, error) {
			var d store.ShareLinkDocument
			err := d.Decode(r)
			return strings.Contains(strings.ToLower(d.Fields.Name), strings.ToLower(in.Search)), err
		},
		Key: func(id string) redis.Key { return store.ShareLinkKey(r.Org, id) },
		Encode: func(c *rest.Call, id string, r txn.Record) (item []byte, err error) {
			err = withSite(c, in.Site, func(model *access.Model) error {
				item, err = s.encodeShareLink(model, in.Site, id, r.Public).Bytes()
				return err
			})
			return item, err
		},
	})
}

// withSite calls fn with the access model. It returns not_found if the model does not have the site.
func withSite(c *rest.Call, id string, fn func(*access.Model) error) (err error) {
	c.Access(func(model *access.Model) {
		if model.Site(id) == nil {
			err = api.NotFound()
			return
		}
		err = fn(model)
	})
	return err
}

func (s *Service) shareLinkResult(c *rest.Call, site, id string, r txn.Record) (result rest.Result[api.ShareLink], err error) {
	err = withSite(c, site, func(model *access.Model) (err error) {
		result, err = rest.ObjectResult[api.ShareLink](s.encodeShareLink(model, site, id, r.Public))
		return err
	})
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

func (s *Service) createShareLink(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateShareLinkInput,
) (none rest.Result[api.ShareLink], err error) {
	if _, err := loadSite(c, tx, in.Site); err != nil {
		return none, err
	}
	count, err := tx.Cardinality(store.ShareLinksKey(c.Org, in.Site))
	if err != nil {
		return none, err
	}
	if count >= maxShareLinks {
		return none, api.WrongState("A site has at most %d share links.", maxShareLinks).WithHint("Delete one that is not used any more.")
	}
	id := tx.NewID(txn.ShareLinkPrefix)
	link, err := tx.ShareLink(c.Org, id)
	if err != nil {
		return none, err
	}
	link.Fields = api.ShareLinkFields{Object: "share-link", ID: id, CreatedAt: api.At(tx.Now()), Name: in.Body.Name, Active: true}
	digests, err := s.Signer.ShareDigests(ctx, id)
	if err != nil {
		return none, err
	}
	link.Private = store.ShareLinkPrivate{Site: in.Site, Digests: digests, CreatedBy: c.Caller.User}
	record, err := tx.PutShareLink(c.Org, link)
	if err != nil {
		return none, err
	}
	result, err := s.shareLinkResult(c, in.Site, id, record)
	return result.WithLocation(id, s.View.SiteURL(c.Org, in.Site)+"/share-links/"+id), err
}

// loadShareLink reads the share link of the path.
func loadShareLink(c *rest.Call, tx *store.Tx, in api.ShareLinkRef) (store.ShareLinkDocument, error) {
	link, err := tx.ShareLink(c.Org, in.ShareLink)
	if err == nil && (link.Version == 0 || link.Private.Site != in.Site) {
		err = api.NotFound()
	}
	return link, err
}

func (s *Service) updateShareLink(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateShareLinkInput,
) (none rest.Result[api.ShareLink], err error) {
	link, err := loadShareLink(c, tx, in.ShareLinkRef)
	if err != nil {
		return none, err
	}
	changed := in.Body.Name.Apply(&link.Fields.Name)
	changed = in.Body.Active.Apply(&link.Fields.Active) || changed
	return rest.PutIfChanged(tx, store.ShareLinkKey(c.Org, in.ShareLink), changed,
		func() (txn.Record, error) { return tx.PutShareLink(c.Org, link) },
		func(r txn.Record) (rest.Result[api.ShareLink], error) {
			return s.shareLinkResult(c, in.Site, in.ShareLink, r)
		})
}

func (s *Service) deleteShareLink(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ShareLinkRef) (rest.Result[api.None], error) {
	link, err := loadShareLink(c, tx, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	tx.DeleteShareLink(c.Org, link)
	return rest.None(in.ShareLink), nil
}

// loadShareLinks returns the ids of the share links of a site.
func (s *Service) loadShareLinks(ctx context.Context, c *rest.Call, site string) ([]string, error) {
	b := s.Store.NewBatch()
	links := b.Range(store.ShareLinksKey(c.Org, site), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	return links.Value(), nil
}

// deleteShareLinks deletes the share links of a site, which were listed before the transaction.
func deleteShareLinks(c *rest.Call, tx *store.Tx, site string, links []string) error {
	record := func(id string) redis.Key { return store.ShareLinkKey(c.Org, id) }
	if err := tx.RequireListed(store.ShareLinksKey(c.Org, site), links, record); err != nil {
		return err
	}
	for _, id := range links {
		link, err := tx.ShareLink(c.Org, id)
		if err != nil {
			return err
		}
		link.Fields.ID, link.Private.Site = id, site // the record may be lost
		tx.DeleteShareLink(c.Org, link)
	}
	return nil
}
