package operations

import (
	"cmp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// example writes a command line that works once its variables are set.
func example(r *rowCommand) string {
	line := "wsctl " + r.row.Resource() + " " + r.row.Verb()
	if r.argument != "" {
		line += " " + sample(r.argument)
	}
	if r.extra.bodyArgument != "" {
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
	lines := []string{line + sampleBody(r)}
	if r.row.Name == api.MergeChangeRequest.Name { // mostly there is no conflict to decide
		lines = slices.Insert(lines, 0, line)
	}
	switch {
	case r.row.Name == api.GetContentPage.Name || r.row.Name == api.GetContentPageByPath.Name:
		lines = append(lines, line+" --raw > page.md")
	case r.twin != nil:
		lines = append(lines, line+sampleBody(r)+" --change-request 1")
	case r.isList:
		lines = append(lines, lines[0]+" --all -o json")
	case r.row.Writes() && r.row.Method != "DELETE":
		lines = append(lines, line+sampleBody(r)+" --dry-run")
	}
	return "  " + strings.Join(lines, "\n  ")
}

// examplesOf writes lines that begin with a verb as command lines of a resource.
func examplesOf(resource, lines string) string {
	start := "  wsctl " + resource + " "
	return start + strings.ReplaceAll(lines, "\n", "\n"+start)
}

// sample stands for the value of a path parameter.
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

// sampleBody gives what the body requires, and else the first flag that there is.
func sampleBody(r *rowCommand) string {
	if r.row.Method == "DELETE" {
		return " --yes"
	}
	if r.input.Body == nil {
		return ""
	}
	var required, first string
	for _, f := range r.input.Body.Fields {
		if f.Name == r.extra.bodyArgument || r.extra.defaults[f.Name] != "" {
			continue
		}
		text := sampleFlag(r, f)
		if first == "" {
			first = text
		}
		if f.Required || f.Name == "users" { // permissions are given to users or to teams
			required += text
		}
	}
	if strings.Count(required, " --data ") > 1 {
		return " --data body.json" // there is one body
	}
	if required != "" || r.extra.bodyArgument != "" {
		return required
	}
	return first
}

// sampleInside gives the members of an object that it requires, or else the first that has a flag, or the object as a file.
func (r *rowCommand) sampleInside(f api.Field) string {
	required, first := "", ""
	for _, b := range r.body {
		inner, ok := f.Schema.Field(b.name)
		if !ok || b.within != f.Name {
			continue
		}
		text := sampleValue(b.value.Name, inner.Schema)
		if first == "" {
			first = text
		}
		if inner.Required || f.Name+"."+b.name == r.extra.sampled {
			required += text
		}
	}
	return cmp.Or(required, first, " --data "+app.FlagName(r.row, "", f.Name)+".json")
}

func sampleFlag(r *rowCommand, f api.Field) string {
	name := app.FlagName(r.row, "", f.Name)
	switch {
	case app.IsFree(f.Schema) && r.cmd.Flags().Lookup(name+"-file") != nil:
		return " --" + name + "-file " + name + ".json"
	case r.cmd.Flags().Lookup(name) == nil:
		return r.sampleInside(f)
	default:
		return sampleValue(name, f.Schema)
	}
}

func sampleValue(name string, s *api.Schema) string {
	switch {
	case app.IsMarkdown(s):
		return " --" + name + " 'Well said.'"
	case app.IsPointer(s):
		return " --" + name + " $" + variable(name)
	case s.Kind == api.KindBoolean:
		return " --" + name
	case s.Kind == api.KindInteger:
		return " --" + name + " 60"
	case s.Format == "emoji":
		return " --" + name + " 📘"
	case s.Format == "uri":
		return " --" + name + " https://docs.example.com"
	case s.Enum != nil:
		return " --" + name + " " + s.Enum[0]
	case s.Pattern == "slug" || s.Pattern == "specSlug":
		return " --" + name + " handbook"
	case s.Pattern == "id" || s.Kind == api.KindArray:
		return " --" + name + " $" + variable(strings.TrimSuffix(name, "s"))
	default:
		return " --" + name + " 'Handbook'"
	}
}

// variable is a name as the shell takes it.
func variable(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
