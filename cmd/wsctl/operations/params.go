package operations

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// addPathFlags adds flags for the path parameters other than the argument, and --change-request if the row has a twin.
func (r *rowCommand) addPathFlags() {
	for _, p := range r.input.Params {
		if p.In != api.InPath || p.Subject == r.argument && !r.isArgumentOptional() {
			continue
		}
		r.addPathFlag(p, pathUsage(p))
		if p.Subject != "organization" {
			app.MarkRequired(r.cmd, app.FlagName(r.row, p.In, p.Subject))
		}
	}
	if r.changeRequestRow == nil {
		return
	}
	for _, p := range r.compiler.Input(*r.changeRequestRow).Params {
		if p.Subject == "changeRequest" {
			r.addPathFlag(p, "look at or change this `REQUEST` instead of what readers see: "+resolve.Forms(p.Subject))
		}
	}
}

func (r *rowCommand) addPathFlag(p api.Param, usage string) {
	v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Subject), Schema: acceptNames(p.Subject, p.Schema)}
	r.path[p.Subject] = v
	r.cmd.Flags().Var(v, v.Name, usage)
	if resolve.HasNames(p.Subject) {
		app.AcceptNames(r.cmd)
	}
	CompleteFlag(r.app, r.cmd, v.Name, p.Subject, false)
}

func pathUsage(p api.Param) string {
	switch p.Subject {
	case "organization":
		return organizationUsage()
	case "space":
		return spaceUsage()
	default:
		if resolve.HasNames(p.Subject) {
			return "the `" + resolve.Placeholder(p.Subject) + "`: " + resolve.Forms(p.Subject)
		}
		return "id of the `" + placeholder(p.Subject) + "`"
	}
}

// organizationUsage returns the help of --org.
func organizationUsage() string {
	return "the `ORGANIZATION` to work in: " + resolve.Forms("organization") + "; default WSCTL_ORG, the profile's, or your only one"
}

// spaceUsage returns the help of --space.
func spaceUsage() string {
	return "the `SPACE` to work in: " + resolve.Forms("space") + "; default WSCTL_SPACE or the profile's"
}

// placeholder returns the word that stands for an argument of a subject in the help, such as REQUEST or COMMENT.
func placeholder(subject string) string {
	return cmp.Or(resolve.Placeholder(subject), strings.ToUpper(app.Kebab(subject)))
}

// addQueryFlags adds flags for the query parameters. Lists share their flags; parameters that wsctl sends itself have
// none.
func (r *rowCommand) addQueryFlags() {
	sent := r.row.Sent()
	for _, p := range r.input.Params {
		if _, isSent := sent[p.Name]; isSent {
			continue
		}
		if p.In != api.InQuery || r.isList && (p.Name == "page" || p.Name == "limit") {
			continue
		}
		v := &app.FlagValue{Name: app.FlagName(r.row, p.In, p.Name), Schema: acceptNames(p.Name, p.Schema), Now: r.app.Now, Past: true}
		r.query[p.Name] = v
		if subject, ok := resolve.Subject(p.Name, p.Schema); ok {
			r.addValue(v, subject)
		} else {
			r.addValue(v)
		}
		if p.Required {
			app.MarkRequired(r.cmd, v.Name)
		}
	}
}

// idWords matches the words of the contract that say that a value is an id.
var idWords = regexp.MustCompile(`^(the )?ids? of |, by id\b`)

// addValue adds the flag of a value, with completion of its choices, or of the names of subjects.
func (r *rowCommand) addValue(v *app.FlagValue, subjects ...string) {
	isList := v.Schema.Kind == api.KindArray
	usage := v.Usage()
	if len(subjects) > 0 {
		usage = idWords.ReplaceAllString(usage, "")
		if usage == app.FlagWords(v.Name) {
			usage = ""
		}
		usage = resolve.Usage(usage, isList, subjects...)
		app.AcceptNames(r.cmd)
	}
	f := r.cmd.Flags().VarPF(v, v.Name, app.FlagShorthand(v.Name), usage)
	if v.Schema.Kind == api.KindBoolean || slices.Contains(v.Schema.Enum, "true") {
		f.NoOptDefVal = "true"
	}
	switch choices := v.Choices(); {
	case choices != nil:
		app.CompleteWords(r.cmd, v.Name, choices)
	case len(subjects) == 1:
		CompleteFlag(r.app, r.cmd, v.Name, subjects[0], isList)
	}
}
