package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store/storetest"
)

// commandProxy passes requests of one wsctl at a time on to wsd. It notes them, and kills wsctl at a chosen point: points 1 and 2 are
// before and after the first request is passed on, points 3 and 4 those of the second one.
type commandProxy struct {
	*httptest.Server

	mutex sync.Mutex
	calls []string // method and path, in order
	point int      // 0 for none
	cmd   *exec.Cmd
	dead  chan struct{} // closed when cmd has ended
}

func newCommandProxy(tb testing.TB, to string) *commandProxy {
	tb.Helper()
	target, err := url.Parse(to)
	if err != nil {
		tb.Fatal(err)
	}
	p := &commandProxy{}
	next := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			p.mutex.Lock()
			kills := p.point == 2*len(p.calls)
			p.mutex.Unlock()
			if kills {
				p.kill()
			}
			return nil
		},
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mutex.Lock()
		p.calls = append(p.calls, r.Method+" "+r.URL.Path)
		kills := p.point == 2*len(p.calls)-1
		p.mutex.Unlock()
		if kills {
			p.kill()
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.Close)
	return p
}

// kill kills the command and waits until it has ended.
func (p *commandProxy) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.dead
}

// run runs a command that sends its requests to the proxy. It is killed at point, unless that is 0 or the command makes fewer
// requests. It returns what the command printed, and its exit code, -1 if it was killed.
func (p *commandProxy) run(tb testing.TB, point int, cmd *exec.Cmd) (output string, code int) {
	tb.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p.mutex.Lock()
	p.calls, p.point, p.cmd, p.dead = nil, point, cmd, make(chan struct{})
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p.mutex.Unlock()
	_ = cmd.Wait() // the exit code is returned
	close(p.dead)
	return out.String(), cmd.ProcessState.ExitCode()
}

// folderKills is a server whose folders are pulled and pushed by commands that are killed.
type folderKills struct {
	t      *testing.T
	user   client // at the proxy
	direct person
	proxy  *commandProxy
}

// newFolderKills starts wsd with an organization.
func newFolderKills(t *testing.T, h host) *folderKills {
	t.Helper()
	token, _ := h.createOrganization(t)
	n := h.mustServe(t)
	proxy := newCommandProxy(t, n.url)
	return &folderKills{
		t: t, user: client{path: binary(t, "wsctl"), url: proxy.URL, token: token, home: t.TempDir()}, direct: n.newPerson(token),
		proxy: proxy,
	}
}

// killedCommand is a command of wsctl that is killed.
type killedCommand struct {
	args    []string
	prepare func(k *folderKills) (dir, space string) // the folder, whose parent is the working directory
	isPush  bool
}

// killedCommands are the commands by name.
var killedCommands = map[string]killedCommand{
	"first pull": {args: []string{"pull", "SPACE", "docs"}, prepare: (*folderKills).preparePull},
	"pull":       {args: []string{"pull", "docs"}, prepare: (*folderKills).prepareUpdate},
	"first push": {args: []string{"push", "docs", "--space", "SPACE"}, prepare: (*folderKills).prepareFirstPush, isPush: true},
	"push":       {args: []string{"push", "docs", "--delete"}, prepare: (*folderKills).preparePush, isPush: true},
	"summary":    {args: []string{"push", "docs", "--delete"}, prepare: (*folderKills).prepareSummary, isPush: true},
	"small push": {args: []string{"push", "docs"}, prepare: (*folderKills).prepareSmallPush, isPush: true},
	"merge":      {args: []string{"push", "docs", "--merge", "--delete"}, prepare: (*folderKills).preparePush, isPush: true},
}

// TestKilledFolderCommandsAreCompletedCampaign kills wsctl with SIGKILL before and after each of its requests, and runs the same
// command again. The folder, the space and the change request are those of a command that was not killed. What is killed between
// writes of files is tested in package folder.
func TestKilledFolderCommandsAreCompletedCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	points, seed := storetest.LongCampaign(t, "folder-kills", 4, 1_000)
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0")
	k := newFolderKills(t, h)
	for _, name := range slices.Sorted(maps.Keys(killedCommands)) {
		t.Log(name)
		k.testKills(killedCommands[name], points, rand.New(rand.NewPCG(seed, 0)))
	}
	h.fsck(t)
}

