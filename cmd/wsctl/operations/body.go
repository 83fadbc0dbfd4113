package operations

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// bodyField is a member of a request body with the ways to set it: a flag or an argument, --no-<flag> for null, or a
// text that is wrapped into an object.
type bodyField struct {
	name    string // member of the body
	parent  string // member of the body that contains it; "" for the body itself
	value   *app.FlagValue
	null    bool        // --no-<flag>
	file    string      // --<flag>-file
	wrapper string      // member of the object that the text is wrapped into
	pointer *api.Schema // schema of the pointer object that the id is wrapped into
	subject string      // of the resources whose names it takes, or ""

	organization bool // the organization in use, unless another one is given
}

// dataUsage is the help of --data.
const dataUsage = "the body as a JSON or YAML `file`, - for standard input, or JSON itself; flags change parts of it"

// addBodyFlags adds flags for the members of the body and of its objects that are scalars, lists of scalars, objects
// with Markdown only, or pointers to a resource. Deeper values are set by --data.
func (r *rowCommand) addBodyFlags() {
	if r.input.Body == nil {
		return
	}
	r.cmd.Flags().StringVarP(&r.data, "data", "F", "", dataUsage)
	for _, f := range r.input.Body.Fields {
		b := &bodyField{name: f.Name, value: r.newValue(app.FlagName(r.row, "", f.Name), f)}
		if r.addField(b, f) || f.Schema.Kind != api.KindObject || r.rowOptions.operation != "" {
			continue
		}
		for _, inner := range f.Schema.Fields {
			name := app.FlagName(r.row, "", inner.Name)
			if f.Name != "position" { // the flags of its members are self-explanatory
				name = app.FlagName(r.row, "", f.Name) + "-" + name
			}
			if f.Name == "mergeRules" && inner.Name == "rules" {
				r.addMergeRuleFlag()
				continue
			}
			r.addField(&bodyField{name: inner.Name, parent: f.Name, value: r.newValue(name, inner)}, inner)
		}
	}
}

// newValue returns the value of the flag of a member.
func (r *rowCommand) newValue(flag string, f api.Field) *app.FlagValue {
	return &app.FlagValue{Name: flag, Schema: acceptNames(f.Name, f.Schema), Now: r.app.Now, InSeconds: f.Name == "oldValidFor"}
}

// isSecretMember reports whether a member of bodies is a secret.
func isSecretMember(name string) bool { return name == "secret" || name == "clientSecret" }

// addField adds the flags of a member and reports whether flags can set it.
func (r *rowCommand) addField(b *bodyField, f api.Field) bool {
	switch {
	case app.IsPlain(f.Schema), f.Schema.Kind == api.KindArray && app.IsPlain(f.Schema.Items):
	case app.IsPointer(f.Schema):
		b.pointer = f.Schema
		b.value.Schema = &api.Schema{Kind: api.KindString, Doc: f.Schema.Doc}
	case app.IsMarkdown(f.Schema):
		b.wrapper = f.Schema.Fields[0].Name
		b.value.Schema = f.Schema.Fields[0].Schema
	case app.IsFreeForm(f.Schema):
		r.body = append(r.body, b)
		r.addFileFlag(b, "read the "+app.FlagWords(b.value.Name)+" in JSON or YAML from this `file`, or - for standard input")
		return true
	default:
		return false
	}
	if isSecretMember(f.Name) { // as an argument it would end up in the history of the shell
		r.body = append(r.body, b)
		r.addFileFlag(b, "read the "+app.FlagWords(b.value.Name)+", a line, from this `file`, or - for standard input")
		return true
	}
	b.subject, _ = resolve.Subject(f.Name, f.Schema) // empty if it takes no names
	r.body = append(r.body, b)
	if f.Name == r.rowOptions.bodyArgument {
		return true
	}
	if text := r.rowOptions.defaults[f.Name]; text != "" && b.parent == "" {
		b.value.SetDefault(text)
	}
	b.organization = f.Required && b.value.Name == "org"
	if doc := r.rowOptions.docs[f.Name]; doc != "" {
		described := *b.value.Schema
		described.Doc = doc
		b.value.Schema = &described
	}
	r.addValue(b.value, b.subjects()...)
	if f.Required && b.parent == "" && !b.organization && !b.value.HasDefault() {
		app.MarkRequired(r.cmd, b.value.Name)
	}
	if f.Schema.Nullable && b.wrapper == "" {
		r.cmd.Flags().BoolVar(&b.null, "no-"+b.value.Name, false, "remove the "+app.FlagWords(b.value.Name)+": send null")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.Name, "no-"+b.value.Name)
	}
	if b.wrapper != "" || app.IsLong(f.Schema) {
		r.addFileFlag(b, "read the "+app.FlagWords(b.value.Name)+" from this `file`, or - for standard input")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.Name, b.value.Name+"-file")
	}
	return true
}

// subjects returns the subjects of the resources whose names the member takes. Revisions of bodies have none, because they may be
// those of a space or of a change request.
func (b *bodyField) subjects() []string {
	switch {
	case b.pointer != nil:
		return app.PointerSubjects(b.pointer)
	case b.subject == "", b.subject == "revision":
		return nil
	}
	return []string{b.subject}
}

func (r *rowCommand) addFileFlag(b *bodyField, usage string) {
	r.cmd.Flags().StringVar(&b.file, b.value.Name+"-file", "", usage)
}

// flagNames lists the flags that set a member of the body, or --data if there are none.
func (r *rowCommand) flagNames(member string) string {
	var names []string
	for _, b := range r.body {
		if b.name == member && b.parent == "" || b.parent == member {
			names = append(names, b.flag())
		}
	}
	if len(names) == 0 {
		return "--data"
	}
	return strings.Join(names, " or ")
}

// flag returns the name of the flag that sets the member.
func (b *bodyField) flag() string {
	if app.IsFreeForm(b.value.Schema) || isSecretMember(b.name) {
		return "--" + b.value.Name + "-file"
	}
	return "--" + b.value.Name
}
