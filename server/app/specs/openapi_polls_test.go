package specs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/specs"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// recordingWeb records the requested documents and the responses.
type recordingWeb struct {
	servertest.Web
	answers []string // "sent", "same" or "failed" with the name of the document
}

// GetChanged implements server.Fetcher.
func (w *recordingWeb) GetChanged(ctx context.Context, address string, maxBytes int64, etag string) (*fetch.Response, error) {
	response, err := w.Web.GetChanged(ctx, address, maxBytes, etag)
	name, answer := address[strings.LastIndexByte(address, '/')+1:], "failed "
	switch {
	case err == nil && len(response.Body) > 0:
		answer = "sent "
	case err == nil:
		answer = "same "
	}
	w.answers = append(w.answers, answer+name)
	return response, err
}

// takeResponses returns the responses since the last call.
func (w *recordingWeb) takeResponses() []string {
	answers := w.answers
	w.answers = nil
	return answers
}

const (
	polledAddress = "https://example.com/api/openapi.yaml"
	polledPart    = "https://example.com/api/pet.json"
	polledText    = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents: {schemas: {Pet: {$ref: 'pet.json'}}}\n"
)

// newPolledWorld returns a world with a specification whose source was read once.
func newPolledWorld(t *testing.T) (*servertest.World, *recordingWeb) {
	t.Helper()
	w := servertest.NewWorld(t, storetest.Memory())
	return w, addPolledSpec(w)
}

// addPolledSpec replaces the server, so that it fetches from a recordingWeb, and adds a specification whose source is then read
// once.
func addPolledSpec(w *servertest.World) *recordingWeb {
	w.T.Helper()
	web := &recordingWeb{Web: servertest.Web{polledAddress: polledText, polledPart: `{"type":"object","description":"A pet."}`}}
	w.Serve(func(o *server.Options) { o.Fetcher = web })
	servertest.PutSpec(w, "pets", api.OpenAPISource{URL: polledAddress})
	servertest.ReadSpec(w, "pets")
	servertest.Equal(w.T, "at first", []string{"sent openapi.yaml", "sent pet.json"}, web.takeResponses())
	return web
}

// advance advances the clock, runs due jobs, and returns the specification.
func advance(w *servertest.World, d time.Duration) api.OpenAPISpec {
	w.T.Helper()
	w.Clock.Advance(d)
	return servertest.ReadSpec(w, "pets")
}

const day = 24 * time.Hour

// TestSourcesAreReadDaily checks that a source is read once a day with the ETags of all its documents. Unchanged
// documents are not sent again and create neither a version nor an event. One changed document creates a version of
// all.
func TestSourcesAreReadDaily(t *testing.T) {
	t.Parallel()
	w, web := newPolledWorld(t)
	first := advance(w, 22*time.Hour)
	servertest.Equal(t, "before a day is over", nil, web.takeResponses())
	same := advance(w, 4*time.Hour)
	servertest.Equal(t, "after a day", []string{"same openapi.yaml", "same pet.json"}, web.takeResponses())
	servertest.Equal(t, "version", first.LastVersion, same.LastVersion)
	servertest.Equal(t, "read", true, same.LastProcessedAt.After(first.LastProcessedAt.Time))
	servertest.Equal(t, "state", api.ProcessingComplete, same.ProcessingState)
	servertest.Equal(t, "again at once", same, advance(w, 0))

	web.Web[polledPart] = `{"type":"object","description":"Another pet."}`
	changed := advance(w, 26*time.Hour)
	servertest.Equal(t, "when one changed", []string{"same openapi.yaml", "sent pet.json"}, web.takeResponses())
	servertest.Equal(t, "versions", 2, countSpecVersions(w, "pets"))
	content := servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, "pets"))
	servertest.Equal(t, "the document that did not change", polledText, content.Filesystem["openapi.yaml"].Content)
	servertest.Equal(t, "the one that did", web.Web[polledPart], content.Filesystem["pet.json"].Content)
	servertest.Equal(t, "version", changed.LastVersion, advance(w, 26*time.Hour).LastVersion)
	servertest.Equal(t, "by the new ETags", []string{"same openapi.yaml", "same pet.json"}, web.takeResponses())
	servertest.Equal(t, "events", 2, countReadEvents(w))
	w.Fsck()
}

