package orgs

import (
	"log/slog"
	"slices"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Service serves the operations on organizations, their members and teams, and on users and their tokens.
type Service struct {
	Budgets   *budgets.Budgets
	Clock     redis.Clock
	IDs       txn.IDGenerator
	Log       *slog.Logger
	PublicURL string // base of all URLs, without a trailing slash
	Sealer    auth.Sealer
	Store     *store.Store
	View      *view.Writer

	// EventsKept is the time for which the events of organizations are kept.
	EventsKept time.Duration
	// TokenMaxAge is the maximum age of tokens of people; 0 = none.
	TokenMaxAge time.Duration
	// OperatorCreatesOrganizations reserves the creation of organizations for the operator (`wsd org create`).
	OperatorCreatesOrganizations bool
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.memberEndpoints(),
		s.serviceAccountEndpoints(),
		s.organizationEndpoints(),
		s.samlProviderEndpoints(),
		s.oidcProviderEndpoints(),
		s.identityEndpoints(),
		s.subdomainEndpoints(),
		s.teamEndpoints(),
		s.trashEndpoints(),
		s.userEndpoints(),
	)
}
