package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// signalsProbe is set in the environment of the process that TestSignals starts.
const signalsProbe = "WSCTL_TEST_SIGNALS"

// TestMain runs wsctl for the tests of several processes, the probe of TestSignals, or the tests.
func TestMain(m *testing.M) {
	if os.Getenv(programProbe) != "" {
		os.Exit(runProgram())
	}
	if os.Getenv(signalsProbe) == "" {
		os.Exit(m.Run())
	}
	ctx := cancelOnSignal()
	_ = syscall.Kill(os.Getpid(), syscall.SIGHUP) // of this process
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	<-ctx.Done()
	ended, _ := errors.AsType[*signalError](context.Cause(ctx))
	os.Exit(ended.exitCode())
}

// TestSignals checks that the first signal ends a command with the exit code of the signal, and that signals ignored by the
// parent process, as with nohup, do not end it.
func TestSignals(t *testing.T) {
	t.Parallel()
	for ignored, want := range map[string][]string{"": {"129", "143"}, "HUP": {"143"}} {
		script := `trap "" ` + ignored + `; "$0"; echo $?`
		if ignored == "" {
			script = `"$0"; echo $?`
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script, os.Args[0])
		cmd.Env = append(os.Environ(), signalsProbe+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); !strings.Contains(" "+strings.Join(want, " ")+" ", " "+got+" ") {
			t.Errorf("with %q ignored the exit code is %s, want one of %v", ignored, got, want)
		}
	}
}
