package browse

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// TestCommandsAreListed compares the commands with testdata/commands.txt, whose syntax a test of wsctl checks.
func TestCommandsAreListed(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.Join(exampleCommands(), "\n")+"\n"); diff != "" {
		t.Errorf("testdata/commands.txt (-want +got); to accept it, edit the file:\n%s", diff)
	}
}

// exampleCommands returns an example of each wsctl command that the pages show.
func exampleCommands() []string {
	organization := api.Organization{OrganizationFields: api.OrganizationFields{ID: "o"}}
	s := &page.Session{Connection: &remote.Connection{Organization: "o"}}
	found := func(space string) string {
		field := components.NewField("words", true)
		return (&searchPage{Frame: page.NewFrame(s), space: space, allSpaces: space == "", field: field}).Command()
	}
	return []string{(&organizationsPage{}).Command(), (&spacesPage{organization: organization}).Command(), found("s"), found("")}
}
