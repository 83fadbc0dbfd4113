package resolve

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// form describes the names of the resources of a subject in the help.
type form struct {
	subject     string
	placeholder string // stands for a name
	words       string // what a name may be
	example     string
}

// listForms lists the subjects that have names, in the order of the help.
func listForms() []form {
	return []form{
		{"organization", "ORGANIZATION", "title or id", "tidemark-instruments"},
		{"space", "SPACE", "title, COLLECTION/TITLE or id", "skylark-handbook"},
		{"collection", "COLLECTION", "title, COLLECTION/TITLE or id", "customers"},
		{"changeRequest", "REQUEST", "number, SPACE#NUMBER or id", "skylark-handbook#2"},
		{"page", "PAGE", "path, title, SPACE:PATH, SPACE#NUMBER:PATH or id", "station/power"},
		{"file", "FILE", "name, path in the source, SPACE:NAME or id", "mast.svg"},
		{"revision", "REVISION", "number, @-1 for the one before the last, SPACE@NUMBER or id", "@3"},
		{"user", "MEMBER", "e-mail address, name, @me or id", "jana@tidemark.example"},
		{"team", "TEAM", "title or id", "documentation"},
		{"site", "SITE", "title, hostname or id", "docs.tidemark.example"},
		{"siteSection", "SECTION", "title, path or id", "guides"},
		{"siteSectionGroup", "GROUP", "title or id", "manuals"},
		{"siteSpace", "SITE-SPACE", "title, path or id", "api"},
		{"shareLink", "LINK", "name or id", "press"},
		{"spec", "SPEC", "slug", "gateway-api"},
		{"translation", "TRANSLATION", "title or id", "handbuch"},
		{"invite", "INVITE", "e-mail address or id", "ada@tidemark.example"},
		{"serviceAccount", "ACCOUNT", "name or id", "link-checker"},
		{"token", "TOKEN", "name or id", "ci"},
		{"samlProvider", "PROVIDER", "label or id", "okta"},
		{"oidcProvider", "OIDC-PROVIDER", "label or id", "entra"},
		{"transfer", "TRANSFER", "title or id", "release-notes"},
		{TrashedSpace, "SPACE", "title or id", "skylark-handbook"},
		{TrashedCollection, "COLLECTION", "title or id", "customers"},
	}
}

// formOf returns the form of a subject, or none if its resources have no names.
func formOf(subject string) form {
	for _, f := range listForms() {
		if f.subject == subject {
			return f
		}
	}
	return form{}
}

// Placeholder returns the word that stands for a name of a subject in the help, such as REQUEST, or "" if it has no names.
func Placeholder(subject string) string {
	return formOf(subject).placeholder
}

// Forms says what a name of a subject may be, as in "title, COLLECTION/TITLE or id", or returns "" if it has no names.
func Forms(subject string) string {
	return formOf(subject).words
}

// Example returns a name of the form that the help shows for a subject, from the organization of wsd demo where that has one. It
// returns "" if the subject has no names.
func Example(subject string) string {
	return formOf(subject).example
}

// ListCommand returns the command that lists the resources of a subject, or "" if it needs to be told what they are in.
func ListCommand(subject string) string {
	k, ok := kindOf(subject)
	if !ok || slices.ContainsFunc(k.list.PathParams(), func(p api.PathParam) bool { return p.Subject != "organization" }) {
		return ""
	}
	return "wsctl " + k.list.Resource() + " " + k.list.Verb()
}

// Usage returns the help of a flag that names resources of the subjects, given what the flag means, with the placeholder in
// backquotes. It names several resources if isList is set.
func Usage(text string, isList bool, subjects ...string) string {
	var placeholders []string
	words := "title or id"
	for _, subject := range subjects {
		placeholders = append(placeholders, Placeholder(subject))
		words = Forms(subject)
	}
	if len(subjects) > 1 {
		words = "title, path or id"
	}
	placeholder := strings.Join(placeholders, "|")
	if isList {
		placeholder += ",..."
	}
	if text != "" {
		text += "; "
	}
	return text + "`" + placeholder + "`: " + words
}

// FormsHelp is the text of wsctl help names.
func FormsHelp() string {
	var b strings.Builder
	b.WriteString(`Commands take names in the place of ids: in arguments, flags, WSCTL_ORG and WSCTL_SPACE, settings of a profile, and
members of --data. A text with the form of an id is the id, and nothing is looked up. Scripts that must not break
use ids, because titles change.

`)
	for _, f := range listForms() {
		if f.subject == TrashedSpace || f.subject == TrashedCollection {
			continue
		}
		b.WriteString("  " + f.placeholder + strings.Repeat(" ", 14-len(f.placeholder)) + f.words + "; as in " + f.example + "\n")
	}
	b.WriteString(`
All of them are also named by
  title:TITLE   the exact title, for titles with # : or a comma, and those that look like an id
  id:ID         an id
  URL           an address that wsd prints, of the app, of the interface, or of a published site

Titles are compared without regard to letter case and punctuation: "Skylark Handbook", skylark-handbook and
SKYLARK_HANDBOOK are the same name. The beginning of a title is no name. A name that several have is an error that
lists them all (exit code 2); one that nothing has, or nothing that you may see, has the exit code 3.`)
	return b.String()
}
