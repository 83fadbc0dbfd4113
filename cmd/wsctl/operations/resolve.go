package operations

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// sideAliases maps the aliases of the sides of a conflict to those of the contract.
var sideAliases = map[string]api.ResolutionTake{
	"space": api.TakeOurs, "request": api.TakeTheirs, "source": api.TakeTheirs,
	string(api.TakeOurs): api.TakeOurs, string(api.TakeTheirs): api.TakeTheirs, string(api.TakeBoth): api.TakeBoth,
}

// addResolveFlag adds --resolve to commands that accept conflict resolutions, as an alternative to JSON.
func (r *rowCommand) addResolveFlag() {
	theirs := "request"
	switch r.row.Name {
	case api.PullChangeRequest.Name, api.MergeChangeRequest.Name:
	case api.ImportContent.Name:
		theirs = "source"
	default:
		return
	}
	r.cmd.Flags().StringArrayVar(&r.resolve, "resolve", nil,
		"decide a conflict: `N=SIDE`, N being its number where conflicts are shown, or its id, and SIDE being space (or ours), "+theirs+
			" (or theirs), both (texts only) or @FILE with the text to take; one flag per conflict")
}

// resolutions encodes the values of --resolve as JSON for the member resolutions of the body. It returns an error if a value is
// malformed or its file cannot be read.
func (r *rowCommand) resolutions() (json.RawMessage, error) {
	var resolutions []api.Resolution
	for _, text := range r.resolve {
		id, side, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return nil, app.Usagef("--resolve is N=space, N=request or N=@file, not %q", text)
		}
		resolution := api.Resolution{Conflict: id, Take: sideAliases[side]}
		if path, isFile := strings.CutPrefix(side, "@"); isFile {
			content, err := readText(r.app, path)
			if err != nil {
				return nil, err
			}
			resolution.Take, resolution.Text = api.TakeText, api.Some(content)
		} else if resolution.Take == "" {
			return nil, app.Usagef("--resolve takes space, request, both or @file, not %q", side)
		}
		resolutions = append(resolutions, resolution)
	}
	return json.Marshal(resolutions)
}

// resolveNumbers replaces conflict numbers with ids. It fetches the current conflicts, and adds their heads to the
// request so that the server rejects it if they have moved.
func (r *rowCommand) resolveNumbers(ctx context.Context, c *client.Client, req *client.Request) error {
	if !slices.ContainsFunc(r.resolve, isNumbered) {
		return nil
	}
	var body map[string]json.RawMessage
	var given []api.Resolution
	if err := json.Unmarshal(req.Body, &body); err != nil {
		return err
	}
	if err := json.Unmarshal(body["resolutions"], &given); err != nil {
		return err
	}
	list, err := r.fetchConflicts(ctx, c, *req, body)
	if err != nil {
		return err
	}
	for i, resolution := range given {
		n, err := strconv.Atoi(resolution.Conflict)
		if err != nil {
			continue
		}
		if n < 1 || n > len(list.Conflicts) {
			return app.Usagef("there is no conflict %d: %s", n, app.Pluralize(len(list.Conflicts), "conflict"))
		}
		given[i].Conflict = list.Conflicts[n-1].ID
		r.app.Infof("%d is %s", n, app.SanitizeLine(render.ConflictTitle(list.Conflicts[n-1])))
	}
	for name, value := range map[string]any{"resolutions": given, "revision": list.Revision, "spaceRevision": list.SpaceRevision} {
		if _, set := body[name]; value == any("") || set && name != "resolutions" {
			continue
		}
		if body[name], err = json.Marshal(value); err != nil {
			return err
		}
	}
	req.Body, err = json.Marshal(body)
	return err
}

// isNumbered reports whether a value of --resolve identifies a conflict by number.
func isNumbered(text string) bool {
	id, _, _ := strings.Cut(text, "=")
	_, err := strconv.Atoi(id)
	return err == nil
}

// fetchConflicts fetches the current conflicts or, for an import, those that a dry run of the import returns.
func (r *rowCommand) fetchConflicts(ctx context.Context, c *client.Client, req client.Request,
	body map[string]json.RawMessage,
) (list api.ConflictList, err error) {
	if r.row.Name == api.ImportContent.Name {
		undecided := map[string]json.RawMessage{}
		for name, value := range body {
			if name != "resolutions" {
				undecided[name] = value
			}
		}
		if req.Body, err = json.Marshal(undecided); err != nil {
			return list, err
		}
		response, err := r.do(ctx, c, req, client.DryRun())
		if err != nil {
			return list, err
		}
		var result api.ImportResult
		err = json.Unmarshal(response.Body, &result)
		return api.ConflictList{Conflicts: result.Conflicts}, err
	}
	at := req.Path[:strings.LastIndex(req.Path, "/")] + "/conflicts"
	response, err := c.Do(ctx, client.Request{Method: api.GetChangeRequestConflicts.Method, Path: at, Slow: true})
	if err != nil {
		return list, err
	}
	return list, json.Unmarshal(response.Body, &list)
}
