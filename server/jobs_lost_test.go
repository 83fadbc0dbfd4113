package server_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/txn"
)

// TestLostJobsAreFound checks that jobs whose index was lost in a failover are found within ten minutes, and at once
// by a node that starts.
func TestLostJobsAreFound(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		lose := func() {
			w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(txn.DueRegistryKey(w.Org))).Err())
		}
		read := func(slug string) bool { return !servertest.ReadSpec(w, slug).LastProcessedAt.IsZero() }
		servertest.RunJobs(w)
		servertest.PutSpec(w, "pets", api.OpenAPISource{Text: `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}`})
		lose()
		w.Clock.Advance(9 * time.Minute)
		if read("pets") {
			t.Fatal("the registry of jobs was not lost")
		}
		w.Clock.Advance(time.Minute)
		if !read("pets") {
			t.Error("nobody has looked at the jobs")
		}
		servertest.PutSpec(w, "shops", api.OpenAPISource{Text: `{"openapi":"3.1.0","info":{"title":"Shops","version":"1"},"paths":{}}`})
		lose()
		w.Serve()
		if !read("shops") {
			t.Error("a node that starts does not look at the jobs")
		}
	})
}
