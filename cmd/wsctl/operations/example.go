package operations

import (
	"cmp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// exampleAddress is the source of imports in examples.
const exampleAddress = "https://docs.example.com"

// example returns a command line with names, most of them of the organization of wsd demo. It works once its shell variables,
// which stand for ids of what has no name, are set.
func example(r *rowCommand) string {
	line := "wsctl " + r.row.Resource() + " " + r.row.Verb()
	inSpace, inRequest := "", "" // what a name begins with; --space, --change-request are then left out
	for _, p := range r.row.PathParams() {
		switch p.Subject {
		case "space":
			inSpace = resolve.Example("space")
		case "changeRequest":
			inRequest = resolve.Example("changeRequest")
		}
	}
	if r.argument != "" {
		line += " " + r.sampleArgument(inSpace, inRequest)
	}
	named := map[string]bool{r.argument: true, "organization": true}
	switch {
	case isSpaceName(r.argument) && (r.argument == "changeRequest" || inRequest != ""):
		named["space"], named["changeRequest"] = true, true
	case isSpaceName(r.argument), inRequest != "":
		named["space"] = true
	}
	if r.rowOptions.bodyArgument != "" {
		line += " " + exampleAddress
	}
	var where strings.Builder
	for _, p := range r.input.Params {
		if p.In == api.InPath && !named[p.Subject] {
			where.WriteString(" --" + app.FlagName(r.row, p.In, p.Subject) + " " + sample(p.Subject))
		}
		if p.In == api.InQuery && p.Required && r.cmd.Flags().Lookup(app.FlagName(r.row, p.In, p.Name)) != nil {
			where.WriteString(r.sampleValue(app.FlagName(r.row, p.In, p.Name), p.Name, p.Schema))
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
	case r.row.Name == api.ImportContent.Name:
		folder := strings.Replace(line, exampleAddress, "./docs", 1) + " --name docs"
		lines = append(lines, folder, folder+" --change-request 2")
	case r.changeRequestRow != nil:
		lines = append(lines, line+sampleBody(r)+" --change-request 2")
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

// isSpaceName reports whether a name of a subject may begin with that of the space, as in SPACE#NUMBER and SPACE:PATH.
func isSpaceName(subject string) bool {
	return slices.Contains([]string{"changeRequest", "page", "file", "revision"}, subject)
}

// sampleArgument returns a name for the argument, which begins with that of the space or the change request that it is in.
func (r *rowCommand) sampleArgument(space, request string) string {
	switch in := cmp.Or(request, space); {
	case createsSubject(r.row, r.argument) && r.argument != "spec":
		return "$" + shellVariable(app.Kebab(r.argument))
	case in == "" || !isSpaceName(r.argument) || r.argument == "changeRequest":
		return sample(r.argument)
	case r.argument == "revision":
		return space + sample(r.argument)
	default:
		return in + ":" + sample(r.argument)
	}
}

// sample returns a name for the value of a path parameter, or a shell variable if it has no names.
func sample(subject string) string {
	if subject == "pagePath" {
		return resolve.Example("page")
	}
	return cmp.Or(resolve.Example(subject), "$"+shellVariable(app.Kebab(subject)))
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
		text := r.sampleValue(b.value.Name, inner.Name, inner.Schema)
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
		return r.sampleValue(name, f.Name, f.Schema)
	}
}

// sampleValue returns a flag with a value for a parameter or member.
func (r *rowCommand) sampleValue(name, member string, s *api.Schema) string {
	subject, isNamed := resolve.Subject(member, s)
	switch {
	case app.IsMarkdown(s):
		return " --" + name + " 'Well said.'"
	case app.IsPointer(s):
		return " --" + name + " " + r.sampleOther(name, app.PointerSubjects(s)[0])
	case isNamed && subject != "revision":
		return " --" + name + " " + r.sampleOther(name, subject)
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
	case s.Emails:
		return " --" + name + " jana@example.com"
	case s.Pattern == "id" || s.Kind == api.KindArray:
		return " --" + name + " $" + shellVariable(strings.TrimSuffix(name, "s"))
	default:
		return " --" + name + " 'Handbook'"
	}
}

// sampleOther returns a name for the value of a flag, another one than that of the argument.
func (r *rowCommand) sampleOther(flag, subject string) string {
	switch {
	case flag == "to-org", flag == "before":
		return "$" + shellVariable(flag)
	case subject == r.argument && subject == "collection":
		return "inside"
	}
	return sample(subject)
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
