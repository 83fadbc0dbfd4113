package operations_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/exit"
)

const edited = `200 {"changeRequest":{"number":1,"id":"cr_1","revision":"rev_2"},"changes":[{"object":"created_page","ref":"r","page":{"id":"p_9","object":"page"}}]}`

func TestPageCommandsSendOneOperation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("# A\r\nno end"), 0o600); err != nil {
		t.Fatal(err)
	}
	const edit = "POST /v1/spaces/s/change-requests/1/content"
	for line, want := range map[string]string{
		"insert-page --document-file " + path:           `{"changes":[{"document":{"markdown":"# A\r\nno end"},"operation":"insert_page"}]}`,
		"insert-page --type group --title G --into p_1": `{"changes":[{"into":"p_1","operation":"insert_page","title":"G","type":"group"}]}`,
		"update-page p_1 --no-into --at 0 --hidden":     `{"changes":[{"at":0,"hidden":true,"into":null,"operation":"update_page","page":"p_1"}]}`,
		"update-page p_1 --hidden=false --document Hi":  `{"changes":[{"document":{"markdown":"Hi"},"hidden":false,"operation":"update_page","page":"p_1"}]}`,
		`update-page p_1 -F {"cover":null} --title T`:   `{"changes":[{"cover":null,"operation":"update_page","page":"p_1","title":"T"}]}`,
		"delete-page p_1": `{"changes":[{"operation":"delete_page","page":"p_1"}]}`,
		"revert-page p_1 --block b_1,b_2 --revision rev_1": `{"changes":[{"block":["b_1","b_2"],"operation":"revert_page","page":"p_1","revision":"rev_1"}]}`,
	} {
		s := newStage(t, map[string]string{edit: edited})
		s.Env["WSCTL_SPACE"] = "s"
		got := s.Run("cr-content " + line + " --change-request 1 -o name")
		if got.Code != 0 || got.Out != "p_9\n" || got.Err != "change request 1 is at revision rev_2\n" {
			t.Errorf("%s: %+v", line, got)
		}
		if diff := cmp.Diff([]string{edit + " " + want}, s.Requests()); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	s := newStage(t, nil)
	for _, line := range []string{"update-page", "update-page p/1", "insert-page --at -1", "insert-page p_1", "insert-page --page p_1"} {
		s.Run("cr-content "+line+" --change-request 1 --space s").Want(t, exit.Usage)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(path, []byte("mine\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const pull = "POST /v1/spaces/s/change-requests/2/update"
	s := newStage(t, map[string]string{pull: `200 {"revision":"rev_3","result":"update"}`})
	s.Env["WSCTL_SPACE"] = "s"
	s.Run("cr pull 2 --resolve c_1=theirs --resolve c_2=@"+path).Want(t, exit.OK, "rev_3")
	want := []string{pull + ` {"resolutions":[{"conflict":"c_1","take":"theirs"},{"conflict":"c_2","take":"text","text":"mine\r\n"}]}`}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
	for _, flag := range []string{"c_1", "=ours", "c_1=mine", "c_1=@nowhere"} {
		s.Run("cr pull 2 --resolve "+flag).Want(t, exit.Usage)
	}
}

func TestWhatIsNotFoundIsNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Env["WSCTL_SPACE"] = "from_env"
	s.Run("content get-page p").Want(t, exit.NotFound, "there is no /spaces/from_env/content/page/p")
}
