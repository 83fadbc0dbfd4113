package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

const (
	restartWriters = 20
	restartDrain   = "WSD_DRAIN_TIME=5s" // the default
)

// nodePair is the two nodes of docs/operations.md on one Redis, with addresses of this machine.
type nodePair struct {
	hosts    [2]string // addresses in place of 10.0.0.11 and 10.0.0.12
	port     string    // in place of 8080
	programs [2]host
	nodes    [2]*node
}

// newNodePair starts two nodes.
func newNodePair(t *testing.T) *nodePair {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("nodes have addresses of their own on loopback, as Linux lets them")
	}
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	p := &nodePair{}
	for i := range p.nodes {
		address, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p.port = port
		}
		p.hosts[i] = address
		p.programs[i] = newHost(binary(t, "wsd"), server.URL()).withEnvironment("WSD_ADDR="+net.JoinHostPort(address, p.port),
			"WSD_PUBLIC_URL=https://docs.example.com", "WSD_TRUSTED_PROXIES=127.0.0.1", "WSD_RATE_LIMIT=0", restartDrain)
		p.nodes[i] = p.programs[i].mustServe(t)
	}
	return p
}

// localize replaces the addresses of the page with those of the nodes.
func (p *nodePair) localize(text string) string {
	return strings.NewReplacer("10.0.0.11", p.hosts[0], "10.0.0.12", p.hosts[1], ":8080", ":"+p.port).Replace(text)
}

