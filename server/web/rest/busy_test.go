package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// slowSite is a site that responds when the test allows it.
type slowSite struct {
	requests chan struct{} // receives one value per request
	release  chan struct{} // closed to let all requests finish
}

func newSlowSite() slowSite { return slowSite{make(chan struct{}, 10), make(chan struct{})} }

// GetUpTo implements importer.Fetcher.
func (s slowSite) GetUpTo(ctx context.Context, url string, _ int64) (*fetch.Response, error) {
	s.requests <- struct{}{}
	select {
	case <-s.release:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &fetch.Response{URL: url, ContentType: "text/markdown", Body: []byte("# Imported\n")}, nil
}

// withoutWaiting returns an option that sets budgets under which requests that do not get a permit fail at once, and makes
// imports read from site.
func withoutWaiting(numbers string, site slowSite) func(*server.Options) {
	return func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		if err := o.Budgets.Set("turn-wait=1ns,call-time=1h," + numbers); err != nil {
			panic(err)
		}
		o.Importer = importer.New(site, importer.Limits{})
	}
}

func wantBusy(t *testing.T, what string, a servertest.Response) {
	t.Helper()
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusServiceUnavailable || a.Error().Reason != api.ReasonBusy || err != nil || seconds < 1 {
		t.Errorf("%s: %d with Retry-After %q: %s", what, a.Status, a.Header.Get("Retry-After"), a.Body)
	}
}

// startImport starts an import that lasts until the site responds, and returns a function that waits for its response.
func startImport(w *servertest.World, site slowSite, as, space string) (end func() servertest.Response) {
	done := make(chan servertest.Response, 1)
	go func() {
		done <- w.Send(as, http.MethodPost, "/v1/spaces/"+space+"/content/import", api.Import{
			URL: "https://example.com/a.md", Source: api.ImportMarkdown,
		})
	}()
	<-site.requests
	return func() servertest.Response { return <-done }
}

// TestSecondImportOfOrganizationIsBusy checks that an import that holds the share of its organization makes the next
// one fail as busy, while small work and other organizations continue until the total is used up.
func TestSecondImportOfOrganizationIsBusy(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	site := newSlowSite()
	w.Serve(withoutWaiting("slow-bytes=34MiB", site)) // enough for two imports of 16 MiB
	live := func(as, org string) string {
		return servertest.Do(w, as, api.CreateSpace, api.CreateSpaceInput{
			Organization: org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive},
		}).ID
	}
	mine, theirs := live("admin", w.Org), live("stranger", w.OtherOrg)
	request := w.NewRequest("admin", w.NewSpace().ID)
	w.Change(request, servertest.NewPage("A", "# A\n\nText.\n"))

	first := startImport(w, site, "admin", mine)
	before := w.Dump()
	wantBusy(t, "a second import", w.Send("admin", http.MethodPost, "/v1/spaces/"+mine+"/content/import", api.Import{
		URL: "https://example.com/a.md", Source: api.ImportMarkdown,
	}))
	servertest.WantUnchanged(w, before, "after what was refused")
	path := "/v1/spaces/" + request.Space + "/change-requests/" + request.ChangeRequest
	for _, small := range []string{"/diff", "/changes", "/mergeability"} {
		w.Call("admin", http.MethodGet, path+small, nil, http.StatusOK)
	}
	second := startImport(w, site, "stranger", theirs)
	close(site.release)
	for _, a := range []servertest.Response{first(), second()} {
		if a.Status != http.StatusCreated {
			t.Errorf("an import that had its turn: %d %s", a.Status, a.Body)
		}
	}
	w.Call("admin", http.MethodPost, "/v1/spaces/"+mine+"/content/import", api.Import{
		URL: "https://example.com/a.md", Source: api.ImportMarkdown,
	}, http.StatusCreated)
}

// TestReadsDoNotWaitForImports checks that slow rows that write wait for a permit while imports hold everything, and that
// those that read do not. Here no work counts as small.
func TestReadsDoNotWaitForImports(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	address := strings.TrimPrefix(servertest.Do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: s.Handbook}).URL,
		servertest.PublicURL)
	site := newSlowSite()
	w.Serve(withoutWaiting("slow-bytes=32MiB,small-work=1", site))
	live := servertest.Do(w, "stranger", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.OtherOrg, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive},
	}).ID
	ends := []func() servertest.Response{startImport(w, site, "admin", s.Notes), startImport(w, site, "stranger", live)}
	for _, row := range api.Rows() {
		switch {
		case slices.Contains(slowReads, row.Name):
			w.Call("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s), http.StatusOK)
		case row.Name == api.EditChangeRequestContent.Name:
			wantBusy(t, row.Name, w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s)))
		}
	}
	w.Call("", http.MethodGet, address, nil, http.StatusOK)
	close(site.release)
	for _, end := range ends {
		if a := end(); a.Status != http.StatusCreated {
			t.Errorf("an import that had its turn: %d %s", a.Status, a.Body)
		}
	}
	w.Call("", http.MethodGet, address, nil, http.StatusOK)
}

