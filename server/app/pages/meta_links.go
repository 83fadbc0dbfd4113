package pages

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// metaLinkEndpoints show the meta links of pages, of which most have none.
func (s *Service) metaLinkEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetContentMetaLinks, auth.InSpace(api.RoleRead), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.MetaLinksInput) rest.Finish[api.PageMetaLinks] {
			return ofPage(c, s, b, revision.Target{Space: in.Space}, pageName{id: in.Page}, api.PageOptions{}, metaLinksOf)
		}),
		rest.Read(api.GetChangeRequestContentMetaLinks, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.ChangeRequestMetaLinksInput) rest.Finish[api.PageMetaLinks] {
			return ofPage(c, s, b, revision.TargetOf(in.ChangeRequestRef), pageName{id: in.Page}, api.PageOptions{}, metaLinksOf)
		}),
		rest.Read(api.GetRevisionMetaLinks, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionMetaLinksInput) rest.Finish[api.PageMetaLinks] {
			return inRevision(c, s, b, in.RevisionRef, func(ctx context.Context, r known) (api.PageMetaLinks, error) {
				page, err := s.pageAnswer(ctx, c, r.tree, r.at, r.id, pageName{id: in.Page}, api.PageOptions{})
				return metaLinksOf(page), err
			})
		}),
	}
}

// metaLinksOf are the meta links of a page; pages that are no documents have none.
func metaLinksOf(p api.RevisionPage) (links api.PageMetaLinks) {
	if p.MetaLinks != nil {
		links = *p.MetaLinks
	}
	return links
}
