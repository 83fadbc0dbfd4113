package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

const operationsPage = "docs/operations.md"

// section returns the section of a page below a heading, up to the next heading of any level.
func section(t *testing.T, name, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(readDocument(t, name), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", name, heading)
	}
	if end := regexp.MustCompile(`(?m)^##`).FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	return text
}

// block returns the fenced block of a language in a section of docs/operations.md.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	_, text, found := strings.Cut(section(t, operationsPage, heading), "```"+language+"\n")
	if !found {
		t.Fatalf("%s has no block of %s in %q", operationsPage, language, heading)
	}
	text, _, _ = strings.Cut(text, "```")
	return text
}

// commandRunner runs the commands of docs/operations.md with paths below a directory and with free ports.
type commandRunner struct {
	root          string // directory that replaces / in the paths of the page
	out           string // directory of outputs: N.began, N.out, N.err, N.code
	env           []string
	replacements  []string // pairs for strings.NewReplacer
	commands      []command
	functions     string // shell functions in place of system programs
	pausedCommand string // a command that contains this text waits until release is called
}

// newCommandRunner returns a commandRunner for sections of the page.
func newCommandRunner(t *testing.T, headings ...string) *commandRunner {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "wsd-") //nolint:usetesting // a socket lies in it, whose path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	m := &commandRunner{root: root, out: t.TempDir()}
	for _, directory := range []string{"/usr/local/bin", "/var/lib", "/etc/systemd/system", "/srv"} {
		if err := os.MkdirAll(root+directory, 0o700); err != nil {
			t.Fatal(err)
		}
		m.replacements = append(m.replacements, directory, root+directory)
	}
	m.replacements = append(m.replacements, "/etc/wsd", root+"/etc/wsd")
	m.env = append(environment(), "PATH="+root+"/usr/local/bin:"+os.Getenv("PATH"), "HOME="+root)
	for _, heading := range headings {
		m.commands = append(m.commands, consoleCommands(section(t, operationsPage, heading))...)
	}
	return m
}

// localize replaces paths and addresses of the page with those of the runner.
func (m *commandRunner) localize(text string) string {
	return strings.NewReplacer(m.replacements...).Replace(text)
}

// runCommands runs the commands in one shell and compares their output with the page.
func (m *commandRunner) runCommands(t *testing.T) {
	t.Helper()
	var script strings.Builder
	script.WriteString(m.functions)
	for i, c := range m.commands {
		if m.pausedCommand != "" && strings.Contains(c.text, m.pausedCommand) {
			fmt.Fprintf(&script, "until [ -e %s/go-on ]; do sleep 0.02; done\n", m.out)
		}
		fmt.Fprintf(&script,
			"date +%%s%%N > %[1]s/%[2]d.began\n{ %[3]s\n} > %[1]s/%[2]d.out 2> %[1]s/%[2]d.err; echo $? > %[1]s/%[2]d.code\n", m.out, i,
			m.localize(c.text))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", script.String())
	shell.Dir, shell.Env = m.root, m.env // no pipes, as processes started by the page outlive the shell
	if err := shell.Run(); err != nil {
		t.Errorf("the shell: %v", err)
	}
	for i, c := range m.commands {
		c.text, c.output = m.localize(c.text), m.localize(c.output)
		compare(t, m.out, i, c)
	}
}

// release lets the command that matches pausedCommand run.
func (m *commandRunner) release(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(m.out+"/go-on", nil, 0o600); err != nil {
		t.Error(err)
	}
}

// startTime returns the start time of the command that contains text.
func (m *commandRunner) startTime(t *testing.T, text string) time.Time {
	t.Helper()
	for i, c := range m.commands {
		if !strings.Contains(c.text, text) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.out, strconv.Itoa(i)+".began"))
		if err != nil {
			t.Fatal(err)
		}
		nanoseconds, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Unix(0, nanoseconds)
	}
	t.Fatalf("no command has %q", text)
	return time.Time{}
}

// outputOf waits for the output of the command that contains text.
func (m *commandRunner) outputOf(t *testing.T, text string) string {
	t.Helper()
	for i, c := range m.commands {
		if strings.Contains(c.text, text) {
			var data []byte
			eventually(t, "what "+text+" prints", func() bool {
				data, _ = os.ReadFile(filepath.Join(m.out, strconv.Itoa(i)+".out"))
				return strings.HasSuffix(string(data), "\n")
			})
			return strings.TrimSpace(string(data))
		}
	}
	t.Fatalf("no command has %q", text)
	return ""
}