// slowReads are rows that read many or large texts.
var slowReads = []string{api.GetSpacePdf.Name, api.BlamePage.Name, api.DiffChangeRequest.Name, api.GetChangeRequestChanges.Name}

// TestSlowReadsWaitForPermit checks that all slow rows that read wait for a permit, which a PDF holds between its calls to
// Redis. Here no work counts as small.
func TestSlowReadsWaitForPermit(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{Reads: true}
	w, s := servertest.NewSampleWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	pdf := func() { servertest.Try(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: s.Handbook}) }
	busy, n := map[string]bool{}, int64(0)
	for more := true; more; {
		n++
		w.Serve(withoutWaiting("read-bytes=1,small-work=1", newSlowSite())) // with empty caches
		w.Store.ForgetContent(s.Handbook)
		more = hook.Before(n, func() {
			for _, row := range api.Rows() {
				if !slices.Contains(slowReads, row.Name) {
					continue
				}
				a := w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
				busy[row.Name] = busy[row.Name] || a.Status == http.StatusServiceUnavailable && a.Error().Reason == api.ReasonBusy
			}
		}, pdf)
	}
	for _, name := range slowReads {
		if !busy[name] {
			t.Errorf("%s did not wait for any of the %d calls of a PDF", name, n)
		}
	}
}

// slowBody is a body whose end the test determines.
type slowBody struct {
	reading, finish chan struct{} // reading is closed by the first read
	once            sync.Once
}

func (b *slowBody) Read([]byte) (int, error) {
	b.once.Do(func() { close(b.reading) })
	<-b.finish
	return 0, io.EOF
}

// sendContent sends a body with content operations to a change request. length is the declared one, -1 for none.
func sendContent(w *servertest.World, as string, ref api.ChangeRequestRef, body io.Reader, length int64) servertest.Response {
	r := httptest.NewRequestWithContext(w.T.Context(), http.MethodPost,
		"/v1/spaces/"+ref.Space+"/change-requests/"+ref.ChangeRequest+"/content", body)
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+w.Tokens[as])
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// TestLargeBodyArrivesWhole checks bodies of sizes around that from which they are counted, with and without a declared length,
// and that those above the limit of the row are refused.
func TestLargeBodyArrivesWhole(t *testing.T) {
	t.Parallel()
	const counted = 1 << 20
	w := servertest.NewWorld(t, storetest.Memory())
	ref := w.NewRequest("editor", w.NewSpace().ID)
	const start, end = `{"changes":[`, `{"operation":"insert_page","title":"Last"}]}`
	for _, size := range []int64{
		counted - 1, counted, counted + 1, counted + 2, 3*counted + 5, api.ContentBodyLimit, api.ContentBodyLimit + 1,
	} {
		want := http.StatusOK
		if size > api.ContentBodyLimit {
			want = http.StatusRequestEntityTooLarge
		}
		body := start + strings.Repeat(" ", int(size)-len(start)-len(end)) + end
		for _, length := range []int64{size, -1} {
			if a := sendContent(w, "editor", ref, strings.NewReader(body), length); a.Status != want {
				t.Errorf("a body of %d bytes, %d declared: %d %.200s, want %d", size, length, a.Status, a.Body, want)
			}
		}
	}
}

// TestLargeBodiesAreReadInTurn checks that a user may send large bodies up to half of the budget at a time: the body of a
// further request is not read at all, small bodies and those of other users are.
func TestLargeBodiesAreReadInTurn(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(withoutWaiting("body-bytes=80MiB", newSlowSite()))
	ref := w.NewRequest("editor", w.NewSpace().ID)
	send := func(as string, body io.Reader, length int64) servertest.Response {
		return sendContent(w, as, ref, body, length)
	}
	newBody := func() *slowBody { return &slowBody{reading: make(chan struct{}), finish: make(chan struct{})} }
	var ended sync.WaitGroup
	first, others := newBody(), newBody()
	for as, body := range map[string]*slowBody{"editor": first, "creator": others} {
		ended.Go(func() { send(as, body, 30<<20) })
		<-body.reading
	}
	for name, length := range map[string]int64{"of known length": 30 << 20, "of unknown length": -1} {
		unread := &countingReader{}
		wantBusy(t, "a second body "+name, send("editor", unread, length))
		if most := int64(0); length > 0 && unread.read > most || unread.read > 1<<20+1 {
			t.Errorf("%d bytes of a second body %s were read", unread.read, name)
		}
	}
	w.Change(ref, servertest.NewPage("Small", "Text.\n"))
	close(first.finish)
	close(others.finish)
	ended.Wait()
	if a := send("editor", &countingReader{end: 2 << 20}, 2<<20); a.Status != http.StatusBadRequest {
		t.Errorf("a body after the others: %d %s", a.Status, a.Body)
	}
}

