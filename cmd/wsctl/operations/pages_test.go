package operations_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

const editedJSON = `200 {"changeRequest":{"number":1,"id":"cr_1","revision":"rev_2"},"changes":[{"object":"created_page","ref":"r","page":{"id":"p_9","object":"page"}}]}`

func TestPageCommandSendsOneOperation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("# A\r\nno end"), 0o600); err != nil {
		t.Fatal(err)
	}
	const edit = "POST /v1/spaces/s_s/change-requests/1/content?compat=false"
	for line, want := range map[string]string{
		"insert-page --document-file " +
			path: `{"changes":[{"document":{"markdown":"# A\r\nno end"},"operation":"insert_page"}]}`,
		"insert-page --type group --title G --into p_1": `{"changes":[{"into":"p_1","operation":"insert_page","title":"G","type":"group"}]}`,
		"update-page p_1 --no-into --at 0 --hidden":     `{"changes":[{"at":0,"hidden":true,"into":null,"operation":"update_page","page":"p_1"}]}`,
		"update-page p_1 --hidden=false --document Hi":  `{"changes":[{"document":{"markdown":"Hi"},"hidden":false,"operation":"update_page","page":"p_1"}]}`,
		`update-page p_1 -F {"cover":null} --title T`:   `{"changes":[{"cover":null,"operation":"update_page","page":"p_1","title":"T"}]}`,
		"delete-page p_1": `{"changes":[{"operation":"delete_page","page":"p_1"}]}`,
		"revert-page p_1 --block b_1,b_2 --revision rev_1": `{"changes":[{"block":["b_1","b_2"],"operation":"revert_page","page":"p_1","revision":"rev_1"}]}`,
	} {
		s := newHarness(t, map[string]string{edit: editedJSON})
		s.Env["WSCTL_SPACE"] = "s_s"
		got := s.Run("cr-content " + line + " --change-request 1 -o name")
		if got.Code != 0 || got.Stdout != "p_9\n" || got.Stderr != "change request 1 is at revision rev_2\n" {
			t.Errorf("%s: %+v", line, got)
		}
		if diff := cmp.Diff([]string{edit + " " + want}, s.Requests()); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	s := newHarness(t, nil)
	for _, line := range []string{"update-page", "insert-page --at -1", "insert-page p_1", "insert-page --page p_1"} {
		s.Run("cr-content "+line+" --change-request 1 --space s_s").Want(t, app.ExitUsage)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(path, []byte("mine\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const pull = "POST /v1/spaces/s_s/change-requests/2/update"
	s := newHarness(t, map[string]string{pull: `200 {"revision":"rev_3","result":"update"}`})
	s.Env["WSCTL_SPACE"] = "s_s"
	s.Run("cr pull 2 --resolve c_1=theirs --resolve c_2=@"+path).Want(t, app.ExitOK, "rev_3")
	want := []string{pull + ` {"resolutions":[{"conflict":"c_1","take":"theirs"},{"conflict":"c_2","take":"text","text":"mine\r\n"}]}`}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
	for _, flag := range []string{"c_1", "=ours", "c_1=mine", "c_1=@nowhere"} {
		s.Run("cr pull 2 --resolve "+flag).Want(t, app.ExitUsage)
	}
}

// TestResolveByNumber checks that conflicts can be resolved by number, and that the request contains the heads for which the
// numbers were listed.
func TestResolveByNumber(t *testing.T) {
	t.Parallel()
	const at = "/v1/spaces/s_s/change-requests/2"
	s := newHarness(t, map[string]string{
		"GET " + at + "/conflicts":                       `200 {"revision":"r_2","spaceRevision":"r_1","conflicts":[{"id":"c_1","title":"Install","place":"paragraph 1"},{"id":"c_2","title":"Usage","place":"Settings"}]}`,
		"POST " + at + "/merge":                          `200 {"revision":"r_3","result":"merge"}`,
		"POST /v1/spaces/s_s/content/import?dryRun=true": `201 {"revision":"r_3","conflicts":[{"id":"c_3"}]}`,
		"POST /v1/spaces/s_s/content/import":             `201 {"revision":"r_3"}`,
	})
	s.Env["WSCTL_SPACE"] = "s_s"
	s.Run("cr merge 2 --resolve 2=space --resolve 1=request").Want(t, app.ExitOK, "2 is Usage › Settings\n", "1 is Install › paragraph 1\n")
	s.Run("cr merge 2 --resolve 3=space").Want(t, app.ExitUsage, "there is no conflict 3: 2 conflicts")
	s.Run("content import https://a.example --name docs --resolve 1=source").Want(t, app.ExitOK)
	var body api.Merge
	requests := s.Requests()
	_, sent, _ := strings.Cut(requests[1], "/merge ")
	if err := json.Unmarshal([]byte(sent), &body); err != nil {
		t.Fatal(err)
	}
	got := []string{
		body.Revision, body.SpaceRevision, body.Resolutions[0].Conflict, string(body.Resolutions[0].Take), body.Resolutions[1].Conflict,
		string(body.Resolutions[1].Take),
	}
	if diff := cmp.Diff([]string{"r_2", "r_1", "c_2", "ours", "c_1", "theirs"}, got); diff != "" {
		t.Error(diff)
	}
	if last := requests[len(requests)-1]; !strings.Contains(last, `"conflict":"c_3"`) || strings.Contains(last, "dryRun") {
		t.Errorf("the import was %s", last)
	}
}

func TestNotFoundErrorNamesThings(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	s.Env["WSCTL_SPACE"] = "s_env"
	s.Run("content get-page p_1").Want(t, app.ExitNotFound, "there is no page p_1 in space s_env, or you may not see it")
}
