package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// TestRedisKillLosesNoAcknowledgedWrite kills Redis while clients write. With appendfsync always, no acknowledged
// write may be lost or duplicated.
func TestRedisKillLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	o := newWorkload(t, "always")
	for range 2 {
		o.await(t, 60)
		o.server.Kill()
		if err := o.server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o.await(t, 60)
	o.close()
	written := o.comments(t, o.node.newPerson(o.token))
	if slices.Sort(written); len(slices.Compact(slices.Clone(written))) != len(written) {
		t.Errorf("something is there twice: %q", written)
	}
	for _, text := range o.acknowledged {
		if !slices.Contains(written, text) {
			t.Errorf("%s was acknowledged and is lost", text)
		}
	}
	t.Logf("%d writes acknowledged, %d there", len(o.acknowledged), len(written))
	o.node.stop(t)
	o.host.fsck(t)
}

// TestPowerLossLeavesPrefix truncates the append-only file of a Redis with appendfsync everysec at several positions,
// as a power failure may. The remaining data must be a prefix of all writes.
func TestPowerLossLeavesPrefix(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	o := newWorkload(t, "everysec")
	file := filepath.Join("appendonlydir", "appendonly.aof.1.incr.aof")
	begin := size(t, filepath.Join(o.server.Directory, file))
	o.await(t, 150)
	o.server.Kill()
	o.close()
	o.node.stop(t)
	end := size(t, filepath.Join(o.server.Directory, file))
	const cuts = 6
	for i := range int64(cuts + 1) {
		at := begin + (end-begin)*i/cuts
		if i < cuts {
			at += i * 17 // in the middle of a command
		}
		directory := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(directory, os.DirFS(o.server.Directory)); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(directory, file), at); err != nil {
			t.Fatal(err)
		}
		written := o.checkPrefix(t, directory)
		t.Logf("cut at byte %d of %d: %d of %d acknowledged comments are there", at, end, written, len(o.acknowledged))
		if i == cuts && written < len(o.acknowledged) {
			t.Error("the death of the process alone lost something")
		}
	}
}

// checkPrefix runs wsd on truncated data and checks that it contains a prefix of each writer's comments. It returns
// the number of comments.
func (o *workload) checkPrefix(t *testing.T, directory string) int {
	t.Helper()
	server, err := storetest.StartRedis(t.Context(), directory, "--appendonly", "yes")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Kill()
	h := newHost(o.host.program, server.URL())
	h.fsck(t)
	n := h.mustServe(t)
	defer n.stop(t)
	p := n.newPerson(o.token)
	written := o.comments(t, p)
	for writer := range workloadWriters {
		prefix := fmt.Sprintf("%d-", writer)
		count := 0
		for _, text := range written {
			if strings.HasPrefix(text, prefix) {
				count++
			}
		}
		for i := range count {
			if !slices.Contains(written, fmt.Sprint(prefix, i)) {
				t.Errorf("%d comments of writer %d are there, but not number %d", count, writer, i)
			}
		}
	}
	p.do(t, "GET", o.draft+"/content/pages", nil)
	return len(written)
}

// waitForFlush waits until Redis has written its append-only buffer. With everysec, it replies before that.
func (o *workload) waitForFlush(t *testing.T) {
	t.Helper()
	client := newRedisClient(t, o.server.Addr, 0)
	for {
		info, err := client.InfoMap(t.Context(), "persistence").Result()
		if err != nil {
			t.Fatal(err)
		}
		if info["Persistence"]["aof_buffer_length"] == "0" {
			return
		}
	}
}

// workload is a server with clients that write comments to a space and one that edits pages.
type workload struct {
	server *storetest.Redis
	host   host
	node   *node
	token  string
	space  string // path of the space
	draft  string // path of a change request of the space
	stop   chan struct{}
	group  sync.WaitGroup
	count  atomic.Int64 // number of acknowledged comments

	mu           sync.Mutex
	acknowledged []string
}

const workloadWriters = 4

// newWorkload starts Redis, wsd and the writers.
func newWorkload(t *testing.T, fsync string) *workload {
	t.Helper()
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", fsync)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	o := &workload{server: server, host: newHost(binary(t, "wsd"), server.URL()), stop: make(chan struct{})}
	var organization string
	o.token, organization = o.host.createOrganization(t)
	o.node = o.host.mustServe(t)
	p := o.node.newPerson(o.token)
	o.space = "/v1/spaces/" + member(p.do(t, "POST", "/v1/orgs/"+organization+"/spaces", nil), "id")
	o.draft = o.space + "/change-requests/" + fmt.Sprint(p.do(t, "POST", o.space+"/change-requests", nil)["number"])
	o.waitForFlush(t)
	for writer := range workloadWriters {
		o.group.Go(func() { o.comment(t, o.node.newPerson(o.token), writer) })
	}
	o.group.Go(func() { o.edit(t, o.node.newPerson(o.token)) })
	return o
}

// comment writes comments until the workload is closed.
func (o *workload) comment(t *testing.T, p person, writer int) {
	for i := 0; !o.closed(); i++ {
		text := fmt.Sprintf("%d-%d", writer, i)
		status, answer, err := p.send(t.Context(), request{
			method: "POST", path: o.space + "/comments", body: map[string]any{"body": markdown(text)},
		})
		switch {
		case err == nil && status == http.StatusOK:
			o.mu.Lock()
			o.acknowledged = append(o.acknowledged, text)
			o.mu.Unlock()
			o.count.Add(1)
		case err != nil || status != http.StatusServiceUnavailable:
			t.Errorf("comment: %d %v %v", status, answer, err)
			return
		}
	}
}

// edit adds pages to the change request until the workload is closed.
func (o *workload) edit(t *testing.T, p person) {
	for i := 0; !o.closed() && i < 500; i++ {
		changes := map[string]any{"changes": []map[string]any{insertPage(fmt.Sprint("Page ", i), fmt.Sprintf("# Page %d\n", i))}}
		status, answer, err := p.send(t.Context(), request{method: "POST", path: o.draft + "/content", body: changes})
		if err != nil || status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Errorf("edit: %d %v %v", status, answer, err)
			return
		}
	}
}

func (o *workload) closed() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

// close stops the writers.
func (o *workload) close() {
	close(o.stop)
	o.group.Wait()
}

// await waits until the given number of further comments has been acknowledged.
func (o *workload) await(t *testing.T, more int64) {
	t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for enough := o.count.Load() + more; o.count.Load() < enough; {
		select {
		case <-tick.C:
		case <-limit:
			o.close()
			t.Fatal("nobody can write")
		}
	}
}

// comments returns the texts of all comments.
func (o *workload) comments(t *testing.T, p person) []string {
	t.Helper()
	var texts []string
	for next := ""; ; {
		answer := p.do(t, "GET", o.space+"/comments?limit=1000"+next, nil)
		items, _ := answer["items"].([]any)
		for _, item := range items {
			comment, _ := item.(map[string]any)
			body, _ := comment["body"].(map[string]any)
			texts = append(texts, member(body, "markdown"))
		}
		following, more := answer["next"].(map[string]any)
		if !more {
			return texts
		}
		next = "&page=" + member(following, "page")
	}
}

func size(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
