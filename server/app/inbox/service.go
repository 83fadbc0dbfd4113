package inbox

import (
	"log/slog"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Service implements the lists of change requests.
type Service struct {
	Log     *slog.Logger
	Reviews *review.Service
	Store   *store.Store
	View    *view.Writer

	requested requestedSummaries
}

// Endpoints returns the operations of the service.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListChangeRequests, auth.InSpace(api.RoleComment), s.listChangeRequests),
		rest.Read(api.ListChangeRequestQueue, auth.Member(), s.listRequestQueue),
		rest.Op(api.GetChangeRequestCounts, auth.Member(), s.getCounts),
	}
}
