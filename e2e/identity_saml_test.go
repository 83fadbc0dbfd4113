package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"path/filepath"
	"testing"
)

// samlProvider is a running SAML identity provider. It signs with the key dir/provider.key, whose certificate is dir/provider.pem.
type samlProvider struct {
	dir, entityID, ssoURL string
	restart               func() // lets the provider read a changed key
}

// startFunc starts a provider for a service of wsd.
type startFunc func(t *testing.T, dir string, s service) samlProvider

// addSAMLProvider starts a provider and configures it in wsd.
func (w *identityWorld) addSAMLProvider(start startFunc) (identityProvider, samlProvider) {
	w.t.Helper()
	made, dir := w.createProvider("saml-providers", "--team-attribute", "groups"), w.t.TempDir()
	writeSigningKey(w.t, filepath.Join(dir, "provider"))
	running := start(w.t, dir, made)
	w.update("saml-providers", "--entity-id", running.entityID, "--sso-url", running.ssoURL,
		"--certificate-file", filepath.Join(dir, "provider.pem"))
	return identityProvider{"saml-providers", made.StartURL, func(b tab, name string) { b.enterPassword(name, name+"-password") }}, running
}

// testSAMLProvider signs people in by a provider. It replaces the certificate as docs/identity-providers.md describes, after a
// wrong one was refused.
func testSAMLProvider(t *testing.T, start startFunc) {
	t.Helper()
	w := newIdentityWorld(t)
	p, running := w.addSAMLProvider(start)
	w.activate(p)
	member := w.join(p)

	file := func(name string) string { return filepath.Join(running.dir, name) }
	current, next, both := file("provider"), file("next"), file("both.pem")
	writeSigningKey(t, next)
	w.update("saml-providers", "--certificate-file", next+".pem") // with which the provider does not sign yet
	w.tryChanges(p, "Sign-in failed.")
	w.wantRefusals(1)
	w.signIn(p)
	w.wantState(p, "active untried")

	writeFile(t, both, readFile(t, current+".pem")+readFile(t, next+".pem"))
	w.update("saml-providers", "--certificate-file", both)
	w.tryChanges(p, "this session opens Docs only")
	w.wantState(p, "active")
	for _, extension := range []string{".key", ".pem"} {
		writeFile(t, current+extension, readFile(t, next+extension))
	}
	running.restart()
	w.signIn(p)
	w.update("saml-providers", "--certificate-file", next+".pem")
	w.tryChanges(p, "this session opens Docs only")
	w.wantState(p, "active")

	w.logInToWsctl(p)
	w.wantRefusals(1)
	if id := w.memberID("Grace Hopper"); id != member {
		t.Errorf("the member is %s after the certificate was replaced, before it was %s", id, member)
	}
}

// writeSigningKey writes an RSA key and its certificate to NAME.key and NAME.pem.
func writeSigningKey(t *testing.T, name string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	writeCertificateOf(t, key, name)
}
