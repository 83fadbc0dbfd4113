package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// writeLoad is a set of clients that write while a backup is made: each adds pages to its own change request.
type writeLoad struct {
	stop        chan struct{}
	wg          sync.WaitGroup
	mu          sync.Mutex
	ackedWrites map[string][]ackedWrite // by draft
	drafts      []string
}

// ackedWrite holds the times of an acknowledged write.
type ackedWrite struct{ sentAt, ackedAt time.Time }

const (
	writers       = 3
	writeInterval = 20 * time.Millisecond
	minFirstPages = 5
)

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
}

// startLoad starts clients that write until stopped or until the server is gone.
func startLoad(t *testing.T, p person) *writeLoad {
	t.Helper()
	w := &writeLoad{stop: make(chan struct{}), ackedWrites: map[string][]ackedWrite{}}
	orgs, _ := p.do(t, "GET", "/v1/orgs", nil)["items"].([]any)
	if len(orgs) != 1 {
		t.Fatalf("organizations: %v", orgs)
	}
	for i := range writers {
		space := "/v1/spaces/" + member(p.do(t, "POST", "/v1/orgs/"+member(orgs[0].(map[string]any), "id")+"/spaces",
			map[string]any{"title": fmt.Sprint("Space ", i)}), "id")
		draft := space + "/change-requests/" + fmt.Sprint(p.do(t, "POST", space+"/change-requests", nil)["number"]) + "/content"
		w.drafts = append(w.drafts, draft)
		w.wg.Go(func() { w.write(t, p, draft) })
	}
	return w
}

// loadText returns the text of page n of a writer.
func loadText(n int) string {
	return fmt.Sprintf("# Page %d\n\n%s\n", n, strings.Repeat(fmt.Sprint("Words ", n, ". "), 200))
}

func (w *writeLoad) write(t *testing.T, p person, draft string) {
	tick := time.NewTicker(writeInterval)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		title := fmt.Sprint("Page ", n)
		body := map[string]any{
			"changes": []any{
				map[string]any{"operation": "insert_page", "title": title, "document": map[string]any{"markdown": loadText(n)}},
			},
		}
		sent := time.Now()
		status, answer, err := p.send(t.Context(), request{method: "POST", path: draft, body: body, key: draft + title})
		if err != nil {
			return // a command of the page has stopped the server
		}
		if status >= http.StatusBadRequest {
			t.Errorf("while people write: %d %v", status, answer)
			return
		}
		w.mu.Lock()
		w.ackedWrites[draft] = append(w.ackedWrites[draft], ackedWrite{sent, time.Now()})
		w.mu.Unlock()
	}
}

// waitForStart waits until every client has written at least minFirstPages pages.
func (w *writeLoad) waitForStart(t *testing.T) {
	t.Helper()
	eventually(t, "the first pages", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, draft := range w.drafts {
			if len(w.ackedWrites[draft]) < minFirstPages && !t.Failed() {
				return false
			}
		}
		return true
	})
}

// stopLoad stops the clients.
func (w *writeLoad) stopLoad() {
	close(w.stop)
	w.wg.Wait()
}

// checkRestored fails the test unless a server has all writes acknowledged before the backup began, and a prefix of
// the later ones. There must have been writes before and after that time.
func (w *writeLoad) checkRestored(t *testing.T, p person, began, ended time.Time) {
	t.Helper()
	after := 0
	for _, draft := range w.drafts {
		before := 0
		for _, page := range w.ackedWrites[draft] {
			if page.ackedAt.Before(began) {
				before++
			} else {
				after++
			}
		}
		pages, _ := p.do(t, "GET", draft+"/pages", nil)["pages"].([]any)
		if len(pages) < before || before == 0 {
			t.Errorf("%s has %d pages of %d that were there when the backup began", draft, len(pages), before)
		}
		for n, page := range pages {
			if title := member(page.(map[string]any), "title"); title != fmt.Sprint("Page ", n) {
				t.Errorf("%s: page %d is %q", draft, n, title)
			}
		}
		if last := len(pages) - 1; last >= 0 {
			if text := p.do(t, "GET", fmt.Sprintf("%s/path/page-%d?format=markdown", draft, last),
				nil)["markdown"]; text != loadText(last) {
				t.Errorf("%s: the last page reads %q", draft, text)
			}
		}
	}
	if after == 0 {
		t.Error("nobody wrote any more when the backup was taken")
	}
	t.Logf("%d changes were made since the backup began, which took %s", after, ended.Sub(began).Round(time.Millisecond))
}
