package main

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// TestRefusedTokens checks that the error for a token that the server does not accept says where it is from, and that the one for
// none says so.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	const refused = `401 {"error":{"code":401,"message":"A valid token is needed: Authorization: Bearer wsd_...","reason":"unauthenticated"}}`
	s := apptest.New(t, newRoot, map[string]string{
		"GET /v1/user": refused, "GET /v1/": `200 {"version":"1.0.0"}`,
		"GET /v1/spaces/s_1": `401 {"error":{"code":401,"message":"The account of this token is disabled.","reason":"unauthenticated"}}`,
	})
	s.Env["WSCTL_TOKEN"] = "wsd_wrong"
	s.Run("whoami").Want(t, app.ExitDenied, "does not accept the token from environment WSCTL_TOKEN: it is wrong, expired or revoked",
		"hint: set WSCTL_TOKEN to another")
	s.Run("whoami -o json").Want(t, app.ExitDenied, `"code":401`, "environment WSCTL_TOKEN", `"reason":"unauthenticated"`)
	s.Run("status").Want(t, app.ExitDenied, "does not accept the token from environment WSCTL_TOKEN")
	s.Run("spaces get s_1").Want(t, app.ExitDenied, "The account of this token is disabled.")
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, app.ExitDenied, "does not accept the token from standard input")
	delete(s.Env, "WSCTL_TOKEN")
	s.Run("whoami").Want(t, app.ExitDenied, "no token was sent: there is none in WSCTL_TOKEN or the profile default",
		"hint: wsctl login signs in; wsctl auth login --with-token and WSCTL_TOKEN take a token")
}
