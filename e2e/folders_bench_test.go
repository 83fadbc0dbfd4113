package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Size of the folder of BenchmarkFolder.
const (
	folderPages    = 10_000
	folderPageSize = 4 << 10
	folderPart     = 49 // pages in a directory: with its group the changes of an edit
)

// folderRuns is the number of runs of a command of BenchmarkFolder that takes seconds.
const folderRuns = 5

// BenchmarkFolder measures wsctl in a folder of ten thousand pages: the first push and its merge, the first pull, and then status, a
// push without changes and a push of one page. max-MB is the most resident memory of wsctl. x-floor is the time of the floor divided
// by that of the subject, as in BenchmarkWsctl. The floor of the first push are the requests for the same pages without wsctl, that
// of the first pull a download of the archive with curl, and that of the others git status.
func BenchmarkFolder(b *testing.B) {
	f := newBenchmarkFolder(b)
	b.Run("first-push", f.firstPush)
	b.Run("merge", f.merge)
	b.Run("first-pull", f.firstPull)
	b.Run("status", func(b *testing.B) { f.repeat(b, func(int) {}, "status") })
	b.Run("nothing-to-push", func(b *testing.B) { f.repeat(b, func(int) {}, "push") })
	b.Run("push-of-one-page", func(b *testing.B) {
		f.repeat(b, func(n int) {
			f.write(b, folderPath(101), fmt.Sprintf("%s\nChange %d.\n", pageText(101), n))
		}, "push")
	})
}

// benchmarkFolder is a folder of many pages in a git repository, and the server that its space is on.
type benchmarkFolder struct {
	user       client
	person     person
	dir, space string
	org        string
	pages      []string // texts
}

// folderPath returns the path of a page in the folder.
func folderPath(page int) string { return fmt.Sprintf("part-%d/page-%d.md", page/folderPart, page) }

func newBenchmarkFolder(b *testing.B) *benchmarkFolder {
	b.Helper()
	h := newRedisHost(b).withEnvironment("WSD_RATE_LIMIT=0")
	token, organization := h.createOrganization(b)
	n := h.mustServe(b)
	f := &benchmarkFolder{
		user: client{path: binary(b, "wsctl"), url: n.url, token: token, home: b.TempDir()}, person: n.newPerson(token), org: organization,
		dir: filepath.Join(b.TempDir(), "docs"),
	}
	f.space = f.newSpace(b)
	for page := range folderPages {
		f.pages = append(f.pages, pageText(page)[:folderPageSize])
		f.write(b, folderPath(page), f.pages[page])
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "Docs"},
	} {
		f.mustRun(b, exec.CommandContext(b.Context(), "git", args...))
	}
	return f
}

func (f *benchmarkFolder) write(b *testing.B, name, text string) {
	b.Helper()
	at := filepath.Join(f.dir, name)
	err := os.MkdirAll(filepath.Dir(at), 0o755)
	if err == nil {
		err = os.WriteFile(at, []byte(text), 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func (f *benchmarkFolder) newSpace(b *testing.B) string {
	b.Helper()
	made := f.post(b, "/v1/orgs/"+f.org+"/spaces", map[string]any{"title": "Space"})
	return member(made, "id")
}

// post sends a request that must succeed and returns the answer.
func (f *benchmarkFolder) post(b *testing.B, path string, body any) map[string]any {
	b.Helper()
	status, answer, err := f.person.send(b.Context(), request{method: http.MethodPost, path: path, body: body})
	if err != nil || status >= http.StatusBadRequest {
		b.Fatalf("POST %s: %d %v %v", path, status, answer, err)
	}
	return answer
}

// wsctl returns a command in the folder.
func (f *benchmarkFolder) wsctl(b *testing.B, args ...string) *exec.Cmd {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), f.user.path, args...)
	cmd.Env = append(environment(), "WSCTL_URL="+f.user.url, "WSCTL_TOKEN="+f.user.token, "HOME="+f.user.home,
		"XDG_CONFIG_HOME="+f.user.home)
	return cmd
}

// mustRun runs a command in the folder, unless it has a directory, and returns the time that it took and its most resident memory.
func (f *benchmarkFolder) mustRun(b *testing.B, cmd *exec.Cmd) (wall time.Duration, maxMB float64) {
	b.Helper()
	if cmd.Dir == "" {
		cmd.Dir = f.dir
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended, peak := make(chan struct{}), make(chan float64, 1)
	go func() { peak <- peakMemory(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	wall = time.Since(start)
	close(ended)
	if err != nil {
		b.Fatalf("%q: %v\n%s", cmd.Args, err, &log)
	}
	return wall, <-peak
}

// peakMemory returns the most resident memory in MB of a process, read every few milliseconds until ended is closed. That of wait4 is
// not used, because it includes the memory of the test at the time of the start.
func peakMemory(process int, ended <-chan struct{}) (megabytes float64) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return megabytes
		case <-ticks.C:
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process)) // a process that has ended has none
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		var kilobytes float64
		if _, err := fmt.Sscan(peak, &kilobytes); err == nil {
			megabytes = max(megabytes, kilobytes/1024)
		}
	}
}

