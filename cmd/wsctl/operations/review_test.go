package operations_test

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestReviewCommandSendsVerdict(t *testing.T) {
	t.Parallel()
	const post = "POST /v1/spaces/s_s/change-requests/1/reviews"
	s := newHarness(t, map[string]string{post: `201 {"object":"change-request-review","id":"rv_1","status":"approved"}`})
	s.Env["WSCTL_SPACE"] = "s_s"
	s.Run("cr review 1 --status approved --message Good. --revision r_1").Want(t, app.ExitOK, "rv_1")
	if got, want := s.Requests()[0], post+` {"comment":{"markdown":"Good."},"revision":"r_1","status":"approved"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	s.Run("cr review 1").Want(t, app.ExitUsage, "status")
}
