package specs

import (
	"log/slog"

	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/core/specprocess"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Service implements the operations on OpenAPI specifications.
type Service struct {
	Budgets   *budgets.Budgets
	Fetcher   Fetcher
	Log       *slog.Logger
	Pages     *pages.Service
	PublicURL string
	Reading   *reader.Service
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Specs     specprocess.Reader
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return s.openAPISpecEndpoints()
}
