package operations

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// pathFlags adds the flags for the path parameters that are not the argument, and the one that leads to the twin.
func (r *rowCommand) pathFlags() {
	for _, p := range r.input.Params {
		if p.In != api.InPath || p.Subject == r.argument {
			continue
		}
		r.pathFlag(p, pathUsage(p))
	}
	if r.twin == nil {
		return
	}
	for _, p := range r.compiler.Input(*r.twin).Params {
		if p.Subject == "changeRequest" {
			r.pathFlag(p, "look at or change this `change-request` instead of what readers see")
		}
	}
}

func (r *rowCommand) pathFlag(p api.Param, usage string) {
	v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Subject), Schema: p.Schema}
	r.path[p.Subject] = v
	r.cmd.Flags().Var(v, v.Name, usage)
	Flag(r.app, r.cmd, v.Name, p.Subject)
}

func pathUsage(p api.Param) string {
	switch p.Subject {
	case "organization":
		return "`organization`; default WSCTL_ORG, the profile's, or your only one"
	case "space":
		return "`space`; default WSCTL_SPACE or the profile's"
	case "changeRequest":
		return "`change-request`, by id or by its number in the space"
	default:
		return "id of the `" + app.Kebab(p.Subject) + "`"
	}
}

// queryFlags adds the flags for the query. Those of lists are shared by all lists, and what wsctl sends by itself has none.
func (r *rowCommand) queryFlags() {
	for _, p := range r.input.Params {
		if _, sent := r.row.Sent()[p.Name]; sent {
			continue
		}
		if p.In != api.InQuery || r.isList && (p.Name == "page" || p.Name == "limit") {
			continue
		}
		v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Name), Schema: p.Schema}
		r.query[p.Name] = v
		r.addValue(v)
	}
}

// addValue adds the flag of a value, with completion where there is a choice.
func (r *rowCommand) addValue(v *app.FlagValue) {
	f := r.cmd.Flags().VarPF(v, v.Name, "", v.Usage())
	if v.Schema.Kind == api.KindBoolean || slices.Contains(v.Schema.Enum, "true") {
		f.NoOptDefVal = "true"
	}
	switch choices := v.Choices(); {
	case choices != nil:
		app.OneOf(r.cmd, v.Name, choices)
	case v.Name == "page" || v.Name == "target-page":
		Flag(r.app, r.cmd, v.Name, "page")
	case v.Name == "parent":
		Flag(r.app, r.cmd, v.Name, "collection")
	}
}
