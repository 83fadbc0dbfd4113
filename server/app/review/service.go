package review

import (
	"slices"

	"docspace.dev/wsd/server/app/comments"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Service implements the operations on change requests: their changes, reviews and merges.
type Service struct {
	Clock     redis.Clock
	Comments  *comments.Service
	Conflicts *ConflictDescriber
	Links     *reader.Links
	Orgs      *orgs.Service
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of the service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.changeRequestEndpoints(),
		s.changeRequestReviewEndpoints(),
		s.submissionEndpoints(),
		s.suggestionEndpoints(),
		s.changesEndpoints(),
		s.diffEndpoints(),
	)
}
