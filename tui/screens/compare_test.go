package screens_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// TestComparePage checks that two revisions of a page are compared side by side where the width allows.
func TestComparePage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 160, 40)
	s.Keys("j", "enter", "H", ".", `"compare`, "enter")
	s.Want(t, "Compare r7 with", "r1 by Ada, 4d ago")
	s.Keys("enter")
	s.Want(t, "revision 1 by Ada, 4d ago → revision 7 by Grace, 2h ago", "is [-blue-].", "is {+green+}.", "!Other changes",
		"same as: wsctl revisions diff r_7 --space s_1 --base r_1 --page p_quick")
	s.Keys("]")
	s.Want(t, "▌", "[-blue-]")
	s.Keys("V")
	s.Want(t, "unified", "is [-blue-]{+green+}.")
	s.Keys("G", "]")
	s.Want(t, "no more changes")
	s.Send(tuitest.WindowSize(80, 24))
	s.Keys("V")
	s.Want(t, "side by side needs 102 columns")
}

// TestCompareRevisionsOfRequest checks that the history of a change request has the numbers of its timeline, and that a
// revision opens its changes in all pages.
func TestCompareRevisionsOfRequest(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 160, 60)
	s.Keys("H")
	s.Want(t, "▌ r7", "Grace", "r1", "same as: wsctl change-requests list-revisions cr_2 --space s_1")
	s.Keys("enter")
	s.Want(t, "r6 and r7", "revision 6 by Grace, 1h ago → revision 7 by Grace", "p_quick", "p_new", "Other changes", "light.png",
		"same as: wsctl revisions diff r_7 --space s_1 --base r_6")
	s.Keys("esc", "G", "enter")
	s.Want(t, "it is the first revision")
	s.Keys(".", `"compare`, "enter", `"r5`, "enter")
	s.Want(t, "r1 and r5")
}

func TestCompareError(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 160, 60)
	s.Keys("H")
	s.Server.Fail["diff"] = api.NotFound()
	s.Keys("enter")
	s.Want(t, "This is not there", "R tries again")
}
