//go:build failpoint

package redis

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Environment variables of programs with the build tag failpoint, which only tests build.
const (
	// failpointVariable is `name[:n]`: the process is killed when it reaches the failpoint for the n-th time (default
	// 1).
	failpointVariable = "WSD_FAILPOINT"
	// failpointLog names a file to which every reached failpoint is appended.
	failpointLog = "WSD_FAILPOINT_LOG"
)

// FailpointVariables returns the environment variables of this package.
func FailpointVariables() []string { return []string{failpointVariable, failpointLog} }

func FailBefore(name string) { failpoints().hit(name + ".before") }

func FailAfter(name string) { failpoints().hit(name + ".after") }

// failpoints is the failpoint set of the process.
var failpoints = sync.OnceValue(newFailpointSet)

type failpointSet struct {
	mu        sync.Mutex
	name      string // failpoint to exit at
	remaining int    // number of times that the failpoint is still to be reached, including the exit
	log       *os.File
}

func newFailpointSet() *failpointSet {
	name, count, found := strings.Cut(os.Getenv(failpointVariable), ":")
	set := &failpointSet{name: name, remaining: 1}
	var err error
	if found {
		set.remaining, err = strconv.Atoi(count)
	}
	if path := os.Getenv(failpointLog); path != "" && err == nil {
		set.log, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // named by a test
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "failpoints:", err)
		os.Exit(2)
	}
	return set
}

// hit logs the failpoint and kills the process if it is the configured one.
func (f *failpointSet) hit(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil {
		_, _ = f.log.WriteString(name + "\n") // the log is for debugging
	}
	if name != f.name {
		return
	}
	if f.remaining--; f.remaining == 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // the signal is awaited below
		}
		select {} // wait for the signal
	}
}
