package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// TestWorkflowSurvivesClusterFailover and TestWorkflowSurvivesSentinelFailover edit and merge over HTTP, kill the
// master, and go on.
func TestWorkflowSurvivesClusterFailover(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	testWorkflow(t, cluster.URL(), func(organization string) (*storetest.Redis, error) {
		return cluster.Master(t.Context(), "wsd:{"+organization+"}:org")
	})
}

func TestWorkflowSurvivesSentinelFailover(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	sentinel, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	testWorkflow(t, sentinel.URL(), func(string) (*storetest.Redis, error) { return sentinel.Master(t.Context()) })
}

// maxFailover is the longest interruption by the death of a master.
const maxFailover = 10 * time.Second

func testWorkflow(t *testing.T, url string, master func(organization string) (*storetest.Redis, error)) {
	t.Helper()
	h := newHost(binary(t, "wsd"), url)
	out, err := h.run(t, "doctor") // warns that a failover may lose writes
	if exit, ended := errors.AsType[*exec.ExitError](err); err != nil &&
		(!ended || exit.ExitCode() != 1 || !strings.Contains(err.Error(), "do something: replicas\n")) {
		t.Error(out, err)
	}
	token, organization := h.createOrganization(t)
	n := h.mustServe(t)
	p := n.newPerson(token)
	space := "/v1/spaces/" + member(p.do(t, "POST", "/v1/orgs/"+organization+"/spaces", map[string]any{"title": "Guide"}), "id")
	work := space + "/change-requests/" + fmt.Sprint(p.do(t, "POST", space+"/change-requests", map[string]any{"subject": "Tea"})["number"])
	const text = "# Tea\n\nThe kettle is on at four.\n"
	p.do(t, "POST", work+"/content", map[string]any{"changes": []map[string]any{insertPage("Tea", text)}})
	p.do(t, "POST", work+"/content/import", map[string]any{"url": serveSite(t), "source": "website"})
	p.do(t, "POST", work+"/comments", map[string]any{"body": markdown("Four sharp?")})
	if result := p.do(t, "POST", work+"/merge", nil); result["result"] != "merge" {
		t.Errorf("merge: %v", result)
	}
	before := p.view(t, organization)
	if got := p.do(t, "GET", space+"/content/path/tea?format=markdown", nil); got["markdown"] != text {
		t.Errorf("read back: %v", got)
	}
	h.fsck(t)

	victim, err := master(organization)
	if err != nil {
		t.Fatal(err)
	}
	waitForReplication(t, victim)
	victim.Kill()
	t.Logf("back after %s", p.retry(t, request{
		method: "PATCH", path: space, body: map[string]any{"title": "Guide"}, key: "once",
	}).Round(time.Millisecond))
	if after := p.view(t, organization); after != before {
		t.Errorf("after the failover:\n%s\nwant:\n%s", after, before)
	}
	h.fsck(t)
	n.stop(t)
}

// waitForReplication waits until the replica has caught up with the master, as a failover loses the rest.
func waitForReplication(t *testing.T, master *storetest.Redis) {
	t.Helper()
	client := master.Client()
	defer func() { _ = client.Close() }()
	deadline := time.After(maxFailover)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := client.Info(t.Context(), "replication").Result()
		_, offset, found := strings.Cut(text, "master_repl_offset:")
		offset, _, _ = strings.Cut(offset, "\r\n")
		if err == nil && found && strings.Contains(text, "state=online,offset="+offset+",") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the replica does not follow: %v\n%s", err, text)
		}
	}
}

// retry repeats a request until Redis is available again and returns the duration.
func (p person) retry(t *testing.T, r request) time.Duration {
	t.Helper()
	began := time.Now()
	for {
		status, answer, err := p.send(t.Context(), r)
		took := time.Since(began)
		switch {
		case err == nil && status < http.StatusBadRequest && took < maxFailover:
			return took
		case err != nil || status < http.StatusBadRequest || status != http.StatusServiceUnavailable || took > maxFailover:
			t.Fatalf("after %s: %d %v %v", took, status, answer, err)
		}
	}
}
