package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// command is a `$ command` of a page with its output. A `# exit N` after it sets its exit code.
type command struct {
	text     string
	exitCode int
	output   string
}

// demoPages lists the pages whose commands run against a demo, each page in one shell.
var demoPages = []string{
	"README.md", "docs/configuration.md", "docs/events.md", "docs/folders.md", "docs/imports.md", "docs/tokens.md", "docs/transfers.md",
}

// pageTests maps the pages whose commands other tests run to those tests.
var pageTests = map[string]string{
	"CONTRIBUTING.md": "TestContributingCommands",
	"docs/operations.md": "TestDocumentedInstallationAndRestore, TestDocumentedBackupOfRedis, TestDocumentedBackupOfCluster, " +
		"TestDocumentedEmailDomainCommands, TestDocumentedSecretReplacement, TestDocumentedPeopleCommands, " +
		"TestRestartBehindNginxLosesNoRequestCampaign, TestRestartBehindCaddyLosesNoRequestCampaign",
	"docs/upgrades.md": "TestDocumentedEmailDomainCommands, TestDocumentedUpgradeCommands",
}

// replacedCommands maps commands of the README that TestDocsCommandOutput replaces to the reason.
var replacedCommands = map[string]string{
	"go run ./cmd/wsd demo":            "startDemo runs the same binary, and the other commands use it",
	"go test ./...":                    "it would run this test",
	"go install ./cmd/wsd ./cmd/wsctl": "the other commands use binaries built by the same line, in a directory of the test",
}

// untestedPrograms maps first words of commands in sh blocks that no test runs to the reason.
var untestedPrograms = map[string]string{
	"sudo":           "installs packages, stops services",
	"docker":         "needs images of a registry; TestComposeFileIsSafe checks the file",
	"echo":           "settings of Compose",
	"cp":             "settings of Compose",
	"mkdir":          "files for a Compose volume",
	"go":             "writes golden files; TestContributingCommands checks the names",
	"WSCTL_UPDATE=1": "writes golden files; TestContributingCommands checks the names",
	"git":            "shows differences",
}

var exitNote = regexp.MustCompile(`\s+# exit (\d)$`)

// consoleCommands returns the commands of the console blocks of a text. A line that begins with "> " continues a
// command.
func consoleCommands(text string) []command {
	var commands []command
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		text, isCommand := strings.CutPrefix(line, "$ ")
		more, continues := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			c := command{text: text}
			if m := exitNote.FindStringSubmatch(text); m != nil {
				c.exitCode, _ = strconv.Atoi(m[1]) // always a digit
				c.text = strings.TrimSuffix(text, m[0])
			}
			commands = append(commands, c)
		case inside && continues && len(commands) > 0:
			commands[len(commands)-1].text += "\n" + more
		case inside && len(commands) > 0:
			commands[len(commands)-1].output += line + "\n"
		}
	}
	return commands
}

// idPattern matches ids, which differ from run to run.
var idPattern = regexp.MustCompile(`\b(s|o|p|c|cr|r|u|t|tf)_[0-9a-z_]{12,}\b`)

func mask(text string) string { return idPattern.ReplaceAllString(text, "${1}_ID") }

// TestDocsCommandOutput runs every command of the README and of the pages for admins against a demo and compares the
// output.
func TestDocsCommandOutput(t *testing.T) {
	t.Parallel()
	for _, page := range demoPages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runPage(t, page)
		})
	}
}

func runPage(t *testing.T, page string) {
	t.Helper()
	commands := slices.DeleteFunc(consoleCommands(readDocument(t, page)), func(c command) bool { return replacedCommands[c.text] != "" })
	if len(commands) == 0 {
		t.Fatalf("%s has no commands", page)
	}
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
	work := t.TempDir()
	shell := exec.CommandContext(t.Context(), "sh", "-c", script(commands))
	shell.Dir = work
	shell.Env = append(environment(), "PATH="+filepath.Dir(wsd)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+work, "XDG_CONFIG_HOME="+work, "WSCTL_URL="+d.URL, "WSCTL_TOKEN="+d.Token)
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, c := range commands {
		compare(t, work, i, c)
	}
}

// script returns a shell script that runs all commands, which may share variables. It stores standard output, standard error
// and exit code of command N in N.out, N.err and N.code.
func script(commands []command) string {
	var s strings.Builder
	for i, c := range commands {
		fmt.Fprintf(&s, "{ %s\n} > %d.out 2> %d.err; echo $? > %d.code\n", c.text, i, i, i)
	}
	return s.String()
}

// compare compares exit code and output of command i, stored in a directory, with its page.
func compare(t *testing.T, dir string, i int, c command) {
	t.Helper()
	read := func(kind string) string {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.%s", i, kind)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if code := strings.TrimSpace(read("code")); code != strconv.Itoa(c.exitCode) {
		t.Errorf("$ %s\nexit %s, want %d\n%s%s", c.text, code, c.exitCode, read("out"), read("err"))
		return
	}
	if c.output == "" {
		return
	}
	if got, want := mask(read("out")), mask(c.output); got != want {
		t.Errorf("$ %s\nprinted\n%sthe page has\n%s", c.text, got, want)
	}
}

// TestDocsCommandsAreTested checks that a test runs each command of each page, or that there is a reason why not.
func TestDocsCommandsAreTested(t *testing.T) {
	t.Parallel()
	for _, page := range documentNames(t) {
		text := readDocument(t, page)
		if len(consoleCommands(text)) > 0 && !slices.Contains(demoPages, page) && pageTests[page] == "" {
			t.Errorf("no test runs the commands of %s", page)
		}
		for _, block := range shBlocks(text) {
			for line := range strings.Lines(block) {
				words := strings.Fields(line)
				if len(words) > 0 && untestedPrograms[words[0]] == "" {
					t.Errorf("%s: no test runs %q; use a console block", page, strings.TrimSpace(line))
				}
			}
		}
	}
}

// shBlocks returns the sh blocks of a page, except complete scripts.
func shBlocks(text string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "#!") {
			blocks = append(blocks, m[1])
		}
	}
	return blocks
}
