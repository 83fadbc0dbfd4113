package inbox

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// ReadMarks answers the operations on what somebody keeps for themselves.
type ReadMarks struct {
	Revisions *revision.Revisions
	Slow      budgets.Slow
	Store     *store.Store
}

// Endpoints are the operations of this room.
func (s *ReadMarks) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetChangeRequestReading, auth.InSpace(api.RoleComment), s.getReading),
		rest.Op(api.UpdateChangeRequestReading, auth.InSpace(api.RoleComment), s.updateReading).OfOwn(reading),
		rest.Op(api.GetChangeRequestSavedQueries, auth.Member(), s.getSavedQueries),
		rest.Write(api.PutChangeRequestSavedQueries, auth.Member(), s.putSavedQueries).OfOwn(savedQueries),
	}
}
