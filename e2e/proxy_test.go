package e2e

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// startNginx runs nginx with the configuration of docs/operations.md as a proxy for upstream, and returns its https
// URL.
func startNginx(t *testing.T, upstream string) (url string) {
	t.Helper()
	return startNginxWith(t, t.TempDir(), strings.ReplaceAll(block(t, "## TLS", "nginx"), "127.0.0.1:8080", upstream)).url
}

// nginx is a running nginx.
type nginx struct {
	url     string // https
	command string // shell command for further commands, such as -s reload
}

// requireProgram returns the path of a program or skips the test. Where CI is set, a missing program is a failure.
func requireProgram(t *testing.T, name string) (program string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		program = "/usr/sbin/" + name
	}
	switch {
	case isProgram(program):
	case os.Getenv("CI") != "":
		t.Fatal(name, "is not installed")
	default:
		t.Skip(name, "is not installed")
	}
	return program
}

// startNginxWith runs nginx with the file of a site, which it stores as DIR/wsd.conf with free addresses.
func startNginxWith(t *testing.T, dir, site string) nginx {
	t.Helper()
	program, secure, plain := requireProgram(t, "nginx"), freeAddress(t), freeAddress(t)
	writeCertificate(t, filepath.Join(dir, "tls"))
	site = regexp.MustCompile(`(?m)^ *listen \[::\]:.*\n`).ReplaceAllString(site, "")
	site = strings.NewReplacer("listen 443", "listen "+secure, "listen 80", "listen "+plain,
		"/etc/nginx/tls/docs.example.com", filepath.Join(dir, "tls")).Replace(site)
	if err := os.WriteFile(filepath.Join(dir, "wsd.conf"), []byte(site), 0o600); err != nil {
		t.Fatal(err)
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // the files are in a private directory
	}
	main := fmt.Sprintf(`daemon off; %s pid %[2]s/pid; error_log stderr error; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http { access_log off; client_body_temp_path %[2]s/1; proxy_temp_path %[2]s/2;
fastcgi_temp_path %[2]s/3; uwsgi_temp_path %[2]s/4; scgi_temp_path %[2]s/5;
include %[2]s/wsd.conf;
}`, user, dir)
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-e", "stderr", "-p", dir, "-c", config}
	cmd := exec.Command(program, arguments...) //nolint:noctx // ends by a signal, see below
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // also ends the workers
		_ = cmd.Wait()
		t.Logf("nginx: %s", &log)
	})
	eventually(t, "nginx", func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", secure)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return nginx{"https://" + secure, program + " " + strings.Join(arguments, " ")}
}

func isProgram(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&0o111 != 0
}

// writeCertificate writes a certificate and its key to NAME.pem and NAME.key.
func writeCertificate(t *testing.T, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	writeCertificateOf(t, key, name)
}

// writeCertificateOf writes a certificate of a key and the key to NAME.pem and NAME.key.
func writeCertificateOf(t *testing.T, key crypto.Signer, name string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "docs.example.com"}, DNSNames: []string{"docs.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, b := range map[string]*pem.Block{
		".pem": {Type: "CERTIFICATE", Bytes: signed}, ".key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(name+file, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// clientFrom returns a client whose connections come from a loopback address, by default any. It accepts every certificate.
func clientFrom(address string) *http.Client {
	dialer := &net.Dialer{}
	if address != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)}
	}
	return &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
		DialContext:     dialer.DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // self-signed
	}}
}

// doRequest sends a request and returns the status and the error reason of the response.
func doRequest(
	t *testing.T, client *http.Client, method, url string, body io.Reader, header map[string]string,
) (status int, reason string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	var answer struct {
		Error struct {
			Reason string `json:"reason"`
		} `json:"error"`
	}
	_ = json.NewDecoder(response.Body).Decode(&answer) // nginx does not answer in JSON
	return response.StatusCode, answer.Error.Reason
}

// startWithNginx starts a wsd and an nginx configured as in docs/operations.md.
func startWithNginx(t *testing.T, variables ...string) (host host, wsd *node, url string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("clients have addresses of their own on loopback, as Linux lets them")
	}
	storetest.NeedServer(t)
	host = newRedisHost(t).withEnvironment(variables...)
	wsd = host.mustServe(t)
	return host, wsd, startNginx(t, strings.TrimPrefix(wsd.url, "http://"))
}

// TestNginxPassesBodiesAndPaths checks that nginx passes a body of 32 MiB and paths unchanged, and that wsd itself refuses
// larger bodies.
func TestNginxPassesBodiesAndPaths(t *testing.T) {
	t.Parallel()
	host, _, url := startWithNginx(t, "WSD_TRUSTED_PROXIES=127.0.0.1")
	token, organization := host.createOrganization(t)
	client := clientFrom("")
	header := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
	p := person{url, token, client}
	space := "/v1/spaces/" + member(p.do(t, "POST", "/v1/orgs/"+organization+"/spaces", map[string]any{"title": "Docs"}), "id")
	work := space + "/change-requests/" + fmt.Sprint(p.do(t, "POST", space+"/change-requests", nil)["number"]) + "/content"
	const limit = 32 << 20
	for size, want := range map[int]string{limit: "422 invalid", limit + 1: "413 too_large"} {
		text := `{"changes":[],"nonsense":"` + strings.Repeat("x", size-len(`{"changes":[],"nonsense":""}`)) + `"}`
		if status, reason := doRequest(t, client, http.MethodPost, url+work, strings.NewReader(text), header); fmt.Sprint(status, " ",
			reason) != want {
			t.Errorf("a body of %d bytes: %d %s, want %s", size, status, reason, want)
		}
	}
	// An escaped slash keeps a name in one segment, which the operation rejects. Two segments match no operation.
	for path, want := range map[string]string{"a%2Fb": "400 invalid_param", "a/b": "404 not_found"} {
		if status, reason := doRequest(t, client, http.MethodGet, url+"/v1/orgs/"+organization+"/openapi/"+path, nil,
			nil); fmt.Sprint(status, " ", reason) != want {
			t.Errorf("%s: %d %s, want %s", path, status, reason, want)
		}
	}
}

