package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// process is a program that serves until stop is called or the test ends.
type process struct {
	cmd  *exec.Cmd
	done chan error
}

// startProcess starts a program with additional variables, and waits until it listens on an address. The test logs its output.
func startProcess(t *testing.T, address string, variables []string, name string, args ...string) *process {
	t.Helper()
	p := &process{exec.Command(name, args...), make(chan error, 1)} //nolint:noctx // ends by stop
	var log bytes.Buffer
	p.cmd.Env = append(environment(), variables...)
	p.cmd.Stdout, p.cmd.Stderr = &log, &log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		p.done <- p.cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("%s: %s", name, &log)
		}
	})
	eventually(t, name, func() bool {
		select {
		case <-ended:
			t.Fatalf("%s ended before it served:\n%s", name, &log)
		default:
		}
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return p
}

// stop ends the process and waits for it.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	p.done <- <-p.done
}

// requirePackage skips the test because a package is not installed. Where CI is set, that is a failure.
func requirePackage(t *testing.T, name string, reason error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: %v", name, reason)
	}
	t.Skipf("%s is not installed", name)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
