package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// slowSite is a site that answers when it is let.
type slowSite struct {
	asked  chan struct{} // one for each request that came
	answer chan struct{} // closed when it answers
}

func newSlowSite() slowSite { return slowSite{make(chan struct{}, 10), make(chan struct{})} }

// GetUpTo implements importer.Fetcher.
func (s slowSite) GetUpTo(ctx context.Context, url string, _ int64) (*fetch.Response, error) {
	s.asked <- struct{}{}
	select {
	case <-s.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &fetch.Response{URL: url, ContentType: "text/markdown", Body: []byte("# Imported\n")}, nil
}

// impatient gives a server budgets in which nobody waits for a turn: who does not get one is sent away at once.
func impatient(numbers string, site slowSite) func(*server.Options) {
	return func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		if err := o.Budgets.Set("turn-wait=1ns," + numbers); err != nil {
			panic(err)
		}
		o.Importer = importer.New(site, importer.Limits{})
	}
}

func wantBusy(t *testing.T, what string, a servertest.Answer) {
	t.Helper()
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusServiceUnavailable || a.Error().Reason != api.ReasonBusy || err != nil || seconds < 1 {
		t.Errorf("%s: %d with Retry-After %q: %s", what, a.Status, a.Header.Get("Retry-After"), a.Body)
	}
}

// importing begins an import that goes on until the site answers, and returns what waits for its answer.
func importing(w *servertest.World, site slowSite, as, space string) (end func() servertest.Answer) {
	done := make(chan servertest.Answer, 1)
	go func() {
		done <- w.Raw(as, http.MethodPost, "/v1/spaces/"+space+"/content/import", api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown})
	}()
	<-site.asked
	return func() servertest.Answer { return <-done }
}

// While an import holds what its organization may have, its next one is sent away; small work and the work of others
// go on, until what all may have is used up.
func TestBusy(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	site := newSlowSite()
	w.Serve(impatient("slow-bytes=34MiB", site)) // two imports begin with 16 MiB each
	live := func(as, org string) string {
		return servertest.Do(w, as, api.CreateSpace, api.CreateSpaceInput{Organization: org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive}}).ID
	}
	mine, theirs := live("admin", w.Org), live("stranger", w.OtherOrg)
	request := w.NewRequest("admin", w.NewSpace().ID)
	w.Change(request, servertest.NewPage("A", "# A\n\nText.\n"))

	first := importing(w, site, "admin", mine)
	before := w.Dump()
	wantBusy(t, "a second import", w.Raw("admin", http.MethodPost, "/v1/spaces/"+mine+"/content/import", api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown}))
	servertest.Unchanged(w, before, "after what was refused")
	path := "/v1/spaces/" + request.Space + "/change-requests/" + request.ChangeRequest
	for _, small := range []string{"/diff", "/changes", "/mergeability"} {
		w.Call("admin", http.MethodGet, path+small, nil, http.StatusOK)
	}
	second := importing(w, site, "stranger", theirs)
	close(site.answer)
	for _, a := range []servertest.Answer{first(), second()} {
		if a.Status != http.StatusCreated {
			t.Errorf("an import that had its turn: %d %s", a.Status, a.Body)
		}
	}
	w.Call("admin", http.MethodPost, "/v1/spaces/"+mine+"/content/import", api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown}, http.StatusCreated)
}

// What is slow has to wait, whichever row it is: here nothing is small, and imports hold everything.
func TestBusyRows(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	address := strings.TrimPrefix(servertest.Do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: s.Handbook}).URL, servertest.PublicURL)
	site := newSlowSite()
	w.Serve(impatient("slow-bytes=32MiB,small-work=1", site))
	live := servertest.Do(w, "stranger", api.CreateSpace, api.CreateSpaceInput{Organization: w.OtherOrg, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive}}).ID
	ends := []func() servertest.Answer{importing(w, site, "admin", s.Notes), importing(w, site, "stranger", live)}
	for _, row := range api.Rows() {
		switch row.Name {
		case api.GetSpacePdf.Name, api.BlamePage.Name, api.DiffChangeRequest.Name, api.GetChangeRequestChanges.Name, api.EditChangeRequestContent.Name:
			wantBusy(t, row.Name, w.Raw("admin", row.Method, w.PathOf(row, s), w.BodyOf(row, s)))
		}
	}
	wantBusy(t, "a PDF for a stranger", w.Raw("", http.MethodGet, address, nil))
	close(site.answer)
	for _, end := range ends {
		if a := end(); a.Status != http.StatusCreated {
			t.Errorf("an import that had its turn: %d %s", a.Status, a.Body)
		}
	}
	w.Call("", http.MethodGet, address, nil, http.StatusOK)
}

// slowReader takes what is sent to it when it likes.
type slowReader struct {
	httptest.ResponseRecorder
	begun, read chan struct{}
}

func (r *slowReader) Write(data []byte) (int, error) {
	select {
	case r.begun <- struct{}{}:
	default:
	}
	<-r.read
	return r.ResponseRecorder.Write(data)
}

// Files that are downloaded slowly count as long as they are held in memory: for their address, and for downloads alone.
func TestBusyDownloads(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(impatient("download-bytes=2MiB", newSlowSite()))
	request := w.NewRequest("editor", w.NewSpace().ID)
	made := w.Change(request, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", ContentType: "image/png", Base64: servertest.OnePixel}}})
	address := strings.TrimPrefix(made.InsertedFiles[0].File.DownloadURL, servertest.PublicURL)
	get := func(to http.ResponseWriter, from string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		r.RemoteAddr = from
		w.Handler.ServeHTTP(to, r)
	}
	status := func(from string) servertest.Answer {
		recorder := httptest.NewRecorder()
		get(recorder, from)
		return servertest.Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
	}
	slow := []*slowReader{}
	ended := make(chan struct{})
	for range 2 { // 512 KiB each
		r := &slowReader{ResponseRecorder: *httptest.NewRecorder(), begun: make(chan struct{}, 1), read: make(chan struct{})}
		go func() { get(r, "192.0.2.1:1"); ended <- struct{}{} }()
		<-r.begun
		slow = append(slow, r)
	}
	wantBusy(t, "a third download of an address", status("192.0.2.1:2"))
	if a := status("198.51.100.1:1"); a.Status != http.StatusOK {
		t.Errorf("a download of another address: %d %s", a.Status, a.Body)
	}
	w.Call("editor", http.MethodGet, "/v1/spaces/"+request.Space+"/change-requests/"+request.ChangeRequest+"/diff", nil, http.StatusOK)
	for _, r := range slow {
		close(r.read)
		<-ended
	}
	if a := status("192.0.2.1:2"); a.Status != http.StatusOK {
		t.Errorf("a download after the others: %d %s", a.Status, a.Body)
	}
}
