package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSignInByPySAML2 checks sign-ins by an identity provider on PySAML2.
func TestSignInByPySAML2(t *testing.T) {
	t.Parallel()
	python := requireProgram(t, "/usr/bin/python3")
	requireProgram(t, "xmlsec1")
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import saml2").CombinedOutput(); err != nil {
		requirePackage(t, "python3-pysaml2", fmt.Errorf("%w: %s", err, out))
	}
	testSAMLProvider(t, func(t *testing.T, dir string, s service) samlProvider {
		t.Helper()
		port := freePort(t)
		run := func(signed string) *process {
			return startProcess(t, "127.0.0.1:"+port, nil, python, "testdata/identity/pysaml2_provider.py", "--port", port,
				"--key", filepath.Join(dir, "provider.key"), "--certificate", filepath.Join(dir, "provider.pem"),
				"--service", s.EntityID, "--subjects", filepath.Join(dir, "subjects"), "--sign", signed)
		}
		running := run("assertion")
		base := "http://127.0.0.1:" + port
		return samlProvider{dir: dir, entityID: base + "/metadata", ssoURL: base + "/sso", restart: func() {
			running.stop()
			running = run("response")
		}}
	})
}
