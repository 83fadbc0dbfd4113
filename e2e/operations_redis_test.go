package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// externalRedis is a deployment of docs/operations.md with an external Redis.
type restorable struct {
	*machine
	host    host
	admin   person
	writing *writing
}

// newExternalRedis starts wsd on a Redis with writing clients, and prepares the sections of the page to be run.
func restoring(t *testing.T, url string, headings ...string) *restorable {
	t.Helper()
	r := &restorable{machine: newMachine(t, headings...), host: newHost(binary(t, "wsd"), url).with("WSD_RATE_LIMIT=0")}
	r.env = append(r.host.environment, "PATH="+filepath.Dir(r.host.program)+":"+os.Getenv("PATH"), "HOME="+r.root)
	token, _ := r.host.admin(t)
	served := r.host.mustServe(t)
	r.admin = served.as(token)
	r.writing = begin(t, r.admin)
	r.writing.hasBegun(t)
	if err := os.MkdirAll(r.root+"/srv/backup", 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRestored checks the data of a restored Redis. The backup was made between the starts of two commands.
func (r *restorable) isIn(t *testing.T, url, first, next string) {
	t.Helper()
	r.writing.end()
	restored := newHost(r.host.program, url).mustServe(t)
	p := restored.as(r.admin.token)
	r.writing.isIn(t, p, r.began(t, first), r.began(t, next))
	restored.stop(t)
}

// shutDownAtEnd shuts down the server on a port, which the page starts, when the test ends.
func endServer(t *testing.T, port string) {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, DisableIdentity: true, MaxRetries: -1})
	t.Cleanup(func() {
		client.ShutdownNoSave(context.WithoutCancel(t.Context())) // there is no reply, and the context of the test is done
		_ = client.Close()
	})
}

// A single Redis is backed up remotely under load and restored to another one.
func TestOperationsOfOneRedis(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	r := restoring(t, server.URL(), "### One Redis")
	port := freePort(t)
	r.replace = append(r.replace, "redis://127.0.0.1:6379", server.URL(), "6390", port)
	endServer(t, port)
	r.follow(t)
	if !t.Failed() {
		r.isIn(t, "redis://127.0.0.1:"+port, "--rdb", "install -d")
	}
}

var pausedFor = regexp.MustCompile(`writes were paused for (\d+) ms`)

// maxPause limits the documented fraction of a second on a busy machine.
const longestPause = 4 * time.Second

// A Cluster is backed up under load with all masters at one moment, and restored to another one.
func TestOperationsOfACluster(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	var clusters [2]*storetest.Cluster
	for i := range clusters {
		cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cluster.Close)
		clusters[i] = cluster
	}
	r := restoring(t, clusters[0].URL(), "### A Cluster")
	port := freePort(t)
	r.replace = append(r.replace, "127.0.0.1:7001", clusters[0].Nodes[0].Addr, "127.0.0.1:7011", clusters[1].Nodes[0].Addr, "7100", port)
	if err := os.WriteFile(r.root+"/wsd-cluster-backup", []byte(block(t, "### A Cluster", "sh")), 0o600); err != nil {
		t.Fatal(err)
	}
	r.follow(t)
	if t.Failed() {
		return
	}
	said := pausedFor.FindStringSubmatch(r.printed(t, "wsd-cluster-backup"))
	if len(said) == 0 {
		t.Fatal("the backup does not say how long writes were paused")
	}
	milliseconds, _ := strconv.Atoi(said[1])
	if paused := time.Duration(milliseconds) * time.Millisecond; paused > longestPause {
		t.Errorf("writes were paused for %s", paused)
	} else {
		t.Logf("writes were paused for %s", paused)
	}
	if files, _ := filepath.Glob(r.root + "/srv/backup/*.rdb"); len(files) != 3 {
		t.Errorf("snapshots: %v", files)
	}
	r.isIn(t, clusters[1].URL(), "wsd-cluster-backup", "for snapshot")
}
