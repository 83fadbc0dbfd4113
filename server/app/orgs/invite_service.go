package orgs

import (
	"slices"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Invites serves the operations on invites and those by which users join an organization.
type Invites struct {
	Clock     redis.Clock
	IDs       txn.IDGenerator
	Orgs      *Service
	PublicURL string      // base of all URLs, without a trailing slash
	Signer    auth.Signer // derives the secrets of invite links
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Invites.
func (iv *Invites) Endpoints() []rest.Endpoint {
	return slices.Concat(iv.inviteEndpoints(), iv.linkInviteEndpoints())
}
