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

// Service answers the operations on spaces, collections and the roles in them.
type Service struct {
	Orgs      *orgs.Service
	PublicURL string // of all addresses, without a slash at the end
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
}

// Endpoints are the operations of this room.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.collectionEndpoints(),
		s.collectionPermissionEndpoints(),
		s.spaceEndpoints(),
		s.spacePermissionEndpoints(),
		[]rest.Endpoint{rest.Op(api.ListTrash, auth.Member(), s.listTrash)},
	)
}
