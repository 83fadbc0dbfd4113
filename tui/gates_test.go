package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reviewer sees the merge gates, and the verdict refers to the displayed revision.
func TestVerdictRefersToDisplayedRevision(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	s.Server.Blocked = true
	s.Open(100, 40)
	s.Keys("m")
	s.Want(t, "not yet: What Grace")
	s.Want(t, "Lin approved, no longer counts", "changed since", "!✓ Lin", "✗ Piet requested changes", "● you · review requested by Grace, pending", "!✗ Lin", "[NOT YET]", "✗ What Grace", "Quick start (text).", "Grace has to review", "2 open comments to resolve (only a warning)", "▸ 1 of 3 checks pass", "!✓ 1 of 3")
	s.Keys("a")
	s.Want(t, "(•) approve", "Not read yet  4 of 4 changes")
	s.Keys("ctrl+s")
	if len(s.Server.Writes) != 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Want(t, "▌ ◌ Old page", "4 changes not read: ctrl+s again approves anyway")
	s.Keys("ctrl+s")
	s.Want(t, "✓ approved", "same as: wsctl change-request-reviews submit key", "Changed pages")
	s.Keys("enter", "S", "tab", "tab", "enter", `"Not the light.`, "ctrl+s")
	want := []string{"submit approved of r_7", "submit changes-requested of r_7: Not the light."}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

func TestMergeStartsWithKnownConflicts(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	s.Server.BlockedByConflicts = true
	s.Open(120, 60)
	s.Keys("m")
	s.Want(t, "2 conflicts, 0 decided", "sentence 2 of 3")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}
