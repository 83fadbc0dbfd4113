package folder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/pack"
	"docspace.dev/wsd/server/text/diff"
)

const diffHelp = `Show what was changed in this folder since it was last pulled or pushed, as a patch. The server is not asked.`

// DiffCommand returns the command diff.
func DiffCommand(a *app.App) *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use: "diff [PATH...]", Short: "Show what was changed in a folder, as a patch", Long: diffHelp,
		Example: "  wsctl diff\n  wsctl diff station/power.md\n  wsctl diff --exit-code > changes.patch",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return showDiff(a, cmd, args, exitCode) },
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit code 7 if something was changed")
	return cmd
}

// openLocal opens the folder that a directory is in, for commands that ask no server.
func openLocal(dir string) (*Folder, error) {
	config, at, err := FindConfig(dir)
	if err != nil {
		return nil, app.Usagef("this directory is linked to no space: it has no %s", configName).
			WithHint("wsctl pull SPACE, or wsctl push --space SPACE")
	}
	f, err := Open(at, config)
	if err != nil {
		return nil, err
	}
	if f.State == nil {
		f.Close()
		return nil, app.Usagef("this folder was not pulled or pushed yet").WithHint("wsctl pull")
	}
	return f, nil
}

func showDiff(a *app.App, cmd *cobra.Command, paths []string, exitCode bool) error {
	f, err := openLocal(".")
	if err != nil {
		return err
	}
	defer f.Close()
	scan, err := f.Scan(a.Now())
	if err != nil {
		return err
	}
	differences, _, err := f.Compare(scan)
	if err != nil {
		return err
	}
	differ := false
	for _, p := range paths {
		matches := func(d Difference) bool { return pack.Matches(strings.TrimSuffix(p, "/"), d.Path()) }
		if !slices.ContainsFunc(differences, matches) {
			return app.Usagef("%s is no file or directory of this folder; paths are relative to %s", p, f.Config.root())
		}
	}
	for _, d := range differences {
		wanted := func(p string) bool { return pack.Matches(strings.TrimSuffix(p, "/"), d.Path()) }
		if d.Kind == Same || len(paths) > 0 && !slices.ContainsFunc(paths, wanted) {
			continue
		}
		differ = true
		patch, err := f.patch(cmd, d)
		if err != nil {
			return err
		}
		if err := a.PrintText(strings.TrimSuffix(patch, "\n")); err != nil {
			return err
		}
	}
	switch {
	case !differ:
		a.Infof("nothing was changed in this folder")
	case exitCode:
		return app.ErrDiffers
	}
	return nil
}

// patch returns a difference as a patch with the paths of the folder, in the form of git. Changed bytes that are no text are named
// only.
func (f *Folder) patch(cmd *cobra.Command, d Difference) (string, error) {
	before, after := d.Path(), d.Path()
	var old, now []byte
	var err error
	switch d.Kind {
	case Added:
		before = ""
	case Deleted:
		after = ""
	case Moved:
		before = d.Entry.Path
	case Same, Modified:
	}
	if d.Kind == Moved && d.File.SHA256 == d.Entry.SHA256 {
		return diff.Unified(cmd.Context(), before, after, nil, nil), nil
	}
	if d.Entry.Kind == api.ExportFile || d.Kind == Added && !isText(d.File.Path) {
		return fmt.Sprintf("# %s was %s; it is no page, and its bytes are not compared\n", d.Path(), d.Kind), nil
	}
	if d.Kind != Added {
		old, _ = f.base(d.Entry)
	}
	if d.Kind != Deleted {
		if now, err = f.Read(d.File.Path); err != nil {
			return "", err
		}
	}
	return diff.Unified(cmd.Context(), before, after, old, now), nil
}
