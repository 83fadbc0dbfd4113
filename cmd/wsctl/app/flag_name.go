package app

import (
	"strings"

	"github.com/spf13/pflag"

	"docspace.dev/wsd/client/api"
)

// ArgumentName returns the path parameter that is the positional argument of a row's command, or "".
//
// It is the last parameter of the path, which identifies the subject of the command; the parameters before it are
// flags. If the path continues after the last parameter with the name of the resource, or with its first or last
// word, or a longer name, that parameter only identifies the parent: it is a flag too, and the command has no argument. The first word
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
	if next != "" && (resource == next || strings.HasSuffix(resource, "-"+next) || strings.HasPrefix(resource, next+"-") ||
		strings.HasPrefix(next, resource+"-")) {
		return ""
	}
	return last.Subject
}

// FlagName returns the flag of a parameter or body member. Long or ambiguous names are replaced, so that a flag has
// the same meaning, and a thing the same flag, in all commands.
func FlagName(row api.Row, in api.ParamIn, name string) string {
	switch {
	case in == api.InQuery && name == "page" && row.IsList():
		return "cursor"
	case in == api.InQuery && name == "format.markdown.refs":
		return "markdown-refs"
	case in == api.InQuery && name == "orderBy":
		return "sort"
	case in == api.InQuery && logFlags[row.Name][name] != "":
		return logFlags[row.Name][name]
	case in == api.InQuery && name == "since" && row.Resource() != api.ListEvents.Resource():
		return "since-revision" // the flag --since is a time
	case name == "organization" && (row.Name == api.TransferSpace.Name || row.Name == api.TransferCollection.Name):
		return "to-org"
	case name == "organization" && row.Name == api.CreateToken.Name:
		return "only-org"
	case name == "organization":
		return "org"
	case row.Name == api.FindContent.Name && name == "url":
		return "address" // the flag --url is the address of the server
	case in == "" && name == "comment" && row.Resource() == api.CreateChangeRequestReview.Resource():
		return "message" // the flag --comment is the id of a comment
	case in == "" && name == "sectionId":
		return "site-section"
	case in == "":
		return resourceFlag(Kebab(name))
	default:
		return Kebab(name)
	}
}

// logFlags are the flags of the parameters of the operations on events, which are the same for all.
var logFlags = map[string]map[string]string{
	api.ListEvents.Name: {"kind": "action"},
	api.TailEvents.Name: {"kind": "action"},
	api.ListAudit.Name:  {"from": "since", "to": "until", "target": "object"},
}

// resourceFlag returns the flag of a body member that names resources: space for space-id, as in paths.
func resourceFlag(flag string) string {
	for _, resource := range []string{"space", "site", "site-section-group"} {
		if stem, ok := strings.CutSuffix(flag, "-id"); ok && (stem == resource || strings.HasSuffix(stem, "-"+resource)) {
			return stem
		}
		if stem, ok := strings.CutSuffix(flag, "-ids"); ok && (stem == resource || strings.HasSuffix(stem, "-"+resource)) {
			return stem + "s"
		}
	}
	return flag
}

// earlierNames maps names that flags had to those that they have. The names stay accepted.
var earlierNames = map[string][]string{
	"comment": {"message"}, "comment-file": {"message-file"},
	"jwt_token":    {"jwt-token"},
	"order-by":     {"sort"},
	"organization": {"to-org", "org"},
	"section-id":   {"site-section"},
	"site-id":      {"site"}, "site-space-id": {"site-space"}, "site-space-ids": {"site-spaces"},
	"scope-site-space-ids":     {"scope-site-spaces"},
	"site-section-group-id":    {"site-section-group"},
	"no-site-section-group-id": {"no-site-section-group"},
	"site_selection":           {"site-selection"}, "space_selection": {"space-selection"},
	"since":    {"since-revision"},
	"space-id": {"space"},
	"states":   {"status"},
}

// AcceptEarlierNames makes a command accept the earlier names of its flags. It is called after the flags were added. Help and
// completion do not show these names.
func AcceptEarlierNames(flags *pflag.FlagSet) {
	present := map[string]string{}
	for earlier, names := range earlierNames {
		for _, name := range names {
			if flags.Lookup(earlier) == nil && flags.Lookup(name) != nil {
				present[earlier] = name
				break
			}
		}
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := present[name]; ok {
			name = now
		}
		return pflag.NormalizedName(name)
	})
}

// Kebab converts a name to a flag: targetPage and target_page become target-page.
func Kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		if r == '_' {
			r = '-'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "-i-d", "-id"), "-u-r-l", "-url")
}

// FlagWords returns the name of a flag as words for messages.
func FlagWords(flag string) string { return strings.ReplaceAll(flag, "-", " ") }

// FlagShorthand returns the letter of a flag of some commands, "" for none. A flag has the same one in all of them.
func FlagShorthand(name string) string {
	if name == "message" { // as that of git commit
		return "m"
	}
	return ""
}
