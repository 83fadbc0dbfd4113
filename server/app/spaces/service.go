package spaces

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Service serves the operations on spaces, collections and the roles in them.
type Service struct {
	Orgs      *orgs.Service
	PublicURL string // base of all URLs, without a trailing slash
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.collectionEndpoints(),
		s.collectionPermissionEndpoints(),
		s.spaceEndpoints(),
		s.spacePermissionEndpoints(),
		[]rest.Endpoint{rest.Op(api.ListTrash, auth.Member(), s.listTrash)},
	)
}
