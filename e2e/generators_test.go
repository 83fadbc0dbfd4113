package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// generated is a copy of the module below testdata/generators with the clients that are generated from a document.
type generated struct {
	directory string
	document  []byte // in openapi.json
	token     string // of the stories
}

// leastCalls is the least number of calls of a story.
const leastCalls = 22

// TestGeneratedClientsCampaign generates clients with oapi-codegen and ogen from the document of a wsd, and runs a story with each: on
// this wsd, and on one that answers members and values that the document does not name. libopenapi reads the document, too.
func TestGeneratedClientsCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "generators", 1, 1)
	d, stop, err := startDemo(binary(t, "wsd"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	g := newGenerated(t, d)
	operations := g.operations(t)
	g.generate(t, operations)
	start := time.Now()
	// The packages of the clients are large, so they are compiled without optimization.
	g.run(t, "go", "build", "-trimpath", "-gcflags=-N -l", "-o", "bin/", "./oapi", "./ogenapi", "./oapistory", "./ogenstory", "./validate")
	t.Logf("compiled in %s", time.Since(start).Round(time.Second))
	if got := g.run(t, "bin/validate", "openapi.json"); got != strconv.Itoa(operations)+" operations\n" {
		t.Errorf("libopenapi reads %q, want %d operations", got, operations)
	}
	later := newLaterVersion(t, d.URL, g.document)
	for _, name := range []string{"oapistory", "ogenstory"} {
		g.runStory(t, name, "-url", d.URL)
		g.runStory(t, name, "-url", later.url, "-later", laterValue)
	}
	if members, values := later.members.Load(), later.values.Load(); members < 100 || values < 40 {
		t.Errorf("%d members and %d values were added to answers, want more", members, values)
	}
}

// newGenerated copies the module and adds the document that a demo serves.
func newGenerated(t *testing.T, d demo) *generated {
	t.Helper()
	g := &generated{directory: t.TempDir(), token: d.Token}
	if err := os.CopyFS(g.directory, os.DirFS("testdata/generators")); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL+"/v1/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if g.document, err = io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the document is answered %s: %v", answer.Status, err)
	}
	if err := os.WriteFile(filepath.Join(g.directory, "openapi.json"), g.document, 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// operations returns the number of operations of the document.
func (g *generated) operations(t *testing.T) int {
	t.Helper()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(g.document, &document); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range document.Paths {
		n += len(path)
	}
	return n
}

// generate generates both clients and checks that they have all operations.
func (g *generated) generate(t *testing.T, operations int) {
	t.Helper()
	start := time.Now()
	if err := os.Mkdir(filepath.Join(g.directory, "oapi"), 0o700); err != nil {
		t.Fatal(err)
	}
	g.run(t, "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yml", "openapi.json")
	g.run(t, "go", "tool", "ogen", "--config", "ogen.yml", "--target", "ogenapi", "--package", "ogenapi", "openapi.json")
	t.Logf("generated %d operations of %d bytes in %s", operations, len(g.document), time.Since(start).Round(time.Second))
	for file, declaration := range map[string]string{
		"oapi/client.go":                `(?m)^func New\w+Request\(server string`, // of the operation, or of its JSON
		"ogenapi/oas_operations_gen.go": `(?m)^\t\w+Operation +OperationName = "`,
	} {
		text, err := os.ReadFile(filepath.Join(g.directory, file))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(regexp.MustCompile(declaration).FindAll(text, -1)); n != operations {
			t.Errorf("%s has %d operations, the document %d", file, n, operations)
		}
	}
}

// runStory runs the story of a client and checks the number of its calls.
func (g *generated) runStory(t *testing.T, name string, flags ...string) {
	t.Helper()
	start := time.Now()
	out := g.run(t, "bin/"+name, flags...)
	t.Logf("%s %s in %s:\n%s", name, strings.Join(flags, " "), time.Since(start).Round(time.Millisecond), out)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	calls, _ := strconv.Atoi(strings.TrimSuffix(lines[len(lines)-1], " calls"))
	if calls < leastCalls || calls != len(lines)-1 {
		t.Errorf("%s ended with %q after %d lines, want at least %d calls", name, lines[len(lines)-1], len(lines), leastCalls)
	}
}

// run runs a command in the module and returns its standard output.
func (g *generated) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = g.directory, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "WSD_TOKEN="+g.token)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &log)
	}
	return string(out)
}
