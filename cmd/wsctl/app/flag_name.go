package app

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// ArgumentName returns the path parameter that is the positional argument of a row's command, or "".
//
// It is the last parameter of the path, which identifies the subject of the command; the parameters before it are
// flags. If the path continues after the last parameter with the name of the resource, or with its first or last
// word, that parameter only identifies the parent: it is a flag too, and the command has no argument. The first word
// may also be in the plural, if it refers to all of them.
//
//	/v1/spaces/{spaceId}                          wsctl spaces get SPACE
//	/v1/spaces/{spaceId}/comments/{commentId}     wsctl comments get COMMENT --space SPACE
//	/v1/spaces/{spaceId}/comments                 wsctl comments list --space SPACE
//	/v1/collections/{collectionId}/spaces         wsctl collections list-spaces COLLECTION
//	/v1/org/{organizationId}/imports              wsctl import-runs list --org ORGANIZATION
func ArgumentName(row api.Row) string {
	params := row.PathParams()
	if len(params) == 0 {
		return ""
	}
	last := params[len(params)-1]
	_, after, _ := strings.Cut(row.Path, "{"+last.Name)
	_, after, _ = strings.Cut(after, "}")
	next, _, _ := strings.Cut(strings.TrimPrefix(after, "/"), "/")
	resource, verb := row.Resource(), row.Verb()
	if (verb == "list" || verb == "create") && strings.HasPrefix(resource, strings.TrimSuffix(next, "s")+"-") &&
		strings.HasSuffix(next, "s") {
		return ""
	}
	if next != "" && (resource == next || strings.HasSuffix(resource, "-"+next) || strings.HasPrefix(resource, next+"-")) {
		return ""
	}
	return last.Subject
}

// FlagName returns the flag of a parameter or body member. Long or ambiguous names are replaced, so that a flag has
// the same meaning in all commands.
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
		return "states" // a list
	case row.Name == api.FindContent.Name && name == "url":
		return "address" // the flag --url is the address of the server
	default:
		return Kebab(name)
	}
}

// Kebab converts a camel-case name to a flag: targetPage becomes target-page.
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

// FlagWords returns the name of a flag as words for messages.
func FlagWords(flag string) string { return strings.ReplaceAll(flag, "-", " ") }
