package screen

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// newHarness returns a Harness whose only command is wsctl tui.
func newHarness(t *testing.T, answers map[string]string) *apptest.Harness {
	t.Helper()
	root := func(a *app.App) *cobra.Command {
		wsctl := &cobra.Command{Use: "wsctl"}
		wsctl.AddCommand(Command(a))
		return wsctl
	}
	return apptest.New(t, root, answers)
}

func TestScreenRequiresTerminal(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	s.Run("tui").Want(t, app.ExitUsage, "needs a terminal")
}

func TestDraftDirPerServerAndUser(t *testing.T) {
	t.Parallel()
	env := func(name string) string { return map[string]string{"WSCTL_CONFIG_DIR": "/c"}[name] }
	mine := draftDir(env, "http://a", "wsd_u1_t1_secret")
	for name, c := range map[string]struct {
		url, token string
		same       bool
	}{
		"other token of the same user": {"http://a", "wsd_u1_t2_other", true},
		"token of another user":        {"http://a", "wsd_u2_t1_secret", false},
		"another server":               {"http://b", "wsd_u1_t1_secret", false},
		"token of another kind":        {"http://a", "x", false},
	} {
		if got := draftDir(env, c.url, c.token); (got == mine) != c.same {
			t.Errorf("%s: %s and %s", name, mine, got)
		}
	}
}

func TestEditorCommand(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"code --wait": {"VISUAL": "code --wait", "EDITOR": "ed"}, "ed": {"EDITOR": "ed"}, "vi": {},
	} {
		if got := editorCommand(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: %s", env, got)
		}
	}
}

func TestReadOnlyProfileSendsNoWrites(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	c := newRemote(client.New(s.URL), true)
	ctx, at := t.Context(), remote.Target{Space: "s", ChangeRequest: "c"}
	held := c.Content(at)
	_, merge := c.Merge(ctx, at, "r", "k")
	_, pull := c.Pull(ctx, at, "r", nil, "k")
	_, review := c.Submit(ctx, at, "i", api.ReviewSubmit{})
	_, mark := c.Mark(ctx, at, api.ReadingUpdate{}, "k")
	_, apply := c.Apply(ctx, at, "r", nil, "k")
	_, comment := held.CreateComment(ctx, api.CommentCreate{}, "k")
	_, reply := held.CreateReply(ctx, "c", api.ReplyCreate{}, "k")
	_, made := c.CreateRequest(ctx, "s", "subject", "k")
	for name, err := range map[string]error{
		"make": made, "rename": c.UpdateRequest(ctx, at, api.ChangeRequestPatch{}, "k"), "ask": c.AskForReview(ctx, at, "u", "k"),
		"edit a page": c.Edit(ctx, at, nil, "", "k"),
		"merge":       merge, "pull": pull, "review": review, "mark": mark, "apply": apply,
		"reattach": held.Reattach(ctx, "c", api.CommentPlace{}, "k"),
		"comment":  comment, "edit": held.UpdateComment(ctx, "c", api.CommentUpdate{}, "k"),
		"reply": reply, "edit reply": held.UpdateReply(ctx, "c", "r", api.ReplyUpdate{}, "k"),
		"delete": held.DeleteComment(ctx, "c", "k"), "delete reply": held.DeleteReply(ctx, "c", "r", "k"),
	} {
		if refused, ok := api.AsError(err); !ok || refused.Reason != api.ReasonForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.Requests())
	}
}

