package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

func TestDirJournal(t *testing.T) {
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

// TestDecisionReplacesEarlierOne checks that a conflict has one decision, of which the last is stored, and that decisions are
// not unsent texts.
func TestDecisionReplacesEarlierOne(t *testing.T) {
	t.Parallel()
	dir := Dir(t.TempDir())
	at := remote.Target{Space: "s", ChangeRequest: "c"}
	written := Draft{Target: at, Conflict: "x_1", Text: "one"}
	taken := Draft{Target: at, Conflict: "x_1", Take: api.TakeOurs}
	other := Draft{Target: at, Conflict: "x_2", Take: api.TakeBoth}
	for _, d := range []Draft{written, taken, other} {
		if err := dir.Save(d); err != nil {
			t.Fatal(err)
		}
		if d.IsUnsent() || d.IsPostable() || d.Empty() {
			t.Errorf("%+v waits, is posted or is empty", d)
		}
	}
	all, err := dir.All()
	byConflict := cmpopts.SortSlices(func(a, b Draft) bool { return a.Conflict < b.Conflict })
	if diff := cmp.Diff([]Draft{taken, other}, all, byConflict); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestDraftsAreReadableByOwnerOnly(t *testing.T) {
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

func TestVisitsAreNotDrafts(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	for i := range maxVisits + 2 {
		if err := dir.Visit(Visit{Space: "s", Page: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Visit(Visit{Space: "s", Page: "5"}); err != nil {
		t.Fatal(err)
	}
	all, err := dir.Visits()
	if err != nil || len(all) != maxVisits || all[0].Page != "5" || all[1].Page != strconv.Itoa(maxVisits+1) {
		t.Errorf("%v, %v", all, err)
	}
	if left, err := dir.All(); err != nil || len(left) > 0 {
		t.Errorf("drafts %v, %v", left, err)
	}
}

// TestDraftIDsAreStable checks that the ids of drafts of older versions are unchanged.
func TestDraftIDsAreStable(t *testing.T) {
	t.Parallel()
	at := remote.Target{Space: "s", ChangeRequest: "c"}
	for as, d := range map[string]Draft{
		`{"place":{"space":"s","changeRequest":"c"},"page":"p","node":"b","quote":"q","about":"","text":"","key":""}`: {
			Target: at, Page: "p", Node: "b", Quote: "q", About: "x", Text: "y", Key: "k",
		},
		`{"place":{"space":"s","changeRequest":"c"},"comment":"c_1","reply":"r","edit":true,"about":"","text":"","key":""}`: {
			Target: at, Comment: "c_1", Reply: "r", Edit: true, Weight: api.WeightNit, Held: true, Title: "t", Revision: "r_1",
		},
		`{"place":{"space":"s"},"conflict":"x","about":"","text":"","key":""}`: {
			Target: remote.Target{Space: "s"}, Conflict: "x", Suggestion: new(string), Original: "o",
		},
	} {
		sum := sha256.Sum256([]byte(as))
		if want := hex.EncodeToString(sum[:8]); d.ID() != want {
			t.Errorf("%s is named %s, want %s", as, d.ID(), want)
		}
	}
}
