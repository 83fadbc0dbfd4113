package pages

import (
	"slices"

	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Service implements the operations on the content of spaces and change requests.
type Service struct {
	Budgets   *budgets.Budgets
	Clock     redis.Clock
	Computer  Computer // nil if computed pages are not expanded
	Fetcher   Fetcher
	IDs       txn.IDGenerator
	Reading   *reader.Service
	Reviews   *review.Service
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.contentEndpoints(),
		s.exportEndpoints(),
		s.historyEndpoints(),
		s.revisionEndpoints(),
		s.documentEndpoints(),
		s.metaLinkEndpoints(),
	)
}
