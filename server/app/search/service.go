package search

import (
	"time"

	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/txn"
)

// Service searches spaces and organizations, and maintains the search indexes.
type Service struct {
	IDs          txn.IDGenerator
	Cache        *Cache        // cache of index reads
	MaxIndexWait time.Duration // maximum wait for an index to reach the head
	Reading      *reader.Service
	Revisions    *revision.Revisions
	Store        *store.Store
	View         *view.Writer

	locks cache.NamedLocks // by space
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint { return s.searchEndpoints() }
