package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readmeCommand is one `$ command` of the README, or of another paper, with what it should print. `# exit N` behind it is the status.
type readmeCommand struct {
	text   string
	exit   int
	output string
}

// elsewhere are commands of the README that this test does not run itself, and what does.
var elsewhere = map[string]string{
	"go run ./cmd/wsd demo":            "startDemo runs the same binary, and the other commands talk to it",
	"go install ./cmd/wsd ./cmd/wsctl": "the commands that follow are built by the same line, into a directory of the test",
}

var exitNote = regexp.MustCompile(`\s+# exit (\d)$`)

// readmeCommands reads the console blocks of a paper.
func readmeCommands(t *testing.T, name string) []readmeCommand {
	t.Helper()
	return consoleCommands(paper(t, name))
}

// consoleCommands reads the console blocks of a text. A line that begins with "> " goes on with the command before it.
func consoleCommands(paper string) []readmeCommand {
	var commands []readmeCommand
	inside := false
	for line := range strings.SplitSeq(paper, "\n") {
		text, isCommand := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			c := readmeCommand{text: text}
			if m := exitNote.FindStringSubmatch(text); m != nil {
				c.exit, _ = strconv.Atoi(m[1])
				c.text = strings.TrimSuffix(text, m[0])
			}
			commands = append(commands, c)
		case inside && goesOn && len(commands) > 0:
			commands[len(commands)-1].text += "\n" + more
		case inside && len(commands) > 0:
			commands[len(commands)-1].output += line + "\n"
		}
	}
	return commands
}

// identifiers and addresses differ from run to run.
var identifiers = regexp.MustCompile(`\b(s|o|p|c|cr|r|u)_[0-9a-z_]{14,}\b`)

func mask(text string) string { return identifiers.ReplaceAllString(text, "${1}_ID") }

// TestREADME runs every command of the README, in order, against a demo, and compares what it prints.
func TestREADME(t *testing.T) {
	t.Parallel()
	wsd := binary(t, "wsd")
	d, stop, err := startDemo(wsd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	site := exampleSite(t)
	work := t.TempDir()
	commands := readmeCommands(t, "README.md")
	shell := exec.CommandContext(t.Context(), "sh", "-c", script(commands, site))
	shell.Dir = work
	shell.Env = append(environment(), "PATH="+filepath.Dir(wsd)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+work, "XDG_CONFIG_HOME="+work, "WSCTL_URL="+d.URL, "WSCTL_TOKEN="+d.Token)
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, c := range commands {
		if _, other := elsewhere[c.text]; !other {
			compare(t, work, i, c)
		}
	}
}

// script runs the commands in one shell, so that what one exports the next one has, and keeps their output apart.
func script(commands []readmeCommand, site string) string {
	var s strings.Builder
	for i, c := range commands {
		if _, other := elsewhere[c.text]; other {
			continue
		}
		text := strings.ReplaceAll(c.text, "https://docs.example.com/", site+"/")
		fmt.Fprintf(&s, "{ %s\n} > %d.out 2> %d.err; echo $? > %d.code\n", text, i, i, i)
	}
	return s.String()
}

func compare(t *testing.T, work string, i int, c readmeCommand) {
	t.Helper()
	read := func(kind string) string {
		data, err := os.ReadFile(filepath.Join(work, fmt.Sprintf("%d.%s", i, kind)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if code := strings.TrimSpace(read("code")); code != strconv.Itoa(c.exit) {
		t.Errorf("$ %s\nexit %s, want %d\n%s%s", c.text, code, c.exit, read("out"), read("err"))
		return
	}
	if c.output == "" {
		return
	}
	if got, want := mask(read("out")), mask(c.output); got != want {
		t.Errorf("$ %s\nprinted\n%sthe README says\n%s", c.text, got, want)
	}
}

// exampleSite is the documentation website that the README imports.
func exampleSite(t *testing.T) string {
	t.Helper()
	pages := map[string]string{
		"/":          `<html><body><main><h1>Example</h1><p>See <a href="more.html">more</a>.</p></main></body></html>`,
		"/more.html": `<html><body><main><h1>More</h1><p>There is more.</p></main></body></html>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
