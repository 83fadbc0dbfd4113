package revision

import (
	"regexp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// beyond are the destinations that name something outside of a revision by its id: a space, a page of one, a collection, a
// specification.
var beyond = regexp.MustCompile(
	`^/(?:spaces/(` + txn.SpacePrefix + `[A-Za-z0-9_-]+)(?:/pages/([A-Za-z0-9_-]+))?|collections/(` + txn.CollectionPrefix + `[A-Za-z0-9_-]+)|openapi/([a-z0-9]+(?:-[a-z0-9]+)*))$`,
)

// Beyond is what a destination names outside of the revision that it stands in. Whether it is there, and whether somebody may
// see it, is for those to find out who know who asks. It is asked where Resolve finds nothing.
func Beyond(destination string) (ref api.ContentRef, ok bool) {
	to, fragment := SplitDestination(destination)
	m := beyond.FindStringSubmatch(to)
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
