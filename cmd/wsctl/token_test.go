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

// TestRotatedTokenIsKept checks that a profile keeps the new secret of its token, and no other, and that an invite is no token.
func TestRotatedTokenIsKept(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, newRoot, map[string]string{
		"GET /v1/user": userJSON, "GET /v1/": `200 {"version":"1.0.0"}`,
		"POST /v1/user/tokens/t_1/rotate": `200 {"object":"token","id":"t_1","name":"own","scopes":["read"],"token":"wsd_1_1_NEW"}`,
		"POST /v1/user/tokens/t_2/rotate": `200 {"object":"token","id":"t_2","name":"other","scopes":["read"],"token":"wsd_1_2_NEW"}`,
	})
	delete(s.Env, "WSCTL_TOKEN")
	s.Input = "wsd_1_1_OLD"
	s.Run("login --with-token").Want(t, app.ExitOK)
	s.Run("tokens rotate t_2 --yes").Want(t, app.ExitOK, "wsd_1_2_NEW")
	s.Run("tokens rotate t_1 --yes").Want(t, app.ExitOK, "wsd_1_1_NEW", "profile default has the new secret, in the ")
	s.Input = "wsi_1_2_3"
	s.Run("login --with-token").Want(t, app.ExitUsage, "is the secret of an invite", "hint: wsctl join")
}

// TestLogoutAsksBeforeItForgetsToken checks that a token is forgotten at a terminal only after a yes.
func TestLogoutAsksBeforeItForgetsToken(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, newRoot, map[string]string{"GET /v1/user": userJSON, "GET /v1/": `200 {"version":"1.0.0"}`})
	delete(s.Env, "WSCTL_TOKEN")
	s.Input = "wsd_1_1_OLD"
	s.Run("login --with-token").Want(t, app.ExitOK)
	s.Terminal, s.Input = true, "n\n"
	s.Run("logout").Want(t, app.ExitUsage, "not shown again", "Forget it? [y/N]", "the token of profile default is kept")
	s.Input = "y\n"
	s.Run("logout").Want(t, app.ExitOK, "the token of profile default is forgotten")
}
