package e2e

import (
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/e2e/browser"
	"docspace.dev/wsd/store/storetest"
)

// TestSignInBySimpleSAMLphp checks sign-ins by SimpleSAMLphp, which reads the metadata of wsd.
func TestSignInBySimpleSAMLphp(t *testing.T) {
	t.Parallel()
	testSAMLProvider(t, simpleSAMLphp(t))
}

// TestSignInAcrossSites checks sign-ins with https and a provider on another site: the form with its answer is a request across sites. A
// tile of the provider leads to the start address.
func TestSignInAcrossSites(t *testing.T) {
	t.Parallel()
	start := simpleSAMLphp(t)
	storetest.NeedServer(t)
	address := freeAddress(t)
	public := startNginx(t, address)
	h := newRedisHost(t).withEnvironment("WSD_ADDR="+address, "WSD_PUBLIC_URL="+public, "WSD_TRUSTED_PROXIES=127.0.0.1")
	w := newIdentityWorldOn(t, h, public)
	p, running := w.addSAMLProvider(start)
	w.activate(p)
	w.join(p)

	b := w.chromium.newTab()
	b.open(running.ssoURL + "?spentityid=" + url.QueryEscape(strings.TrimSuffix(p.start, "/start")))
	p.logIn(b, "grace")
	b.awaitText("this browser did not ask for")
	b.press("Sign in")
	b.awaitText("this session opens Docs only")
}

// simpleSAMLphp returns the function that starts SimpleSAMLphp. It skips the test if that is not installed.
func simpleSAMLphp(t *testing.T) startFunc {
	t.Helper()
	php := requireProgram(t, "php")
	const pages = "/usr/share/simplesamlphp/www"
	if _, err := os.Stat(pages); err != nil {
		requirePackage(t, "simplesamlphp", err)
	}
	settings, err := filepath.Abs("testdata/identity/simplesamlphp")
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, dir string, s service) samlProvider {
		t.Helper()
		if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "service.xml"), browser.New(t, "").Using(clientFrom("")).Open(s.EntityID))
		address := "127.0.0.1:" + freePort(t)
		base := "http://" + address
		variables := []string{
			"SIMPLESAMLPHP_CONFIG_DIR=" + settings, "IDENTITY_URL=" + base, "IDENTITY_DATA=" + dir, "IDENTITY_SECRET=" + rand.Text(),
		}
		startProcess(t, address, variables, php, "-S", address, "-t", pages)
		// It reads the key for each answer.
		return samlProvider{dir: dir, entityID: base + "/metadata", ssoURL: base + "/saml2/idp/SSOService.php", restart: func() {}}
	}
}
