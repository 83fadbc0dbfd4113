package operations

import (
	"cmp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// example returns a command line that works once its shell variables are set.
func example(r *rowCommand) string {
	line := "wsctl " + r.row.Resource() + " " + r.row.Verb()
	if r.argument != "" {
		line += " " + sample(r.argument)
	}
	if r.rowOptions.bodyArgument != "" {
		line += " https://docs.example.com"
	}
	var where strings.Builder
	for _, p := range r.input.Params {
		if p.In == api.InPath && p.Subject != r.argument && p.Subject != "organization" {
			where.WriteString(" --" + app.FlagName(r.row, p.In, p.Subject) + " " + sample(p.Subject))
		}
		if p.In == api.InQuery && p.Required && r.cmd.Flags().Lookup(app.FlagName(r.row, p.In, p.Name)) != nil {
			where.WriteString(sampleValue(app.FlagName(r.row, p.In, p.Name), p.Schema))
		}
	}
	line += where.String()
	if warns(r.row) {
		line += " --yes"
	}
	lines := []string{line + sampleBody(r)}
	if r.row.Name == api.MergeChangeRequest.Name { // usually there are no conflicts to resolve
		lines = slices.Insert(lines, 0, line)
	}
	switch {
	case r.row.Name == api.GetContentPage.Name || r.row.Name == api.GetContentPageByPath.Name:
		lines = append(lines, line+" --raw > page.md")
	case r.changeRequestRow != nil:
		lines = append(lines, line+sampleBody(r)+" --change-request 1")
	case r.isList:
		lines = append(lines, lines[0]+" --all -o json")
	case r.row.Writes() && r.row.Method != "DELETE":
		lines = append(lines, line+sampleBody(r)+" --dry-run")
	}
	return "  " + strings.Join(lines, "\n  ")
}

// resourceExamples prefixes each line, which starts with a verb, with wsctl and the resource.
func resourceExamples(resource, lines string) string {
	start := "  wsctl " + resource + " "
	return start + strings.ReplaceAll(lines, "\n", "\n"+start)
}

// sample returns a shell variable for the value of a path parameter.
func sample(name string) string {
	switch name {
	case "changeRequest":
		return "1"
	case "pagePath":
		return "guides/install"
	default:
		return "$" + strings.ToUpper(strings.ReplaceAll(app.Kebab(name), "-", "_"))
	}
}

// sampleBody returns flags for the required members of the body, or for its first member.
func sampleBody(r *rowCommand) string {
	if r.row.Method == "DELETE" {
		return " --yes"
	}
	if r.input.Body == nil {
		return ""
	}
	var required, first string
	for _, f := range r.input.Body.Fields {
		if f.Name == r.rowOptions.bodyArgument || r.rowOptions.defaults[f.Name] != "" {
			continue
		}
		text := sampleFlag(r, f)
		if first == "" {
			first = text
		}
		if f.Required || f.Name == "users" { // permissions are granted to users or teams
			required += text
		}
	}
	if strings.Count(required, " --data ") > 1 {
		return " --data body.json" // more than one required member needs --data
	}
	if required != "" || r.rowOptions.bodyArgument != "" {
		return required
	}
	return first
}

// sampleObject returns flags for the required members of an object, or for its first member with a flag, or a file
// for the object.
func (r *rowCommand) sampleObject(f api.Field) string {
	required, first := "", ""
	for _, b := range r.body {
		inner, ok := f.Schema.Field(b.name)
		if !ok || b.parent != f.Name {
			continue
		}
		text := sampleValue(b.value.Name, inner.Schema)
		if first == "" {
			first = text
		}
		if inner.Required || f.Name+"."+b.name == r.rowOptions.exampleMember {
			required += text
		}
	}
	return cmp.Or(required, first, " --data "+app.FlagName(r.row, "", f.Name)+".json")
}

func sampleFlag(r *rowCommand, f api.Field) string {
	name := app.FlagName(r.row, "", f.Name)
	switch {
	case app.IsFreeForm(f.Schema) && r.cmd.Flags().Lookup(name+"-file") != nil:
		return " --" + name + "-file " + name + ".json"
	case r.cmd.Flags().Lookup(name) == nil:
		return r.sampleObject(f)
	default:
		return sampleValue(name, f.Schema)
	}
}

func sampleValue(name string, s *api.Schema) string {
	switch {
	case app.IsMarkdown(s):
		return " --" + name + " 'Well said.'"
	case app.IsPointer(s):
		return " --" + name + " $" + shellVariable(name)
	case s.Kind == api.KindBoolean:
		return " --" + name
	case s.Kind == api.KindInteger:
		return " --" + name + " 60"
	case s.Format == "emoji":
		return " --" + name + " 📘"
	case s.Format == "uri":
		return " --" + name + " https://docs.example.com"
	case s.Enum != nil:
		return " --" + name + " " + sampleEnum(s.Enum)
	case s.Pattern == "slug" || s.Pattern == "specSlug":
		return " --" + name + " handbook"
	case s.Pattern == "id" || s.Kind == api.KindArray:
		return " --" + name + " $" + shellVariable(strings.TrimSuffix(name, "s"))
	default:
		return " --" + name + " 'Handbook'"
	}
}

// sampleEnum returns the value of an enumeration for an example. Of roles it is the least one, not the first one, because examples
// are pasted.
func sampleEnum(values []string) string {
	for _, least := range []string{string(api.RoleRead), string(api.TeamMember)} {
		if slices.Contains(values, least) {
			return least
		}
	}
	return values[0]
}

// shellVariable returns the name of a shell variable.
func shellVariable(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