// runRestarts runs the commands of a section of the page, which restart both nodes. functions are shell functions for them.
func (p *nodePair) runRestarts(t *testing.T, heading, functions string, replacements ...string) {
	t.Helper()
	m := newCommandRunner(t, heading)
	m.replacements = append(append(m.replacements, "10.0.0.11", p.hosts[0], "10.0.0.12", p.hosts[1], ":8080", ":"+p.port), replacements...)
	m.env = append(m.env, "PATH="+filepath.Dir(binary(t, "wsd"))+":"+os.Getenv("PATH"))
	// ssh HOST COMMAND asks this process for the restart, and then waits for the node with the command of the page.
	m.functions = fmt.Sprintf(`
sudo() { "$@"; }
systemctl() { touch %[1]s/restart-$node; until [ -e %[1]s/restarted-$node ]; do sleep 0.05; done; }
ssh() { eval "$2"; }
%[2]s
`, m.out, functions)
	done := make(chan struct{})
	var restarts sync.WaitGroup
	for i, address := range p.hosts {
		restarts.Go(func() {
			requested := m.out + "/restart-" + address
			for _, err := os.Stat(requested); errors.Is(err, os.ErrNotExist); _, err = os.Stat(requested) {
				select {
				case <-done:
					t.Errorf("the page does not restart %s", address)
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
			p.nodes[i].stop(t)
			var err error
			if p.nodes[i], err = p.programs[i].serve(t); err == nil {
				err = os.WriteFile(m.out+"/restarted-"+address, nil, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	m.runCommands(t)
	close(done)
	restarts.Wait()
}

// restartLoad is 20 writers that send requests until stop is called and each has sent its share of a number of requests.
type restartLoad struct {
	requests int // number of requests, at least
	stopped  atomic.Bool
	sent     atomic.Int64
	writers  sync.WaitGroup
	mu       sync.Mutex
	failures []string
}

// startRestartLoad starts the writers, each on its own space. An Idempotency-Key lets the client repeat a request whose
// connection the proxy closed before it answered, which every reload may do with an idle connection.
func (p *nodePair) startRestartLoad(t *testing.T, url string, requests int) *restartLoad {
	t.Helper()
	token, organization := p.programs[0].createOrganization(t)
	l := &restartLoad{requests: requests}
	for range restartWriters {
		client := clientFrom("")
		writer := person{url, token, client}
		space := "/v1/spaces/" + member(writer.do(t, "POST", "/v1/orgs/"+organization+"/spaces", map[string]any{"title": "Docs"}), "id")
		l.writers.Go(func() {
			defer client.CloseIdleConnections()
			for n := 0; n < requests/restartWriters || !l.stopped.Load(); n++ {
				l.write(t, client, url+space, token, n)
			}
		})
	}
	return l
}

// write sends a request and records a failure.
func (l *restartLoad) write(t *testing.T, client *http.Client, url, token string, n int) {
	t.Helper()
	l.sent.Add(1)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, url, strings.NewReader(fmt.Sprintf(`{"title":"Docs %d"}`, n)))
	failure := ""
	if err == nil {
		r.Header = http.Header{
			"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Idempotency-Key": {fmt.Sprintf("%s-%d", path.Base(url), n)},
		}
		var response *http.Response
		if response, err = client.Do(r); err == nil {
			if _, err = bytes.NewBuffer(nil).ReadFrom(response.Body); err == nil && response.StatusCode != http.StatusOK {
				failure = response.Status
			}
			_ = response.Body.Close() // read to its end
		}
	}
	if err != nil {
		failure = err.Error()
	}
	if failure != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failures = append(l.failures, failure)
	}
}

// finish waits for the writers and checks that no request failed.
func (l *restartLoad) finish(t *testing.T) {
	t.Helper()
	l.stopped.Store(true)
	l.writers.Wait()
	t.Logf("%d of %d requests failed", len(l.failures), l.sent.Load())
	if len(l.failures) > 0 || int(l.sent.Load()) < l.requests {
		t.Errorf("%d of %d requests failed: %.500v", len(l.failures), l.sent.Load(), l.failures)
	}
}

// TestRestartBehindNginxLosesNoRequestCampaign checks that no request of 20 writers fails while both nodes are restarted with the commands
// of docs/operations.md.
func TestRestartBehindNginxLosesNoRequestCampaign(t *testing.T) {
	t.Parallel()
	requests, _ := storetest.Campaign(t, "restarts", 2_000, 10_000)
	requireProgram(t, "nginx")
	p, dir := newNodePair(t), t.TempDir()
	site := block(t, "## TLS", "nginx")
	before, after, _ := strings.Cut(site, "}\n") // the upstream is first
	if !strings.HasPrefix(before, "upstream wsd {") {
		t.Fatalf("the file begins with %s", before)
	}
	proxy := startNginxWith(t, dir, p.localize(block(t, "### Restart behind nginx", "nginx"))+after)
	l := p.startRestartLoad(t, proxy.url, requests)
	p.runRestarts(t, "### Restart behind nginx", "nginx() { "+proxy.command+` "$@"; }`, "/etc/nginx/conf.d", dir)
	l.finish(t)
}

// TestRestartBehindCaddyLosesNoRequestCampaign checks the same with Caddy.
func TestRestartBehindCaddyLosesNoRequestCampaign(t *testing.T) {
	t.Parallel()
	requests, _ := storetest.Campaign(t, "restarts", 2_000, 10_000)
	requireProgram(t, "caddy")
	p := newNodePair(t)
	one := "reverse_proxy 127.0.0.1:8080 {\n"
	site := block(t, "## TLS", "text")
	if !strings.Contains(site, one) {
		t.Fatalf("the file of Caddy has no %q", one)
	}
	url := startCaddy(t, strings.Replace(site, one, p.localize(block(t, "### Restart behind Caddy", "text")), 1))
	l := p.startRestartLoad(t, url, requests)
	p.runRestarts(t, "### Restart behind Caddy", "")
	l.finish(t)
}

// startCaddy runs Caddy with the file of a site, without TLS on a free address, and returns its URL.
func startCaddy(t *testing.T, site string) (url string) {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	url = "http://" + address
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	// The host of a site alone selects requests: Caddy would listen on all interfaces.
	file := "{\n\tadmin off\n\tdefault_bind " + host + "\n}\n" + strings.Replace(site, "docs.example.com {", url+" {", 1)
	if err := os.WriteFile(filepath.Join(dir, "Caddyfile"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(requireProgram(t, "caddy"), "run", "--config", filepath.Join(dir, "Caddyfile"), //nolint:noctx // ends by a signal
		"--adapter", "caddyfile")
	cmd.Env = append(environment(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("caddy: %.4000s", &log)
		}
	})
	eventually(t, "Caddy", func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return url
}
