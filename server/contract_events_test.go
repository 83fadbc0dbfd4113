package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// otherwise are the writes that leave no event, or more than one.
var otherwise = map[string]int{
	api.UpdateChangeRequestReading.Name:   0, // what somebody reads and looks for is nobody else's business
	api.PutChangeRequestSavedQueries.Name: 0,
	api.PingMember.Name:                   0, // lastSeenAt moves by itself: it says when somebody was here, not what they changed
	api.UpdateUser.Name:                   7, // the user's own, and one in each organization of theirs
	api.TransferSpace.Name:                2, // where it goes from, and where to
	api.TransferCollection.Name:           2,
	api.TakeTransferBack.Name:             2,
	api.AgreeTransfer.Name:                2,
	api.AskTransfer.Name:                  2, // who asks, and who is asked
}

// Every change leaves an event that says who did what, and a rehearsal none.
//
//wsd:serial
func TestEveryChangeLeavesAnEvent(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	for _, last := range []bool{false, true} {
		for _, row := range inTurn() {
			if row.Writes() && removes(row) == last && row.Name != api.MergeChangeRequest.Name && row.Name != api.ApplyChangeRequestSuggestions.Name {
				leavesAnEvent(w, row, s)
			}
		}
	}
	w, s = servertest.Sampled(t, storetest.Memory())
	leavesAnEvent(w, api.ApplyChangeRequestSuggestions.Row, s) // for the head of the sample
	leavesAnEvent(w, api.MergeChangeRequest.Row, s)            // before anything is in conflict with it
}

func leavesAnEvent(w *servertest.World, row api.Row, s *servertest.Sample) {
	w.T.Helper()
	path, body := w.PathWith(row, s, spare(w, row)), w.BodyOf(row, s)
	before := servertest.Events(w, row.Name)
	w.Call("admin", row.Method, servertest.WithQuery(path, "dryRun=true"), body, servertest.Rehearsed(row))
	servertest.Equal(w.T, "events of a rehearsed "+row.Name, before, servertest.Events(w, row.Name))
	w.Call("admin", row.Method, path, body, row.Status)
	want := 1
	if n, ok := otherwise[row.Name]; ok {
		want = n
	}
	servertest.Equal(w.T, "events of "+row.Name, want, servertest.Events(w, row.Name)-before)
}
