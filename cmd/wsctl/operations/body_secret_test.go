package operations_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestAcceptedInviteShowsBoundsOfToken checks that the scopes and the end of a new token are printed with it.
func TestAcceptedInviteShowsBoundsOfToken(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"POST /v1/invites/accept": `200 {"id":"u_1","organization":"o_1","token":"wsd_1_2_3",` +
		`"tokenScopes":["write"],"tokenExpiresAt":"2027-03-01T00:00:00.000Z"}`})
	s.Input = "wsi_1_2_3\n"
	s.Run("invites accept --secret-file -").Want(t, app.ExitOK, "wsd_1_2_3", "tokenScopes", "write", "tokenExpiresAt", "2027-03-01")
}

// TestSecretIsReadFromFile checks that the secret of an invite is read from standard input, without its line break, and that the
// error for a missing one names the flag.
func TestSecretIsReadFromFile(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"POST /v1/invites/accept": `200 {"id":"u_1"}`})
	s.Input = "wsi_1_2_3\r\n"
	s.Run("invites accept --secret-file -").Want(t, app.ExitOK)
	want := []string{`POST /v1/invites/accept {"secret":"wsi_1_2_3"}`}
	if got := s.Requests(); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	s.Run("invites accept").Want(t, app.ExitUsage, "--secret-file")
}
