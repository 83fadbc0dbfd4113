package sites

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// Lookup serves the operation that resolves addresses to content.
type Lookup struct {
	Pages     *pages.Service
	PublicURL string
	Reviews   *review.Service
	Spaces    *spaces.Service
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Lookup.
func (l *Lookup) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{rest.Op(api.FindContent, auth.Self(), l.findContent)}
}
