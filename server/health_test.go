package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// probeResult is the status and the decoded body of the response to a health probe.
type probeResult struct {
	code    int
	Status  string   `json:"status"`
	Reasons []string `json:"reasons"`
	Upgrade *struct {
		Form  int       `json:"form"`
		Since time.Time `json:"since"`
		Left  string    `json:"left"`
	} `json:"upgrade"`
}

func probe(w *servertest.World, path string) (p probeResult) {
	w.T.Helper()
	recorder := httptest.NewRecorder()
	r, err := http.NewRequestWithContext(w.T.Context(), http.MethodGet, path, nil)
	w.Must(err)
	w.Handler.ServeHTTP(recorder, r)
	w.Must(json.Unmarshal(recorder.Body.Bytes(), &p))
	p.code = recorder.Code
	return p
}

func checkProbe(w *servertest.World, path string, code int, status string, reasons ...string) {
	w.T.Helper()
	if got := probe(w, path); got.code != code || got.Status != status || !slices.Equal(got.Reasons, reasons) {
		w.T.Errorf("%s answers %+v, want %d %s %v", path, got, code, status, reasons)
	}
}

// TestFullStoreRefusesWrites checks a Redis without free memory: writes are refused without Retry-After, reads succeed,
// the probes distinguish both, and deleted data is still purged after a week, which frees memory.
func TestFullStoreRefusesWrites(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	r, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "everysec")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	w := servertest.NewWorld(t, storetest.Server("full", r.URL()))
	s := w.Populate()
	w.UpdateIndex()
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Handbook})
	kept := w.NewSpaceIn("Kept", "").ID
	w.Clock.Advance(store.TrashTime)
	client := r.Client()
	defer func() { _ = client.Close() }()
	w.Must(client.ConfigSet(t.Context(), "maxmemory", "1mb").Err())
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz", http.StatusServiceUnavailable, "unavailable", "memory")
	checkProbe(w, "/readyz?for=write", http.StatusServiceUnavailable, "unavailable", "memory")
	checkProbe(w, "/readyz?for=read", http.StatusOK, "warning", "memory")
	refused := w.Send("admin", http.MethodPatch, "/v1/spaces/"+kept, map[string]any{"title": "More"})
	if refused.Status != http.StatusServiceUnavailable || refused.Error().Reason != api.ReasonStoreFull ||
		refused.Header.Get("Retry-After") != "" || refused.Error().Hint == "" {
		t.Errorf("%d %v: %s", refused.Status, refused.Header, refused.Body)
	}
	w.Call("admin", http.MethodGet, "/v1/spaces/"+kept, nil, http.StatusOK)
	_ = w.Server.RunDueJobs(t.Context())                        // all but the purge are postponed
	servertest.Equal(t, "purges", 2, servertest.CountPurges(w)) // including Trash
	if left := servertest.KeysWithID(w, s.Handbook); len(left) > 0 {
		t.Errorf("what is left of the space: %v", left)
	}
	w.Must(client.ConfigSet(t.Context(), "maxmemory", "0").Err())
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz", http.StatusOK, "ready")
	w.Call("admin", http.MethodPatch, "/v1/spaces/"+kept, map[string]any{"title": "More"}, http.StatusOK)
}

// TestProbesReportPendingUpgrade checks that /readyz reports since when an upgrade is pending, and in which time it is finished.
func TestProbesReportPendingUpgrade(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		c.Format, c.UpgradeAfter = redis.SupportedFormat+1, 24*time.Hour
	})
	w.Must(w.Store.Client.Set(t.Context(), w.Store.Name(redis.SchemaKey()), redis.SupportedFormat, 0).Err())
	since := w.Clock.Now()
	w.Must(w.Store.Join(t.Context()))
	w.Clock.Advance(time.Hour)
	w.Must(w.Store.Join(t.Context()))
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz", http.StatusOK, "warning", "persistence", "forms")
	got := probe(w, "/readyz").Upgrade
	if got.Form != redis.SupportedFormat+1 || !got.Since.Equal(since) || got.Left != "23h0m0s" {
		t.Errorf("the upgrade: %+v, want since %s", got, since)
	}
	_, err := w.Store.FinishUpgrade(t.Context())
	w.Must(err)
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz", http.StatusOK, "warning", "persistence")
	if got := probe(w, "/readyz").Upgrade; got != nil {
		t.Errorf("after it is finished: %+v", got)
	}
}

// TestProbesOfDrainingNode checks that a draining node is unavailable regardless of the store, and that unknown probe
// parameters are refused.
func TestProbesOfDrainingNode(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	checkProbe(w, "/readyz", http.StatusOK, "warning", "persistence")
	checkProbe(w, "/readyz?for=both", http.StatusBadRequest, "")
	w.Trips.Count() // resets the count
	w.Server.Drain()
	for _, path := range []string{"/readyz", "/readyz?for=read"} {
		checkProbe(w, path, http.StatusServiceUnavailable, "unavailable", "stopping")
	}
	checkProbe(w, "/healthz", http.StatusOK, "ok")
	if n := w.Trips.Count(); n != 0 {
		t.Errorf("the probes asked Redis %d times", n)
	}
}
