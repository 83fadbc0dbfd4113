package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

const me = `200 {"object":"user","id":"usr_1","displayName":"Ada","urls":{"location":"x"}}`

func TestWhoami(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	for _, line := range []string{"whoami -o name", "user get -o name"} {
		if got := s.run(line); got.out != "usr_1\n" {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestLoginStoresAndLogoutForgets(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"keyring": false, "file": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{"GET /v1/user": me})
			s.ring.broken = broken
			delete(s.env, "WSCTL_TOKEN")
			s.input = "wsd_new\n"
			s.run("auth login --with-token").want(t, exit.OK, "Ada is you", "in the "+name)
			delete(s.env, "WSCTL_URL") // the profile remembers it
			s.run("auth status").want(t, exit.OK, "profile default, in the "+name, "usr_1", s.url)
			modes(t, s.dir)
			s.run("auth logout").want(t, exit.OK, "forgotten")
			s.run("auth logout").want(t, exit.OK, "has no token")
			if len(s.ring.secrets) > 0 {
				t.Errorf("the keyring still has %v", s.ring.secrets)
			}
		})
	}
}

// modes checks that nobody else can read what is stored.
func modes(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestAWrongTokenIsNotStored(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": `401 {"error":{"code":401,"message":"No such token."}}`})
	s.input = "wsd_new"
	s.run("auth login --with-token").want(t, exit.Denied, "No such token.")
	s.input = "two words"
	s.run("auth login --with-token").want(t, exit.Usage)
	s.run("auth login").want(t, exit.Usage, "--with-token")
	if entries, _ := os.ReadDir(s.dir); len(entries) > 0 || len(s.ring.secrets) > 0 {
		t.Errorf("stored %v %v", entries, s.ring.secrets)
	}
}

func TestLoginAsksOnATerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	s.term = true
	got := s.run("auth login")
	got.want(t, exit.OK, "Token: ", "WSCTL_TOKEN is set and wins")
	if s.ring.secrets["wsctl/default"] != "wsd_typed" || strings.Contains(got.out+got.err, "wsd_typed") {
		t.Errorf("stored %v, said %q", s.ring.secrets, got.err)
	}
}

