package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const goodMessage = "store: keep the order of lists\n\nReaders saw items twice.\n"

// TestCommitScriptChecksMessages runs .ci/commits in repositories with one commit after the one that adds the script.
func TestCommitScriptChecksMessages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 66)
	for name, c := range map[string]struct{ message, want string }{ // an empty want accepts the message
		"accepted":              {goodMessage, ""},
		"several packages":      {"store, client/{api,generate}: " + long[:42] + "\n\nWhy.\n", ""},
		"non-ASCII subject":     {"all: " + strings.Repeat("ü", 67) + "\n\nWhy.\n", ""},
		"long subject":          {"store: " + long + "\n\nWhy.\n", "at most 72"},
		"no package":            {"Keep the order of lists\n\nWhy.\n", "is not 'package: what it does'"},
		"empty subject":         {"store:\n\nWhy.\n", "is not 'package: what it does'"},
		"package in upper case": {"Store: keep the order\n\nWhy.\n", "is not 'package: what it does'"},
		"no body":               {"store: keep the order of lists\n", "has no body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.commit("Before the rule\n")
			r.add(".ci/commits")
			r.commit("Add the rule\n")
			r.commit(c.message)
			out, err := r.check()
			if (err == nil) != (c.want == "") || !strings.Contains(out, c.want) || !strings.Contains(out, "1 commits checked") {
				t.Errorf("%v, want %q:\n%s", err, c.want, out)
			}
		})
	}
}

// TestCommitScriptChecksShallowClone checks a shallow clone as far as its history reaches.
func TestCommitScriptChecksShallowClone(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.add(".ci/commits")
	r.commit("Add the rule\n")
	r.commit("Bad\n")
	r.commit(goodMessage)
	for depth, want := range map[string]string{"1": "0 commits checked", "2": "1 commits checked"} {
		clone := repository{t, t.TempDir()}
		clone.git("clone", "-q", "--depth", depth, "file://"+r.dir, ".")
		if out, err := clone.check(); err != nil || !strings.Contains(out, "incomplete") || !strings.Contains(out, want) {
			t.Errorf("depth %s: %v, want %q:\n%s", depth, err, want, out)
		}
	}
	if out, err := r.check(); err == nil {
		t.Errorf("the bad commit is not found:\n%s", out)
	}
}

func TestCommitScriptReportsMissingHistory(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.add(".ci/commits")
	if out, err := r.check(); err != nil || !strings.Contains(out, "not checked: none has added") {
		t.Errorf("before the first commit: %v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if out, err := r.check(); err != nil || !strings.Contains(out, "not a git repository") {
		t.Errorf("outside of a repository: %v\n%s", err, out)
	}
}

// repository is a temporary git repository.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	for _, program := range []string{"git", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	r := repository{t, t.TempDir()}
	r.git("init", "-q")
	return r
}

func (r repository) git(arguments ...string) {
	r.t.Helper()
	if out, err := r.run("git", arguments...); err != nil {
		r.t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
}

func (r repository) commit(message string) {
	r.t.Helper()
	r.git("commit", "-q", "--allow-empty", "-m", message)
}

// add copies a file of the wsd repository into r and stages it.
func (r repository) add(name string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		r.t.Fatal(err)
	}
	writeFile(r.t, filepath.Join(r.dir, name), string(data))
	r.git("add", name)
}

func (r repository) check() (string, error) { return r.run("bash", ".ci/commits") }

func (r repository) run(program string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), program, arguments...)
	cmd.Dir = r.dir
	cmd.Env = append(environment(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
