package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

// positional returns what an argument of a row's command names, or "". One rule for all:
//
// The last parameter of the path names the thing that the command is about, so it is the argument; the ones before
// it say where the thing is, so they are flags. But when the path goes on after the last parameter with the
// resource's own name, or the first or last word of it, that parameter too only says where: it is a flag, and the
// command has no argument.
//
//	/v1/spaces/{spaceId}                          wsctl spaces get SPACE
//	/v1/spaces/{spaceId}/comments/{commentId}     wsctl comments get COMMENT --space SPACE
//	/v1/spaces/{spaceId}/comments                 wsctl comments list --space SPACE
//	/v1/collections/{collectionId}/spaces         wsctl collections list-spaces COLLECTION
func positional(row api.Row) string {
	params := row.PathParams()
	if len(params) == 0 {
		return ""
	}
	last := params[len(params)-1]
	_, after, _ := strings.Cut(row.Path, "{"+last.Name)
	_, after, _ = strings.Cut(after, "}")
	next, _, _ := strings.Cut(strings.TrimPrefix(after, "/"), "/")
	resource := row.Resource()
	if next != "" && (resource == next || strings.HasSuffix(resource, "-"+next) || strings.HasPrefix(resource, next+"-")) {
		return ""
	}
	return last.Subject
}

// flagName is the flag of a parameter or of a member of a body. Names that mean something else elsewhere, or are
// long, get one of their own, so that a flag means one thing in all of wsctl.
func flagName(row api.Row, place api.Place, name string) string {
	switch {
	case place == api.InPath && name == "organization":
		return "org"
	case place == api.InQuery && name == "page" && row.IsList():
		return "cursor"
	case row.Name == api.CreateToken.Name && name == "organization":
		return "only-org"
	case row.Name == api.ListChangeRequestQueue.Name && name == "status":
		return "states" // several of them
	default:
		return kebab(name)
	}
}

// pathFlags adds the flags for the path parameters that are not the argument, and the one that leads to the twin.
func (r *rowCommand) pathFlags() {
	for _, p := range r.input.Params {
		if p.Place != api.InPath || p.Subject == r.argument {
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
	v := &value{name: flagName(r.row, p.Place, p.Subject), schema: p.Schema}
	r.path[p.Subject] = v
	r.cmd.Flags().Var(v, v.name, usage)
	completeIDs(r.app, r.cmd, v.name, p.Subject)
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
		return "id of the `" + kebab(p.Subject) + "`"
	}
}

// queryFlags adds the flags for the query. Those of lists are shared by all lists.
func (r *rowCommand) queryFlags() {
	for _, p := range r.input.Params {
		if p.Place != api.InQuery || r.isList && (p.Name == "page" || p.Name == "limit") {
			continue
		}
		v := &value{name: flagName(r.row, p.Place, p.Name), schema: p.Schema}
		r.query[p.Name] = v
		r.addValue(v)
	}
}

// addValue adds the flag of a value, with completion where there is a choice.
func (r *rowCommand) addValue(v *value) {
	f := r.cmd.Flags().VarPF(v, v.name, "", valueUsage(v))
	if v.schema.Kind == api.KindBoolean {
		f.NoOptDefVal = "true"
	}
	switch choices := v.choices(); {
	case choices != nil:
		app.OneOf(r.cmd, v.name, choices)
	case v.name == "page" || v.name == "target-page":
		completeIDs(r.app, r.cmd, v.name, "page")
	case v.name == "parent":
		completeIDs(r.app, r.cmd, v.name, "collection")
	}
}

// valueUsage is the help of a flag: what the contract says about it.
func valueUsage(v *value) string {
	parts := []string{lowerFirst(strings.TrimSuffix(v.schema.Doc, "."))}
	if parts[0] == "" {
		parts[0] = strings.ReplaceAll(v.name, "-", " ")
	}
	if choices := v.choices(); choices != nil {
		parts = append(parts, "one of "+strings.Join(choices, ", "))
	}
	if v.schema.Default != "" {
		parts = append(parts, "default "+v.schema.Default)
	}
	return strings.Join(parts, "; ")
}

func lowerFirst(text string) string {
	if len(text) < 2 || text[1] >= 'A' && text[1] <= 'Z' {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// pathValues collects the values of the path: argument, flags, and what is usual for the organization and space.
func (r *rowCommand) pathValues(cmd *cobra.Command, args []string) (map[string]string, error) {
	values := map[string]string{}
	for _, p := range r.input.Params {
		switch {
		case p.Place != api.InPath:
		case p.Subject == r.argument:
			values[p.Name] = args[0]
		default:
			text, err := r.pathValue(cmd, p.Subject)
			if err != nil {
				return nil, err
			}
			values[p.Name] = text
		}
	}
	return values, nil
}

func (r *rowCommand) pathValue(cmd *cobra.Command, name string) (string, error) {
	if v := r.path[name]; v.given {
		return v.String(), nil
	}
	switch name {
	case "organization":
		return r.app.Organization(cmd)
	case "space":
		return r.app.Space(cmd)
	default:
		return "", exit.Usagef("--%s is required", flagName(r.row, api.InPath, name))
	}
}

func (r *rowCommand) queryValues() url.Values {
	query := url.Values{}
	for name, v := range r.query {
		if v.given {
			query[name] = v.texts
		}
	}
	return query
}
