package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestDangerousCommandsAsk checks that what ends something or takes content away asks at a terminal, and needs --yes elsewhere.
func TestDangerousCommandsAsk(t *testing.T) {
	t.Parallel()
	for line, question := range map[string]string{
		"spaces transfer s_1 --to-org o_2":       "Transfer space s_1? [y/N]",
		"collections transfer l_1 --to-org o_2":  "Transfer collection l_1? [y/N]",
		"transfers agree tf_1 --org o_1":         "Agree transfer tf_1? [y/N]",
		"sites regenerate-auth site_1 --org o_1": "Regenerate site site_1? [y/N]",
		"sites unpublish site_1 --org o_1":       "Its addresses stop working at once.\nUnpublish site site_1? [y/N]",
		"tokens rotate t_1":                      "Rotate token t_1? [y/N]",
		"revisions rollback r_1 --space s_1":     "Rollback revision r_1? [y/N]",
		"cr merge 1 --space s_1":                 "Merge change request 1? [y/N]",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, nil)
			merges := strings.HasPrefix(line, "cr merge")
			s.Run(strings.Fields(line+" --dry-run")...).Want(t, app.ExitNotFound)
			s.Run(strings.Fields(line+" --yes")...).Want(t, app.ExitNotFound)
			sent := len(s.Requests())
			got := s.Run(strings.Fields(line)...)
			if merges {
				got.Want(t, app.ExitNotFound)
				sent++
			} else {
				got.Want(t, app.ExitUsage, "needs --yes where nobody can be asked")
			}
			if len(s.Requests()) != sent {
				t.Errorf("sent %v", s.Requests()[sent:])
			}
		})
		t.Run(line+" at a terminal", func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, nil)
			s.Terminal, s.Input, s.AnyDryRun = true, "n\n", true
			s.Run(strings.Fields(line)...).Want(t, app.ExitUsage, question, "nothing was changed")
			for _, request := range s.Requests() {
				if !strings.Contains(request, "dryRun=true") {
					t.Errorf("sent %s", request)
				}
			}
		})
	}
}
