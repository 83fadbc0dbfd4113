package review

import (
	"cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// linkPrefix begins the ids of the links of change requests.
const linkPrefix = "crl_"

// applyLinks gives a change request the links that were sent for it, and reports whether they are others than before.
func applyLinks(tx *store.Tx, sent api.Optional[[]api.ChangeRequestLinkInput], links *[]api.ChangeRequestLink) (changed bool) {
	given, ok := sent.Get()
	if !ok {
		return false
	}
	next := make([]api.ChangeRequestLink, len(given))
	for i, l := range given {
		next[i] = api.ChangeRequestLink{ID: cmp.Or(l.ID, tx.NewID(linkPrefix)), Ref: l.Ref, Title: l.Title}
	}
	if len(next) == 0 && len(*links) == 0 {
		return false
	}
	return api.Some(next).Apply(links)
}
