package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"docspace.dev/wsd/store/storetest"
)

// TestStories runs testdata/*.txtar. In addition to the commands of testscript, a story has
//
//	wsd-demo                  start a demo; sets WSCTL_URL and ORG
//	wsd-serve [NAME=VALUE...] start wsd on a Redis of its own, on which commands of wsd work, too; sets the same
//	admin|reviewer|stranger   run the rest of the line as that person: admin wsctl spaces list
//	let NAME ACTOR COMMAND... run it and store its output in $NAME
//	exits CODE ACTOR COMMAND  run it and expect exactly this exit code
//	http-serve STATUS [NAME:VALUE...] [FILE]
//	                          answer every request with this, as a server that is not wsd; sets HTTP_URL,
//	                          and HTTP_HOST without http://
//	serve DIRECTORY           serve it as a website on loopback; sets SITE. FILE.base64 becomes FILE first
func TestStories(t *testing.T) {
	t.Parallel()
	bin := filepath.Dir(binary(t, "wsd"))
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("NO_COLOR", "1")
			return os.Mkdir(filepath.Join(env.WorkDir, ".home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"wsd-demo":  startStory,
			"wsd-serve": serveStory,
			"admin":     actor("ADMIN_TOKEN"),
			"reviewer":  actor("REVIEWER_TOKEN"),
			"stranger":  actor("STRANGER_TOKEN"),
			"let":       let,
			"exits":     exits,
			"serve":     serve,

			"http-serve": serveHTTP,
		},
	})
}

func startStory(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! wsd-demo")
	}
	began := time.Now()
	d, stop, err := startDemo(filepath.Join(scratch, "bin", "wsd"), args...)
	ts.Check(err)
	ts.Defer(func() {
		if err := stop(); err != nil {
			ts.Logf("%v", err)
		}
	})
	ts.Logf("demo on %s, store %s, after %v", d.URL, d.Store, time.Since(began).Round(time.Millisecond))
	ts.Setenv("WSCTL_URL", d.URL)
	ts.Setenv("ORG", d.Organization)
	ts.Setenv("ADMIN_TOKEN", d.Token)
	ts.Setenv("REVIEWER_TOKEN", d.ReviewerToken)
	ts.Setenv("STRANGER_TOKEN", d.ReviewerToken+"x")
}

// serveStory implements the command wsd-serve: it starts wsd, with the given environment variables, on a Redis of its own,
// in which the organization Docs has the admin ada@example.com. The program redis-server must be installed.
func serveStory(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! wsd-serve")
	}
	redisDirectory := ts.MkAbs(".redis")
	ts.Check(os.Mkdir(redisDirectory, 0o700))
	server, err := storetest.StartRedis(context.Background(), redisDirectory, "--appendonly", "yes")
	ts.Check(err)
	ts.Defer(server.Kill)
	for _, setting := range append([]string{
		"WSD_REDIS_URL=" + server.URL(), "WSD_SECRET=" + strings.Repeat("secret", 8), "WSD_ADDR=127.0.0.1:0", "WSD_DRAIN_TIME=0s",
	}, args...) {
		name, value, _ := strings.Cut(setting, "=")
		ts.Setenv(name, value)
	}
	ts.Check(ts.Exec("wsd", "init", "--user", "ada@example.com", "--org", "Docs", "-o", "json"))
	var made struct {
		Token        string `json:"token"`
		Organization string `json:"organization"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &made))
	n, err := newHost(filepath.Join(scratch, "bin", "wsd"), server.URL()).withEnvironment(args...).start()
	ts.Check(err)
	ts.Defer(n.kill)
	ts.Setenv("WSCTL_URL", n.url)
	ts.Setenv("ORG", made.Organization)
	ts.Setenv("ADMIN_TOKEN", made.Token)
}

// actor returns a command that runs its arguments with a person's token.
func actor(token string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		err := runAs(ts, token, args)
		switch {
		case neg && err == nil:
			ts.Fatalf("unexpected success")
		case !neg:
			ts.Check(err)
		}
	}
}

// let implements the command let NAME ACTOR COMMAND...: it stores the standard output of the command, without surrounding
// space, in the variable NAME.
func let(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: let NAME ACTOR COMMAND [ARGUMENT...]")
	}
	ts.Check(runAs(ts, actorToken(ts, args[1]), args[2:]))
	value := strings.TrimSpace(ts.ReadFile("stdout"))
	if value == "" {
		ts.Fatalf("%s would be empty", args[0])
	}
	ts.Setenv(args[0], value)
}

// exits implements the command exits CODE ACTOR COMMAND...: it fails the story unless the exit code of the command is CODE.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: exits CODE ACTOR COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := runAs(ts, actorToken(ts, args[1]), args[2:]); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func actorToken(ts *testscript.TestScript, name string) string {
	token := map[string]string{"admin": "ADMIN_TOKEN", "reviewer": "REVIEWER_TOKEN", "stranger": "STRANGER_TOKEN"}[name]
	if token == "" {
		ts.Fatalf("nobody is called %q", name)
	}
	return token
}

func runAs(ts *testscript.TestScript, token string, args []string) error {
	if len(args) == 0 {
		ts.Fatalf("what should be run?")
	}
	ts.Setenv("WSCTL_TOKEN", ts.Getenv(token))
	return ts.Exec(args[0], args[1:]...)
}

// serve implements the command serve DIRECTORY: it serves the files of the directory on loopback and sets SITE.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve DIRECTORY")
	}
	dir := ts.MkAbs(args[0])
	encoded, err := filepath.Glob(filepath.Join(dir, "*.base64"))
	ts.Check(err)
	for _, name := range encoded {
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(ts.ReadFile(name)))
		ts.Check(err)
		ts.Check(os.WriteFile(strings.TrimSuffix(name, ".base64"), data, 0o600))
		ts.Check(os.Remove(name))
	}
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	ts.Defer(site.Close)
	ts.Setenv("SITE", site.URL)
}

// serveHTTP implements the command http-serve STATUS [NAME:VALUE...] [FILE]: it starts a server that answers every
// request with a status, headers and the content of a file, and sets HTTP_URL and HTTP_HOST.
func serveHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: http-serve STATUS [NAME:VALUE...] [FILE]")
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	header, body := http.Header{}, ""
	for _, argument := range args[1:] {
		if name, value, ok := strings.Cut(argument, ":"); ok {
			header.Set(name, value)
			continue
		}
		body = ts.ReadFile(argument)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // fails if the command has ended
	}))
	ts.Defer(server.Close)
	ts.Setenv("HTTP_URL", server.URL)
	ts.Setenv("HTTP_HOST", server.Listener.Addr().String())
}
