package operations

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// bodyField is how one member of a body is given: by a flag or an argument, by --no-<flag> for null, or by text
// that is wrapped into the object that the contract wants.
type bodyField struct {
	name   string // in the body
	within string // the object of the body that holds it, "" for the body itself
	value  *app.FlagValue
	isNil  bool        // --no-<flag>
	file   string      // --<flag>-file
	wraps  string      // the member of the object that the text is wrapped into
	points *api.Schema // the pointer that the id is made into
}

// bodyFlags adds a flag for each member of the body, and of the objects in it, that is a plain value, a list of those,
// an object that holds nothing but Markdown, or one that names a thing. What is deeper goes through --data.
func (r *rowCommand) bodyFlags() {
	if r.input.Body == nil {
		return
	}
	r.cmd.Flags().StringVarP(&r.data, "data", "F", "", "the whole body: JSON, a `file` with JSON, or - for standard input; flags change parts of it")
	for _, f := range r.input.Body.Fields {
		b := &bodyField{name: f.Name, value: &app.FlagValue{Name: app.FlagName(r.row, "", f.Name), Schema: f.Schema}}
		if r.addField(b, f) || f.Schema.Kind != api.KindObject || r.extra.operation != "" {
			continue
		}
		for _, inner := range f.Schema.Fields {
			name := app.FlagName(r.row, "", inner.Name)
			if f.Name != "position" { // whose members speak for themselves
				name = app.FlagName(r.row, "", f.Name) + "-" + name
			}
			r.addField(&bodyField{name: inner.Name, within: f.Name, value: &app.FlagValue{Name: name, Schema: inner.Schema}}, inner)
		}
	}
}

// addField adds the flags of one member, if it can be given by flags.
func (r *rowCommand) addField(b *bodyField, f api.Field) bool {
	switch {
	case app.IsPlain(f.Schema), f.Schema.Kind == api.KindArray && app.IsPlain(f.Schema.Items):
	case app.IsPointer(f.Schema):
		b.points = f.Schema
		b.value.Schema = &api.Schema{Kind: api.KindString, Pattern: "id", Doc: f.Schema.Doc}
	case app.IsMarkdown(f.Schema):
		b.wraps = f.Schema.Fields[0].Name
		b.value.Schema = f.Schema.Fields[0].Schema
	case app.IsFree(f.Schema):
		r.body = append(r.body, b)
		r.fileFlag(b, "read the "+app.FlagWords(b.value.Name)+" in JSON from this `file`, or - for standard input")
		return true
	default:
		return false
	}
	if f.Name == "secret" {
		return false // would stand in the history of the shell; --data reads a file or standard input
	}
	r.body = append(r.body, b)
	if f.Name == r.extra.bodyArgument {
		return true
	}
	if text := r.extra.defaults[f.Name]; text != "" {
		b.value.Default(text)
	}
	r.addValue(b.value)
	if f.Schema.Nullable && b.wraps == "" {
		r.cmd.Flags().BoolVar(&b.isNil, "no-"+b.value.Name, false, "remove the "+app.FlagWords(b.value.Name)+": send null")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.Name, "no-"+b.value.Name)
	}
	if b.wraps != "" || app.IsLong(f.Schema) {
		r.fileFlag(b, "read the "+app.FlagWords(b.value.Name)+" from this `file`, or - for standard input")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.Name, b.value.Name+"-file")
	}
	return true
}

func (r *rowCommand) fileFlag(b *bodyField, usage string) {
	r.cmd.Flags().StringVar(&b.file, b.value.Name+"-file", "", usage)
}

// flagsOf names the flags that give a member of the body, or --data.
func (r *rowCommand) flagsOf(member string) string {
	var names []string
	for _, b := range r.body {
		if b.name == member && b.within == "" || b.within == member {
			names = append(names, b.flag())
		}
	}
	if len(names) == 0 {
		return "--data"
	}
	return strings.Join(names, " or ")
}

// flag is the flag that gives a member.
func (b *bodyField) flag() string {
	if app.IsFree(b.value.Schema) {
		return "--" + b.value.Name + "-file"
	}
	return "--" + b.value.Name
}
