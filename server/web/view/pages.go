package view

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// File returns the API form of a file, with an address that ends with the reason.
func (w *Writer) File(reason access.Reason, space string, f revision.File) api.File {
	return api.File{
		ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, Dimensions: f.Dimensions,
		Git:         f.Origin.Object(),
		DownloadURL: w.RawURL(reason, space, f.Manifest),
	}
}

// HeadURLs returns the addresses of the current content of a target. Only the content of spaces is published.
func (w *Writer) HeadURLs(c *rest.Call, at revision.Target) api.RevisionURLs {
	urls := api.RevisionURLs{App: w.AppURL("spaces", at.Space)}
	if at.ChangeRequest == "" {
		c.Access(func(model *access.Model) { urls.Published, urls.Public = w.publishedSpaceURLs(c, model, at.Space) })
	}
	return urls
}

// Page returns a page without its text, with its descendants.
func (w *Writer) Page(t *revision.Tree, at revision.Target, p *revision.Page, times bool) api.RevisionPage {
	answer := api.RevisionPage{
		ID: p.ID, Title: p.Name(), Emoji: p.Emoji, Icon: p.Icon, Type: p.Type, Hidden: p.Hidden,
		NoIndex: p.NoIndex, NoRobotsIndex: p.NoRobotsIndex, URLs: w.PageURLs(at, p.ID), Git: p.Origin.Object(),
	}
	if times {
		answer.CreatedAt, answer.UpdatedAt = p.CreatedAt, p.UpdatedAt
	}
	switch p.Type {
	case api.PageLink:
		answer.Kind, answer.Target, answer.Href = "link", p.Target, Href(t, p.Target)
		return answer
	case api.PageGroup:
		answer.Kind = "group"
	case api.PageComputed:
		answer.Computed = p.Computed
	case api.PageDocument:
		answer.Kind, answer.Description, answer.DocumentID = "sheet", p.Description, p.Text
		answer.Layout, answer.Cover, answer.MetaLinks, answer.Variables = p.Layout, p.Cover, p.MetaLinks, p.Variables
		if answer.Layout == nil {
			answer.Layout = new(api.DefaultLayout())
		}
	}
	answer.Slug, answer.Path = p.Slug, t.Path(p.ID)
	answer.Pages = w.Pages(t, at, p.ID, times)
	return answer
}

// OrEmpty returns list, or an empty list instead of nil, which is encoded as [].
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Pages returns the children of a page, nested.
func (w *Writer) Pages(t *revision.Tree, at revision.Target, parent string, times bool) []api.RevisionPage {
	pages := make([]api.RevisionPage, 0, len(t.Children(parent)))
	for _, id := range t.Children(parent) {
		pages = append(pages, w.Page(t, at, t.Page(id), times))
	}
	return pages
}

// PageURLs returns the addresses of a page in a target.
func (w *Writer) PageURLs(at revision.Target, id string) api.PageURLs {
	return api.PageURLs{App: w.AppURL("pages", at.Space+"~"+id)}
}

// Href returns the target of a link page, as far as it is known without a site.
func Href(t *revision.Tree, target *api.ContentRef) string {
	if target == nil {
		return ""
	}
	switch target.Kind {
	case api.RefURL:
		return target.URL
	case api.RefPage, api.RefAnchor:
		if t.Page(target.Page) == nil || target.Space != "" {
			return ""
		}
		link := "/" + t.Path(target.Page)
		if target.Anchor != "" {
			link += "#" + target.Anchor
		}
		return link
	case api.RefFile, api.RefSpace, api.RefCollection, api.RefOpenAPI:
	}
	return ""
}
