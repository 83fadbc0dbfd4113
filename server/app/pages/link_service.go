package pages

import (
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Links implements the operations on links and on the uses of files.
type Links struct {
	Links     *reader.Links
	Orgs      *orgs.Service
	Reviews   *review.Service
	Revisions *revision.Revisions
	Spaces    *spaces.Service
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Links.
func (s *Links) Endpoints() []rest.Endpoint {
	return s.linkEndpoints()
}
