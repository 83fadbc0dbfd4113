package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/store/storetest"
)

// TestDoctorCountsUnboundedTokens checks that wsd doctor counts tokens of people that never end in one line, that the command in its
// hint lists these tokens, and that a maximum age ends them.
func TestDoctorCountsUnboundedTokens(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	d := newRemoteDeployment(t)
	run := func(environ []string, args ...string) string {
		t.Helper()
		got := runWSD(t, environ, args...)
		if got.code != exitOK && args[0] != "doctor" { // which warns of other things here
			t.Fatalf("wsd %s: %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
		return got.stdout
	}
	list := func(environ []string, flags ...string) (tokens []operator.Token) {
		t.Helper()
		text := run(environ, slices.Concat([]string{"token", "list", "-o", "json"}, flags)...)
		if err := json.Unmarshal([]byte(text), &tokens); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return tokens
	}
	run(d.environ, "init", "--user", "ada@example.com", "--org", "Docs")
	for _, name := range []string{"ben", "cem"} {
		run(d.environ, "token", "create", "--user", name+"@example.com", "--org", "Docs", "--name", "From an invite")
	}
	run(d.environ, "token", "create", "--user", "dan@example.com", "--org", "Docs", "--scope", "read")
	text := run(d.environ, "doctor")
	const want = "3 of people with the scope admin never end, 2 of them are of accepted invites; so do 1 with other scopes\n"
	if !strings.Contains(text, want) || strings.Count(text, "t_") != 0 {
		t.Error(text)
	}
	const command = "wsd token list --never-ends --scope admin"
	if !strings.Contains(text, command) {
		t.Errorf("the hint does not name %s:\n%s", command, text)
	}
	if tokens := list(d.environ, strings.Fields(command)[3:]...); len(tokens) != 3 {
		t.Errorf("%s lists %+v", command, tokens)
	}
	if tokens := list(d.environ, "--never-ends"); len(tokens) != 4 {
		t.Errorf("tokens that never end: %+v", tokens)
	}
	bounded := append(slices.Clone(d.environ), "WSD_TOKEN_MAX_AGE=90d")
	if text := run(bounded, "doctor"); strings.Contains(text, "never end") {
		t.Errorf("with a maximum age:\n%s", text)
	}
	if tokens := list(bounded, "--never-ends"); len(tokens) != 0 {
		t.Errorf("with a maximum age, tokens that never end: %+v", tokens)
	}
	for _, token := range list(bounded) {
		if token.ExpiresAt.Sub(token.CreatedAt.Time) != 90*24*60*60*1e9 {
			t.Errorf("with a maximum age: %+v", token)
		}
	}
	if got := runWSD(t, d.environ, "token", "list", "--scope", "all"); got.code != exitUsage {
		t.Errorf("an unknown scope: %+v", got)
	}
}
