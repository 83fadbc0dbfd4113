package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// failpointBinary builds a wsd with failpoints, once. Its other tags are those of binaries: the two builds share every package
// that does not use failpoints.
var failpointBinary = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	file := filepath.Join(scratch, "wsd-failpoint")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "nomsgpack,timetzdata,failpoint",
		"-ldflags", "-s -w", "-o", file, "./cmd/wsd")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build -tags failpoint ./cmd/wsd: %w\n%s", err, out)
	}
	return file, nil
})

// host is a wsd program with the environment in which it is run.
type host struct {
	program     string
	environment []string
}

// newHost returns a host that runs program on the Redis at redisURL.
func newHost(program, redisURL string) host {
	return host{program, append(environment(), "WSD_REDIS_URL="+redisURL, "WSD_SECRET="+strings.Repeat("secret", 8),
		"WSD_ADDR=127.0.0.1:0", "WSD_FETCH_ALLOW=loopback", "WSD_LOG_LEVEL=error", "WSD_DRAIN_TIME=0s")}
}

// newRedisHost returns a host that runs wsd on a Redis of its own, which ends with the test.
func newRedisHost(tb testing.TB) host {
	tb.Helper()
	server, err := storetest.StartRedis(tb.Context(), tb.TempDir(), "--appendonly", "yes")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(server.Kill)
	return newHost(binary(tb, "wsd"), server.URL())
}

// withEnvironment returns a copy of the host with additional environment variables.
func (h host) withEnvironment(variables ...string) host {
	return host{h.program, append(slices.Clip(h.environment), variables...)}
}

// run runs a command of wsd and returns its standard output.
func (h host) run(tb testing.TB, args ...string) (stdout string, err error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = h.environment
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("wsd %s: %w\n%s%s", strings.Join(args, " "), err, &out, &log)
	}
	return out.String(), err
}

// fsck fails the test unless `wsd fsck` finds nothing.
func (h host) fsck(t *testing.T) {
	t.Helper()
	if _, err := h.run(t, "fsck"); err != nil {
		t.Error(err)
	}
}

// node is a serving wsd.
type node struct {
	url  string
	cmd  *exec.Cmd
	done chan error
}

// errExitedEarly is the error of a wsd that ended before it served.
var errExitedEarly = errors.New("wsd ended before it served")

// serve starts wsd and waits until it serves. The test kills it at its end.
func (h host) serve(tb testing.TB) (*node, error) {
	tb.Helper()
	n, err := h.start()
	if err == nil {
		tb.Cleanup(n.kill)
	}
	return n, err
}

// start starts wsd and waits until it serves. The caller kills it.
func (h host) start() (*node, error) {
	n := &node{cmd: exec.Command(h.program, "serve"), done: make(chan error, 1)} //nolint:noctx // ends by stop or by a failpoint
	n.cmd.Env = h.environment
	stderr, err := n.cmd.StderrPipe()
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	address, log := make(chan string, 1), &bytes.Buffer{}
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(log, lines.Text())
			if _, url, found := strings.Cut(lines.Text(), "serving at "); found {
				url, _, _ = strings.Cut(url, `"`) // the line is JSON
				address <- url
			}
		}
		n.done <- n.cmd.Wait()
	}()
	select {
	case n.url = <-address:
		return n, nil
	case err := <-n.done:
		return nil, fmt.Errorf("%w: %w\n%s", errExitedEarly, err, log)
	case <-time.After(startLimit + slack):
		n.kill()
		return nil, errors.New("wsd did not serve in time")
	}
}

// kill ends the process at once.
func (n *node) kill() { _ = n.cmd.Process.Kill() } // it may have ended

// mustServe is like serve, but fails the test on an error.
func (h host) mustServe(tb testing.TB) *node {
	tb.Helper()
	n, err := h.serve(tb)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// stop sends SIGTERM and waits for exit code 0.
func (n *node) stop(t *testing.T) {
	t.Helper()
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-n.done:
		if err != nil {
			t.Errorf("wsd did not end cleanly: %v", err)
		}
	case <-time.After(stopLimit + slack):
		t.Error("wsd did not end")
	}
}

// wantKilled fails the test unless a failpoint kills wsd.
func (n *node) wantKilled(t *testing.T) {
	t.Helper()
	select {
	case err := <-n.done:
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
			t.Errorf("wsd ended by itself: %v", err)
		}
	case <-time.After(slack):
		t.Error("wsd was not killed")
	}
}

// person is an HTTP client with a token.
type person struct {
	url, token string
	client     *http.Client
}

// newPerson returns a person with its own connections, as those to an earlier wsd may be dead.
func (n *node) newPerson(token string) person {
	return person{n.url, token, &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
}

// request is an API request.
type request struct {
	method, path string
	body         any
	key          string // Idempotency-Key
}

// send makes a request and decodes the response. It returns an error if there is no response or its body is not JSON, but not
// for an unsuccessful status.
func (p person) send(ctx context.Context, r request) (status int, answer map[string]any, err error) {
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return 0, nil, err
		}
		body = bytes.NewReader(data)
	}
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, p.url+r.path, body)
	if err != nil {
		return 0, nil, err
	}
	if p.token != "" {
		httpRequest.Header.Set("Authorization", "Bearer "+p.token)
	}
	httpRequest.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		httpRequest.Header.Set("Idempotency-Key", r.key)
	}
	response, err := p.client.Do(httpRequest)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &answer)
	}
	return response.StatusCode, answer, err
}

// do makes a request that must succeed and returns the response body.
func (p person) do(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	status, answer, err := p.send(t.Context(), request{method: method, path: path, body: body})
	if err != nil || status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %v %v", method, path, status, answer, err)
	}
	return answer
}

// createOrganization creates the first organization and returns it with the token of its admin.
func (h host) createOrganization(tb testing.TB) (token, organization string) {
	tb.Helper()
	out, err := h.run(tb, "init", "--user", "ada@example.com", "--org", "Docs", "-o", "json")
	if err != nil {
		tb.Fatal(err)
	}
	var made struct {
		Token        string `json:"token"`
		Organization string `json:"organization"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		tb.Fatal(err)
	}
	return made.Token, made.Organization
}

// createToken creates a token of a user who is an admin of an organization.
func (h host) createToken(t *testing.T, user, organization string) string {
	t.Helper()
	out, err := h.run(t, "token", "create", "--user", user, "--org", organization, "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err)
	}
	return made.Token
}

// member returns the string member of a response body with the given name, or "" if there is none.
func member(answer map[string]any, name string) string {
	value, _ := answer[name].(string)
	return value
}

// newRedisClient returns a client to change the data of wsd directly.
func newRedisClient(t *testing.T, addr string, db int) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr, DB: db, DisableIdentity: true})
	t.Cleanup(func() { _ = client.Close() })
	return client
}
