package lifecycle

import (
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

// Service transfers, duplicates and purges spaces and collections, and deletes and purges organizations.
type Service struct {
	Budgets   *budgets.Budgets
	Clock     redis.Clock
	Orgs      *orgs.Service
	PublicURL string
	Revisions *revision.Revisions
	Sites     *sites.Service
	Spaces    *spaces.Service
	Store     *store.Store
	View      *view.Writer
}

// Endpoints are the operations of this room.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(s.transferEndpoints(), s.organizationEndpoints())
}
