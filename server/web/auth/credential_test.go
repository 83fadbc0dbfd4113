package auth_test

import (
	"testing"

	"docspace.dev/wsd/server/web/auth"
)

// TestParseTokenName checks that a token is named by its text with and without the secret, and by no other part of it.
func TestParseTokenName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"wsd_account_id_secret": true, "wsd_account_id": true,
		"": false, "wsd": false, "wsd_account": false, "wsd_account_id_": false, "wsd_account_id_secret_more": false,
		"wsi_account_id": false, "wsd_account_i!": false, "t_id": false,
	} {
		user, token, ok := auth.ParseTokenName(text)
		if ok != want || ok && (user != "u_account" || token != "t_id") {
			t.Errorf("%q: %q %q %t", text, user, token, ok)
		}
	}
}
