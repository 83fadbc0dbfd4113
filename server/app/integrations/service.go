package integrations

import (
	"slices"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Service serves the operations on integrations and their installations.
type Service struct {
	Orgs      *orgs.Service
	PublicURL string
	Sealer    auth.Sealer
	Signer    auth.Signer
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(
		s.integrationEndpoints(),
		s.integrationInstallationEndpoints(),
		s.installationContentEndpoints(),
		s.integrationEventEndpoints(),
	)
}
