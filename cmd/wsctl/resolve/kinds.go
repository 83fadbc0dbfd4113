package resolve

import (
	"regexp"
	"strings"

	"docspace.dev/wsd/client/api"
)

// kind describes the resources that a parameter or member contains the id of.
type kind struct {
	noun   string       // for messages
	prefix string       // of their ids
	named  api.NameKind // set if names.find finds them
	list   api.Row      // lists them
	id     string       // member of an item with the value that stands for it; "id" if empty
	title  string       // member with the title, which is compared in its folded form
	forms  []string     // members that are compared exactly
	only   string       // value of the member kind, in lists of several kinds
}

// Subjects of resources in the trash.
const (
	Trashed           = "trashed" // a space or collection
	TrashedSpace      = "trashedSpace"
	TrashedCollection = "trashedCollection"
)

// kindOf returns the kind of a subject, such as space or siteSection. ok is false if its resources have no names.
func kindOf(subject string) (k kind, ok bool) {
	switch subject {
	case "organization":
		return kind{noun: "organization", prefix: "o_", list: api.ListOrganizations.Row, title: "title"}, true
	case "space":
		return kind{noun: "space", prefix: "s_", named: api.NameSpace, list: api.ListSpaces.Row, title: "title"}, true
	case "collection":
		return kind{noun: "collection", prefix: "l_", named: api.NameCollection, list: api.ListCollections.Row, title: "title"}, true
	case "site":
		return kind{noun: "site", prefix: "site_", named: api.NameSite, list: api.ListSites.Row, title: "title"}, true
	case "team":
		return kind{noun: "team", prefix: "tm_", named: api.NameTeam, list: api.ListTeams.Row, title: "title"}, true
	case "user":
		return kind{
			noun: "member", prefix: "u_", named: api.NameMember, list: api.ListMembers.Row, title: "user.displayName",
			forms: []string{"user.email"},
		}, true
	case Trashed:
		return kind{noun: "deleted space or collection", list: api.ListTrash.Row, title: "title"}, true
	case TrashedSpace:
		return kind{noun: "deleted space", prefix: "s_", list: api.ListTrash.Row, title: "title", only: string(api.TrashSpace)}, true
	case TrashedCollection:
		return kind{
			noun: "deleted collection", prefix: "l_", list: api.ListTrash.Row, title: "title", only: string(api.TrashCollection),
		}, true
	case "page":
		return kind{
			noun: "page", prefix: "p_", list: api.ListContentPages.Row, title: "title", forms: []string{"path", "git.path"},
		}, true
	case "file":
		return kind{noun: "file", prefix: "f_", list: api.ListContentFiles.Row, title: "name", forms: []string{"git.path"}}, true
	case "revision":
		return kind{noun: "revision", prefix: "r_", list: api.ListSpaceRevisions.Row, forms: []string{"number"}}, true
	case "changeRequest":
		return kind{
			noun: "change request", prefix: "cr_", list: api.ListChangeRequests.Row, id: "number", title: "subject",
			forms: []string{"number"},
		}, true
	}
	return listedKind(subject)
}

