package lifecycle

import (
	"log/slog"
	"slices"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/sites"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Service serves the operations that transfer, duplicate and delete, and runs their jobs.
type Service struct {
	Budgets   *budgets.Budgets
	Clock     redis.Clock
	Log       *slog.Logger
	Orgs      *orgs.Service
	PublicURL string
	Revisions *revision.Revisions
	Sites     *sites.Service
	Spaces    *spaces.Service
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(s.transferEndpoints(), s.organizationEndpoints())
}
