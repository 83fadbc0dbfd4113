package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// clockSource is added to cmd/wsd. Programs in Go do not read the clock through the C library, where libfaketime replaces it.
const clockSource = `package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/store/redis"
)

// wallClock returns the clock of the machine with the offset in seconds that the file WSD_TEST_OFFSET contains; nil without it.
func wallClock() redis.Clock {
	name := os.Getenv("WSD_TEST_OFFSET")
	if name == "" {
		return nil
	}
	return func() time.Time {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		seconds, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			panic(err)
		}
		return time.Now().Add(time.Duration(seconds) * time.Second)
	}
}

// startClock returns a clock that starts at WSD_TEST_START and replaces that of Redis, too; nil without it.
func startClock() redis.Clock {
	start, err := time.Parse(time.RFC3339, os.Getenv("WSD_TEST_START"))
	if err != nil {
		return nil
	}
	offset := time.Until(start)
	return func() time.Time { return time.Now().Add(offset) }
}
`

// clockProgram builds a wsd that takes its clock from the environment (see clockSource), once for all tests.
var clockProgram = sync.OnceValues(func() (program string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir := filepath.Join(scratch, "clock")
	overlay, err := overlayFlag(root, dir, []edit{
		{File: "cmd/wsd/test_clock.go", New: clockSource},
		{File: "cmd/wsd/config.go", Old: "Logger: log, Clock: c.clock,\n", New: "Logger: log, Clock: c.clock, WallClock: wallClock(),\n"},
		{File: "cmd/wsd/config.go", Old: "\tc := &config{\n", New: "\tc := &config{\n\t\tclock: startClock(),\n"},
	})
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "wsd")
	args := []string{"build", "-trimpath", overlay, "-tags", "nomsgpack,timetzdata", "-o", program, "./cmd/wsd"}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build with another clock: %w\n%s", err, out)
	}
	return program, nil
})

// wsdWithClock returns a wsd whose clock is set by its environment: WSD_TEST_OFFSET names a file with the offset of the wall clock
// in seconds, WSD_TEST_START is the time at which all of its clocks start.
func wsdWithClock(t *testing.T) (program string) {
	t.Helper()
	program, err := clockProgram()
	if err != nil {
		t.Fatal(err)
	}
	return program
}
