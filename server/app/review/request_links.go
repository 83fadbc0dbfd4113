package review

import (
	"cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// linkPrefix is the prefix of the ids of change request links.
const linkPrefix = "crl_"

// applyLinks replaces the links of a change request with those sent, if any, and reports whether they changed.
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
