package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// eventCounts maps each write that does not add exactly one event to the number of events that it adds.
var eventCounts = map[string]int{
	api.UpdateChangeRequestReading.Name:   0, // reading marks and saved queries are private
	api.PutChangeRequestSavedQueries.Name: 0,
	api.PingMember.Name:                   0, // lastSeenAt is no change made by the user
	api.UpdateUser.Name:                   7, // one of the user, and one in each organization
	api.TransferSpace.Name:                2, // one in each organization
	api.TransferCollection.Name:           2,
	api.TakeTransferBack.Name:             2,
	api.AgreeTransfer.Name:                2,
	api.AskTransfer.Name:                  2, // one in each organization
}

// TestEveryChangeAddsEvent checks that every change adds an event with its actor and objects, and that a dry run does
// not.
//
//wsd:serial
func TestEveryChangeAddsEvent(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for _, last := range []bool{false, true} {
		for _, row := range orderedRows() {
			if row.Writes() && removes(row) == last && row.Name != api.MergeChangeRequest.Name &&
				row.Name != api.ApplyChangeRequestSuggestions.Name {
				checkEvent(w, row, s)
			}
		}
	}
	w, s = servertest.NewSampleWorld(t, storetest.Memory())
	checkEvent(w, api.ApplyChangeRequestSuggestions.Row, s) // needs the head of the sample
	checkEvent(w, api.MergeChangeRequest.Row, s)            // before anything conflicts with it
}

func checkEvent(w *servertest.World, row api.Row, s *servertest.Sample) {
	w.T.Helper()
	path, body := w.SamplePathWith(row, s, spareParams(w, row)), w.SampleBody(row, s)
	before := servertest.CountEvents(w, row.Name)
	w.Call("admin", row.Method, servertest.WithQuery(path, "dryRun=true"), body, servertest.DryRunStatus(row))
	servertest.Equal(w.T, "events of a rehearsed "+row.Name, before, servertest.CountEvents(w, row.Name))
	w.Call("admin", row.Method, path, body, row.Status)
	want := 1
	if n, ok := eventCounts[row.Name]; ok {
		want = n
	}
	servertest.Equal(w.T, "events of "+row.Name, want, servertest.CountEvents(w, row.Name)-before)
}
