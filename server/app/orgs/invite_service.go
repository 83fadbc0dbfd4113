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

// Invites answers the operations on invites, and those by which people join an organization.
type Invites struct {
	Clock     redis.Clock
	IDs       txn.IDs
	Orgs      *Service
	PublicURL string      // of all addresses, without a slash at the end
	Signer    auth.Signer // derives the secrets of invite links
	Store     *store.Store
	View      *view.Writer
}

// Endpoints are the operations of this room.
func (s *Invites) Endpoints() []rest.Endpoint {
	return slices.Concat(s.inviteEndpoints(), s.linkInviteEndpoints())
}
