package app

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// Argument returns what the argument of a row's command names, or "". One rule for all:
//
// The last parameter of the path names the thing that the command is about, so it is the argument; the ones before
// it say where the thing is, so they are flags. But when the path goes on after the last parameter with the
// resource's own name, or the first or last word of it, that parameter too only says where: it is a flag, and the
// command has no argument. The first word may be in the plural there where all of them are meant.
//
//	/v1/spaces/{spaceId}                          wsctl spaces get SPACE
//	/v1/spaces/{spaceId}/comments/{commentId}     wsctl comments get COMMENT --space SPACE
//	/v1/spaces/{spaceId}/comments                 wsctl comments list --space SPACE
//	/v1/collections/{collectionId}/spaces         wsctl collections list-spaces COLLECTION
//	/v1/org/{organizationId}/imports              wsctl import-runs list --org ORGANIZATION
func Argument(row api.Row) string {
	params := row.PathParams()
	if len(params) == 0 {
		return ""
	}
	last := params[len(params)-1]
	_, after, _ := strings.Cut(row.Path, "{"+last.Name)
	_, after, _ = strings.Cut(after, "}")
	next, _, _ := strings.Cut(strings.TrimPrefix(after, "/"), "/")
	resource, verb := row.Resource(), row.Verb()
	if (verb == "list" || verb == "create") && strings.HasPrefix(resource, strings.TrimSuffix(next, "s")+"-") && strings.HasSuffix(next, "s") {
		return ""
	}
	if next != "" && (resource == next || strings.HasSuffix(resource, "-"+next) || strings.HasPrefix(resource, next+"-")) {
		return ""
	}
	return last.Subject
}

// FlagName is the flag of a parameter or of a member of a body. Names that mean something else elsewhere, or are
// long, get one of their own, so that a flag means one thing in all of wsctl.
func FlagName(row api.Row, in api.ParamIn, name string) string {
	switch {
	case in == api.InPath && name == "organization":
		return "org"
	case in == api.InQuery && name == "page" && row.IsList():
		return "cursor"
	case in == api.InQuery && name == "format.markdown.refs":
		return "markdown-refs"
	case row.Name == api.CreateToken.Name && name == "organization":
		return "only-org"
	case row.Name == api.ListChangeRequestQueue.Name && name == "status":
		return "states" // several of them
	case row.Name == api.FindContent.Name && name == "url":
		return "address" // url is that of the server
	default:
		return Kebab(name)
	}
}

// Kebab writes a name of the contract as a flag: targetPage is target-page.
func Kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "-i-d", "-id"), "-u-r-l", "-url")
}

// FlagWords is the name of a flag as people say it.
func FlagWords(flag string) string { return strings.ReplaceAll(flag, "-", " ") }
