package imports

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Service implements the operations on imports and sources.
type Service struct {
	Budgets   *budgets.Budgets
	Clock     redis.Clock
	IDs       txn.IDGenerator
	Importer  *importer.Importer
	Links     *reader.Links
	Reviews   *review.Service
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return append(s.runEndpoints(),
		rest.Op(api.ImportContent, auth.InSpace(api.RoleEdit), s.importContent).MatchHead().On(rest.Space),
		rest.Op(api.ImportChangeRequestContent, auth.InSpace(api.RoleEdit),
			s.importChangeRequestContent).MatchHead().On(rest.ChangeRequest),
		rest.Read(api.ListSources, auth.InSpace(api.RoleRead), s.listSources),
	)
}
