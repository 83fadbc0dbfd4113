package e2e

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestSystemdUnitIsValid checks that systemd accepts the unit of docs/operations.md.
func TestSystemdUnitIsValid(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd is not installed")
	}
	unit := block(t, "## A service", "ini")
	if program := "ExecStart=/usr/local/bin/wsd "; strings.Count(unit, program) != 1 {
		t.Fatalf("the unit has no %q", program)
	}
	file := filepath.Join(t.TempDir(), "wsd.service")
	text := strings.Replace(unit, "/usr/local/bin/wsd", binary(t, "wsd"), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", file).CombinedOutput(); err != nil ||
		strings.Contains(string(out), file) {
		t.Errorf("%v\n%s", err, out)
	}
	if limit := parseSeconds(t, regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindStringSubmatch(unit)[1]+"s"); limit <= maxShutdownTime(t) {
		t.Errorf("systemd waits for %s, wsd may take %s to stop", limit, maxShutdownTime(t))
	}
}

// TestComposeFile checks that compose.yaml gives wsd enough time to stop, checks health as proxies do, and does not create an
// organization.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Command     string
			Grace       string `yaml:"stop_grace_period"`
			Environment map[string]string
			Healthcheck struct{ Test []string }
		}
	}
	if err := yaml.Unmarshal([]byte(readDocument(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	wsd := file.Services["wsd"]
	if grace := parseSeconds(t, wsd.Grace); grace <= maxShutdownTime(t) {
		t.Errorf("compose waits for %s, wsd may take %s to stop", grace, maxShutdownTime(t))
	}
	if want := []string{"CMD", "/wsd", "ready", "--for", "read"}; !slices.Equal(wsd.Healthcheck.Test, want) {
		t.Errorf("the health check is %q, want %q", wsd.Healthcheck.Test, want)
	}
	if wsd.Command != "" {
		t.Errorf("wsd starts with %q, want what the image serves with", wsd.Command)
	}
	help := helpOf(t, "wsd")
	for name := range wsd.Environment {
		if !strings.Contains(help, name) {
			t.Errorf("compose.yaml sets %s, which wsd does not read", name)
		}
	}
}

func parseSeconds(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// maxShutdownTime returns the maximum time wsd takes to stop: the drain time, requests in flight, and the end of its own
// Redis.
func maxShutdownTime(t *testing.T) time.Duration {
	t.Helper()
	drain := regexp.MustCompile(`asked to stop, with 503 in /readyz; default (\d+s)`).FindStringSubmatch(helpOf(t, "wsd"))
	out, err := exec.CommandContext(t.Context(), binary(t, "wsd"), "budgets").Output()
	requests := regexp.MustCompile(`(?m)^shutdown-time +(\S+)`).FindStringSubmatch(string(out))
	if err != nil || len(drain) == 0 || len(requests) == 0 {
		t.Fatalf("%v: the help says %q, the budgets %q", err, drain, requests)
	}
	const child = 5 * time.Second
	return parseSeconds(t, drain[1]) + parseSeconds(t, requests[1]) + child
}

// helpOf returns the output of a command with --help.
func helpOf(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t, program), "--help")
	cmd.Env = environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

var variableName = regexp.MustCompile(`^(WSD|WSCTL)_[A-Z_]*[A-Z]$`)

// TestHelpListsEveryVariable checks that each environment variable in a string literal of the code, except test code, is in the
// help of its command.
func TestHelpListsEveryVariable(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]string{
		"WSD_FAILPOINT": "of builds for tests", "WSD_FAILPOINT_LOG": "of builds for tests",
		"WSCTL_UPDATE": "of tests", "WSD_REQUIRE_REDIS": "of tests",
		"WSD_VISITOR_CLAIMS_KEY": "is refused, with what to do instead",
	}
	help := map[string]string{"WSD": helpOf(t, "wsd"), "WSCTL": helpOf(t, "wsctl")}
	found := 0
	eachGoFile(t, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !variableName.MatchString(text) || strings.HasPrefix(text, "WSD_TEST_") || elsewhere[text] != "" {
				return true
			}
			found++
			program, _, _ := strings.Cut(text, "_")
			if !regexp.MustCompile(`\b` + text + `\b`).MatchString(help[program]) {
				t.Errorf("%s reads %s, which %s --help does not name", name, text, strings.ToLower(program))
			}
			return true
		})
	})
	if found < 15 {
		t.Errorf("found %d variables", found)
	}
	page := readDocument(t, "docs/configuration.md")
	for _, text := range regexp.MustCompile(`\bWSD_[A-Z_]+\b`).FindAllString(help["WSD"], -1) {
		if !strings.Contains(page, fmt.Sprint("| `", text, "` |")) {
			t.Errorf("docs/configuration.md does not explain %s", text)
		}
	}
}
