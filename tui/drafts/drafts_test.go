package drafts

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docspace.dev/wsd/tui/remote"
)

func TestDir(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	if all, err := dir.All(); err != nil || len(all) != 0 {
		t.Errorf("before: %v %v", all, err)
	}
	comment := Draft{Target: remote.Target{Space: "s", ChangeRequest: "c"}, Page: "p", Node: "b", About: "x", Text: "one", Key: "k1"}
	reply := Draft{Target: remote.Target{Space: "s", ChangeRequest: "c"}, Comment: "c_1", Text: "two", Key: "k2"}
	for _, d := range []Draft{comment, reply} {
		if err := dir.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	comment.Text = "one more"
	if err := dir.Save(comment); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(dir), "torn.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := dir.All()
	byText := cmpopts.SortSlices(func(a, b Draft) bool { return a.Text < b.Text })
	if diff := cmp.Diff([]Draft{comment, reply}, all, byText); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := dir.Delete(comment.ID()); err != nil {
		t.Error(err)
	}
	if err := dir.Delete(comment.ID()); err != nil {
		t.Errorf("again: %v", err)
	}
	if all, _ := dir.All(); len(all) != 1 {
		t.Errorf("left: %v", all)
	}
}

func TestDraftsAreReadableByTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	if err := dir.Save(Draft{Text: "secret"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{string(dir): 0o700, dir.path(Draft{}.ID()): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
}

func TestVisitsAreNoDrafts(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	for i := range manyVisits + 2 {
		if err := dir.Visit(Visit{Space: "s", Page: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Visit(Visit{Space: "s", Page: "5"}); err != nil {
		t.Fatal(err)
	}
	all, err := dir.Visits()
	if err != nil || len(all) != manyVisits || all[0].Page != "5" || all[1].Page != strconv.Itoa(manyVisits+1) {
		t.Errorf("%v, %v", all, err)
	}
	if left, err := dir.All(); err != nil || len(left) > 0 {
		t.Errorf("drafts %v, %v", left, err)
	}
}
