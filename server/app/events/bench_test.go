package events_test

import (
	"fmt"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// browser is a transport of requests with the user agent of a browser, which is part of events.
type browser struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t browser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36")
	return t.RoundTripper.RoundTrip(r)
}

// BenchmarkEventMemory measures the memory of an event of common kinds.
func BenchmarkEventMemory(b *testing.B) {
	const requests = 1000
	x := servertest.NewBench(b, "no")
	x.Client.Transport = browser{x.Client.Transport}
	space, page := x.CreateSpaceWithPages(10)
	path := "/v1/spaces/" + space
	var request api.ChangeRequest
	x.Do(http.MethodPost, path+"/change-requests", api.ChangeRequestCreate{}, &request)
	log := func() store.EventLog {
		logs, err := store.EventLogs(b.Context(), x.Store, []string{x.Org})
		if err == nil {
			err = store.MeasureEventLogs(b.Context(), x.Store, logs, true)
		}
		if err != nil {
			b.Fatal(err)
		}
		return logs[x.Org]
	}
	for kind, send := range map[string]func(i int){
		api.UpdateSpace.Name: func(i int) {
			x.Send(http.MethodPatch, x.Web.URL+path, api.SpacePatch{Title: api.Some(fmt.Sprintf("Handbook %d", i))})
		},
		api.CreateComment.Name: func(int) {
			x.Send(http.MethodPost, x.Web.URL+path+"/comments", api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("A remark.")}})
		},
		api.CreateChangeRequest.Name: func(int) {
			x.Send(http.MethodPost, x.Web.URL+path+"/change-requests", api.ChangeRequestCreate{})
		},
		api.EditChangeRequestContent.Name: func(i int) {
			x.Send(http.MethodPost, x.Web.URL+path+"/change-requests/"+request.ID+"/content", api.ContentEdit{Changes: []api.ContentChange{{
				Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: api.Some(fmt.Sprintf("# Page\n\nText %d.\n", i))},
			}}})
		},
	} {
		b.Run(kind, func(b *testing.B) {
			before := log()
			for b.Loop() {
				for i := range requests {
					send(i)
				}
			}
			after := log()
			b.ReportMetric(float64(after.Bytes-before.Bytes)/float64(after.Entries-before.Entries), "B/event")
			b.ReportMetric(0, "ns/op")
		})
	}
}