// TestTwentyLargeBodiesStayInBudget checks how many of twenty bodies of 30 MiB that two users send at the same time are read: as
// many as fit in the budget for bodies, and in the half of it for each user. The others are refused unread, and accepted once
// the first have ended.
func TestTwentyLargeBodiesStayInBudget(t *testing.T) {
	t.Parallel()
	const uploads, size, fit = 20, 30 << 20, 4
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(withoutWaiting("body-bytes=128MiB", newSlowSite()))
	ref := w.NewRequest("editor", w.NewSpace().ID)
	send := func(i int, body io.Reader) servertest.Response {
		return sendContent(w, []string{"editor", "creator"}[i%2], ref, body, size)
	}
	for _, round := range []string{"at first", "after the first have ended"} {
		var ended sync.WaitGroup
		finish := make(chan struct{})
		for i := range uploads {
			if i >= fit {
				unread := &countingReader{}
				wantBusy(t, "one more body "+round, send(i, unread))
				servertest.Equal(t, "bytes read of a refused body "+round, 0, unread.read)
				continue
			}
			body := &slowBody{reading: make(chan struct{}), finish: finish}
			ended.Go(func() { send(i, body) })
			<-body.reading
		}
		close(finish)
		ended.Wait()
	}
}

// countingReader is a body of blanks. It ends after end bytes, or not at all if end is 0.
type countingReader struct{ read, end int64 }

func (c *countingReader) Read(data []byte) (int, error) {
	if c.end > 0 && c.read >= c.end {
		return 0, io.EOF
	}
	for i := range data {
		data[i] = ' '
	}
	c.read += int64(len(data))
	return len(data), nil
}

// slowClient is a client that reads its response when the test allows it.
type slowClient struct {
	httptest.ResponseRecorder
	started, release chan struct{}
}

func (r *slowClient) Write(data []byte) (int, error) {
	select {
	case r.started <- struct{}{}:
	default:
	}
	<-r.release
	return r.ResponseRecorder.Write(data)
}

// TestSlowDownloadsAreLimited checks that downloaded files count towards the limit of their address while they are in
// memory, and that they only affect downloads.
func TestSlowDownloadsAreLimited(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(withoutWaiting("download-bytes=2MiB", newSlowSite()))
	request := w.NewRequest("editor", w.NewSpace().ID)
	made := w.Change(request, api.ContentChange{
		Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", ContentType: "image/png", Base64: servertest.OnePixel}},
	})
	address := strings.TrimPrefix(made.InsertedFiles[0].File.DownloadURL, servertest.PublicURL)
	get := func(to http.ResponseWriter, from string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		r.RemoteAddr = from
		w.Handler.ServeHTTP(to, r)
	}
	status := func(from string) servertest.Response {
		recorder := httptest.NewRecorder()
		get(recorder, from)
		return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
	}
	slow := []*slowClient{}
	ended := make(chan struct{})
	for range 2 { // 512 KiB each
		r := &slowClient{ResponseRecorder: *httptest.NewRecorder(), started: make(chan struct{}, 1), release: make(chan struct{})}
		go func() { get(r, "192.0.2.1:1"); ended <- struct{}{} }()
		<-r.started
		slow = append(slow, r)
	}
	wantBusy(t, "a third download of an address", status("192.0.2.1:2"))
	if a := status("198.51.100.1:1"); a.Status != http.StatusOK {
		t.Errorf("a download of another address: %d %s", a.Status, a.Body)
	}
	w.Call("editor", http.MethodGet, "/v1/spaces/"+request.Space+"/change-requests/"+request.ChangeRequest+"/diff", nil, http.StatusOK)
	for _, r := range slow {
		close(r.release)
		<-ended
	}
	if a := status("192.0.2.1:2"); a.Status != http.StatusOK {
		t.Errorf("a download after the others: %d %s", a.Status, a.Body)
	}
}
