package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// demo is the output of `wsd demo -o json`.
type demo struct {
	URL           string `json:"url"`
	Token         string `json:"token"`
	ReviewerToken string `json:"reviewerToken"`
	Organization  string `json:"organization"`
	Store         string `json:"store"`
}

// startLimit is the documented limit for the start of the demo, stopLimit for its end after SIGTERM.
const (
	startLimit = 5 * time.Second
	stopLimit  = 10 * time.Second
	// slack allows for several demos that run concurrently.
	slack = 25 * time.Second
)

// startDemo runs `wsd demo` without WSD_ variables of the environment. It returns its output and a function that
// stops it and returns an error if it does not end cleanly.
func startDemo(wsd string, args ...string) (demo, func() error, error) {
	args = append([]string{"demo", "-o", "json", "--addr", "127.0.0.1:0"}, args...)
	cmd := exec.Command(wsd, args...) //nolint:noctx // ends by SIGTERM, see stop
	cmd.Env = environment()
	var log strings.Builder
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return demo{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return demo{}, nil, err
	}
	lines := make(chan string)
	go readLines(stdout, lines)
	stop := func() error { return stopDemo(cmd, lines, &log) }

	var d demo
	select {
	case line, ok := <-lines:
		if !ok {
			return demo{}, nil, fmt.Errorf("wsd demo ended without a line: %w\n%s", cmd.Wait(), &log)
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return demo{}, nil, errors.Join(fmt.Errorf("wsd demo printed %q: %w", line, err), stop())
		}
	case <-time.After(startLimit + slack):
		return demo{}, nil, errors.Join(errors.New("wsd demo did not serve in time"), stop())
	}
	return d, stop, nil
}

// stopDemo sends SIGTERM. The demo must exit with code 0 and without further output on stdout.
func stopDemo(cmd *exec.Cmd, lines <-chan string, log fmt.Stringer) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	kill := time.AfterFunc(stopLimit, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	var more []string
	for line := range lines {
		more = append(more, line)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("wsd demo did not end cleanly: %w\n%s", err, log)
	}
	if len(more) > 0 {
		return fmt.Errorf("wsd demo printed %d more lines on stdout: %q", len(more), more)
	}
	return nil
}

func readLines(r io.Reader, lines chan<- string) {
	defer close(lines)
	for scanner := bufio.NewScanner(r); scanner.Scan(); {
		lines <- scanner.Text()
	}
}

// environment returns the environment without variables of wsd and wsctl.
func environment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "WSD_") && !strings.HasPrefix(variable, "WSCTL_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
