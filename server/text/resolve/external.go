package resolve

import (
	"regexp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// externalPattern matches destinations that name an object outside of a revision by its id: a space, a page of a
// space, a collection or a specification.
var externalPattern = regexp.MustCompile(
	`^/(?:spaces/(s_[A-Za-z0-9_-]+)(?:/pages/([A-Za-z0-9_-]+))?|collections/(l_[A-Za-z0-9_-]+)|openapi/([a-z0-9]+(?:-[a-z0-9]+)*))$`,
)

// ExternalRef returns the reference of a destination outside of the revision. ok is false if the destination has another
// form. The caller checks that the target exists and is visible. ExternalRef is used for destinations that Resolve does
// not find.
func ExternalRef(destination string) (ref api.ContentRef, ok bool) {
	to, fragment := content.SplitDestination(destination)
	m := externalPattern.FindStringSubmatch(to)
	if m == nil {
		return ref, false
	}
	ref = api.ContentRef{Space: m[1], Page: m[2], Collection: m[3], Spec: m[4]}
	switch {
	case ref.Spec != "":
		ref.Kind = api.RefOpenAPI
	case ref.Collection != "":
		ref.Kind = api.RefCollection
	case ref.Page == "":
		ref.Kind = api.RefSpace
	case fragment != "":
		ref.Kind, ref.Anchor = api.RefAnchor, fragment
	default:
		ref.Kind = api.RefPage
	}
	return ref, true
}
