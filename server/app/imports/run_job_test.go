package imports_test

import (
	"testing"

	"docspace.dev/wsd/server/app/imports"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestAskedOmitsUserOfDamagedImportRun checks that Asked returns no user for a run with a damaged record.
func TestAskedOmitsUserOfDamagedImportRun(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true // records are damaged
	for id, stored := range map[string]string{
		"good":    "1 1 {}\n{\"createdBy\":\"u_1\"}",
		"public":  "1 1 {}\n{\"createdBy\":\"u_1\",\"status\":7}",
		"private": "1 1 {\n{\"createdBy\":\"u_1\"}",
	} {
		w.Must(w.Store.Client.Set(t.Context(), w.Store.Name(store.ImportRunKey(w.Org, id)), stored, 0).Err())
	}
	s := imports.Service{Store: w.Store}
	got, err := s.Asked(t.Context(), w.Org, []string{"public", "private", "good"})
	w.Must(err)
	servertest.Equal(t, "users", []store.Requester{
		{Arg: "public", SlowRun: true}, {Arg: "private", SlowRun: true}, {Arg: "good", By: "u_1", SlowRun: true},
	}, got)
}