// A stored token goes to the server that it was stored for and to no other.
func TestATokenStaysWithItsServer(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	delete(s.env, "WSCTL_TOKEN")
	s.input = "wsd_new"
	s.run("auth login --with-token").want(t, exit.OK)
	other := newStage(t, map[string]string{"GET /v1/user": me})
	status := s.run("auth", "status", "--url", other.url, "--jq", ".token")
	status.want(t, exit.OK)
	if status.out != "\n" {
		t.Errorf("the token for %s went to %s: from %s", s.url, other.url, status.out)
	}
	s.run("config", "set", "url", other.url).want(t, exit.OK)
	delete(s.env, "WSCTL_URL")
	if got := s.run("auth status --jq .token"); got.out != "\n" {
		t.Errorf("the token followed the profile to another server: %+v", got)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	delete(s.env, "WSCTL_URL")
	show := func(flags string) string { return s.run("config list --show-origin " + flags).out }
	want := func(got, line string) {
		t.Helper()
		if !strings.Contains(got, line+"\n") {
			t.Errorf("want %q in\n%s", line, got)
		}
	}
	want(show(""), "url\thttp://127.0.0.1:8080\tdefault")
	s.run("config set url http://profile.example").want(t, exit.OK)
	s.run("config set org org_p").want(t, exit.OK)
	want(show(""), "url\thttp://profile.example\tprofile default")
	s.env["WSCTL_URL"] = "http://env.example"
	want(show(""), "url\thttp://env.example\tenvironment WSCTL_URL")
	want(show("--url http://flag.example"), "url\thttp://flag.example\tflag --url")
	want(show(""), "org\torg_p\tprofile default")
	if got := s.run("config get org").out; got != "org_p\n" {
		t.Errorf("config get: %q", got)
	}
	if got := s.run("config path").out; got != filepath.Join(s.dir, "config.yaml")+"\n" {
		t.Errorf("config path: %q", got)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	s.run("--profile work config get url").want(t, exit.Usage, `no profile "work"`)
	s.run("--profile Work config set space spc_w").want(t, exit.Usage, "lower-case")
	s.run("--profile work config set space spc_w").want(t, exit.OK)
	s.run("config set profile work").want(t, exit.OK)
	if got := s.run("config get space").out; got != "spc_w\n" {
		t.Errorf("the profile in use has space %q", got)
	}
	s.env["WSCTL_PROFILE"] = "nowhere"
	s.run("config list").want(t, exit.Usage, "environment WSCTL_PROFILE")
	s.run("config set read_only perhaps").want(t, exit.Usage)
	s.run("config set colour red").want(t, exit.Usage)
	s.run("config get colour").want(t, exit.Usage)
}

func TestABrokenFileStopsOnlyWhatNeedsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	if err := os.WriteFile(filepath.Join(s.dir, "config.yaml"), []byte("profiles: [what"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("config list").want(t, exit.Usage, "config.yaml")
	for _, line := range []string{"version", "--version", "commands", "config path", "spaces --help"} {
		s.run(line).want(t, exit.OK)
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"GET /v1/user":                                me,
		"GET /v1/orgs/org_1/spaces?limit=5":           `200 {"count":1,"items":[{"id":"a"}]}`,
		"GET /v1/orgs/org_1/spaces?limit=1000":        `200 {"count":2,"items":[{"id":"a"}],"next":{"page":"2"}}`,
		"GET /v1/orgs/org_1/spaces?limit=1000&page=2": `200 {"count":2,"items":[{"id":"b"}]}`,
		"PATCH /v1/spaces/s":                          "200 " + oneSpace,
		"DELETE /v1/spaces/s":                         "205 ",
		"GET /v1/text":                                "200 plain text\n",
		"POST /v1/orgs":                               `201 {"id":"org_2"}`,
	})
	s.env["WSCTL_ORG"], s.env["WSCTL_SPACE"] = "org_1", "s"
	for _, test := range []struct{ line, out string }{
		{"api GET /user --jq .id", "usr_1\n"},
		{"api get v1/user --jq .id", "usr_1\n"},
		{"api GET /orgs/{org}/spaces -f limit=5 --jq .items[].id", "a\n"},
		{"api GET /orgs/{org}/spaces?limit=5 --jq .count", "1\n"},
		{"api GET /orgs/{org}/spaces --paginate --jq .[].id", "a\nb\n"},
		{"api PATCH /spaces/{space} -f title=New --jq .id", "spc_1\n"},
		{"api DELETE /spaces/s", ""},
		{"api GET /text", "plain text\n"},
		{`api POST /orgs -F {"title":"x"}`, "{\n  \"id\": \"org_2\"\n}\n"},
	} {
		if got := s.run(test.line); got.code != 0 || got.out != test.out {
			t.Errorf("%s: %+v", test.line, got)
		}
	}
	if got := s.requests(); !strings.Contains(strings.Join(got, "\n"), `PATCH /v1/spaces/s {"title":"New"}`) {
		t.Errorf("sent %v", got)
	}
	s.run("api GET /nowhere").want(t, exit.NotFound)
	for _, line := range []string{"api GET", "api GET /a{b}", "api POST /x -f a", "api POST /x -f a=b -F {}", "api POST /x --paginate"} {
		s.run(line).want(t, exit.Usage)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"GET /v1/orgs": orgs,
		"GET /v1/spaces/s/change-requests/7/comments?limit=100": `200 {"count":1,"items":[{"id":"com_1","status":"open"}]}`,
		"GET /v1/orgs/org_1/spaces?limit=100":                   `200 {"count":2,"items":[{"id":"spc_1","title":"One\u001b[2J"},{"id":"other","title":"Two"}]}`,
	})
	got := s.run("__complete", "spaces", "get", "spc")
	if !strings.HasPrefix(got.out, "spc_1\tOne\n:4") {
		t.Errorf("ids: %q", got.out)
	}
	got = s.run("__complete", "comments", "list", "--space", "")
	if !strings.HasPrefix(got.out, "spc_1\tOne\nother\tTwo\n") {
		t.Errorf("ids of a flag: %q", got.out)
	}
	if got := s.run("__complete", "spaces", "update", "x", "--edit-mode", ""); !strings.HasPrefix(got.out, "live\nlocked\n") {
		t.Errorf("choices: %q", got.out)
	}
	got = s.run("__complete", "comments", "get", "--space", "s", "--change-request", "7", "")
	if !strings.HasPrefix(got.out, "com_1\topen\n:4") {
		t.Errorf("ids inside a change request: %q", got.out)
	}
	s.env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.env["WSCTL_ORG"] = "org_1"
	got = s.run("__complete", "spaces", "get", "")
	if diff := cmp.Diff(":4\n", got.out); diff != "" || strings.Contains(got.err, "refused") {
		t.Errorf("a completion that fails talks: %q %q", got.out, got.err)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.run("spaces").want(t, exit.OK, "Usage:")
	s.run("spaces lst").want(t, exit.Usage, "did you mean get, list?")
	s.run("spacs list").want(t, exit.Usage, "did you mean spaces?")
	s.run("spaces list extra").want(t, exit.Usage, "one argument too many")
	s.run("version -o json").want(t, exit.OK, `"version"`)
}

func TestColour(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flag, noColor string
		term, want    bool
	}{
		{"auto", "", true, true},
		{"auto", "", false, false},
		{"auto", "yes", true, false},
		{"auto", "0", true, false},
		{"always", "1", false, true},
		{"never", "", true, false},
	} {
		s := newStage(t, nil)
		s.term, s.env["NO_COLOR"] = test.term, test.noColor
		got := s.run("spaces get x --color " + test.flag)
		if strings.Contains(got.err, "\x1b[") != test.want {
			t.Errorf("%+v: %q", test, got.err)
		}
	}
}

func TestDebugHasNoToken(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	got := s.run("whoami --debug")
	got.want(t, exit.OK, "status=200")
	if strings.Contains(got.err, "wsd_secret") {
		t.Errorf("logged the token: %s", got.err)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, address := range []string{"localhost:8080", "ftp://x", "http://", "x", "http://x?y=z"} {
		s.run("spaces", "get", "x", "--url", address).want(t, exit.Usage, "flag --url", "http://127.0.0.1:8080")
		s.run("config", "set", "url", address).want(t, exit.Usage)
		s.input = "wsd_x"
		s.run("auth", "login", "--with-token", "--url", address).want(t, exit.Usage)
	}
}

// A slow operation counts the seconds on a terminal, on one line that is gone at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var talk bytes.Buffer
		a := newApp(world{env: func(string) string { return "" }, err: &talk, errTerminal: true, now: time.Now})
		stop := a.progress(api.ImportContent.Row)
		time.Sleep(2500 * time.Millisecond)
		stop()
		if got := talk.String(); got != "\rImport… 1s\rImport… 2s\r\x1b[K" {
			t.Errorf("showed %q", got)
		}
		a.progress(api.GetSpace.Row)()
		a.errTerminal = false
		a.progress(api.ImportContent.Row)()
		if strings.Count(talk.String(), "\r") != 3 {
			t.Errorf("showed %q", talk.String())
		}
	})
}
