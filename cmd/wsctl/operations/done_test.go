package operations_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestMessagesOfWritesWithoutAnswer checks that the message of a write without an answer names the thing in real words.
func TestMessagesOfWritesWithoutAnswer(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/spaces/s/permissions": "204 ", "PATCH /v1/spaces/s/permissions/users/u_1": "204 ",
		"DELETE /v1/spaces/s/permissions/users/u_1": "205 ", "PUT /v1/orgs/o/teams/t_1/members": "204 ",
		"PUT /v1/orgs/o/teams/t_1/members/u_1": "204 ", "DELETE /v1/orgs/o/members/u_1": "204 ",
		"GET /v1/spaces/s/revisions/r_1/diff?format=unified": "200 ",
	})
	s.Headers = map[string]string{"Content-Type": api.MediaPatch}
	s.Env["WSCTL_ORG"], s.Env["WSCTL_SPACE"] = "o", "s"
	for line, want := range map[string]string{
		`space-permissions create -F {}`:                "Created a space permission\n",
		"space-permissions update-user u_1 --role read": "Updated the permission of user u_1\n",
		"space-permissions delete-user u_1 --yes":       "Deleted the permission of user u_1\n",
		"teams update-members t_1 -F {}":                "Updated the members of team t_1\n",
		"members delete u_1 --yes":                      "Ended the membership of user u_1\n",
		"revisions diff r_1 --format unified":           "nothing differs\n",
	} {
		if got := s.Run(line); got.Code != app.ExitOK || got.Stdout != "" || got.Stderr != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
}
