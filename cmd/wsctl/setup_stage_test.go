package main

import (
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

const me = `200 {"object":"user","id":"usr_1","displayName":"Ada","urls":{"location":"x"}}`

// newSetupStage is a stage for the commands of this room.
func newSetupStage(t *testing.T, answers map[string]string) *apptest.Stage {
	t.Helper()
	return apptest.New(t, func(a *app.App) *cobra.Command {
		root := a.Root()
		root.AddCommand(Auth(a), Config(a))
		return root
	}, answers)
}
