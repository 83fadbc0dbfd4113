package sites

import (
	"log/slog"
	"slices"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Service serves the operations on sites and their visitors.
type Service struct {
	Log       *slog.Logger
	Orgs      *orgs.Service
	PublicURL string
	Sealer    auth.Sealer
	Signer    auth.Signer
	Spaces    *spaces.Service
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.pingEndpoints(),
		s.shareLinkEndpoints(),
		s.siteAdaptiveEndpoints(),
		s.siteCustomizationEndpoints(),
		s.siteEndpoints(),
		s.sitePermissionEndpoints(),
		s.siteSectionEndpoints(),
		s.siteSectionGroupEndpoints(),
		s.siteSpaceEndpoints(),
		s.translationEndpoints(),
	)
}
