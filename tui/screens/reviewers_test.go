package screens_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// TestOnlyReviewersAreOffered checks that only users who can review are offered, that those already asked are marked, and that
// the other members are offered last without permission to list reviewers.
func TestOnlyReviewersAreOffered(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.InboxOptions, 200, 50, tuitest.OwnChangeRequest)
	s.Server.RequestedReviewers = []api.RequestedReviewer{
		{User: tuitest.NewUser("u_2", "Grace"), RequestedBy: tuitest.NewUser("u_1", "Ada")},
	}
	s.Keys("enter", "i")
	s.Want(t, "1 Lin (approved before the last changes)", "2 Grace (asked already)", "!Ruth")
	s.Keys("esc")
	s.Server.Fail["permitted"] = api.Errorf(403, api.ReasonForbidden, "You may not see that.")
	s.Keys("i")
	s.Want(t, "1 Lin", "2 Grace", "3 Ruth (only where they may comment in the space)")
}

// TestStaleReviewersAreOfferedFirst checks that reviewers who have to review again are offered first, with the reason, that
// they can be asked together, and that those with a valid approval come last.
func TestStaleReviewersAreOfferedFirst(t *testing.T) {
	t.Parallel()
	ruth, piet := tuitest.NewUser("u_8", "Ruth M."), tuitest.NewUser("u_9", "Piet")
	with := func(all ...api.Review) *tuitest.Screen {
		s := tuitest.StartPrepared(tuitest.InboxOptions, 160, 50, func(s *tuitest.Screen) {
			tuitest.OwnChangeRequest(s)
			s.Server.ReviewList = all
			s.Server.PermittedUsers = []api.User{tuitest.UserGrace, ruth, piet, tuitest.UserLin}
		})
		s.Keys("enter", "i")
		return s
	}
	s := with(tuitest.VerdictBy(tuitest.UserGrace, api.ReviewApproved, false), tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true),
		tuitest.VerdictBy(piet, api.ReviewChangesRequested, false))
	s.Want(
		t, "1 Piet and Lin (all who have to look again)", "2 Piet (requested changes)", "3 Lin (approved before the last changes)",
		"4 Ruth M.",
		"5 Grace (approved)",
	)
	s.Keys("1")
	if diff := cmp.Diff([]string{"ask u_9", "ask u_3"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s = with(tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true))
	s.Want(t, "1 Lin (approved before the last changes)", "!all who have")
}