// TestNginxServesThousandReaders checks that a thousand clients can read through nginx concurrently, each within its limit, and
// that a client above the limit is refused, whatever address it claims, through the proxy and directly.
func TestNginxServesThousandReaders(t *testing.T) {
	t.Parallel()
	const readers, allowed = 1000, 5
	host, wsd, url := startWithNginx(t, "WSD_TRUSTED_PROXIES=127.0.0.1", fmt.Sprint("WSD_RATE_LIMIT=", allowed))
	site := publishSite(t, host, wsd)
	statuses := make(chan int, readers*allowed)
	for i := range readers {
		go func() {
			client := clientFrom(fmt.Sprintf("127.20.%d.%d", i/250, i%250+1))
			defer client.CloseIdleConnections()
			for range allowed {
				status, _ := doRequest(t, client, http.MethodGet, url+site+"/published", nil, nil)
				statuses <- status
			}
		}()
	}
	counted := map[int]int{}
	for range readers * allowed {
		counted[<-statuses]++
	}
	// A new minute may start during the test, which allows more requests but never fewer.
	if counted[http.StatusOK] != readers*allowed {
		t.Errorf("readers were answered %v, want %d times 200", counted, readers*allowed)
	}
	for name, c := range map[string]struct{ from, url string }{
		"through the proxy": {"127.30.0.1", url},
		"past the proxy":    {"127.30.0.2", wsd.url},
	} {
		refused, client := 0, clientFrom(c.from)
		for i := range 3 * allowed {
			if status, _ := doRequest(t, client, http.MethodGet, c.url+"/v1/user", nil, map[string]string{
				"X-Forwarded-For": fmt.Sprint("10.0.0.", i),
			}); status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < allowed { // 5 of 15 are answered, or 10 if a new minute starts
			t.Errorf("%s, one who forges is refused %d times of %d", name, refused, 3*allowed)
		}
	}
}

// publishSite returns the path of a public site.
func publishSite(t *testing.T, h host, wsd *node) string {
	t.Helper()
	token, organization := h.createOrganization(t)
	p := wsd.newPerson(token)
	site := "/v1/orgs/" + organization + "/sites/" +
		member(p.do(t, "POST", "/v1/orgs/"+organization+"/sites", map[string]any{"title": "Docs"}), "id")
	p.do(t, "POST", site+"/publish", nil)
	return site
}

// TestNginxWaitsForSlowRequestsCampaign checks that the read timeout of nginx is longer than a request of 61 seconds and longer
// than the longest import.
func TestNginxWaitsForSlowRequestsCampaign(t *testing.T) {
	t.Parallel()
	runs, _ := storetest.Campaign(t, "proxy", 0, 1)
	site := block(t, "## TLS", "nginx")
	waits := regexp.MustCompile(`proxy_read_timeout (\w+);`).FindStringSubmatch(site)
	if len(waits) == 0 {
		t.Fatal("the file does not say how long nginx waits for an answer")
	}
	patience, err := time.ParseDuration(waits[1])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), binary(t, "wsd"), "budgets").Output()
	if err != nil {
		t.Fatal(err)
	}
	slow := regexp.MustCompile(`(?m)^slow-time +(\S+)`).FindSubmatch(out)
	if longest, err := time.ParseDuration(string(slow[1])); err != nil || patience <= longest {
		t.Errorf("nginx waits for %s, wsd may work for %s %v", patience, longest, err)
	}
	for range runs {
		importSlowly(t, 61*time.Second)
	}
}

// importSlowly imports a website through nginx that is so slow that the import takes at least the given time.
func importSlowly(t *testing.T, takes time.Duration) {
	t.Helper()
	host, _, url := startWithNginx(t, "WSD_TRUSTED_PROXIES=127.0.0.1")
	token, organization := host.createOrganization(t)
	p := person{url, token, clientFrom("")}
	space := "/v1/spaces/" + member(p.do(t, "POST", "/v1/orgs/"+organization+"/spaces", map[string]any{
		"title": "Docs", "editMode": "live",
	}), "id")
	const each = 8 * time.Second
	site := newSlowSite(t, int(takes/each)+1, each)
	start := time.Now()
	p.do(t, "POST", space+"/content/import", map[string]any{"url": site, "source": "website"})
	if took := time.Since(start); took < takes {
		t.Errorf("the import took %s only", took)
	}
}

// newSlowSite starts a website of linked pages with a delay for each.
func newSlowSite(t *testing.T, pages int, each time.Duration) (start string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if _, err := fmt.Sscanf(r.URL.Path, "/page%d.html", &n); err != nil || n >= pages {
			http.NotFound(w, r)
			return
		}
		<-time.After(each)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html><body><main><h1>Page %d</h1><p>Text %d. <a href="page%d.html">More</a></p></main></body></html>`, n, n, n+1)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String() + "/page0.html"
}