// listedKind is kindOf for kinds that are only found in their lists.
func listedKind(subject string) (k kind, ok bool) {
	switch subject {
	case "siteSection":
		k = kind{noun: "section", prefix: "sec_", list: api.ListSiteSections.Row, title: "title", forms: []string{"path"}}
	case "siteSectionGroup":
		k = kind{noun: "section group", prefix: "grp_", list: api.ListSiteSectionGroups.Row, title: "title"}
	case "siteSpace":
		k = kind{noun: "space of the site", prefix: "ssp_", list: api.ListSiteSpaces.Row, title: "title", forms: []string{"path"}}
	case "shareLink":
		k = kind{noun: "share link", prefix: "link_", list: api.ListShareLinks.Row, title: "name"}
	case "serviceAccount":
		k = kind{noun: "service account", prefix: "u_", list: api.ListServiceAccounts.Row, title: "displayName"}
	case "token":
		k = kind{noun: "token", prefix: "t_", list: api.ListTokens.Row, title: "name"}
	case "translation":
		k = kind{noun: "translation", prefix: "tr_", list: api.ListTranslations.Row, title: "title"}
	case "samlProvider":
		k = kind{noun: "SAML provider", prefix: "idp_", list: api.ListSAMLProviders.Row, title: "label"}
	case "oidcProvider":
		k = kind{noun: "OIDC provider", prefix: "oidc_", list: api.ListOIDCProviders.Row, title: "label"}
	case "invite":
		k = kind{noun: "invite", prefix: "i_", list: api.ListInvites.Row, forms: []string{"email"}}
	case "transfer":
		k = kind{noun: "transfer", prefix: "tf_", list: api.ListTransfers.Row, title: "title"}
	case "spec":
		k = kind{noun: "specification", list: api.ListOpenAPISpecs.Row, id: "slug", title: "slug", forms: []string{"id"}}
	}
	return k, k.noun != ""
}

// memberSubjects maps the members of queries and bodies that contain ids to the subjects that paths have for them.
var memberSubjects = map[string]string{
	"spaceId": "space", "spaces": "space", "parent": "collection", "siteId": "site", "teams": "team",
	"users": "user", "members": "user", "owner": "user", "creator": "user", "contributor": "user", "requestedReviewer": "user",
	"actor":      "user",
	"targetPage": "page", "into": "page", "sectionId": "siteSection", "defaultSiteSection": "siteSection",
	"siteSpaceId": "siteSpace", "defaultSiteSpace": "siteSpace", "siteSectionGroupId": "siteSectionGroup", "base": "revision",
}

// Subject returns the subject of the resources that a value of a parameter or member names, given its schema: space for the member
// spaceId. ok is false if it is no id, or one of a resource without a name.
func Subject(name string, s *api.Schema) (subject string, ok bool) {
	if subject = memberSubjects[name]; s.Emails {
		subject = "user"
	} else if subject == "" {
		subject = name
	}
	if _, ok := kindOf(subject); !ok {
		return "", false
	}
	if s.Kind == api.KindArray {
		ok = s.Items.Kind == api.KindString && s.Items.Enum == nil
	} else {
		ok = s.Pattern == "id" || subject == "spec" && s.Pattern == "specSlug"
	}
	if !ok {
		return "", false
	}
	return subject, true
}

// Prefixes of names that have one form only: an id, and an exact title.
const (
	idPrefix    = "id:"
	titlePrefix = "title:"
)

// emailForm matches texts with the form of an e-mail address, which is neither @me nor a URL nor a title after "title:".
var emailForm = regexp.MustCompile(`^[^\s@/:]+@[^\s@/:]+$`)

func isEmail(text string) bool { return emailForm.MatchString(text) }

// idBody matches what follows the prefix of an id. That of a change request ends with its number.
var idBody = regexp.MustCompile(`^[0-9a-z]+(?:_[0-9]+)?$`)

// IsID reports whether a text has the form of an id of a subject. Titles of this form are written after "title:".
func IsID(subject, text string) bool {
	k, ok := kindOf(subject)
	switch {
	case !ok:
		return false
	case subject == Trashed:
		return IsID(TrashedSpace, text) || IsID(TrashedCollection, text) || IsID("organization", text)
	case subject == "spec":
		return !strings.HasPrefix(text, "spec_") && api.Patterns["specSlug"].MatchString(text)
	case subject == "changeRequest" && !strings.HasPrefix(text, k.prefix):
		return text != "" && strings.Trim(text, "0123456789") == ""
	}
	body, ok := strings.CutPrefix(text, k.prefix)
	return ok && idBody.MatchString(body)
}

// HasNames reports whether the resources of a subject have names.
func HasNames(subject string) bool {
	_, ok := kindOf(subject)
	return ok
}
