package drafts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

func newDraft(node, written string) Draft {
	return Draft{
		Target: remote.Target{Space: "s", ChangeRequest: "c"}, Page: "p", Node: node, About: "x", Text: written, Key: "k-" + written,
	}
}

// TestHoldIsExclusive checks that a draft is held by one screen at a time, and can be held by another after its release.
func TestHoldIsExclusive(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	release, err := dir.Hold("d")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Hold("d"); !errors.Is(err, ErrHeld) {
		t.Errorf("held twice: %v", err)
	}
	if other, err := dir.Hold("e"); err != nil {
		t.Errorf("another draft: %v", err)
	} else {
		other()
	}
	release()
	again, err := dir.Hold("d")
	if err != nil {
		t.Fatalf("after it was let go: %v", err)
	}
	again()
	if left, err := os.ReadDir(string(dir.locksDir())); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestSentKeepsLaterTexts checks that sent drafts are deleted, but that texts written after the submission are kept.
func TestSentKeepsLaterTexts(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	sent, changed := newDraft("b1", "one"), newDraft("b2", "two")
	said := Draft{Target: sent.Target, Review: true, Verdict: api.ReviewApproved, Text: "fine", Key: "k"}
	newer := changed
	newer.Text, newer.Key = "two and a half", "k-newer"
	for _, d := range []Draft{sent, newer, said} {
		if err := dir.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	s := Submission{ID: "i", Target: sent.Target, Drafts: []Draft{sent, changed}, Review: &said}
	if err := dir.Freeze(s); err != nil {
		t.Fatal(err)
	}
	if all, err := dir.Frozen(); err != nil || len(all) != 1 || !all[0].Has(sent.ID()) || !all[0].Has(said.ID()) || all[0].Has("z") {
		t.Errorf("frozen %v, %v", all, err)
	}
	if err := dir.Sent(s); err != nil {
		t.Fatal(err)
	}
	if err := dir.Sent(s); err != nil {
		t.Errorf("again: %v", err)
	}
	if all, err := dir.All(); err != nil || len(all) != 1 || all[0].Text != newer.Text {
		t.Errorf("left %v, %v", all, err)
	}
	if all, err := dir.Frozen(); err != nil || len(all) > 0 {
		t.Errorf("still frozen %v, %v", all, err)
	}
}

func TestRestoreWithinWeek(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	old, late := newDraft("b1", "old"), newDraft("b2", "late")
	for i, d := range []Draft{old, late} {
		if err := dir.Save(d); err != nil {
			t.Fatal(err)
		}
		if err := dir.Discard(d, now.Add(time.Duration(i)*48*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := dir.Dropped(now.Add(49 * time.Hour))
	if err != nil || len(all) != 2 || all[0].Draft.Text != "late" {
		t.Fatalf("dropped %v, %v", all, err)
	}
	if err := dir.Restore(all[0]); err != nil {
		t.Fatal(err)
	}
	if err := dir.Restore(all[0]); !errors.Is(err, ErrTaken) {
		t.Errorf("over another one: %v", err)
	}
	if left, _ := dir.Dropped(now.Add(RestorePeriod)); len(left) != 1 {
		t.Errorf("after a week %v", left)
	}
	if left, _ := dir.Dropped(now.Add(RestorePeriod + 1)); len(left) > 0 {
		t.Errorf("after more than a week %v", left)
	}
	if kept, _ := dir.All(); len(kept) != 1 || kept[0].Text != "late" {
		t.Errorf("kept %v", kept)
	}
}

func TestMarksAreOrdered(t *testing.T) {
	t.Parallel()
	dir := Dir(filepath.Join(t.TempDir(), "drafts"))
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i, key := range []string{"z", "a"} {
		if err := dir.KeepMark(Mark{Key: key, Item: "p", Read: i == 0, MarkedAt: at.Add(time.Duration(i))}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := dir.Marks()
	if err != nil || len(all) != 2 || all[0].Key != "z" || all[1].Read {
		t.Fatalf("marks %v, %v", all, err)
	}
	if err := errors.Join(dir.DropMark(all[0]), dir.DropMark(all[0])); err != nil {
		t.Error(err)
	}
	if left, _ := dir.Marks(); len(left) != 1 || left[0].Key != "a" {
		t.Errorf("left %v", left)
	}
	if drafts, _ := dir.All(); len(drafts) > 0 {
		t.Errorf("marks are drafts: %v", drafts)
	}
}
