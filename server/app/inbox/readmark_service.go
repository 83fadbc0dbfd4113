package inbox

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// ReadMarks implements the operations on the private data of a user: read marks and saved queries.
type ReadMarks struct {
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Store     *store.Store
}

// Endpoints returns the operations of the service.
func (rm *ReadMarks) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetChangeRequestReading, auth.InSpace(api.RoleComment), rm.getReading),
		rest.Op(api.UpdateChangeRequestReading, auth.InSpace(api.RoleComment), rm.updateReading).OnOwn(readingKey),
		rest.Op(api.GetChangeRequestSavedQueries, auth.Member(), rm.getSavedQueries),
		rest.Write(api.PutChangeRequestSavedQueries, auth.Member(), rm.putSavedQueries).OnOwn(savedQueriesKey),
	}
}