// TestInterruptedPushKeepsChangesOfOthers kills a push after its first edit. What is written in its change request meanwhile is not
// reverted by the next push, but merged by a pull.
func TestInterruptedPushKeepsChangesOfOthers(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	k := newFolderKills(t, newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0"))
	dir, space := k.preparePush()
	push := []string{"push", "docs", "--delete"}
	if log, code := k.wsctl(6, dir, space, push); code >= 0 { // the list of revisions, the change request and the edit
		t.Fatalf("not killed\n%s", log)
	}
	content := "/v1/spaces/" + space + "/change-requests/2/content"
	for _, item := range k.direct.do(t, http.MethodGet, content+"/pages", nil)["pages"].([]any) { //nolint:forcetypeassert // fails the test
		if page := item.(map[string]any); page["title"] == "Both" { //nolint:forcetypeassert // fails the test
			k.direct.do(t, http.MethodPost, content, map[string]any{"changes": []map[string]any{
				{"operation": "update_page", "page": page["id"], "document": markdown("# Both\n\nBy somebody else.\n")},
			}})
		}
	}
	if log, code := k.wsctl(0, dir, space, push); code != 5 || !strings.Contains(log, "was changed since the push to it was interrupted") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	k.mustRun(dir, space, "pull", "docs")
	k.mustRun(dir, space, push...)
	files, request := k.describeFolder(dir), k.describeRequest(space)
	if text := "# Both\n\nBy somebody else.\n"; files["both.md"] != text || request["copy/both.md"] != text {
		t.Errorf("the folder has %q, the change request %q", files["both.md"], request["copy/both.md"])
	}
	if request["#2"] != "draftfalse" || files[filepath.Join(".wsctl", "state.json")] != "unfinished: false" {
		t.Errorf("the push is not ended: %q, %q", request["#2"], files[filepath.Join(".wsctl", "state.json")])
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".md") && request["copy/"+name] != text {
			t.Errorf("%s is %q in the change request, %q in the folder", name, request["copy/"+name], text)
		}
	}
}

// testKills runs a command without a kill, and with kills at as many points.
func (k *folderKills) testKills(c killedCommand, points int, random *rand.Rand) {
	want, _, calls := k.runKilled(c, 0)
	k.t.Logf("%d requests: %q", len(calls), calls)
	for _, point := range random.Perm(2 * len(calls))[:min(points, 2*len(calls))] {
		got, log, _ := k.runKilled(c, point+1)
		if diff := cmp.Diff(want, got); diff != "" {
			k.t.Errorf("killed at point %d, %s: %s\n%s", point+1, calls[point/2], diff, log)
		}
	}
}

// runKilled prepares a folder, runs a command that is killed at point, and again if it was. It returns what the folder and the space
// are afterwards.
func (k *folderKills) runKilled(c killedCommand, point int) (result map[string]string, log string, calls []string) {
	k.t.Helper()
	dir, space := c.prepare(k)
	log, code := k.wsctl(point, dir, space, c.args)
	calls = k.proxy.calls
	if point > 0 && code >= 0 {
		k.t.Errorf("not killed at point %d", point)
	}
	if point > 0 {
		var again string
		again, code = k.wsctl(0, dir, space, c.args)
		log += "again:\n" + again
	}
	if code != 0 && (c.isPush || code != 5) {
		k.t.Errorf("exit code %d after a kill at point %d\n%s", code, point, log)
	}
	result = k.describeFolder(dir)
	if c.isPush {
		maps.Copy(result, k.describeRequest(space))
	}
	return result, log, calls
}

// wsctl runs a command in the directory above a folder.
func (k *folderKills) wsctl(point int, dir, space string, args []string) (output string, code int) {
	k.t.Helper()
	args = slices.Clone(args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "SPACE", space)
	}
	cmd := exec.CommandContext(k.t.Context(), k.user.path, args...)
	cmd.Dir = filepath.Dir(dir)
	cmd.Env = append(environment(), "WSCTL_URL="+k.user.url, "WSCTL_TOKEN="+k.user.token, "HOME="+k.user.home,
		"XDG_CONFIG_HOME="+k.user.home)
	output, code = k.proxy.run(k.t, point, cmd)
	return "wsctl " + strings.Join(args, " ") + "\n" + output, code
}

// mustRun runs a command that must succeed.
func (k *folderKills) mustRun(dir, space string, args ...string) string {
	k.t.Helper()
	output, code := k.wsctl(0, dir, space, args)
	if code != 0 {
		k.t.Fatalf("exit code %d\n%s", code, output)
	}
	return output
}

