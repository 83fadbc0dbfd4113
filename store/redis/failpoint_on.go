//go:build failpoint

package redis

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// The environment of a program with the build tag failpoint. Only tests build
// one.
const (
	// failpointVariable is `name[:n]`: the process dies, as by kill -9, when it
	// comes to the place for the n-th time (default 1).
	failpointVariable = "WSD_FAILPOINT"
	// failpointLog names a file to which every place that is come to is appended.
	failpointLog = "WSD_FAILPOINT_LOG"
)

// FailpointVariables are the environment variables of this package.
func FailpointVariables() []string { return []string{failpointVariable, failpointLog} }

func FailBefore(name string) { failpoints().hit(name + ".before") }

func FailAfter(name string) { failpoints().hit(name + ".after") }

// failpoints is the one set of a process: what it dies of is the process's.
var failpoints = sync.OnceValue(newFailpointSet)

type failpointSet struct {
	mu   sync.Mutex
	name string // of the place to die at
	left int    // times to come to it before
	log  *os.File
}

func newFailpointSet() *failpointSet {
	name, count, found := strings.Cut(os.Getenv(failpointVariable), ":")
	set := &failpointSet{name: name, left: 1}
	var err error
	if found {
		set.left, err = strconv.Atoi(count)
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

// hit notes the place and dies there if it is the one.
func (f *failpointSet) hit(place string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil {
		_, _ = f.log.WriteString(place + "\n")
	}
	if place != f.name {
		return
	}
	if f.left--; f.left == 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {} // the signal is under way
	}
}
