package reader

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
)

// Links makes the graphs of links of revisions.
type Links struct {
	Graphs    *cache.Cache[*Graph]
	PublicURL string // links to it lead into this server
	Reading   *Service
	Revisions *revision.Revisions
	Store     *store.Store
}
