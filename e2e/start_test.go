package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// startRuns is the number of runs of a process in a benchmark, which reports the best and the median, and the CPU time of the
// median run, which varies less with the load of the machine. x-floor is the median of the floor, run alternately with the
// subject, divided by that of the subject: 1 is as fast as the floor. Run the benchmarks with `make bench`.
const startRuns = 21

// idleDelay is the time from the start to the measurement of idle memory.
const idleDelay = 300 * time.Millisecond

// BenchmarkServe measures the time from the start of wsd to its first successful /readyz, and its idle memory.
func BenchmarkServe(b *testing.B) {
	b.Run("redis", func(b *testing.B) {
		r, err := storetest.StartRedis(b.Context(), b.TempDir(), "--appendonly", "yes")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(r.Kill)
		benchmarkServe(b, "--redis-url="+r.URL())
	})
	b.Run("memory", func(b *testing.B) { benchmarkServe(b, "--store=memory") })
}

func benchmarkServe(b *testing.B, store string) {
	b.Helper()
	wsd, data := binary(b, "wsd"), b.TempDir()
	for b.Loop() {
		var runs []processRun
		var memory []float64
		for range startRuns {
			run, resident := serveOnce(b, exec.CommandContext(b.Context(), wsd, store, "--data="+data, "--addr=127.0.0.1:0"))
			runs, memory = append(runs, run), append(memory, resident)
		}
		report(b, runs)
		slices.Sort(memory)
		b.ReportMetric(memory[len(memory)/2], "idle-MB")
	}
}

// serveOnce starts a server, waits until it is ready, and stops it.
func serveOnce(b *testing.B, cmd *exec.Cmd) (run processRun, residentMB float64) {
	b.Helper()
	cmd.Env = append(environment(), "WSD_SECRET="+strings.Repeat("k", 32), "WSD_DRAIN_TIME=0s")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var address string
	lines := bufio.NewScanner(stderr)
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "serving at ")
		address, _, _ = strings.Cut(address, `"`) // the line is JSON
	}
	for !isReady(b.Context(), address) {
		if time.Since(start) > startLimit+slack {
			b.Fatalf("wsd is not ready; it serves at %q", address)
		}
	}
	run.wall = time.Since(start)
	time.Sleep(idleDelay)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	run.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return run, residentMemory(b, status)
}

func isReady(ctx context.Context, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// residentMemory returns the VmRSS of a process status in MB.
func residentMemory(tb testing.TB, status []byte) (megabytes float64) {
	tb.Helper()
	for line := range bytes.Lines(status) {
		if fields := strings.Fields(string(line)); len(fields) > 1 && fields[0] == "VmRSS:" {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	tb.Fatal("the status of the process has no VmRSS")
	return 0
}

// BenchmarkWsctl compares wsctl with minimal equivalents: its version with a cobra program without commands, a list
// with curl.
func BenchmarkWsctl(b *testing.B) {
	d, stop, err := startDemo(binary(b, "wsd"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := stop(); err != nil {
			b.Error(err)
		}
	})
	wsctl, home := binary(b, "wsctl"), b.TempDir()
	subject := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(b.Context(), wsctl, args...)
		cmd.Env = append(environment(), "WSCTL_URL="+d.URL, "WSCTL_TOKEN="+d.Token, "WSCTL_ORG="+d.Organization, "HOME="+home,
			"XDG_CONFIG_HOME="+home)
		return cmd
	}
	b.Run("version", func(b *testing.B) {
		bare := buildBareCobra(b)
		runAlternately(b, func() *exec.Cmd { return exec.CommandContext(b.Context(), bare, "--version") },
			func() *exec.Cmd { return subject("--version") })
	})
	b.Run("list", func(b *testing.B) {
		curl, err := exec.LookPath("curl")
		if err != nil {
			b.Skip(err)
		}
		address := d.URL + "/v1/orgs/" + d.Organization + "/spaces"
		runAlternately(b, func() *exec.Cmd {
			return exec.CommandContext(b.Context(), curl, "-sSf", "-H", "Authorization: Bearer "+d.Token, address)
		}, func() *exec.Cmd { return subject("spaces", "list") })
	})
}

// buildBareCobra builds a cobra program without commands.
func buildBareCobra(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "bare")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", program, "./testdata/bare")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// runAlternately measures floor and subject in alternating runs.
func runAlternately(b *testing.B, floor, subject func() *exec.Cmd) {
	b.Helper()
	for b.Loop() {
		var floors, subjects []processRun
		for range startRuns {
			floors = append(floors, runOnce(b, floor()))
			subjects = append(subjects, runOnce(b, subject()))
		}
		report(b, subjects)
		b.ReportMetric(float64(median(floors).wall)/float64(median(subjects).wall), "x-floor")
	}
}

func runOnce(b *testing.B, cmd *exec.Cmd) processRun {
	b.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
	}
	return processRun{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// processRun holds the wall and CPU time of a process.
type processRun struct{ wall, cpu time.Duration }

// median sorts the runs by wall time and returns the median.
func median(runs []processRun) processRun {
	slices.SortFunc(runs, func(x, y processRun) int { return int(x.wall - y.wall) })
	return runs[len(runs)/2]
}

func report(b *testing.B, runs []processRun) {
	b.Helper()
	median := median(runs)
	b.ReportMetric(milliseconds(runs[0].wall), "best-ms")
	b.ReportMetric(milliseconds(median.wall), "median-ms")
	b.ReportMetric(milliseconds(median.cpu), "cpu-ms")
	b.ReportMetric(0, "ns/op")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
