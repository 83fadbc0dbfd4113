// Package e2e tests the product from outside: the real binaries in scripts (testdata/*.txtar), the image with Redis
// in containers, processes that are killed while they work, and the source tree against the rules of the repository.
package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// root is the directory of the module.
const root = ".."

// scratch is a temporary directory that all tests share and that is removed at the end.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wsd-e2e-")
	if err == nil {
		scratch = dir
		err = setUpContainers()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return m.Run()
}

// setUpContainers configures testcontainers. It disables the reaper, which needs another image, as tests remove their
// own containers. If the bridge of the engine is an interface of this machine, ports are on loopback, even if this
// machine is a container itself.
func setUpContainers() error {
	settings := map[string]string{"TESTCONTAINERS_RYUK_DISABLED": "true"}
	if _, err := net.InterfaceByName("docker0"); err == nil {
		settings["TESTCONTAINERS_HOST_OVERRIDE"] = "127.0.0.1"
	}
	for name, value := range settings {
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// binaries builds wsd and wsctl with the flags of a release, once, and returns their directory.
var binaries = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir := filepath.Join(scratch, "bin") + string(filepath.Separator)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "nomsgpack,timetzdata", "-o", dir, "./cmd/...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/...: %w\n%s", err, out)
	}
	return dir, nil
})

// binary returns the path of one of the commands.
func binary(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := binaries()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, name)
}
