package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestMessagesOfWritesWithoutAnswer checks that the message of a write without an answer names the thing in real words.
func TestMessagesOfWritesWithoutAnswer(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/spaces/s_s/permissions": "204 ", "PATCH /v1/spaces/s_s/permissions/users/u_1": "204 ",
		"DELETE /v1/spaces/s_s/permissions/users/u_1": "205 ", "PUT /v1/orgs/o_o/teams/tm_1/members": "204 ",
		"PUT /v1/orgs/o_o/teams/tm_1/members/u_1": "204 ", "DELETE /v1/orgs/o_o/members/u_1": "204 ",
		"GET /v1/spaces/s_s/revisions/r_1/diff?format=unified": "200 ",
	})
	s.Headers = map[string]string{"Content-Type": api.MediaPatch}
	s.Env["WSCTL_ORG"], s.Env["WSCTL_SPACE"] = "o_o", "s_s"
	for line, want := range map[string]string{
		`space-permissions create -F {}`:                "Created a space permission\n",
		"space-permissions update-user u_1 --role read": "Updated the permission of user u_1\n",
		"space-permissions delete-user u_1 --yes":       "Deleted the permission of user u_1\n",
		"teams update-members tm_1 -F {}":               "Updated the members of team tm_1\n",
		"members delete u_1 --yes":                      "Ended the membership of user u_1\n",
		"revisions diff r_1 --format unified":           "nothing differs\n",
	} {
		if got := s.Run(line); got.Code != app.ExitOK || got.Stdout != "" || got.Stderr != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
}

// TestChangesAreAcknowledged checks that a change of one thing prints a line at a terminal, and the thing itself in pipes and if an
// output flag asks for it.
func TestChangesAreAcknowledged(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_1":                   `200 {"id":"s_1","title":"Handbook"}`,
		"PATCH /v1/spaces/s_1?dryRun=true":       `200 {"id":"s_1","title":"Handbook"}`,
		"POST /v1/spaces/s_1/restore":            `200 {"id":"s_1","title":"Handbook"}`,
		"PATCH /v1/spaces/s_1/change-requests/2": `200 {"id":"cr_1","number":2,"subject":"Backups"}`,
		"PUT /v1/spaces/s_1/comments/c_1":        `200 {"id":"c_1"}`,
		"DELETE /v1/spaces/s_1":                  "205 ",
	})
	s.Env["WSCTL_ORG"] = "o_1"
	s.Run("spaces update s_1 --title Handbook").Want(t, app.ExitOK, "title\tHandbook\n")
	s.Terminal = true
	for line, want := range map[string]string{
		"spaces update s_1 --title Handbook":                     "✓ Updated Handbook\n",
		"spaces restore s_1":                                     "✓ Restored Handbook\n",
		"change-requests update 2 --space s_1 --subject Backups": "✓ Updated #2 Backups\n",
		"comments update c_1 --space s_1 --body x":               "✓ Updated comment c_1\n",
		"spaces delete s_1 --yes":                                "✓ Deleted space s_1\n",
	} {
		if got := s.Run(line); got.Code != app.ExitOK || got.Stdout != "" || got.Stderr != want {
			t.Errorf("%s: %+v, want %s", line, got, want)
		}
	}
	for _, flags := range []string{"--columns title", "-o table", "-o json", "--jq .title", "--dry-run"} {
		if got := s.Run("spaces update s_1 --title Handbook " + flags); !strings.Contains(got.Stdout, "Handbook") {
			t.Errorf("%s: %+v", flags, got)
		}
	}
	s.Env["ACCESSIBLE"] = "1"
	if got := s.Run("spaces update s_1 --title Handbook"); got.Stderr != "ok Updated Handbook\n" {
		t.Errorf("%+v", got)
	}
}
