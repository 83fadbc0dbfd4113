package pages

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// metaLinkEndpoints returns the operations on the meta links of the pages of a revision.
func (s *Service) metaLinkEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetRevisionMetaLinks, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionMetaLinksInput,
		) rest.Finish[api.PageMetaLinks] {
			return withRevision(r, s, b, in.RevisionRef, func(
				ctx context.Context, c *rest.Call, r loadedRevision,
			) (api.PageMetaLinks, error) {
				page, err := s.encodePage(ctx, c, r.revisionTree, pageRef{id: in.Page}, api.PageOptions{})
				return metaLinksOf(page), err
			})
		}),
	}
}

func (s *Service) showMetaLinks(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestMetaLinksInput,
) rest.Finish[api.PageMetaLinks] {
	return withPage(r, s, b, pageQuery{revision.RequestTarget(in.ChangeRequestRef), pageRef{id: in.Page}, api.PageOptions{}}, metaLinksOf)
}

// metaLinksOf returns the meta links of a page. They are empty for pages that are not documents.
func metaLinksOf(p api.RevisionPage) (links api.PageMetaLinks) {
	if p.MetaLinks != nil {
		links = *p.MetaLinks
	}
	return links
}
