package operations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestTimesAsPeopleWriteThem checks that times of flags and of --data are sent as the contract has them, in the location of the
// clock, and that never is null or nothing.
func TestTimesAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	const create, update = "POST /v1/orgs/o_1/link-invites ", "PATCH /v1/orgs/o_1/link-invites/i_1 "
	const tokens = "POST /v1/user/tokens/t_1/rotate "
	for line, want := range map[string]string{
		"link-invites create --org o_1 --expires-at 90d":                                  `{"expiresAt":"2026-05-02T12:00:00Z"}`,
		"link-invites create --org o_1 --expires-at 2027-01-01":                           `{"expiresAt":"2027-01-01T00:00:00Z"}`,
		"link-invites create --org o_1 --role read --expires-at never":                    `{"role":"read"}`,
		"link-invites create --org o_1 -F {expiresAt:~2h}":                                `{"expiresAt":"2026-02-01T14:00:00Z"}`,
		"link-invites create --org o_1 -F {role:~read,~expiresAt:~never}":                 `{"role":"read"}`,
		"link-invites create --org o_1 -F {role:~read,~expiresAt:~2h} --expires-at never": `{"role":"read"}`,
		"link-invites update i_1 --org o_1 --expires-at never":                            `{"expiresAt":null}`,
		"link-invites update i_1 --org o_1 -F {expiresAt:~never}":                         `{"expiresAt":null}`,
		"link-invites update i_1 --org o_1 -F {\"expiresAt\":null}":                       `{"expiresAt":null}`,
		"link-invites update i_1 --org o_1 --expires-at soon":                             "",
		"link-invites update i_1 --org o_1 -F {expiresAt:~soon}":                          "",
		"tokens rotate t_1 --yes --old-valid-for 2h":                                      `{"oldValidFor":7200}`,
		"tokens rotate t_1 --yes --old-valid-for 60":                                      `{"oldValidFor":60}`,
		"tokens rotate t_1 --yes --old-valid-for 2d":                                      "",
	} {
		s := newHarness(t, nil)
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "~", " ")
		}
		got := s.Run(words...)
		if want == "" {
			got.Want(t, app.ExitUsage, "must be")
			continue
		}
		path := create
		switch {
		case strings.Contains(line, "update"):
			path = update
		case strings.HasPrefix(line, "tokens"):
			path = tokens
		}
		if diff := cmp.Diff([]string{path + want}, s.Requests()); diff != "" {
			t.Errorf("%s: %s\n%s", line, diff, got.Stderr)
		}
	}
}
