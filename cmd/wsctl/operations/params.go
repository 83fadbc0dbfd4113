package operations

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// addPathFlags adds flags for the path parameters other than the argument, and --change-request if the row has a twin.
func (r *rowCommand) addPathFlags() {
	for _, p := range r.input.Params {
		if p.In != api.InPath || p.Subject == r.argument && !r.isArgumentOptional() {
			continue
		}
		r.addPathFlag(p, pathUsage(p))
	}
	if r.changeRequestRow == nil {
		return
	}
	for _, p := range r.compiler.Input(*r.changeRequestRow).Params {
		if p.Subject == "changeRequest" {
			r.addPathFlag(p, "look at or change this `change-request` instead of what readers see")
		}
	}
}

func (r *rowCommand) addPathFlag(p api.Param, usage string) {
	v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Subject), Schema: p.Schema}
	r.path[p.Subject] = v
	r.cmd.Flags().Var(v, v.Name, usage)
	CompleteFlag(r.app, r.cmd, v.Name, p.Subject)
}

func pathUsage(p api.Param) string {
	switch p.Subject {
	case "organization":
		return "the `organization` to work in; default WSCTL_ORG, the profile's, or your only one"
	case "space":
		return "the `space` to work in; default WSCTL_SPACE or the profile's"
	case "changeRequest":
		return "`change-request`, by id or by its number in the space"
	default:
		return "id of the `" + app.Kebab(p.Subject) + "`"
	}
}

// addQueryFlags adds flags for the query parameters. Lists share their flags; parameters that wsctl sends itself have
// none.
func (r *rowCommand) addQueryFlags() {
	for _, p := range r.input.Params {
		if _, sent := r.row.Sent()[p.Name]; sent {
			continue
		}
		if p.In != api.InQuery || r.isList && (p.Name == "page" || p.Name == "limit") {
			continue
		}
		v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Name), Schema: p.Schema, Now: r.app.Now}
		r.query[p.Name] = v
		r.addValue(v)
	}
}

// addValue adds the flag of a value, with completion of its choices.
func (r *rowCommand) addValue(v *app.FlagValue) {
	f := r.cmd.Flags().VarPF(v, v.Name, "", v.Usage())
	if v.Schema.Kind == api.KindBoolean || slices.Contains(v.Schema.Enum, "true") {
		f.NoOptDefVal = "true"
	}
	switch choices := v.Choices(); {
	case choices != nil:
		app.CompleteWords(r.cmd, v.Name, choices)
	case v.Name == "page" || v.Name == "target-page":
		CompleteFlag(r.app, r.cmd, v.Name, "page")
	case v.Name == "parent":
		CompleteFlag(r.app, r.cmd, v.Name, "collection")
	}
}
