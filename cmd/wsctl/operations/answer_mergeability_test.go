package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestBlockedMergeNamesCommands checks that the answer why a merge is not possible names a command for each cause, and that the error
// has no code, because the server refused nothing.
func TestBlockedMergeNamesCommands(t *testing.T) {
	t.Parallel()
	const gates = `{"mergeable":false,"rules":[
		{"rule":"conflicts","state":"failed","cause":"conflicts","count":2,"message":"m"},
		{"rule":"review","state":"failed","cause":"not_approved","message":"m","clearedBy":{"users":[{"id":"u_1","displayName":"Ada",
			"email":"ada@b.example"}]}},
		{"rule":"threads","state":"advice","cause":"comments","count":1,"message":"m"},
		{"rule":"custom","state":"failed","cause":"custom","message":"m"},
		{"rule":"space","state":"passed","message":"m"}]}`
	s := newHarness(t, map[string]string{"GET /v1/spaces/s_1/change-requests/2/mergeability": "200 " + gates})
	const hint = "wsctl change-requests conflicts s_1#2; wsctl change-requests request-review s_1#2 --users ada@b.example"
	for _, line := range []string{"cr mergeable 2 --space s_1", "change-requests get-mergeability s_1#2"} {
		s.Run(line).Want(t, app.ExitConflict, "hint: "+hint+"\n")
	}
	got := s.Run("cr mergeable s_1#2 -o json")
	if !strings.HasPrefix(got.Stderr, `{"error":{"message":`) || !strings.Contains(got.Stderr, hint) {
		t.Errorf("%q", got.Stderr)
	}
	s.Terminal, s.Env["NO_COLOR"] = true, "1"
	s.Run("cr mergeable s_1#2").Want(t, app.ExitConflict, "          wsctl change-request-comments list --change-request s_1#2\n")
}
