package comments

import (
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Service implements the operations on comments, replies and reactions.
type Service struct {
	Orgs      *orgs.Service
	Locations *objects.DerivedCache[content.Location] // of comments in later texts
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of the service.
func (s *Service) Endpoints() []rest.Endpoint {
	return append(s.commentEndpoints(), s.replyEndpoints()...)
}
