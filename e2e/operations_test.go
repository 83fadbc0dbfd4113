package e2e

import (
	"context"
	"errors"
	"fmt"
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

const operations = "docs/operations.md"

// section returns the section of a page below a heading, up to the next heading of any level.
func section(t *testing.T, name, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(document(t, name), "\n"+heading+"\n")
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
	_, text, found := strings.Cut(section(t, operations, heading), "```"+language+"\n")
	if !found {
		t.Fatalf("%s has no block of %s in %q", operations, language, heading)
	}
	text, _, _ = strings.Cut(text, "```")
	return text
}

// machine runs the commands of docs/operations.md with paths below a directory and with free ports.
type machine struct {
	root      string // replaces / of the page
	out       string // directory of outputs: N.began, N.out, N.err, N.code
	env       []string
	replace   []string // pairs for strings.NewReplacer
	commands  []command
	functions string // shell functions in place of system programs
	waitsFor  string // the command that contains this text waits for release
}

// newMachine returns a machine for sections of the page.
func newMachine(t *testing.T, headings ...string) *machine {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "wsd-") //nolint:usetesting // a socket lies in it, whose path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	m := &machine{root: root, out: t.TempDir()}
	for _, directory := range []string{"/usr/local/bin", "/var/lib", "/etc/systemd/system", "/srv"} {
		if err := os.MkdirAll(root+directory, 0o700); err != nil {
			t.Fatal(err)
		}
		m.replace = append(m.replace, directory, root+directory)
	}
	m.replace = append(m.replace, "/etc/wsd", root+"/etc/wsd")
	m.env = append(environment(), "PATH="+root+"/usr/local/bin:"+os.Getenv("PATH"), "HOME="+root)
	for _, heading := range headings {
		m.commands = append(m.commands, consoleCommands(section(t, operations, heading))...)
	}
	return m
}

// localize replaces paths and addresses of the page by those of the machine.
func (m *machine) localize(text string) string {
	return strings.NewReplacer(m.replace...).Replace(text)
}

// runCommands runs the commands in one shell and compares their output with the page.
func (m *machine) runCommands(t *testing.T) {
	t.Helper()
	var script strings.Builder
	script.WriteString(m.functions)
	for i, c := range m.commands {
		if m.waitsFor != "" && strings.Contains(c.text, m.waitsFor) {
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

// release lets the command that matches waitsFor run.
func (m *machine) release(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(m.out+"/go-on", nil, 0o600); err != nil {
		t.Error(err)
	}
}

// startTime returns the start time of the command that contains text.
func (m *machine) startTime(t *testing.T, text string) time.Time {
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
func (m *machine) outputOf(t *testing.T, text string) string {
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

// eventually waits for a condition that another process fulfills.
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

// freeAddress returns an unused address on loopback.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(t))
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

// The page is followed from the start: the release archive is installed, run as a service, backed up under load, and
// the backup is restored into an empty directory that replaces the first.
func TestOperationsPageInstallsAndRestores(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	if runtime.GOOS != "linux" {
		t.Skip("the page is about Linux")
	}
	m := newMachine(t, "## Install", "## First start", "## A service", "## Backup and restore", "### A Redis that wsd runs")
	address := freeAddress(t)
	m.replace = append(m.replace, "127.0.0.1:8080", address, "linux_amd64", runtime.GOOS+"_"+runtime.GOARCH)
	m.waitsFor = "repl-diskless-sync-delay"
	m.functions = strings.NewReplacer("ROOT", m.root, "ADDRESS", address).Replace(systemFunctions)
	buildRelease(t, m.root)
	if err := os.WriteFile(m.root+"/etc/systemd/system/wsd.service", []byte(m.localize(block(t, "## A service", "ini"))),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.kill() })

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
	writing.waitStarted(t)
	m.release(t)
	<-followed
	writing.stopLoad()
	if t.Failed() {
		log, _ := os.ReadFile(m.root + "/log")
		t.Logf("%s", log)
		return
	}
	writing.checkRestored(t, admin, m.startTime(t, "--rdb"), m.startTime(t, "secrets/"))
	if out := m.outputOf(t, "wsd fsck"); !strings.Contains(out, "1 organizations") {
		t.Errorf("what was restored: %s", out)
	}
}

// kill ends a service that a failed test left running.
func (m *machine) kill() {
	data, err := os.ReadFile(m.root + "/pid")
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
		if _, err := os.Stat(m.root + "/ended"); errors.Is(err, os.ErrNotExist) {
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
