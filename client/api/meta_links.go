package api

import "fmt"

// Routes of the meta links of pages: canonical and alternate URLs in their head.
var (
	GetContentMetaLinks = get[MetaLinksInput, PageMetaLinks]("content.get-meta-links",
		"/v1/spaces/{spaceId}/content/page/{pageId}/meta-links", "Show which address of a page is the canonical one, and its alternates.",
		withOperation("listSpacePageMetaLinks"))
	GetChangeRequestContentMetaLinks = twin[ChangeRequestMetaLinksInput]("change-request-content.get-meta-links", GetContentMetaLinks,
		withOperation("listChangeRequestPageMetaLinks"))
	GetRevisionMetaLinks = get[RevisionMetaLinksInput, PageMetaLinks]("revisions.get-meta-links",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links", "Show which address of a page was the canonical one in a "+
			"revision, and its alternates.", withOperation("listRevisionPageMetaLinks"))
)

// MetaLinksInput is the input of GetContentMetaLinks.
type MetaLinksInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Page  string `path:"pageId" pattern:"id"`
}

// ChangeRequestMetaLinksInput is the input of GetChangeRequestContentMetaLinks.
type ChangeRequestMetaLinksInput struct {
	ChangeRequestRef
	Page string `path:"pageId" pattern:"id"`
}

// RevisionMetaLinksInput is the input of GetRevisionMetaLinks.
type RevisionMetaLinksInput struct {
	RevisionRef
	Page string `path:"pageId" pattern:"id"`
}

// PageMetaLinks are the alternate locations of a page, which renderers of sites publish for search engines.
type PageMetaLinks struct {
	Canonical  *MetaLink  `json:"canonical,omitzero" doc:"What stands for all of them; default the page itself."`
	Alternates []MetaLink `json:"alternates,omitempty" len:"0..100" doc:"The same text elsewhere, in other languages for one."`
}

// MetaLink is a page or a URL: {kind: page, page, space?} or {kind: url, url}.
type MetaLink struct {
	Kind  RefKind `json:"kind" enum:"page,url"`
	URL   string  `json:"url,omitzero" len:"1..2048" format:"uri"`
	Page  string  `json:"page,omitzero" pattern:"id"`
	Space string  `json:"space,omitzero" pattern:"id"`
}

// Ref returns the link as a ContentRef.
func (l MetaLink) Ref() ContentRef {
	return ContentRef{Kind: l.Kind, URL: l.URL, Page: l.Page, Space: l.Space}
}

// Refs returns all links as ContentRefs, the canonical one first.
func (l PageMetaLinks) Refs() []ContentRef {
	var refs []ContentRef
	if l.Canonical != nil {
		refs = append(refs, l.Canonical.Ref())
	}
	for _, link := range l.Alternates {
		refs = append(refs, link.Ref())
	}
	return refs
}

// Validate checks each link with ContentRef.Validate.
func (l PageMetaLinks) Validate() []FieldError {
	var wrong []FieldError
	refs := l.Refs()
	for i, ref := range refs {
		path := "canonical"
		if l.Canonical == nil || i > 0 {
			path = fmt.Sprintf("alternates[%d]", i-(len(refs)-len(l.Alternates)))
		}
		for _, v := range ref.Validate() {
			wrong = append(wrong, FieldError{Path: path + "." + v.Path, Message: v.Message})
		}
	}
	return wrong
}
