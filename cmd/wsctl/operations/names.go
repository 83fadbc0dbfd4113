package operations

import (
	"encoding/json"
	"net/url"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// acceptNames returns the schema of a flag that takes names in the place of ids.
func acceptNames(name string, s *api.Schema) *api.Schema {
	if _, ok := resolve.Subject(name, s); !ok || s.Kind == api.KindArray {
		return s
	}
	named := *s
	named.Pattern = ""
	return &named
}

// splitArguments splits the names in arguments that also name what the resource is in, such as SPACE#2, and sets the flags of the
// path to the latter. It returns the arguments as they are without these parts.
func (r *rowCommand) splitArguments(names *resolve.Resolver, args []string) ([]string, error) {
	args = slices.Clone(args)
	subjects := slices.DeleteFunc([]string{r.argument, r.rowOptions.bodyArgument}, func(subject string) bool { return subject == "" })
	for i, subject := range subjects[:min(len(subjects), len(args))] {
		text, err := r.splitName(names, subject, args[i], placeholder(subject))
		if err != nil {
			return nil, err
		}
		args[i] = text
	}
	return args, nil
}

// splitFlags splits the names in flags as splitArguments does those in arguments.
func (r *rowCommand) splitFlags(names *resolve.Resolver) error {
	values := map[*app.FlagValue]string{}
	for _, p := range r.input.Params {
		for _, v := range []*app.FlagValue{r.path[p.Subject], r.query[p.Name]} {
			if subject, ok := resolve.Subject(p.Subject, p.Schema); ok && v != nil {
				values[v] = subject
			}
		}
	}
	if v := r.path["changeRequest"]; v != nil {
		values[v] = "changeRequest"
	}
	for _, b := range r.body {
		if b.parent == "" && b.subject != "" {
			values[b.value] = b.subject
		}
	}
	for v, subject := range values {
		if !v.IsSet() || v.Schema.Kind == api.KindArray {
			continue
		}
		text, err := r.splitName(names, subject, v.String(), "--"+v.Name)
		if err != nil {
			return err
		}
		if err := v.Set(text); err != nil {
			return app.Usagef("--%s %v", v.Name, err)
		}
	}
	return nil
}

// splitName splits a name, sets the flags of the path to what the resource is in, and returns the rest. It returns a usage error if
// a flag has another value.
func (r *rowCommand) splitName(names *resolve.Resolver, subject, text, given string) (string, error) {
	if !resolve.HasNames(subject) {
		return text, nil
	}
	rest, in, err := names.Split(subject, text)
	if err != nil {
		return "", err
	}
	for outer, name := range in {
		noun := app.FlagWords(app.Kebab(outer))
		switch v := r.path[outer]; {
		case v == nil && outer != "space" && outer != "changeRequest": // of an address; no part of the path of the operation
		case v == nil:
			return "", app.Usagef("%s names the %s %s, and the command does not take one with it", given, noun, name)
		case v.IsSet() && v.String() != name:
			return "", app.Usagef("%s names the %s %s, --%s is %s: give one of them",
				given, noun, name, v.Name, v)
		default:
			if err := v.Set(name); err != nil {
				return "", app.Usagef("--%s %v", v.Name, err)
			}
		}
	}
	return rest, nil
}

// addNames adds the names in the parts of a request, which it replaces by ids. The version of what a command removes, moves or takes
// access from is sent as If-Match, so that nothing else is removed than was found. encode returns the body after names.Resolve.
func (r *rowCommand) addNames(names *resolve.Resolver, row api.Row, path map[string]string, query url.Values, body []byte,
) (encode func() ([]byte, error)) {
	ids := map[string]string{} // of the path, by subject
	scope := func(subject string) string { return ids[subject] }
	for _, p := range row.PathParams() {
		ids[p.Subject] = path[p.Name]
	}
	for _, p := range row.PathParams() {
		if createsSubject(row, p.Subject) {
			continue
		}
		if trashed := trashedSubject(row); trashed != "" {
			names.Add(scope, trashed, path[p.Name], func(found resolve.Found) { path[p.Name] = found.ID })
			continue
		}
		names.Add(scope, p.Subject, path[p.Name], func(found resolve.Found) {
			path[p.Name], ids[p.Subject] = found.ID, found.ID
			if p.Subject == versionSubject(row) && r.ifMatch == "" && found.Version != "" {
				r.ifMatch = `"` + found.Version + `"`
			}
		})
	}
	for _, p := range r.input.Params {
		if subject, ok := resolve.Subject(p.Name, p.Schema); p.In == api.InQuery && ok && query.Has(p.Name) && !isCursor(row, p) {
			names.AddList(scope, subject, p.Schema, query[p.Name], func(found []string) { query[p.Name] = found })
		}
	}
	members := map[string]json.RawMessage{}
	if r.input.Body == nil || json.Unmarshal(body, &members) != nil {
		members = nil
	}
	before := names.Len()
	encodeMembers := r.addBodyNames(names, scope, members)
	if names.Len() == before {
		return func() ([]byte, error) { return body, nil } // byte for byte
	}
	return func() ([]byte, error) {
		encodeMembers()
		return json.Marshal(members)
	}
}

// isCursor reports whether a parameter of the query is the cursor of a list, which is called page.
func isCursor(row api.Row, p api.Param) bool { return row.IsList() && p.Name == "page" }

// createsSubject reports whether a row creates the subject of its path, or joins one, so that there is nothing to find.
func createsSubject(row api.Row, subject string) bool {
	switch row.Name {
	case api.PutOpenAPISpec.Name:
		return subject == "spec"
	case api.JoinInvite.Name:
		return subject == "invite"
	case api.JoinOrganization.Name, api.RestoreOrganization.Name:
		return subject == "organization"
	}
	return false
}

// trashedSubject returns the subject of the path of a row that restores what is in the trash, or "".
func trashedSubject(row api.Row) string {
	switch row.Name {
	case api.RestoreSpace.Name:
		return resolve.TrashedSpace
	case api.RestoreCollection.Name:
		return resolve.TrashedCollection
	}
	return ""
}

// addBodyNames adds the names in a body. encode updates members, the objects in it, after Resolve.
func (r *rowCommand) addBodyNames(names *resolve.Resolver, scope resolve.Scope, members map[string]json.RawMessage) (encode func()) {
	if members == nil {
		return func() {}
	}
	if r.rowOptions.operation == "" {
		return addMemberNames(names, scope, r.input.Body.Fields, members)
	}
	var changes []map[string]json.RawMessage
	if json.Unmarshal(members["changes"], &changes) != nil || len(changes) != 1 {
		return func() {}
	}
	inner := addMemberNames(names, scope, r.input.Body.Fields, changes[0])
	return func() {
		inner()
		members["changes"], _ = json.Marshal(changes) // valid JSON
	}
}

// addMemberNames adds the names in the members of an object and of the objects in it. encode updates the latter after Resolve.
func addMemberNames(names *resolve.Resolver, scope resolve.Scope, fields []api.Field, members map[string]json.RawMessage,
) (encode func()) {
	var after []func()
	for _, f := range fields {
		subject, named := resolve.Subject(f.Name, f.Schema)
		named = named && subject != "revision" // it may be one of a space or of a change request
		var text string
		var texts []string
		inner := map[string]json.RawMessage{}
		switch member := members[f.Name]; {
		case member == nil:
		case f.Schema.Kind == api.KindObject && json.Unmarshal(member, &inner) == nil && len(inner) > 0:
			encodeInner := addMemberNames(names, scope, f.Schema.Fields, inner)
			after = append(after, func() {
				encodeInner()
				members[f.Name], _ = json.Marshal(inner) // valid JSON
			})
		case !named:
		case json.Unmarshal(member, &text) == nil && !slices.Contains(f.Schema.Words, text):
			names.Add(scope, subject, text, func(found resolve.Found) { members[f.Name], _ = json.Marshal(found.ID) }) // a text
		case json.Unmarshal(member, &texts) == nil:
			names.AddList(scope, subject, f.Schema, texts, func(ids []string) { members[f.Name], _ = json.Marshal(ids) }) // texts
		}
	}
	return func() {
		for _, f := range after {
			f()
		}
	}
}

// versionSubject returns the subject of the path whose version a row that deletes, moves, transfers, takes access away or stops an
// address expects as If-Match, or "".
func versionSubject(row api.Row) string {
	switch row.Name {
	case api.DeleteSpace.Name, api.MoveSpace.Name, api.TransferSpace.Name,
		api.DeleteSpacePermissionUser.Name, api.DeleteSpacePermissionTeam.Name:
		return "space"
	case api.DeleteCollection.Name, api.MoveCollection.Name, api.TransferCollection.Name,
		api.DeleteCollectionPermissionUser.Name, api.DeleteCollectionPermissionTeam.Name:
		return "collection"
	case api.DeleteSite.Name, api.UnpublishSite.Name, api.RegenerateSiteAuth.Name,
		api.DeleteSitePermissionUser.Name, api.DeleteSitePermissionTeam.Name:
		return "site"
	case api.DeleteTeam.Name, api.UpdateTeamMembers.Name:
		return "team"
	case api.DeleteMember.Name, api.RemoveTeamMember.Name:
		return "user"
	}
	return ""
}
