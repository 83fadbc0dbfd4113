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
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

const me = `200 {"object":"user","id":"usr_1","displayName":"Ada","urls":{"location":"x"}}`

func TestWhoami(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	for _, line := range []string{"whoami -o name", "user get -o name"} {
		if got := s.Run(line); got.Out != "usr_1\n" {
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
			s.Keyring.Broken = broken
			delete(s.Env, "WSCTL_TOKEN")
			s.Input = "wsd_new\n"
			s.Run("auth login --with-token").Want(t, exit.OK, "Ada is you", "in the "+name)
			delete(s.Env, "WSCTL_URL") // the profile remembers it
			s.Run("auth status").Want(t, exit.OK, "profile default, in the "+name, "usr_1", s.URL)
			modes(t, s.Dir)
			s.Run("auth logout").Want(t, exit.OK, "forgotten")
			s.Run("auth logout").Want(t, exit.OK, "has no token")
			if len(s.Keyring.Secrets) > 0 {
				t.Errorf("the keyring still has %v", s.Keyring.Secrets)
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
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, exit.Denied, "No such token.")
	s.Input = "two words"
	s.Run("auth login --with-token").Want(t, exit.Usage)
	s.Run("auth login").Want(t, exit.Usage, "--with-token")
	if entries, _ := os.ReadDir(s.Dir); len(entries) > 0 || len(s.Keyring.Secrets) > 0 {
		t.Errorf("stored %v %v", entries, s.Keyring.Secrets)
	}
}

func TestLoginAsksOnATerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	s.Terminal = true
	got := s.Run("auth login")
	got.Want(t, exit.OK, "Token: ", "WSCTL_TOKEN is set and wins")
	if s.Keyring.Secrets["wsctl/default"] != "wsd_typed" || strings.Contains(got.Out+got.Err, "wsd_typed") {
		t.Errorf("stored %v, said %q", s.Keyring.Secrets, got.Err)
	}
}

// A stored token goes to the server that it was stored for and to no other.
func TestATokenStaysWithItsServer(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	delete(s.Env, "WSCTL_TOKEN")
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, exit.OK)
	other := newStage(t, map[string]string{"GET /v1/user": me})
	status := s.Run("auth", "status", "--url", other.URL, "--jq", ".token")
	status.Want(t, exit.OK)
	if status.Out != "\n" {
		t.Errorf("the token for %s went to %s: from %s", s.URL, other.URL, status.Out)
	}
	s.Run("config", "set", "url", other.URL).Want(t, exit.OK)
	delete(s.Env, "WSCTL_URL")
	if got := s.Run("auth status --jq .token"); got.Out != "\n" {
		t.Errorf("the token followed the profile to another server: %+v", got)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	delete(s.Env, "WSCTL_URL")
	show := func(flags string) string { return s.Run("config list --show-origin " + flags).Out }
	want := func(got, line string) {
		t.Helper()
		if !strings.Contains(got, line+"\n") {
			t.Errorf("want %q in\n%s", line, got)
		}
	}
	want(show(""), "url\thttp://127.0.0.1:8080\tdefault")
	s.Run("config set url http://profile.example").Want(t, exit.OK)
	s.Run("config set org org_p").Want(t, exit.OK)
	want(show(""), "url\thttp://profile.example\tprofile default")
	s.Env["WSCTL_URL"] = "http://env.example"
	want(show(""), "url\thttp://env.example\tenvironment WSCTL_URL")
	want(show("--url http://flag.example"), "url\thttp://flag.example\tflag --url")
	want(show(""), "org\torg_p\tprofile default")
	if got := s.Run("config get org").Out; got != "org_p\n" {
		t.Errorf("config get: %q", got)
	}
	if got := s.Run("config path").Out; got != filepath.Join(s.Dir, "config.yaml")+"\n" {
		t.Errorf("config path: %q", got)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	s.Run("--profile work config get url").Want(t, exit.Usage, `no profile "work"`)
	s.Run("--profile Work config set space spc_w").Want(t, exit.Usage, "lower-case")
	s.Run("--profile work config set space spc_w").Want(t, exit.OK)
	s.Run("config set profile work").Want(t, exit.OK)
	if got := s.Run("config get space").Out; got != "spc_w\n" {
		t.Errorf("the profile in use has space %q", got)
	}
	s.Env["WSCTL_PROFILE"] = "nowhere"
	s.Run("config list").Want(t, exit.Usage, "environment WSCTL_PROFILE")
	s.Run("config set read_only perhaps").Want(t, exit.Usage)
	s.Run("config set colour red").Want(t, exit.Usage)
	s.Run("config get colour").Want(t, exit.Usage)
}

func TestABrokenFileStopsOnlyWhatNeedsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	if err := os.WriteFile(filepath.Join(s.Dir, "config.yaml"), []byte("profiles: [what"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run("config list").Want(t, exit.Usage, "config.yaml")
	for _, line := range []string{"version", "--version", "commands", "config path", "spaces --help"} {
		s.Run(line).Want(t, exit.OK)
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
	s.Env["WSCTL_ORG"], s.Env["WSCTL_SPACE"] = "org_1", "s"
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
		if got := s.Run(test.line); got.Code != 0 || got.Out != test.out {
			t.Errorf("%s: %+v", test.line, got)
		}
	}
	if got := s.Requests(); !strings.Contains(strings.Join(got, "\n"), `PATCH /v1/spaces/s {"title":"New"}`) {
		t.Errorf("sent %v", got)
	}
	s.Run("api GET /nowhere").Want(t, exit.NotFound)
	for _, line := range []string{"api GET", "api GET /a{b}", "api POST /x -f a", "api POST /x -f a=b -F {}", "api POST /x --paginate"} {
		s.Run(line).Want(t, exit.Usage)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"GET /v1/orgs": orgs,
		"GET /v1/spaces/s/change-requests/7/comments?limit=100": `200 {"count":1,"items":[{"id":"com_1","status":"open"}]}`,
		"GET /v1/orgs/org_1/spaces?limit=100":                   `200 {"count":2,"items":[{"id":"spc_1","title":"One\u001b[2J"},{"id":"other","title":"Two"}]}`,
	})
	got := s.Run("__complete", "spaces", "get", "spc")
	if !strings.HasPrefix(got.Out, "spc_1\tOne\n:4") {
		t.Errorf("ids: %q", got.Out)
	}
	got = s.Run("__complete", "comments", "list", "--space", "")
	if !strings.HasPrefix(got.Out, "spc_1\tOne\nother\tTwo\n") {
		t.Errorf("ids of a flag: %q", got.Out)
	}
	if got := s.Run("__complete", "spaces", "update", "x", "--edit-mode", ""); !strings.HasPrefix(got.Out, "live\nlocked\n") {
		t.Errorf("choices: %q", got.Out)
	}
	got = s.Run("__complete", "comments", "get", "--space", "s", "--change-request", "7", "")
	if !strings.HasPrefix(got.Out, "com_1\topen\n:4") {
		t.Errorf("ids inside a change request: %q", got.Out)
	}
	s.Env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.Env["WSCTL_ORG"] = "org_1"
	got = s.Run("__complete", "spaces", "get", "")
	if diff := cmp.Diff(":4\n", got.Out); diff != "" || strings.Contains(got.Err, "refused") {
		t.Errorf("a completion that fails talks: %q %q", got.Out, got.Err)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Run("spaces").Want(t, exit.OK, "Usage:")
	s.Run("spaces lst").Want(t, exit.Usage, "did you mean get, list?")
	s.Run("spacs list").Want(t, exit.Usage, "did you mean spaces?")
	s.Run("spaces list extra").Want(t, exit.Usage, "one argument too many")
	s.Run("version -o json").Want(t, exit.OK, `"version"`)
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
		s.Terminal, s.Env["NO_COLOR"] = test.term, test.noColor
		got := s.Run("spaces get x --color " + test.flag)
		if strings.Contains(got.Err, "\x1b[") != test.want {
			t.Errorf("%+v: %q", test, got.Err)
		}
	}
}

func TestDebugHasNoToken(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/user": me})
	got := s.Run("whoami --debug")
	got.Want(t, exit.OK, "status=200")
	if strings.Contains(got.Err, "wsd_secret") {
		t.Errorf("logged the token: %s", got.Err)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, address := range []string{"localhost:8080", "ftp://x", "http://", "x", "http://x?y=z"} {
		s.Run("spaces", "get", "x", "--url", address).Want(t, exit.Usage, "flag --url", "http://127.0.0.1:8080")
		s.Run("config", "set", "url", address).Want(t, exit.Usage)
		s.Input = "wsd_x"
		s.Run("auth", "login", "--with-token", "--url", address).Want(t, exit.Usage)
	}
}

// A slow operation counts the seconds on a terminal, on one line that is gone at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var talk bytes.Buffer
		a := app.New(app.World{Env: func(string) string { return "" }, Err: &talk, ErrTerminal: true, Now: time.Now})
		stop := progress(a, api.ImportContent.Row)
		time.Sleep(2500 * time.Millisecond)
		stop()
		if got := talk.String(); got != "\rImport… 1s\rImport… 2s\r\x1b[K" {
			t.Errorf("showed %q", got)
		}
		progress(a, api.GetSpace.Row)()
		a.ErrTerminal = false
		progress(a, api.ImportContent.Row)()
		if strings.Count(talk.String(), "\r") != 3 {
			t.Errorf("showed %q", talk.String())
		}
	})
}
