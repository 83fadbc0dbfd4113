package screens_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

func TestMergeNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("m", "y", "enter")
	s.Want(t, "you did not type yes")
	s.Keys("m", "esc")
	if len(s.Server.Writes) != 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "✓ merged into the space")
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestPendingMergePreventsLeaving(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("m", `"yes`)
	s.Press("enter")
	s.Run(0) // confirmed; the merge is pending
	s.Press("esc")
	s.Want(t, "has not answered yet", "Changed pages")
	s.Drain()
	s.Want(t, "✓ merged into the space")
	s.Keys("esc")
	s.Want(t, "[OPEN]")
}

// TestRejectedWriteReloadsPage checks that a rejected write reloads the page, because its content may be outdated.
func TestRejectedWriteReloadsPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Server.Fail["merge"] = api.Errorf(409, api.ReasonConflict, "The change request is merged.")
	s.Server.Status = api.StatusMerged // concurrently by another user
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "The change request is merged.", "[MERGED]", "!m merge")
}

func TestMergeListsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("c", `"Wait.`, "esc", "m")
	s.Want(t, "✎ 1 draft of yours on it not sent", "type yes")
}

func TestMergeStartsWithKnownConflicts(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.BlockedByConflicts = true
	s.Open(120, 60)
	s.Keys("m")
	s.Want(t, "2 conflicts, 0 decided", "sentence 2 of 3")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

// TestMergeFromChangePage checks that the page of the changes has the same merge action and gates as the change request.
func TestMergeFromChangePage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 50)
	s.Keys("enter", "m")
	s.Want(t, "into “Skylark Handbook”? It changes 3 pages", "2 comments are open")
	s.Keys(`"yes`, "enter")
	s.Want(t, "✓ merged into the space", "Quick start (1 of 3)")
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s = newGatedScreen(120, 50, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin))
	s.Keys(":", `"merge`)
	s.Want(t, "merge (not yet: it changed since Lin")
	s.Keys("esc", "enter", "m")
	s.Want(t, "not yet: it changed since Lin")
	s.Keys(":", `"merge`)
	s.Want(t, "merge (not yet: it changed since Lin")
	s.Keys("esc")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

func TestMergeConfirmationNamesChangeRequest(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 200, 50)
	s.Keys("m")
	s.Want(t, "Merge #2 “Firmware 2.4: faster readings, longer battery life” of Grace into “Skylark Handbook”? It changes 3 pages for "+
		"all readers.")
}

// A merge or an update is not carried out for a head other than the one shown. It has to be confirmed again, with the changes
// listed.
func TestMovedHeadIsShownBeforeMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key           string
		yes           []string
		again, result string
	}{
		{"m", []string{`"yes`, "enter"}, "Merge #2", "✓ merged into the space"},
		{"U", []string{"tab", "enter"}, "Update #2 as it is now?", "✓ "},
	} {
		s := tuitest.Start(tuitest.ReviewOptions, 100, 50)
		s.Server.Head = "r_8"
		s.Keys(append([]string{c.key}, c.yes...)...)
		s.Want(t, "It changed while you were asked:", "+ Power and battery", c.again)
		if len(s.Server.Writes) > 0 {
			t.Errorf("wrote %q for a head that was not shown", s.Server.Writes)
		}
		s.Keys(c.yes...)
		s.Want(t, c.result)
	}
	s := tuitest.Start(tuitest.ReviewOptions, 100, 50)
	s.Server.Head, s.Server.Status = "r_8", api.StatusMerged
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "already merged while you were asked")
}

// A merge that is requested while the request is loaded again is refused, and keys typed after it run no actions.
func TestMergeWaitsForReload(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 50)
	s.Server.Edit(tuitest.UserGrace)
	s.Pass(1)
	s.Press("R")
	for _, key := range []string{"m", "y", "e", "s", "enter"} {
		s.Press(key)
	}
	s.Drain()
	s.Want(t, "Discussion", "!merged into")
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "✓ merged into the space", "!It changed while")
	if diff := cmp.Diff([]tuitest.Confirmation{{Operation: "merge", Revision: "r_8", Head: "r_8"}}, s.Server.Confirmations); diff != "" {
		t.Error(diff)
	}
}
