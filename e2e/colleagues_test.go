package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// largeWorks are works of a member of an organization that keep wsd busy, by name. Each is called with a number of its own.
var largeWorks = map[string]func(w *colleagues, ctx context.Context, n int64) (status int, err error){
	"content request": (*colleagues).edit,
	"duplicate":       (*colleagues).duplicate,
	"import":          (*colleagues).importPages,
}

// colleagues are two members of an organization: one does large work, the other reads a page.
type colleagues struct {
	node           *node
	worker, reader person
	organization   string
	page           string // path of the page
	large          string // path of a space with many pages
	archive        string // address of an archive of many pages
	edits          []byte // body of a large content request
}

// largePages is the number of pages of a large space or archive.
const largePages = 1_000

// pageText returns the text of a page of about 4 KiB.
func pageText(n int) string {
	const paragraph = "Some words of *documentation*, with [a link](https://example.com) each.\n\n"
	return fmt.Sprintf("# Page %d\n\n%s", n, strings.Repeat(paragraph, 56))
}

// newColleagues starts wsd with an organization.
func newColleagues(t *testing.T) *colleagues {
	t.Helper()
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0")
	token, organization := h.createOrganization(t)
	w := &colleagues{organization: organization}
	w.node = h.mustServe(t)
	w.reader, w.worker = w.node.newPerson(token), w.node.newPerson(h.createToken(t, "greta@example.com", organization))
	var changes []map[string]any
	for n := range 10 { // 200 KiB each, together within the limit of a request
		changes = append(changes, map[string]any{"operation": "insert_page", "document": markdown(strings.Repeat(pageText(n)+"\n", 50))})
	}
	edits, err := json.Marshal(map[string]any{"changes": changes})
	if err != nil {
		t.Fatal(err)
	}
	w.edits = edits
	space := w.newSpace(t, "locked")
	small := w.newRequest(t, space)
	w.reader.do(t, http.MethodPost, small+"/content", map[string]any{"changes": []map[string]any{insertPage("Tea", pageText(0))}})
	w.reader.do(t, http.MethodPost, small+"/merge", nil)
	pages := w.reader.do(t, http.MethodGet, space+"/content/pages", nil)
	w.page = space + "/content/page/" + member(pages["pages"].([]any)[0].(map[string]any), "id") //nolint:forcetypeassert // fails the test
	w.large = w.newSpace(t, "locked")
	request := w.newRequest(t, w.large)
	for first := range largePages / 50 {
		var pages []map[string]any
		for n := range 50 {
			pages = append(pages, insertPage("", pageText(50*first+n)))
		}
		w.worker.do(t, http.MethodPost, request+"/content", map[string]any{"changes": pages})
	}
	w.reader.do(t, http.MethodPost, request+"/merge", nil)
	var archive bytes.Buffer
	files := zip.NewWriter(&archive)
	for n := range largePages {
		f, err := files.Create(fmt.Sprintf("page-%d.md", n))
		if err == nil {
			_, err = f.Write([]byte(pageText(n)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "application/zip")
		_, _ = answer.Write(archive.Bytes()) // a request that has ended needs no answer
	}))
	t.Cleanup(site.Close)
	w.archive = site.URL + "/docs.zip"
	return w
}

// newSpace creates a space and returns its path.
func (w *colleagues) newSpace(t *testing.T, mode string) string {
	t.Helper()
	made := w.reader.do(t, http.MethodPost, "/v1/orgs/"+w.organization+"/spaces", map[string]any{"title": "Space", "editMode": mode})
	return "/v1/spaces/" + member(made, "id")
}

// newRequest creates a change request and returns its path.
func (w *colleagues) newRequest(t *testing.T, space string) string {
	t.Helper()
	return space + "/change-requests/" + fmt.Sprint(w.worker.do(t, http.MethodPost, space+"/change-requests", map[string]any{})["number"])
}

// post sends a body of JSON as the worker.
func (w *colleagues) post(ctx context.Context, path string, body []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.worker.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+w.worker.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := w.worker.client.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// edit adds fifty pages, together 10 MiB, to a new change request.
func (w *colleagues) edit(ctx context.Context, _ int64) (status int, err error) {
	_, made, err := w.worker.send(ctx, request{method: http.MethodPost, path: w.large + "/change-requests", body: map[string]any{}})
	if err != nil {
		return 0, err
	}
	return w.post(ctx, w.large+"/change-requests/"+fmt.Sprint(made["number"])+"/content", w.edits)
}

// duplicate copies a space with a thousand pages.
func (w *colleagues) duplicate(ctx context.Context, _ int64) (status int, err error) {
	return w.post(ctx, w.large+"/duplicate", nil)
}

// importPages imports a thousand pages into a new change request.
func (w *colleagues) importPages(ctx context.Context, n int64) (status int, err error) {
	_, made, err := w.worker.send(ctx, request{method: http.MethodPost, path: w.large + "/change-requests", body: map[string]any{}})
	if err != nil {
		return 0, err
	}
	status, _, err = w.worker.send(ctx, request{
		method: http.MethodPost, path: w.large + "/change-requests/" + fmt.Sprint(made["number"]) + "/content/import",
		body: map[string]any{"url": fmt.Sprintf("%s?%d", w.archive, n), "source": "zip"},
	})
	return status, err
}

// readPause is the time between two reads, so that the reader does not keep wsd busy.
const readPause = 5 * time.Millisecond

// workAtOnce is the number of works of a kind that the worker does at the same time.
const workAtOnce = 2

// work does large work until stop is called, which returns how many works were done and refused as busy.
func (w *colleagues) work(t *testing.T, do func(w *colleagues, ctx context.Context, n int64) (status int, err error)) (
	stop func() (done, busy int64),
) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var started, done, busy atomic.Int64
	for range workAtOnce {
		group.Go(func() {
			for ctx.Err() == nil {
				switch status, err := do(w, ctx, started.Add(1)); {
				case ctx.Err() != nil:
				case err == nil && status < http.StatusBadRequest:
					done.Add(1)
				case err == nil && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests):
					busy.Add(1)
				default:
					t.Errorf("large work: %d %v", status, err)
					return
				}
			}
		})
	}
	return func() (int64, int64) { cancel(); group.Wait(); return done.Load(), busy.Load() }
}

// TestLargeWorkOfColleagueCampaign prints how long a member's reads of a page take while another member of the organization does large
// work, compared with those before. In full, the median may be three times as long.
func TestLargeWorkOfColleagueCampaign(t *testing.T) { //nolint:paralleltest // it measures times
	storetest.NeedServer(t)
	const full = 5_000
	count, _ := storetest.LongCampaign(t, "colleagues", 300, full)
	w := newColleagues(t)
	for name, do := range largeWorks { //nolint:paralleltest // it measures times
		t.Run(name, func(t *testing.T) {
			measureReads(t, w.node, w.reader, w.page, count/4, 0) // warm caches
			quiet := measureReads(t, w.node, w.reader, w.page, count, readPause)
			stop := w.work(t, do)
			during := measureReads(t, w.node, w.reader, w.page, count, readPause)
			done, busy := stop()
			ratio := during.quantile(0.5) / quiet.quantile(0.5)
			t.Logf("%d works done, %d busy; quiet: %s; during: %s; median x %.1f, p99 x %.1f", done, busy, quiet, during, ratio,
				during.quantile(0.99)/quiet.quantile(0.99))
			if count >= full && ratio > 3 {
				t.Errorf("reads took %.1f times as long", ratio)
			}
		})
	}
	w.node.stop(t)
}
