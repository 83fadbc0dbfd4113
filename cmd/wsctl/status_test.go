package main

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	const server, date = `200 {"version":"1.0.0","build":"x"}`, "Sun, 01 Feb 2026 12:00:00 GMT" // the time of the test's clock
	for name, test := range map[string]struct {
		server, user, date, token, url string
		code                           int
		want                           []string
	}{
		"all is well": {
			server, userJSON, date, "wsd_1", "", app.ExitOK,
			[]string{"address\tok", "server\tok", "version\tok", "clock\tok", "token\tok\tAda"},
		},
		"clock behind": {
			server, userJSON, "Mon, 02 Feb 2026 12:00:00 GMT", "wsd_1", "", app.ExitOK, []string{"clock\twarning", "24h0m0s behind"},
		},
		"clock ahead": {server, userJSON, "Sun, 01 Feb 2026 11:55:00 GMT", "wsd_1", "", app.ExitOK, []string{"5m0s ahead"}},
		"no date":     {server, userJSON, "then", "wsd_1", "", app.ExitOK, []string{"clock\twarning"}},
		"not wsd":     {`200 {"hello":1}`, userJSON, date, "wsd_1", "", app.ExitFailed, []string{"server\tfailed", "it is not wsd"}},
		"a page":      {`200 <html>`, userJSON, date, "wsd_1", "", app.ExitFailed, []string{"it is not wsd"}},
		"refused":     {`500 x`, userJSON, date, "wsd_1", "", app.ExitFailed, []string{"server\tfailed"}},
		"no answer": {
			server, userJSON, date, "wsd_1", "http://127.0.0.1:1", app.ExitUnavailable, []string{"address\tok", "server\tfailed"},
		},
		"no address": {server, userJSON, date, "wsd_1", "localhost", app.ExitUsage, []string{"address\tfailed", "environment WSCTL_URL"}},
		"unknown token": {
			server, `401 {"error":{"code":401,"message":"No such token."}}`, date, "wsd_1", "", app.ExitDenied,
			[]string{"token\tfailed\tNo such token."},
		},
		"no token at all": {server, userJSON, date, "two words", "", app.ExitUsage, []string{"token\tfailed", "has a space"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t, newRoot, map[string]string{"GET /v1/": test.server, "GET /v1/user": test.user})
			s.Headers = map[string]string{"Date": test.date}
			s.Env["WSCTL_TOKEN"] = test.token
			if test.url != "" {
				s.Env["WSCTL_URL"] = test.url
			}
			got := s.Run("status --max-retries 0")
			got.Want(t, test.code, test.want...)
		})
	}
}

func TestVersionNote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wsd, wsctl string
		differ     bool
	}{
		{"1.6.0", "1.4.0", true},
		{"1.4.0", "1.6.0", true},
		{"1.4.0", "1.4.0", false},
		{"(devel)", "1.4.0", false},
		{"1.4.0", "v0.0.0-2026-abc", false},
	} {
		if note := versionNote(test.wsd, test.wsctl); (note != "") != test.differ {
			t.Errorf("%v: %q", test, note)
		}
	}
}

// TestVerbose checks that -v shows the version if it is alone, and otherwise a line for each call without its query.
func TestVerbose(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, newRoot, map[string]string{"GET /v1/user": userJSON})
	s.Run("-v").Want(t, app.ExitOK, "wsctl "+app.Version()+"\n")
	s.Run("--version").Want(t, app.ExitOK, "wsctl "+app.Version()+"\n")
	got := s.Run("whoami -v")
	got.Want(t, app.ExitOK, "GET "+s.URL+"/v1/user: 200 in ")
	got = s.Run("spaces get s_x -v --share-key KEY --max-retries 0")
	got.Want(t, app.ExitNotFound, "GET "+s.URL+"/v1/spaces/s_x: 404 in ")
	if strings.Contains(got.Stderr, "KEY") {
		t.Errorf("a key is shown: %s", got.Stderr)
	}
	s.Run("whoami -v --max-retries 0 --url http://127.0.0.1:1").Want(t, app.ExitUnavailable, "/v1/user: no answer\n")
	s.Run("status -v --max-retries 0").Want(t, app.ExitFailed+2, "settings\tok", "url\tok\t"+s.URL+" (environment WSCTL_URL)")
}
