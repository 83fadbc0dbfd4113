// Package e2e tests the product from outside: the real binaries in stories (testdata/*.txtar), the image next to a
// Redis in containers, killed while they work, and the source tree itself against the rules of the house. Of the module
// it imports store/storetest alone, for the Redis servers that it runs and kills.
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

// scratch holds what tests share; it exists while the tests run.
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

// setUpContainers tells testcontainers what it cannot find out. Tests remove their containers themselves: the reaper would
// be one more image to pull. And where the engine's bridge is an interface of this machine, its ports are on loopback,
// also if this machine is a container itself.
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

// binaries builds wsd and wsctl as they are shipped, once, and returns their directory.
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