// countReadEvents counts the events of readings.
func countReadEvents(w *servertest.World) (count int) {
	w.T.Helper()
	events, err := w.Store.Client.XRange(w.T.Context(), w.Store.Name(txn.EventsKey(store.Organization(w.Org))), "-", "+").Result()
	w.Must(err)
	for _, e := range events {
		if e.Values["type"] == "openapi-specs.read" {
			count++
		}
	}
	return count
}

// TestFailingSourcesBackOff checks that the interval doubles after failures, up to a week, returns to a day after a
// success, and does not delay a PUT.
func TestFailingSourcesBackOff(t *testing.T) {
	t.Parallel()
	w, web := newPolledWorld(t)
	text := web.Web[polledAddress]
	delete(web.Web, polledAddress)
	servertest.Equal(t, "code", api.ProcessFetchError, advance(w, 26*time.Hour).LastProcessErrorCode)
	web.takeResponses()
	for _, interval := range []time.Duration{2 * day, 4 * day, 7 * day, 7 * day} {
		advance(w, interval-2*time.Hour)
		servertest.Equal(t, "before "+interval.String(), nil, web.takeResponses())
		servertest.Equal(t, "version", 1, countSpecVersions(w, "pets"))
		advance(w, 4*time.Hour)
		servertest.Equal(t, "after "+interval.String(), []string{"failed openapi.yaml"}, web.takeResponses())
	}
	servertest.Equal(t, "events", 2, countReadEvents(w))

	web.Web[polledAddress] = text
	servertest.PutSpec(w, "pets", api.OpenAPISource{URL: polledAddress})
	servertest.Equal(t, "code", "", servertest.ReadSpec(w, "pets").LastProcessErrorCode)
	servertest.Equal(t, "asked", []string{"same openapi.yaml", "same pet.json"}, web.takeResponses())
	advance(w, 26*time.Hour)
	servertest.Equal(t, "a day later", []string{"same openapi.yaml", "same pet.json"}, web.takeResponses())
}

// TestSourceReadsAreSpreadOverTime checks that readings are spread over time between specifications and from day to
// day.
func TestSourceReadsAreSpreadOverTime(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Web[polledAddress] = servertest.PetsText
	for _, slug := range []string{"a", "b", "c", "d"} {
		servertest.PutSpec(w, slug, api.OpenAPISource{URL: polledAddress})
	}
	w.Must(w.Server.RunDueJobs(t.Context()))
	due, err := w.Store.Client.ZRangeWithScores(t.Context(), w.Store.Name(txn.DueKey(w.Org)), 0, -1).Result()
	w.Must(err)
	times := map[float64]bool{}
	for _, job := range due {
		if strings.HasPrefix(job.Member.(string), store.OpenAPIReadKind+":") {
			times[job.Score] = true
		}
	}
	if len(times) < 3 { // two of four may coincide
		t.Errorf("4 specifications are read at %d times", len(times))
	}
}

// TestPlanReads checks that readings are scheduled for specifications stored by an earlier build, but not for texts.
func TestPlanReads(t *testing.T) {
	t.Parallel()
	w, web := newPolledWorld(t)
	servertest.NewSpec(w, "text", servertest.PetsText)
	job := txn.JobName(store.OpenAPIReadKind, "pets")
	w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Unschedule(w.Org, job)
		return nil
	}))
	advance(w, 8*day)
	servertest.Equal(t, "without a job", nil, web.takeResponses())
	w.Must((&specs.Service{Store: w.Store}).PlanReads(t.Context()))
	due, err := w.Store.Client.ZRange(t.Context(), w.Store.Name(txn.DueKey(w.Org)), 0, -1).Result()
	w.Must(err)
	servertest.Equal(t, "planned", []string{job}, due)
	advance(w, day)
	servertest.Equal(t, "asked", []string{"same openapi.yaml", "same pet.json"}, web.takeResponses())
}
