package app_test

import (
	"io"
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestUnknownCommandIsReportedBeforeItsFlags checks that flags of a command that does not exist do not hide that it does not exist.
func TestUnknownCommandIsReportedBeforeItsFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"content", "edit", "--data", "x"}, `wsctl content has no command "edit"`},
		{[]string{"content", "edit", "-d"}, `wsctl content has no command "edit"`},
		{[]string{"content", "edit"}, `wsctl content has no command "edit"`},
		{[]string{"content", "--data", "x"}, "there is no flag --data"},
		{[]string{"content", "show", "page", "--data", "x"}, "there is no flag --data"},
		{[]string{"contents", "--data", "x"}, `wsctl has no command "contents"`},
	} {
		root := (&app.App{}).Root()
		content := &cobra.Command{Use: "content", RunE: app.RunGroup, Args: cobra.ArbitraryArgs}
		content.AddCommand(&cobra.Command{Use: "show", RunE: func(*cobra.Command, []string) error { return nil }})
		root.AddCommand(content)
		root.SetArgs(test.args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.Execute(); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.args, err, test.want)
		}
	}
}
