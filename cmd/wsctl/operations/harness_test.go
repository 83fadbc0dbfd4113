package operations_test

import (
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/operations"
)

// newHarness returns a Harness for the commands of the API.
func newHarness(t *testing.T, answers map[string]string) *apptest.Harness {
	t.Helper()
	return apptest.New(t, newRoot, answers)
}

func newRoot(a *app.App) *cobra.Command {
	root := a.Root()
	root.AddCommand(operations.Resources(a)...)
	root.AddCommand(operations.API(a), operations.Whoami(a), operations.Search(a))
	operations.CompleteColumns(a, root)
	return root
}
