package specs_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/specs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestAskedOmitsUserOfDamagedSpecification checks that a damaged record of a waiting specification is logged, that its user is
// omitted, and that the users of the others are found.
func TestAskedOmitsUserOfDamagedSpecification(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true // records are damaged
	putSource(w, "creator", w.Org, "good", "https://awake.example/good")
	by := w.Users["creator"].ID
	for slug, stored := range map[string]string{
		"public":  "1 1 {\"by\":\"" + by + "\"}\n{",
		"private": "1 1 {\"slow\":true,\"by\":7}\n{}",
		"record":  "x",
	} {
		w.Must(w.Store.Client.Set(t.Context(), w.Store.Name(store.OpenAPISpecKey(w.Org, slug)), stored, 0).Err())
	}
	var log bytes.Buffer
	s := specs.Service{Store: w.Store, Log: slog.New(slog.NewTextHandler(&log, nil))}
	got, err := s.Asked(t.Context(), w.Org, []string{"public", "private", "record", "good"})
	w.Must(err)
	servertest.Equal(t, "users", []store.Requester{{Arg: "public"}, {Arg: "private"}, {Arg: "record"}, {Arg: "good", By: by}}, got)
	if n := strings.Count(log.String(), "the user of a waiting specification is unknown"); n != 3 {
		t.Errorf("%d specifications are logged, want 3:\n%s", n, &log)
	}
}
