package app_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestColor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flag, noColor string
		term, want    bool
	}{
		{"auto", "", true, true},
		{"auto", "", false, false},
		{"auto", "yes", true, false},
		{"auto", "0", true, false},
		{"always", "1", false, true},
		{"never", "", true, false},
	} {
		s := newHarness(t, nil)
		s.Terminal, s.Env["NO_COLOR"] = test.term, test.noColor
		got := s.Run("spaces get s_x --color " + test.flag)
		if strings.Contains(got.Stderr, "\x1b[") != test.want {
			t.Errorf("%+v: %q", test, got.Stderr)
		}
	}
}

func TestDebugOutputOmitsToken(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/user": `200 {"id":"u_1"}`})
	s.Run("invites join wsi_o_i_wsd_secret --org o_1 --debug").Want(t, app.ExitNotFound, "invites/xxxxx")
	got := s.Run("whoami --debug")
	got.Want(t, app.ExitOK, "status=200")
	if strings.Contains(got.Stderr, "wsd_secret") {
		t.Errorf("logged the token: %s", got.Stderr)
	}
}
