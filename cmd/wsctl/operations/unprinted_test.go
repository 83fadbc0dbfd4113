package operations_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// failingWriter is a standard output that cannot be written to.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: w.err}
}

// TestUnprintedWrites checks that a write whose answer cannot be printed is reported as made, and ends neither as a usage
// error nor as a success, except in a closed pipe.
func TestUnprintedWrites(t *testing.T) {
	t.Parallel()
	full, closed := failingWriter{syscall.ENOSPC}, failingWriter{syscall.EPIPE}
	const noSpace = " (no space left on device)\n"
	for name, test := range map[string]struct {
		line   string
		out    io.Writer
		code   int
		stderr string
	}{
		"jq": {
			`spaces create --title T --jq .id|error`, io.Discard, app.ExitFailed,
			"wsctl: made, but could not be printed: s_1 (cannot apply --jq: error: s_1)\n",
		},
		"template": {
			`spaces create --title T --template {{.id|timeago}}`, io.Discard, app.ExitFailed,
			"wsctl: made, but could not be printed: s_1 (cannot",
		},
		"full disk":  {"spaces create --title T", full, app.ExitFailed, "wsctl: made, but could not be printed: s_1" + noSpace},
		"update":     {"spaces update s_1 --title T", full, app.ExitFailed, "wsctl: done, but could not be printed: s_1" + noSpace},
		"closed":     {"spaces create --title T", closed, app.ExitOK, ""},
		"dry run":    {"spaces create --title T --dry-run", full, app.ExitFailed, "wsctl: write /dev/stdout: no space left on device\n"},
		"read":       {"spaces get s_1", full, app.ExitFailed, "wsctl: write /dev/stdout: no space left on device\n"},
		"read by jq": {"spaces get s_1 --jq .id|error", io.Discard, app.ExitFailed, "wsctl: cannot apply --jq: error: s_1\n"},
		"api":        {"api POST /orgs/o_o/spaces", full, app.ExitFailed, "wsctl: made, but could not be printed: s_1" + noSpace},
		"api read":   {"api GET /spaces/s_1", full, app.ExitFailed, "wsctl: write /dev/stdout: no space left on device\n"},
		"no id": {
			"api PATCH /spaces/s_2", full, app.ExitFailed, "wsctl: done, but could not be printed: the answer of PATCH" + noSpace,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, map[string]string{
				"POST /v1/orgs/o_o/spaces": `201 {"id":"s_1"}`, "POST /v1/orgs/o_o/spaces?dryRun=true": `201 {"id":"s_1"}`,
				"PATCH /v1/spaces/s_1": `200 {"id":"s_1"}`, "GET /v1/spaces/s_1": `200 {"id":"s_1"}`, "PATCH /v1/spaces/s_2": `200 {"title":"T"}`,
			})
			s.Env["WSCTL_ORG"] = "o_o"
			var stderr bytes.Buffer
			code := s.RunTo(test.out, &stderr, strings.Fields(test.line)...)
			if code != test.code || !strings.Contains(stderr.String(), test.stderr) || test.stderr == "" && stderr.Len() > 0 {
				t.Errorf("exit code %d, stderr %s", code, &stderr)
			}
			if len(s.Requests()) != 1 {
				t.Errorf("sent %v", s.Requests())
			}
		})
	}
}

// TestUnprintedSecretIsKept checks that a secret that is shown once and cannot be printed is written to a file of the user
// alone, also if the pipe is closed, and is shown instead at a terminal.
func TestUnprintedSecretIsKept(t *testing.T) {
	t.Parallel()
	for _, err := range []error{syscall.ENOSPC, syscall.EPIPE} {
		s := newHarness(t, map[string]string{"POST /v1/orgs/o_o/invites": `200 {"invites":[{"id":"i_1","secret":"wsi_1"},{"id":"i_2"}]}`})
		s.Env["WSCTL_ORG"], s.Env["WSCTL_CONFIG_DIR"] = "o_o", filepath.Join(s.Dir, "new")
		args := strings.Fields("invites create --emails a@example.com --role read")
		var stderr bytes.Buffer
		code := s.RunTo(failingWriter{err}, &stderr, args...)
		files, _ := filepath.Glob(filepath.Join(s.Dir, "new", "secret-*.json")) // the pattern is valid
		if code != app.ExitFailed || len(files) != 1 {
			t.Fatalf("exit code %d, files %v, stderr %s", code, files, &stderr)
		}
		want := "made, but could not be printed: i_1, i_2 (" + err.Error() + "); its secret is in " + files[0] + "\n"
		if !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "wsi_1") {
			t.Errorf("stderr %s, want %s", &stderr, want)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), "wsi_1") {
			t.Errorf("the file has %q, %v", data, err)
		}
		s.Terminal = true
		stderr.Reset()
		if code := s.RunTo(failingWriter{err}, &stderr, args...); code != app.ExitFailed ||
			!strings.Contains(stderr.String(), "wsi_1") || !strings.Contains(stderr.String(), "; its secret is above\n") {
			t.Errorf("at a terminal: exit code %d, stderr %s", code, &stderr)
		}
		s.Terminal = false
		s.Env["WSCTL_CONFIG_DIR"] = filepath.Join(s.Dir, "dangling")
		if err := os.Symlink(filepath.Join(s.Dir, "nowhere"), s.Env["WSCTL_CONFIG_DIR"]); err != nil {
			t.Fatal(err)
		}
		stderr.Reset()
		if s.RunTo(failingWriter{err}, &stderr, args...); !strings.Contains(stderr.String(), "; its secret is lost: ") {
			t.Errorf("without a place for it: stderr %s", &stderr)
		}
	}
}

// TestUnprintableIsNotSent checks that an output that cannot fit the answer is refused before anything is sent.
func TestUnprintableIsNotSent(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"spaces create --title T --jq .[", "spaces create --title T --jq nosuch(1)", "spaces create --title T --jq $x",
		"spaces create --title T --template {{", "spaces create --title T --template {{nosuch}}",
		"spaces create --title T --columns nope", "spaces create --title T -o xml", "spaces create --title T --jq . --template x",
		"invites create --emails a@example.com -o name", "server get -o name", "teams list-members t -o name",
		"api POST /orgs --jq .[",
	} {
		s := newHarness(t, nil)
		s.Env["WSCTL_ORG"] = "o_o"
		if got := s.Run(line); got.Code != app.ExitUsage || len(s.Requests()) > 0 || got.Stdout != "" {
			t.Errorf("%s: %+v, sent %v", line, got, s.Requests())
		}
	}
}