// newSpace makes a space.
func (k *folderKills) newSpace() string {
	k.t.Helper()
	output := k.mustRun(filepath.Join(k.t.TempDir(), "docs"), "", "spaces", "create", "--title", "Space", "-o", "name")
	lines := strings.Fields(output)
	return lines[len(lines)-1]
}

// write writes files below dir; an empty text removes the file.
func (k *folderKills) write(dir string, files map[string]string) {
	k.t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if text == "" {
			err = os.Remove(at)
		} else if err == nil {
			err = os.WriteFile(at, []byte(text), 0o600)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
}

// killedFolder returns a folder of pages in groups, with files.
func killedFolder() map[string]string {
	files := map[string]string{
		"README.md": "# Home\n\nWelcome.\n", "gone.md": "# Gone\n\nNobody needs it.\n", "moved.md": "# Moved\n\nIt will move.\n",
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 15 minutes.\n\nAll is well.\n",
		"img/a.png": "\x89PNG a", "img/b.png": "\x89PNG b",
		"deep/README.md": "# Deep\n\nAll of it.\n", "deep/er/page.md": "# Deeper\n\nDown here.\n",
	}
	for n := range 40 {
		files[fmt.Sprintf("group-%d/page-%d.md", n%4, n)] = fmt.Sprintf("# Page %d\n\nText of page %d.\n", n, n)
	}
	return files
}

// published makes a space with killedFolder and returns the folder that it was pushed from.
func (k *folderKills) published() (dir, space string) {
	k.t.Helper()
	space, dir = k.newSpace(), filepath.Join(k.t.TempDir(), "docs")
	k.write(dir, killedFolder())
	k.mustRun(dir, space, "push", "docs", "--space", space, "--merge", "--yes")
	return dir, space
}

// preparePull makes a space to pull.
func (k *folderKills) preparePull() (dir, space string) {
	_, space = k.published()
	return filepath.Join(k.t.TempDir(), "docs"), space
}

// prepareUpdate makes a folder whose space has updates of every kind.
func (k *folderKills) prepareUpdate() (dir, space string) {
	other, space := k.published()
	dir = filepath.Join(k.t.TempDir(), "docs")
	k.mustRun(dir, space, "pull", space, "docs")
	k.write(other, map[string]string{
		"gone.md": "", "moved.md": "", "there/moved.md": "# Moved\n\nIt will move.\n", "new/new.md": "# New\n\nNew.\n",
		"merged.md": "# Merged\n\nOne there.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 10 minutes.\n\nAll is well.\n",
		"img/a.png": "\x89PNG there", "img/b.png": "\x89PNG b there", "deep/er/page.md": "", "group-0/page-0.md": "# Page 0\n\nOther.\n",
	})
	k.mustRun(other, space, "push", "docs", "--merge", "--yes", "--delete")
	k.write(dir, map[string]string{
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree here.\n", "both.md": "# Both\n\nIn 12 minutes.\n\nAll is well.\n",
		"img/b.png": "\x89PNG b here", "own.md": "# Own\n\nMine.\n",
	})
	return dir, space
}

// prepareFirstPush makes a space, and a folder that was never pushed.
func (k *folderKills) prepareFirstPush() (dir, space string) {
	dir = filepath.Join(k.t.TempDir(), "docs")
	files := killedFolder()
	for n := range 70 {
		files[fmt.Sprintf("part-%d/page-%d.md", n%7, n)] = fmt.Sprintf("# More %d\n\nText of more %d.\n", n, n)
	}
	k.write(dir, files)
	return dir, k.newSpace()
}

// preparePush makes a folder with changes of every kind, for more than one part of a push.
func (k *folderKills) preparePush() (dir, space string) {
	dir, space = k.published()
	changes := map[string]string{
		"gone.md": "", "moved.md": "", "there/moved.md": "# Moved\n\nIt will move.\n", "img/a.png": "", "pictures/c.png": "\x89PNG a",
		"img/b.png": "\x89PNG b here", "deep/er/page.md": "", "README.md": "# Home\n\nWelcome back.\n",
	}
	for n := range 30 {
		changes[fmt.Sprintf("group-%d/page-%d.md", n%4, n)] = fmt.Sprintf("# Page %d\n\nOther text of page %d.\n", n, n)
	}
	for n := range 60 {
		changes[fmt.Sprintf("part-%d/page-%d.md", n%6, n)] = fmt.Sprintf("# More %d\n\nText of more %d.\n", n, n)
	}
	k.write(dir, changes)
	return dir, space
}

// prepareSummary makes a folder whose SUMMARY.md has groups, links and an order of its own, and changes that preparePush makes.
func (k *folderKills) prepareSummary() (dir, space string) {
	dir, space = k.preparePush()
	summary := "# Summary\n\n* [Home](README.md)\n* [Elsewhere](https://example.com/)\n* [Deep](deep/README.md)\n\n## First\n\n"
	for n := 59; n >= 0; n-- {
		summary += fmt.Sprintf("* [More %d](part-%d/page-%d.md)\n", n, n%6, n)
	}
	summary += "\n## Last\n\n* [Moved](there/moved.md)\n* [Both of them](both.md)\n"
	k.write(dir, map[string]string{"SUMMARY.md": summary})
	return dir, space
}

// prepareSmallPush makes a folder with one change, whose change request is open.
func (k *folderKills) prepareSmallPush() (dir, space string) {
	dir, space = k.published()
	k.write(dir, map[string]string{"README.md": "# Home\n\nWelcome back.\n"})
	k.mustRun(dir, space, "push", "docs", "--yes")
	k.write(dir, map[string]string{"README.md": "# Home\n\nWelcome back, all.\n"})
	return dir, space
}

// describeFolder returns the files and directories of a folder, without what depends on ids.
func (k *folderKills) describeFolder(dir string) map[string]string {
	k.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		if name == filepath.Join(".wsctl", "lock") || name == filepath.Join(".wsctl", "base") {
			return nil
		}
		if hash := filepath.Base(name); filepath.Dir(name) == filepath.Join(".wsctl", "base") && len(hash) == 64 {
			return nil
		}
		if files[name] = "is there"; d.IsDir() || name == "wsctl.yaml" {
			return nil
		}
		data, err := os.ReadFile(at)
		switch files[name] = string(data); name {
		case filepath.Join(".wsctl", "state.json"):
			files[name] = fmt.Sprint("unfinished: ", bytes.Contains(data, []byte(`"unfinished"`)) || bytes.Contains(data, []byte(`"creation"`)))
		case filepath.Join(".wsctl", "undo.json"):
			files[name], _, _ = strings.Cut(string(data), `"state":`) // the changes of files
		}
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return files
}

// describeRequest returns the change requests of a space, and the pages and files of its newest one.
func (k *folderKills) describeRequest(space string) map[string]string {
	k.t.Helper()
	described := map[string]string{}
	path, newest := "/v1/spaces/"+space, 0
	for _, status := range []string{"draft", "open", "archived", "merged"} {
		list := k.direct.do(k.t, http.MethodGet, path+"/change-requests?status="+status, nil)
		for _, item := range list["items"].([]any) { //nolint:forcetypeassert // fails the test
			request := item.(map[string]any)                                                      //nolint:forcetypeassert // fails the test
			number := int(request["number"].(float64))                                            //nolint:forcetypeassert // fails the test
			described[fmt.Sprintf("#%d", number)] = fmt.Sprint(status, request["pushing"] != nil) // nobody may be left pushing
			newest = max(newest, number)
		}
	}
	path += fmt.Sprintf("/change-requests/%d/content", newest)
	var tree []string
	var walk func(depth string, pages []any)
	walk = func(depth string, pages []any) {
		for _, item := range pages {
			page := item.(map[string]any) //nolint:forcetypeassert // fails the test
			tree = append(tree, fmt.Sprintf("%s%s %s %s", depth, page["type"], page["title"], page["path"]))
			if below, ok := page["pages"].([]any); ok {
				walk(depth+"  ", below)
			}
		}
	}
	walk("", k.direct.do(k.t, http.MethodGet, path+"/pages", nil)["pages"].([]any)) //nolint:forcetypeassert // fails the test
	described["pages"] = strings.Join(tree, "\n")
	var files []string
	for _, item := range k.direct.do(k.t, http.MethodGet, path+"/files", nil)["items"].([]any) { //nolint:forcetypeassert // fails the test
		files = append(files, fmt.Sprint(item.(map[string]any)["name"])) //nolint:forcetypeassert // fails the test
	}
	slices.Sort(files)
	described["files"] = strings.Join(files, "\n")
	if strings.HasPrefix(described[fmt.Sprintf("#%d", newest)], "merged") {
		return described
	}
	copied := filepath.Join(k.t.TempDir(), "copy")
	k.mustRun(copied, space, "pull", fmt.Sprintf("%s#%d", space, newest), copied)
	for name, text := range k.describeFolder(copied) {
		if !strings.HasPrefix(name, ".wsctl") && name != "SUMMARY.md" {
			described["copy/"+name] = text
		}
	}
	return described
}
