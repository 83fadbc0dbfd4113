package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestOrganizationArgumentIsOptional checks that ORGANIZATION may be left out where --org, WSCTL_ORG or the only organization of
// the caller says which it is, but not of commands that delete or join one.
func TestOrganizationArgumentIsOptional(t *testing.T) {
	t.Parallel()
	const list = `200 {"count":1,"items":[{"id":"o_1","title":"One"}]}`
	for line, want := range map[string]string{
		"organizations get":                      "GET /v1/orgs/o_1",
		"organizations search --query radio":     "GET /v1/orgs/o_1/search?limit=25&query=radio",
		"organizations update --title Two":       `PATCH /v1/orgs/o_1 {"title":"Two"}`,
		"members ping":                           "POST /v1/orgs/o_1/ping",
		"saml-providers list-logins":             "GET /v1/orgs/o_1/sso",
		"organizations get --org o_1":            "GET /v1/orgs/o_1",
		"organizations get o_1 --org o_1":        "GET /v1/orgs/o_1",
		"organizations get o_2":                  "GET /v1/orgs/o_2",
		"organizations get o_2 --org o_1":        "",
		"organizations get o_1 o_2":              "",
		"organizations search":                   "",
		"organizations delete --title One --yes": "",
		"organizations join":                     "",
		"organizations restore":                  "",
		"trash restore":                          "",
	} {
		for _, setting := range []string{"", "o_1"} {
			s := newHarness(t, map[string]string{"GET /v1/orgs": list})
			s.Env["WSCTL_ORG"] = setting
			got := s.Run(strings.Fields(line + " --max-retries 0")...)
			if want == "" {
				got.Want(t, app.ExitUsage)
				continue
			}
			sent := s.Requests()
			if len(sent) == 0 || !strings.HasPrefix(sent[len(sent)-1], strings.Split(want, "?")[0]) || setting != "" && len(sent) > 1 {
				t.Errorf("%s, WSCTL_ORG=%s: sent %v, want %s\n%s", line, setting, sent, want, got.Stderr)
			}
		}
	}
}
