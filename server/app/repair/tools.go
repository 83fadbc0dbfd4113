package repair

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// tools are what every patient is mended with.
type tools struct {
	clock     redis.Clock
	ids       txn.IDs
	revisions *revision.Revisions
	store     *store.Store
}
