package reader

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Links computes the link graphs of revisions.
type Links struct {
	Graphs    *objects.DerivedCache[*Graph]
	PublicURL string // links with this prefix lead to this server
	Reading   *Service
	Revisions *revision.Revisions
	Store     *store.Store
}
