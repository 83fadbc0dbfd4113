package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// pausedNode runs two nodes on one Redis. It stops one with SIGSTOP for longer than its lease, as when a machine is
// suspended, lets the other do the same work, and resumes the first.
type pausedNode struct {
	paused, running *node
	host            host
	token           string
	org, space      string // the space is in live edit mode
}

const shortLease = time.Second

func newPausedNode(t *testing.T) *pausedNode {
	t.Helper()
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "no", "--save", "36000 1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	s := &pausedNode{host: newHost(binary(t, "wsd"), server.URL()).withEnvironment("WSD_BUDGETS=job-lease=" + shortLease.String())}
	var organization string
	s.token, organization = s.host.createOrganization(t)
	s.paused = s.host.mustServe(t)
	s.org = "/v1/orgs/" + organization
	s.space = "/v1/spaces/" + member(s.paused.newPerson(s.token).do(t, "POST", s.org+"/spaces", map[string]any{
		"title": "Docs", "editMode": "live",
	}), "id")
	return s
}

func (n *node) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := n.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// response is the result of a request.
type response struct {
	status int
	body   map[string]any
	err    error
}

// sendAsync sends a request in the background and returns the channel that receives its result.
func (p person) sendAsync(t *testing.T, r request) <-chan response {
	t.Helper()
	responses := make(chan response, 1)
	go func() {
		var a response
		a.status, a.body, a.err = p.send(t.Context(), r)
		responses <- a
	}()
	return responses
}

// titles returns the titles of the top-level pages of the space.
func (s *pausedNode) titles(t *testing.T) (titles []string) {
	t.Helper()
	pages, _ := s.running.newPerson(s.token).do(t, "GET", s.space+"/content/pages", nil)["pages"].([]any)
	for _, p := range pages {
		title, _ := p.(map[string]any)["title"].(string)
		titles = append(titles, title)
	}
	return titles
}

// finish stops both nodes and checks the data.
func (s *pausedNode) finish(t *testing.T) {
	t.Helper()
	s.paused.stop(t)
	s.running.stop(t)
	s.host.fsck(t)
}

// blockingSite is a website that closes reached at the first request of one page and does not answer that request until
// released is closed.
type blockingSite struct {
	*httptest.Server

	reached, released chan struct{}
}

func newBlockingSite(t *testing.T, path string, bodies map[string]string) *blockingSite {
	t.Helper()
	g := &blockingSite{reached: make(chan struct{}), released: make(chan struct{})}
	var visited atomic.Bool
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path && !visited.Swap(true) {
			close(g.reached)
			select {
			case <-g.released:
			case <-r.Context().Done():
			}
		}
		body, found := bodies[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(path, ".html") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// TestRetriedImportRunsOnceDespitePause repeats an import request while the node with the first request is stopped. It checks
// that the content is imported once and that both requests get the same response.
func TestRetriedImportRunsOnceDespitePause(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	s := newPausedNode(t)
	site := newBlockingSite(t, "/wood.html", map[string]string{
		"/index.html": `<html><body><nav><ul><li><a href="index.html">Box</a></li><li><a href="wood.html">Wood</a></li></ul></nav><main><h1>Box</h1><p>A box.</p></main></body></html>`,
		"/wood.html":  `<html><body><main><h1>Wood</h1><p>Larch.</p></main></body></html>`,
	})
	r := request{
		method: "POST", path: s.space + "/content/import", key: "import", body: map[string]any{
			"url": site.URL + "/index.html", "source": "website",
		},
	}
	late := s.paused.newPerson(s.token).sendAsync(t, r)
	<-site.reached
	s.paused.signal(t, syscall.SIGSTOP)
	close(site.released)
	s.running = s.host.mustServe(t)
	status, body, err := s.running.newPerson(s.token).send(t.Context(), r)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("the other: %d %v %v", status, body, err)
	}
	before := s.titles(t)
	s.paused.signal(t, syscall.SIGCONT)
	if a := <-late; a.err != nil || a.status != http.StatusCreated || a.body["revision"] != body["revision"] {
		t.Errorf("the one that was stopped: %d %v %v, want %v", a.status, a.body, a.err, body)
	}
	if after := s.titles(t); len(before) != 2 || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("pages %q, before %q", after, before)
	}
	s.finish(t)
}

// TestRetriedMergeRunsOnceDespitePause repeats a merge request while the node with the first request is stopped, at increasing
// delays. It checks that there is only one merge.
func TestRetriedMergeRunsOnceDespitePause(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	s := newPausedNode(t)
	s.running = s.host.mustServe(t)
	p := s.running.newPerson(s.token)
	const rounds = 8
	for i := range rounds {
		title := fmt.Sprint("Page ", i)
		merging := s.space + "/change-requests/" + fmt.Sprint(p.do(t, "POST", s.space+"/change-requests", nil)["number"])
		p.do(t, "POST", merging+"/content", map[string]any{
			"changes": []any{insertPage(title, "# "+title+"\n\n"+strings.Repeat("Text. ", 2000)+"\n")},
		})
		r := request{method: "POST", path: merging + "/merge", key: "merge " + title}
		late := s.paused.newPerson(s.token).sendAsync(t, r)
		<-time.After(time.Duration(i) * 2 * time.Millisecond) // varies where it is stopped
		s.paused.signal(t, syscall.SIGSTOP)
		status, body, err := p.send(t.Context(), r)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s, the other: %d %v %v", title, status, body, err)
		}
		s.paused.signal(t, syscall.SIGCONT)
		if a := <-late; a.err != nil || a.status != http.StatusOK || a.body["revision"] != body["revision"] {
			t.Errorf("%s, the one that was stopped: %d %v %v, want %v", title, a.status, a.body, a.err, body)
		}
		if titles := s.titles(t); len(titles) != i+1 {
			t.Errorf("pages %q", titles)
		}
	}
	s.finish(t)
}

// TestJobResultAfterLostLeaseIsDiscarded stops a node that fetches a specification for longer than its lease, so that another
// node fetches it. It checks that the result of the first node is discarded.
func TestJobResultAfterLostLeaseIsDiscarded(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	s := newPausedNode(t)
	source := newBlockingSite(t, "/api.json", map[string]string{
		"/api.json": `{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}`,
	})
	spec := s.org + "/openapi/pets"
	s.paused.newPerson(s.token).do(t, "PUT", spec, map[string]any{"source": map[string]any{"url": source.URL + "/api.json"}})
	<-source.reached
	s.paused.signal(t, syscall.SIGSTOP)
	s.running = s.host.mustServe(t)
	p := s.running.newPerson(s.token)
	for end := time.Now().Add(20 * shortLease); p.do(t, "GET", spec, nil)["processingState"] != "complete"; {
		if time.Now().After(end) {
			t.Fatal("the other never took the job over")
		}
		<-time.After(shortLease / 10)
	}
	close(source.released)
	s.paused.signal(t, syscall.SIGCONT)
	if status := <-s.paused.newPerson(s.token).sendAsync(t, request{method: "GET", path: spec}); status.status != http.StatusOK {
		t.Errorf("the one that was stopped: %d %v", status.status, status.err)
	}
	<-time.After(shortLease) // gives the first node time for a late write
	if versions := p.do(t, "GET", spec+"/versions", nil)["count"]; versions != 1.0 {
		t.Errorf("%v versions", versions)
	}
	s.finish(t)
}
