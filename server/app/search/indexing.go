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

// Service searches spaces and organizations, and keeps the indexes that it searches.
type Service struct {
	IDs       txn.IDs
	Memory    *Memory       // of what searches have read
	Patience  time.Duration // that a search has while an index reaches the head
	Reading   *reader.Service
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer

	turns cache.Turns // by space
}

// Endpoints are the operations of this room.
func (s *Service) Endpoints() []rest.Endpoint { return s.searchEndpoints() }
