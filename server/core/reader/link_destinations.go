package reader

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/resolve"
)

// InSpace reports whether a destination refers to its own space rather than to another address.
func InSpace(destination string) bool { return destination != "" && !content.IsExternal(destination) }

// RefOf returns the API reference to a resolved link target.
func RefOf(found resolve.Target) api.ContentRef {
	switch {
	case found.File != "":
		return api.ContentRef{Kind: api.RefFile, File: found.File}
	case found.Fragment != "":
		return api.ContentRef{Kind: api.RefAnchor, Page: found.Page, Anchor: found.Fragment}
	}
	return api.ContentRef{Kind: api.RefPage, Page: found.Page}
}

// Destination returns the canonical link destination of ref. It contains only ids, so that it can be resolved without
// the page that contains it.
func Destination(ref api.ContentRef) string {
	switch ref.Kind {
	case api.RefURL:
		return ref.URL
	case api.RefFile:
		return "/files/" + ref.File
	case api.RefSpace:
		return "/spaces/" + ref.Space
	case api.RefCollection:
		return "/collections/" + ref.Collection
	case api.RefOpenAPI:
		return "/openapi/" + ref.Spec
	case api.RefPage, api.RefAnchor:
	}
	to := ""
	if ref.Page != "" {
		to = "/pages/" + ref.Page
	}
	if ref.Space != "" {
		to = "/spaces/" + ref.Space + to
	}
	if ref.Anchor != "" {
		to += "#" + strings.ReplaceAll(ref.Anchor, "%", "%25")
	}
	return to
}

// isInApp reports whether an address belongs to this server.
func isInApp(publicURL, address string) bool {
	rest, ok := strings.CutPrefix(address, publicURL)
	return ok && (rest == "" || rest[0] == '/')
}

// InApp returns the content that an address of this server shows. It reports false for other addresses.
func InApp(publicURL, address string) (ref api.ContentRef, ok bool) {
	if !isInApp(publicURL, address) {
		return ref, false
	}
	to, fragment := content.SplitDestination(strings.TrimPrefix(address, publicURL))
	kind, id, _ := strings.Cut(strings.TrimPrefix(to, "/app/"), "/")
	if !strings.HasPrefix(to, "/app/") || id == "" {
		return ref, false
	}
	switch kind {
	case "collections":
		return api.ContentRef{Kind: api.RefCollection, Collection: id}, true
	case "spaces":
		return api.ContentRef{Kind: api.RefSpace, Space: id}, true
	case "pages":
		ref = api.ContentRef{Kind: api.RefPage}
		if ref.Space, ref.Page, _ = strings.Cut(id, "~"); fragment != "" {
			ref.Kind, ref.Anchor = api.RefAnchor, fragment
		}
		return ref, ref.Page != ""
	}
	return ref, false
}
