package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

const userJSON = `200 {"object":"user","id":"u_1","displayName":"Ada","urls":{"location":"x"}}`

func TestWhoami(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/user": userJSON})
	for _, line := range []string{"whoami -o name", "user get -o name"} {
		if got := s.Run(line); got.Stdout != "u_1\n" {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/user":                              userJSON,
		"GET /v1/orgs/o_1/spaces?limit=5":           `200 {"count":1,"items":[{"id":"a"}]}`,
		"GET /v1/orgs/o_1/spaces?limit=1000":        `200 {"count":2,"items":[{"id":"a"}],"next":{"page":"2"}}`,
		"GET /v1/orgs/o_1/spaces?limit=1000&page=2": `200 {"count":2,"items":[{"id":"b"}]}`,
		"PATCH /v1/spaces/s_s":                      `200 {"id":"s_1"}`,
		"DELETE /v1/spaces/s_s":                     "205 ",
		"GET /v1/spaces/s_s/revisions/r/diff":       "200 @@ -1 +1 @@\n",
		"GET /v1/text":                              "200 plain text\n",
		"POST /v1/orgs":                             `201 {"id":"o_2"}`,
	})
	s.Env["WSCTL_ORG"], s.Env["WSCTL_SPACE"] = "o_1", "s_s"
	s.Headers = map[string]string{"Content-Type": api.MediaPatch}
	for _, test := range []struct{ line, out string }{
		{"api GET /user --jq .id", "u_1\n"},
		{"api get v1/user --jq .id", "u_1\n"},
		{"api GET /orgs/{org}/spaces -f limit=5 --jq .items[].id", "a\n"},
		{"api GET /orgs/{org}/spaces?limit=5 --jq .count", "1\n"},
		{"api GET /orgs/{org}/spaces --paginate --jq .[].id", "a\nb\n"},
		{"api PATCH /spaces/{space} -f title=New --jq .id", "s_1\n"},
		{"api DELETE /spaces/s_s", ""},
		{"api GET /spaces/s_s/revisions/r/diff", "@@ -1 +1 @@\n"},
		{`api POST /orgs -F {"title":"x"}`, "{\n  \"id\": \"o_2\"\n}\n"},
	} {
		if got := s.Run(test.line); got.Code != 0 || got.Stdout != test.out {
			t.Errorf("%s: %+v", test.line, got)
		}
	}
	if got := s.Requests(); !strings.Contains(strings.Join(got, "\n"), `PATCH /v1/spaces/s_s {"title":"New"}`) {
		t.Errorf("sent %v", got)
	}
	s.Run("api GET /nowhere").Want(t, app.ExitNotFound)
	s.Run("api GET /text").Want(t, app.ExitFailed, "not wsd (200, text/x-diff instead of JSON)")
	for _, line := range []string{"api GET", "api GET /a{b}", "api POST /x -f a", "api POST /x -f a=b -F {}", "api POST /x --paginate"} {
		s.Run(line).Want(t, app.ExitUsage)
	}
}