// report reports the time and the memory of a command, and the time of its floor.
func (f *benchmarkFolder) report(b *testing.B, wall, floor time.Duration, maxMB float64) {
	b.Helper()
	b.ReportMetric(milliseconds(wall), "wall-ms")
	b.ReportMetric(maxMB, "max-MB")
	b.ReportMetric(float64(floor)/float64(wall), "x-floor")
	b.ReportMetric(0, "ns/op")
}

func (f *benchmarkFolder) firstPush(b *testing.B) {
	wall, maxMB := f.mustRun(b, f.wsctl(b, "push", "--space", f.space, "--yes"))
	floor := f.pushWithoutCommand(b)
	f.report(b, wall, floor, maxMB)
	b.ReportMetric(folderPages/wall.Seconds(), "pages/s")
	b.ReportMetric(folderPages/floor.Seconds(), "floor-pages/s")
}

// pushWithoutCommand sends the pages of the folder to another space and returns the time that it took.
func (f *benchmarkFolder) pushWithoutCommand(b *testing.B) time.Duration {
	b.Helper()
	path := "/v1/spaces/" + f.newSpace(b) + "/change-requests"
	start := time.Now()
	path += fmt.Sprintf("/%v/content", f.post(b, path, map[string]any{"pushing": true})["number"])
	for first := 0; first < folderPages; first += folderPart {
		title := fmt.Sprint("part-", first/folderPart)
		changes := []map[string]any{{"operation": "insert_page", "type": "group", "ref": "part", "title": title}}
		for n := first; n < min(first+folderPart, folderPages); n++ {
			changes = append(changes, map[string]any{
				"operation": "insert_page", "into": "part", "slug": fmt.Sprintf("page-%d", n), "sourceName": "docs", "path": folderPath(n),
				"document": markdown(f.pages[n]),
			})
		}
		f.post(b, path, map[string]any{"changes": changes})
	}
	return time.Since(start)
}

func (f *benchmarkFolder) merge(b *testing.B) {
	wall, maxMB := f.mustRun(b, f.wsctl(b, "push", "--merge", "--yes"))
	b.ReportMetric(milliseconds(wall), "wall-ms")
	b.ReportMetric(maxMB, "max-MB")
	b.ReportMetric(0, "ns/op")
}

func (f *benchmarkFolder) firstPull(b *testing.B) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		b.Skip(err)
	}
	floor, _ := f.mustRun(b, exec.CommandContext(b.Context(), curl, "-sSf", "-o", filepath.Join(b.TempDir(), "docs.zip"),
		"-H", "Authorization: Bearer "+f.user.token, f.user.url+"/v1/spaces/"+f.space+"/content/export"))
	cmd := f.wsctl(b, "pull", f.space, "pulled")
	cmd.Dir = b.TempDir()
	wall, maxMB := f.mustRun(b, cmd)
	f.report(b, wall, floor, maxMB)
}

// repeat runs a command several times, after a change, and alternately git status. It reports the medians.
func (f *benchmarkFolder) repeat(b *testing.B, change func(n int), args ...string) {
	b.Helper()
	var floors, subjects []processRun
	most := 0.0
	for n := range folderRuns {
		change(n)
		floor, _ := f.mustRun(b, exec.CommandContext(b.Context(), "git", "status", "--porcelain"))
		wall, maxMB := f.mustRun(b, f.wsctl(b, args...))
		floors, subjects, most = append(floors, processRun{wall: floor}), append(subjects, processRun{wall: wall}), max(most, maxMB)
	}
	f.report(b, median(subjects).wall, median(floors).wall, most)
	b.ReportMetric(milliseconds(subjects[0].wall), "best-ms")
}
