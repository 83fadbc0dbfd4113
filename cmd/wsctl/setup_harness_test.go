package main

import (
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

const userJSON = `200 {"object":"user","id":"u_1","displayName":"Ada","urls":{"location":"x"}}`

// newSetupHarness returns a Harness for the auth and config commands.
func newSetupHarness(t *testing.T, answers map[string]string) *apptest.Harness {
	t.Helper()
	return apptest.New(t, func(a *app.App) *cobra.Command {
		root := a.Root()
		root.AddCommand(Auth(a), Config(a))
		return root
	}, answers)
}
