// Package terminal tests the review screen end to end: the real wsctl in tmux windows, against the real wsd on a
// Redis of its own, with kills of both. It needs tmux and redis-server.
package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// scratch is a directory for all tests. Its name is short because paths of unix sockets are limited.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wsd-t-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scratch = dir
	defer func() { _ = os.RemoveAll(dir) }()
	return m.Run()
}

// worldCount is the number of worlds created.
var worldCount atomic.Int64

// binaries builds wsd and wsctl with the flags of a release, once, and returns their directory.
var binaries = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir := filepath.Join(scratch, "bin") + string(filepath.Separator)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "nomsgpack,timetzdata", "-o", dir, "./cmd/...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/...: %w\n%s", err, out)
	}
	return dir, nil
})

// world is a wsd behind a proxy, with an author and a reviewer.
type world struct {
	*testing.T

	bin, dir, redis  string
	proxy            *holdingProxy
	wsd              *wsd
	tmux             tmux
	org              string
	author, reviewer *person
}

// person is a user with a client and a home directory for drafts.
type person struct {
	w           *world
	name, token string
	id, home    string
	client      *client.Client
}

// newWorld starts Redis, wsd and tmux for the duration of the test.
func newWorld(t *testing.T) *world {
	t.Helper()
	storetest.NeedServer(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not on PATH")
	}
	bin, err := binaries()
	must(t, err)
	dir := filepath.Join(scratch, fmt.Sprintf("w-%d", worldCount.Add(1))) // short, for the paths of sockets
	must(t, os.Mkdir(dir, 0o700))
	redis, err := storetest.StartRedis(t.Context(), filepath.Join(dir, "redis"), "--appendonly", "yes")
	must(t, err)
	t.Cleanup(redis.Kill)
	w := &world{T: t, bin: bin, dir: dir, redis: "redis://" + redis.Addr, proxy: newHoldingProxy(t)}
	w.tmux = newTmux(t, dir)
	w.wsd = w.serve()
	var made struct{ Token, Organization string }
	w.runAdmin(&made, "init", "--user", "ada@example.com", "--display-name", "Ada Berg", "--org", "Tidemark")
	w.org = made.Organization
	w.author = w.newPerson("Ada Berg", made.Token)
	w.runAdmin(&made, "token", "create", "--user", "rob@example.com", "--display-name", "Rob Lindt", "--org", w.org, "--role", "review")
	w.reviewer = w.newPerson("Rob Lindt", made.Token)
	return w
}

func (w *world) newPerson(name, token string) *person {
	w.Helper()
	p := &person{w: w, name: name, token: token, client: client.New(w.proxy.url, client.WithToken(token))}
	me, err := p.client.User.Get(w.Context(), api.NoInput{})
	must(w, err)
	p.id, p.home = me.ID, filepath.Join(w.dir, strings.Fields(name)[0])
	must(w, os.Mkdir(p.home, 0o700))
	return p
}

// runAdmin runs a command of wsd and decodes its JSON output into v.
func (w *world) runAdmin(v any, args ...string) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), filepath.Join(w.bin, "wsd"), append(args, "-o", "json")...)
	cmd.Env = w.environment()
	out, err := cmd.CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, v)
	}
	if err != nil {
		w.Fatalf("wsd %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// environment returns the environment of wsd.
func (w *world) environment() []string {
	return append(cleanEnviron(), "WSD_REDIS_URL="+w.redis, "WSD_SECRET="+secret, "WSD_ADDR=127.0.0.1:0", "WSD_PUBLIC_URL="+w.proxy.url,
		"WSD_LOG_LEVEL=error", "WSD_DRAIN_TIME=0s")
}

const secret = "a secret that is used in tests alone"

// cleanEnviron returns the environment without variables of wsd and wsctl.
func cleanEnviron() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "WSD_") && !strings.HasPrefix(variable, "WSCTL_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// timeout limits each wait.
const timeout = 20 * time.Second

// eventually polls condition until it is true, and reports whether that happened in time.
func eventually(condition func() bool) bool {
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(15 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}
