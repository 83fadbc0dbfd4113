package api

import "fmt"

// Rows of the meta links of pages: what their head says of other addresses of the same text.
var (
	GetContentMetaLinks              = get[MetaLinksInput, PageMetaLinks]("content.get-meta-links", "/v1/spaces/{spaceId}/content/page/{pageId}/meta-links", "Show which address of a page is the canonical one, and its alternates.", as("listSpacePageMetaLinks"))
	GetChangeRequestContentMetaLinks = get[ChangeRequestMetaLinksInput, PageMetaLinks]("change-request-content.get-meta-links", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/meta-links", "Show which address of a page is the canonical one, and its alternates.", as("listChangeRequestPageMetaLinks"), twinOf(GetContentMetaLinks.Row))
	GetRevisionMetaLinks             = get[RevisionMetaLinksInput, PageMetaLinks]("revisions.get-meta-links", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links", "Show which address of a page was the canonical one in a revision, and its alternates.", as("listRevisionPageMetaLinks"))
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

// PageMetaLinks say where else the text of a page is found: renderers of sites tell search engines.
type PageMetaLinks struct {
	Canonical  *MetaLink  `json:"canonical,omitzero" doc:"What stands for all of them; default the page itself."`
	Alternates []MetaLink `json:"alternates,omitempty" len:"0..100" doc:"The same text elsewhere, in other languages for one."`
}

// MetaLink is a page, or an address: {kind: page, page, space?} or {kind: url, url}.
type MetaLink struct {
	Kind  RefKind `json:"kind" enum:"page,url"`
	URL   string  `json:"url,omitzero" len:"1..2048" format:"uri"`
	Page  string  `json:"page,omitzero" pattern:"id"`
	Space string  `json:"space,omitzero" pattern:"id"`
}

// Ref is the link as a reference.
func (l MetaLink) Ref() ContentRef {
	return ContentRef{Kind: l.Kind, URL: l.URL, Page: l.Page, Space: l.Space}
}

// Refs are all of them as references, the canonical one first.
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

// Validate says what a schema cannot: see ContentRef.
func (l PageMetaLinks) Validate() []FieldError {
	var wrong []FieldError
	for i, ref := range l.Refs() {
		path := "canonical"
		if l.Canonical == nil || i > 0 {
			path = fmt.Sprintf("alternates[%d]", i-(len(l.Refs())-len(l.Alternates)))
		}
		for _, v := range ref.Validate() {
			wrong = append(wrong, FieldError{Path: path + "." + v.Path, Message: v.Message})
		}
	}
	return wrong
}
