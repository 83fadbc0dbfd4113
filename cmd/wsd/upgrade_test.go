package main

import (
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestUpgradeCommand checks that wsd upgrade shows a pending upgrade, does not finish it while an older node serves, and finishes
// it otherwise. Data of form 0 stands for that of the build before.
func TestUpgradeCommand(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	d := newRemoteDeployment(t)
	d.do("set", "wsd:schema", "0")
	s := startServer(t, d.environ...)
	s.waitForLine("serving at")
	environ := append([]string{"WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...)
	want := func(code int, texts []string, args ...string) {
		t.Helper()
		got := runWSD(t, environ, args...)
		for _, text := range texts {
			if got.code != code || !strings.Contains(got.stdout+got.stderr, text) {
				t.Errorf("wsd %s: %d, want %d and %q\n%s%s", args, got.code, code, text, got.stdout, got.stderr)
			}
		}
	}
	s.wantReady(1, "forms")
	want(exitOK, []string{"form 0; form 1 is pending since 2", "wsd upgrade --finish", "knows form 1\n"}, "upgrade")
	want(exitError, []string{"form 1 is pending since 2", "taken in 2"}, "doctor")
	d.do("zadd", "wsd:nodes", "9999999999999", "0 older")
	want(exitError, []string{"form 1 is not known to older (form 0)", "replace or stop it"}, "upgrade", "--finish")
	want(exitOK, []string{"node older knows form 0\n"}, "upgrade")
	d.do("zrem", "wsd:nodes", "0 older")
	want(exitOK, []string{"form 1\n"}, "upgrade", "--finish")
	want(exitOK, []string{"form 1\n", "nothing is pending"}, "upgrade")
	s.wantReady(0, "")
}

// TestUpgradeAfter checks that an invalid WSD_UPGRADE_AFTER is refused by name, and that an empty one is the default.
func TestUpgradeAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "24h0m0s", "0": "0s", "90m": "1h30m0s"} {
		if got, err := (&config{upgradeAfter: text}).parseUpgradeAfter(); err != nil || got.String() != want {
			t.Errorf("%q: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"24", "-1h", "soon"} {
		got := runWSD(t, []string{"WSD_STORE=memory", "WSD_UPGRADE_AFTER=" + text}, "serve")
		if got.code != exitError || !strings.Contains(got.stderr, `WSD_UPGRADE_AFTER`) || !strings.Contains(got.stderr, text) {
			t.Errorf("%q: %d %s", text, got.code, got.stderr)
		}
	}
}
