package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reviewer sees the merge gates, and the verdict refers to the displayed revision.
func TestVerdictRefersToDisplayedRevision(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.blocked = true
	s.open(100, 40)
	s.keys("m")
	s.want(t, "not yet: What Grace")
	s.want(t, "Lin approved, no longer counts", "changed since", "!✓ Lin", "✗ Piet requested changes", "● you · review requested by Grace, pending", "!✗ Lin", "[NOT YET]", "✗ What Grace", "Quick start (text).", "Grace has to review", "2 open comments to resolve (only a warning)", "▸ 1 of 3 checks pass", "!✓ 1 of 3")
	s.keys("a")
	s.want(t, "(•) approve", "Not read yet  4 of 4 changes")
	s.keys("ctrl+s")
	if len(s.fake.writes) != 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
	s.want(t, "▌ ◌ Old page", "4 changes not read: ctrl+s again approves anyway")
	s.keys("ctrl+s")
	s.want(t, "✓ approved", "same as: wsctl change-request-reviews submit key", "Changed pages")
	s.keys("enter", "S", "tab", "tab", "enter", `"Not the light.`, "ctrl+s")
	want := []string{"submit approved of r_7", "submit changes-requested of r_7: Not the light."}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.drafts.all) != 0 {
		t.Errorf("the journal still has %v", s.drafts.all)
	}
}

func TestMergeStartsWithKnownConflicts(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.blockedByConflicts = true
	s.open(120, 60)
	s.keys("m")
	s.want(t, "2 conflicts, 0 decided", "sentence 2 of 3")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
}
