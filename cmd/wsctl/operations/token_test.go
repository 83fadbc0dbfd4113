package operations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestNewTokensAreLimited checks that a token that says nothing else may read for 90 days, and that this is said once.
func TestNewTokensAreLimited(t *testing.T) {
	t.Parallel()
	for line, test := range map[string]struct{ want, note string }{
		"--name ci":                                             {`{"expiresAt":"2026-05-02T12:00:00Z","name":"ci","scopes":["read"]}`, "the token may read (--scopes), and ends on 2026-05-02 (--expires-at)\n"},
		"--name ci --scopes write":                              {`{"expiresAt":"2026-05-02T12:00:00Z","name":"ci","scopes":["write"]}`, "the token ends on 2026-05-02 (--expires-at)\n"},
		"--name ci --expires-at 1d":                             {`{"expiresAt":"2026-02-02T12:00:00Z","name":"ci","scopes":["read"]}`, "the token may read (--scopes)\n"},
		"--name ci --scopes admin --expires-at never":           {`{"name":"ci","scopes":["admin"]}`, ""},
		"-F {\"name\":\"ci\"}":                                  {`{"expiresAt":"2026-05-02T12:00:00Z","name":"ci","scopes":["read"]}`, "may read"},
		"-F {\"name\":\"ci\",\"expiresAt\":\"never\"} -q":       {`{"name":"ci","scopes":["read"]}`, ""},
		"-F {\"name\":\"ci\",\"scopes\":[\"admin\"]}":           {`{"expiresAt":"2026-05-02T12:00:00Z","name":"ci","scopes":["admin"]}`, "ends on"},
		"-F {\"name\":\"ci\"} --expires-at never --scopes read": {`{"name":"ci","scopes":["read"]}`, ""},
	} {
		s := newHarness(t, map[string]string{"POST /v1/user/tokens": `200 {"object":"token","id":"t_1"}`})
		got := s.Run(strings.Fields("tokens create " + line + " -o name")...)
		got.Want(t, app.ExitOK)
		if diff := cmp.Diff([]string{"POST /v1/user/tokens " + test.want}, s.Requests()); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		if !strings.Contains(got.Stderr, test.note) || test.note == "" && got.Stderr != "" || strings.Count(got.Stderr, "\n") > 1 {
			t.Errorf("%s says %q, want %q", line, got.Stderr, test.note)
		}
	}
}

// TestDefaultEndOfTokenThatIsRefused checks that wsctl names the way out if its own default is later than the end of the token
// that makes the new one.
func TestDefaultEndOfTokenThatIsRefused(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/user/tokens": `422 {"error":{"code":422,"message":"x","reason":"invalid","fields":[{"path":"expiresAt","message":"must not be after"}]}}`,
	})
	s.Run("tokens create --name ci").Want(t, app.ExitFailed, "hint: --expires-at never lets the token end")
	s.Run("tokens", "create", "-F", "[1]").Want(t, app.ExitFailed)
}
