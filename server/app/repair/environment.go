package repair

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// environment holds the dependencies shared by all repairs.
type environment struct {
	clock     redis.Clock
	ids       txn.IDGenerator
	revisions *revision.Revisions
	store     *store.Store
}
