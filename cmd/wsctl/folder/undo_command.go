package folder

import (
	"errors"
	"fmt"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// undoPull undoes the last pull of the folder that the arguments name, by default the working directory.
func undoPull(a *app.App, args []string, dryRun bool) error {
	if len(args) > 1 {
		return app.Usagef("--undo takes one directory")
	}
	dir := "."
	if len(args) == 1 {
		dir = args[0]
	}
	f, err := openLocal(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := f.planUndo()
	if errors.Is(err, errNoPull) {
		return app.Usagef("%s", err)
	}
	if err != nil {
		return err
	}
	if !dryRun {
		left, err := f.undo(p)
		if err != nil {
			return err
		}
		for _, at := range left {
			p.Results = append(p.Results, Result{Outcome: Conflicted, Path: at, Reason: "it was changed meanwhile, and stays as it is"})
		}
	}
	return reportUndo(a, f, p, dryRun)
}

// reportUndo prints what an undone pull did.
func reportUndo(a *app.App, f *Folder, p *Pull, dryRun bool) error {
	if err := printResults(a, p.Results); err != nil {
		return err
	}
	switch conflicts := p.Conflicts(); {
	case len(conflicts) > 0:
		return &app.ConflictError{
			Message: fmt.Sprintf("%s not undone: %s", app.Pluralize(len(conflicts), "file"), describeResults(conflicts)),
		}
	case dryRun:
		a.Infof("dry run: nothing was changed")
	case f.State == nil:
		a.Donef(false, "Undid the first pull")
	default:
		a.Donef(false, "Undid the pull: the folder is based on revision %d of %s again", f.State.Number, f.State.Title)
	}
	return nil
}
