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
type externalRedis struct {
	*commandRunner
	host  host
	admin person
	load  *writeLoad
}

// newExternalRedis starts wsd on a Redis with writing clients, and prepares the sections of the page to be run.
func newExternalRedis(t *testing.T, url string, headings ...string) *externalRedis {
	t.Helper()
	r := &externalRedis{
		commandRunner: newCommandRunner(t, headings...),
		host:          newHost(binary(t, "wsd"), url).withEnvironment("WSD_RATE_LIMIT=0"),
	}
	r.env = append(r.host.environment, "PATH="+filepath.Dir(r.host.program)+":"+os.Getenv("PATH"), "HOME="+r.root)
	token, _ := r.host.createOrganization(t)
	served := r.host.mustServe(t)
	r.admin = served.newPerson(token)
	r.load = startLoad(t, r.admin)
	r.load.waitForStart(t)
	r.writeSettings(t, r.host)
	if err := os.MkdirAll(r.root+"/srv/backup/secrets", 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRestored checks the data of a restored Redis. The backup was made between the starts of the commands first and next.
func (r *externalRedis) checkRestored(t *testing.T, url, first, next string) {
	t.Helper()
	r.load.stopLoad()
	restored := newHost(r.host.program, url).mustServe(t)
	p := restored.newPerson(r.admin.token)
	r.load.checkRestored(t, p, r.startTime(t, first), r.startTime(t, next))
	restored.stop(t)
}

// shutDownAtEnd shuts down the Redis that the commands of the page start on a port, when the test ends.
func shutDownAtEnd(t *testing.T, port string) {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, DisableIdentity: true, MaxRetries: -1})
	t.Cleanup(func() {
		client.ShutdownNoSave(context.WithoutCancel(t.Context())) // there is no reply, and the context of the test is done
		_ = client.Close()
	})
}

// TestDocumentedRedisBackup follows docs/operations.md to back up a single Redis remotely under load and to restore it to
// another one.
func TestDocumentedRedisBackup(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	r := newExternalRedis(t, server.URL(), "### One Redis")
	port := freePort(t)
	r.replacements = append(r.replacements, "redis://127.0.0.1:6379", server.URL(), "6390", port)
	shutDownAtEnd(t, port)
	r.runCommands(t)
	if !t.Failed() {
		r.checkRestored(t, "redis://127.0.0.1:"+port, "--rdb", "install -d")
	}
}

var pausePattern = regexp.MustCompile(`writes were paused for (\d+) ms`)

// maxPause is the maximum pause on a busy machine; the documented one is a fraction of a second.
const maxPause = 4 * time.Second

// TestDocumentedClusterBackup follows docs/operations.md to back up a Cluster under load, with all masters at the same moment,
// and to restore it to another one.
func TestDocumentedClusterBackup(t *testing.T) {
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
	r := newExternalRedis(t, clusters[0].URL(), "### A Cluster")
	port := freePort(t)
	r.replacements = append(r.replacements, "127.0.0.1:7001", clusters[0].Nodes[0].Addr, "127.0.0.1:7011", clusters[1].Nodes[0].Addr,
		"7100", port)
	if err := os.WriteFile(r.root+"/wsd-cluster-backup", []byte(block(t, "### A Cluster", "sh")), 0o600); err != nil {
		t.Fatal(err)
	}
	r.runCommands(t)
	if t.Failed() {
		return
	}
	match := pausePattern.FindStringSubmatch(r.outputOf(t, "wsd-cluster-backup"))
	if len(match) == 0 {
		t.Fatal("the backup does not say how long writes were paused")
	}
	milliseconds, _ := strconv.Atoi(match[1])
	if paused := time.Duration(milliseconds) * time.Millisecond; paused > maxPause {
		t.Errorf("writes were paused for %s", paused)
	} else {
		t.Logf("writes were paused for %s", paused)
	}
	if files, _ := filepath.Glob(r.root + "/srv/backup/*.rdb"); len(files) != 3 {
		t.Errorf("snapshots: %v", files)
	}
	r.checkRestored(t, clusters[1].URL(), "wsd-cluster-backup", "for snapshot")
}