// TestContentOperations checks that the content of spaces and of change requests is accessed by different operations.
func TestContentOperations(t *testing.T) {
	t.Parallel()
	const list, one, none = `200 {"count":0,"items":[]}`, `200 {}`, "205 "
	inside := "/v1/spaces/s/change-requests/c"
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s/content/pages": one, "GET " + inside + "/content/pages": one,
		"GET /v1/spaces/s/content/page/p?format=markdown": one, "GET " + inside + "/content/page/p?format=markdown": one,
		"GET /v1/spaces/s/comments?limit=1000": list, "GET " + inside + "/comments?limit=1000": list,
		"GET /v1/spaces/s/comments/x/replies?limit=1000": list, "GET " + inside + "/comments/x/replies?limit=1000": list,
		"POST /v1/spaces/s/comments": one, "POST " + inside + "/comments": one,
		"POST /v1/spaces/s/comments/x/reattach": one, "POST " + inside + "/comments/x/reattach": one,
		"PUT /v1/spaces/s/comments/x": one, "PUT " + inside + "/comments/x": one,
		"POST /v1/spaces/s/comments/x/replies": one, "POST " + inside + "/comments/x/replies": one,
		"PUT /v1/spaces/s/comments/x/replies/y": one, "PUT " + inside + "/comments/x/replies/y": one,
		"DELETE /v1/spaces/s/comments/x": none, "DELETE " + inside + "/comments/x": none,
		"DELETE /v1/spaces/s/comments/x/replies/y": none, "DELETE " + inside + "/comments/x/replies/y": none,
	})
	c := newRemote(client.New(s.URL, client.WithRetries(0)), false)
	ctx := t.Context()
	for _, at := range []remote.Target{{Space: "s"}, {Space: "s", ChangeRequest: "c"}} {
		held := c.Content(at)
		_, tree := held.Pages(ctx)
		_, page := held.Page(ctx, "p")
		_, comments := held.Comments(ctx, "")
		_, replies := held.Replies(ctx, "x")
		_, comment := held.CreateComment(ctx, api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("m")}}, "k1")
		_, reply := held.CreateReply(ctx, "x", api.ReplyCreate{Body: api.CommentBody{Markdown: api.Some("m")}}, "k3")
		for name, err := range map[string]error{
			"tree": tree, "page": page, "comments": comments, "replies": replies,
			"comment":      comment,
			"update":       held.UpdateComment(ctx, "x", api.CommentUpdate{Resolved: api.Some(true)}, "k2"),
			"reattach":     held.Reattach(ctx, "x", api.CommentPlace{Page: "p"}, "k5"),
			"reply":        reply,
			"edit reply":   held.UpdateReply(ctx, "x", "y", api.ReplyUpdate{AddedReactions: []string{"👍"}}, "k4"),
			"delete":       held.DeleteComment(ctx, "x", "k6"),
			"delete reply": held.DeleteReply(ctx, "x", "y", "k7"),
		} {
			if err != nil {
				t.Errorf("%+v %s: %v", at, name, err)
			}
		}
	}
	if got := len(s.Requests()); got != 22 {
		t.Errorf("%d requests: %v", got, s.Requests())
	}
}

func TestBrowserCommand(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"": nil, "w3m": {"w3m", "u"}, "open-remote --to %s now:w3m": {"open-remote", "--to", "u", "now"},
	} {
		if got := browserCommand(value, "u"); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func TestIsUTF8(t *testing.T) {
	t.Parallel()
	for want, locales := range map[bool][]map[string]string{
		true:  {{}, {"LANG": "en_US.UTF-8"}, {"LC_ALL": "C.utf8", "LANG": "C"}, {"LC_CTYPE": "de_DE.UTF-8", "LANG": "C"}},
		false: {{"LANG": "C"}, {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, {"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}},
	} {
		for _, locale := range locales {
			if got := app.IsUTF8(func(name string) string { return locale[name] }); got != want {
				t.Errorf("%v: %v", locale, got)
			}
		}
	}
}

// TestMousePreferenceIsSaved checks that the mouse setting is kept for the next start, and that an unreadable preferences file
// is ignored.
func TestMousePreferenceIsSaved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := func(name string) string { return map[string]string{"WSCTL_CONFIG_DIR": dir}[name] }
	if loadPreferences(env).MouseOff {
		t.Error("the mouse is off at the first start")
	}
	for _, on := range []bool{false, true} {
		if msg := rememberMouse(env)(on)(); msg != nil {
			t.Errorf("%v", msg)
		}
		if got := loadPreferences(env).MouseOff; got == on {
			t.Errorf("mouse off is %v after it was set to %v", got, on)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "screen.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if loadPreferences(env).MouseOff {
		t.Error("the mouse is off with a damaged file")
	}
}

// TestRunLinearStopsOnCancel checks that the linear interface ends when its context is canceled, even if it is waiting for a
// line.
func TestRunLinearStopsOnCancel(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	out := writerFunc(func(p []byte) (int, error) {
		if strings.HasSuffix(string(p), "> ") {
			cancel()
		}
		return len(p), nil
	})
	model := tuitest.NewScreen(tui.Options{Space: "s_1"}).Model
	if err := runLinear(ctx, linear(model, in, out)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// writerFunc is a function that implements io.Writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestConfirmBeforeEditor checks that a command that may draw on the whole terminal runs only after confirmation, and that done is
// called with an error if it is declined.
func TestConfirmBeforeEditor(t *testing.T) {
	t.Parallel()
	ran := false
	run := confirmRun(func(*exec.Cmd, func(error) tea.Msg) tea.Cmd { return func() tea.Msg { ran = true; return nil } })
	var failed error
	question, ok := run(exec.CommandContext(t.Context(), "/bin/vi"),
		func(err error) tea.Msg { failed = err; return nil })().(page.PickMsg)
	if !ok || !strings.Contains(question.Question, "vi may draw") {
		t.Fatalf("asked %+v", question)
	}
	if question.Choices[1].Cmd(); ran || failed == nil {
		t.Errorf("declined: ran %v, reported %v", ran, failed)
	}
	if question.Choices[0].Cmd(); !ran {
		t.Error("not run")
	}
}
