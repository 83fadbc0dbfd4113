package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

// resolveFlag adds --resolve to the command that takes resolutions of conflicts: JSON by hand is for programs.
func (r *rowCommand) resolveFlag() {
	theirs := "the change request's"
	switch r.row.Name {
	case api.PullChangeRequest.Name, api.MergeChangeRequest.Name:
	case api.ImportContent.Name:
		theirs = "the source's"
	default:
		return
	}
	r.cmd.Flags().StringArrayVar(&r.resolve, "resolve", nil,
		"decide a conflict: `id=side`, side being ours (the space's), theirs ("+theirs+"), both (texts only) or @file with the text to take; one flag per conflict")
}

// resolutions turns what --resolve says into the member of the body.
func (r *rowCommand) resolutions() (json.RawMessage, error) {
	var all []api.Resolution
	for _, text := range r.resolve {
		id, side, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return nil, exit.Usagef("--resolve is id=ours, id=theirs or id=@file, not %q", text)
		}
		resolution := api.Resolution{Conflict: id, Take: api.ResolutionTake(side)}
		if path, isFile := strings.CutPrefix(side, "@"); isFile {
			content, err := readText(r.app, path)
			if err != nil {
				return nil, err
			}
			resolution.Take, resolution.Text = api.TakeText, api.Some(content)
		} else if resolution.Take == api.TakeText || !slices.Contains(api.TakeOurs.Values(), resolution.Take) {
			return nil, exit.Usagef("--resolve takes ours, theirs, both or @file, not %q", side)
		}
		all = append(all, resolution)
	}
	return json.Marshal(all)
}