// eventually waits until another process fulfills a condition, and fails the test after two minutes.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(2 * time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// freeAddress returns an unused address on loopback. On Linux its host is random, since a connection of another test may take
// the port of 127.0.0.1 before the caller listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// freePort returns an unused port of 127.0.0.1.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// systemFunctions are shell functions in place of commands that need root or a whole system: users, owners, services.
// The service runs the command of its unit.
const systemFunctions = `
sudo() { case $1 in -u) shift 2;; esac; "$@"; }
useradd() { :; }
chown() { :; }
install() { args=; for a do case $a in -o|-g) skip=1;; *) [ -n "${skip-}" ] || args="$args $a"; skip=;; esac; done; command install $args; }
systemctl() {
  unit=ROOT/etc/systemd/system/wsd.service
  case $1 in
  stop) kill "$(cat ROOT/pid)"; until [ -e ROOT/ended ]; do sleep 0.05; done;;
  *) rm -f ROOT/ended
    ( set -a; . $(sed -n 's/^EnvironmentFile=//p' $unit); set +a; WSD_DRAIN_TIME=0s; export WSD_DRAIN_TIME
      $(sed -n 's/^ExecStart=//p' $unit) & echo $! > ROOT/pid; wait $!; touch ROOT/ended ) > ROOT/log 2>&1 &
    until WSD_ADDR=ADDRESS wsd ready > /dev/null 2>&1; do sleep 0.05; done;;
  esac
}
WSD_ADDR=ADDRESS; export WSD_ADDR
`

// TestDocumentedInstallationAndRestore follows docs/operations.md from the start: it installs the release archive, runs it as a
// service, backs it up under load, and restores the backup into an empty directory that replaces the first.
func TestDocumentedInstallationAndRestore(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	if runtime.GOOS != "linux" {
		t.Skip("the page is about Linux")
	}
	m := newCommandRunner(t, "## Install", "## First start", "## A service", "## Backup and restore", "### A Redis that wsd runs")
	address := freeAddress(t)
	m.replacements = append(m.replacements, "127.0.0.1:8080", address, "linux_amd64", runtime.GOOS+"_"+runtime.GOARCH)
	m.pausedCommand = "repl-diskless-sync-delay"
	m.functions = strings.NewReplacer("ROOT", m.root, "ADDRESS", address).Replace(systemFunctions)
	buildRelease(t, m.root)
	if err := os.WriteFile(m.root+"/etc/systemd/system/wsd.service", []byte(m.localize(block(t, "## A service", "ini"))),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.kill()
		if log, _ := os.ReadFile(m.root + "/log"); t.Failed() {
			t.Logf("%s", log)
		}
	})

	followed := make(chan struct{})
	go func() {
		defer close(followed)
		m.runCommands(t)
	}()
	admin := person{url: "http://" + address, token: m.outputOf(t, "wsd init"), client: newClient()}
	eventually(t, "the service", func() bool {
		status, _, err := admin.send(t.Context(), request{method: "GET", path: "/v1/user"})
		return err == nil && status == 200
	})
	writing := startLoad(t, admin)
	writing.waitForStart(t)
	m.release(t)
	<-followed
	writing.stopLoad()
	if t.Failed() {
		return
	}
	writing.checkRestored(t, admin, m.startTime(t, "--rdb"), m.startTime(t, "secrets/"))
	if out := m.outputOf(t, "wsd fsck"); !strings.Contains(out, "1 organizations") {
		t.Errorf("what was restored: %s", out)
	}
}

// kill ends a service that a failed test left running.
func (m *commandRunner) kill() { killRecorded(m.root+"/pid", m.root+"/ended") }

// killRecorded ends the process whose id is in a file, unless the file ended says that it has ended.
func killRecorded(file, ended string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
		if _, err := os.Stat(ended); errors.Is(err, os.ErrNotExist) {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// buildRelease builds the release archive of this platform with its checksum.
func buildRelease(t *testing.T, directory string) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "release", "VERSION=v0.1.0", "PLATFORMS="+runtime.GOOS+"/"+
		runtime.GOARCH, "DIST="+directory+"/dist")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make release: %v\n%s", err, out)
	}
	archives, err := filepath.Glob(directory + "/dist/*")
	if err != nil || len(archives) != 2 {
		t.Fatalf("make release made %v", archives)
	}
	for _, file := range archives {
		if err := os.Rename(file, filepath.Join(directory, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
}
