package e2e

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSignInByGlewlwyd checks sign-ins by Glewlwyd, an OpenID Connect provider.
func TestSignInByGlewlwyd(t *testing.T) {
	t.Parallel()
	program, sqlite := requireProgram(t, "glewlwyd"), requireProgram(t, "sqlite3")
	w := newIdentityWorld(t)
	made := w.createProvider("oidc-providers", "--team-claim", "groups")
	base := startGlewlwyd(t, program, sqlite)
	secret, issuer := filepath.Join(t.TempDir(), "secret"), base+"/api/oidc"
	writeFile(t, secret, rand.Text())
	configureGlewlwyd(t, base+"/api", map[string]string{
		"issuer": issuer, "secret": readFile(t, secret), "redirect": made.RedirectURL,
	})
	w.update("oidc-providers", "--issuer", issuer, "--client-id", "wsd", "--client-secret-file", secret)
	p := identityProvider{"oidc-providers", made.StartURL, logInToGlewlwyd}
	w.activate(p)
	member := w.join(p)

	wrong := filepath.Join(t.TempDir(), "wrong")
	writeFile(t, wrong, rand.Text())
	w.update("oidc-providers", "--client-secret-file", wrong)
	w.tryChanges(p, "Sign-in failed.")
	w.wantRefusals(1)
	w.signIn(p)
	w.wantState(p, "active untried")
	w.update("oidc-providers", "--client-secret-file", secret)
	w.tryChanges(p, "this session opens Docs only")
	w.wantState(p, "active")
	w.logInToWsctl(p)
	if id := w.memberID("Grace Hopper"); id != member {
		t.Errorf("the member is %s in the end, before it was %s", id, member)
	}
}

// startGlewlwyd starts Glewlwyd with the database and the pages of its package, and returns its address.
func startGlewlwyd(t *testing.T, program, sqlite string) (url string) {
	t.Helper()
	const tables, shared = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3", "/usr/share/glewlwyd"
	dir := t.TempDir()
	database, pages, settings := filepath.Join(dir, "database"), filepath.Join(dir, "pages"), filepath.Join(dir, "settings")
	// Glewlwyd does not serve links to other directories, as the pages of the package have them.
	copyPages := func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && name != "config.json" {
			writeFile(t, filepath.Join(pages, name), readFile(t, filepath.Join(shared, "webapp", name)))
		}
		return err
	}
	if err := fs.WalkDir(os.DirFS(shared+"/webapp"), ".", copyPages); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(pages, "config.json"), readFile(t, shared+"/templates/config.json"))
	cmd := exec.CommandContext(t.Context(), sqlite, database)
	cmd.Stdin = strings.NewReader(readFile(t, tables))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
	port := freePort(t)
	values := map[string]string{"port": port, "database": database, "pages": pages}
	writeFile(t, settings, os.Expand(readFile(t, "testdata/identity/glewlwyd.conf"), func(name string) string { return values[name] }))
	startProcess(t, "127.0.0.1:"+port, nil, program, "-c", settings)
	return "http://127.0.0.1:" + port
}

// configureGlewlwyd makes the requests of testdata/identity/glewlwyd.json with values, and with a new key that signs tokens.
func configureGlewlwyd(t *testing.T, url string, values map[string]string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	values["key"] = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	values["public"] = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	text := os.Expand(readFile(t, "testdata/identity/glewlwyd.json"), func(name string) string {
		return strings.ReplaceAll(values[name], "\n", `\n`)
	})
	var requests []struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal([]byte(text), &requests); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range requests {
		r, err := http.NewRequestWithContext(t.Context(), request.Method, url+request.Path, bytes.NewReader(request.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := (&http.Client{Jar: jar}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %s %v", request.Method, request.Path, answer.Status, body, err)
		}
	}
}

// logInToGlewlwyd fills in the login form, and lets wsd have the name and the address.
func logInToGlewlwyd(b tab, name string) {
	b.t.Helper()
	b.enterPassword(name, name+"-password")
	b.press("Grant access")
	b.awaitEnd("Grant access")
	b.press("Continue")
}
