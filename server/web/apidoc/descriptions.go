package apidoc

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"docspace.dev/wsd/client/api"
)

// pathParameters are the descriptions of path parameters by name.
var pathParameters = []struct{ name, description string }{
	{"auditEventId", "Id of an audit event."},
	{"changeRequestId", "Id of a change request, or its number in the space."},
	{"collectionId", "Id of a collection."},
	{"commentId", "Id of a comment."},
	{"commentReplyId", "Id of a reply to the comment."},
	{"documentId", "Id of a text, as documentId of a page or of a change names it."},
	{"emailDomain", "Domain of e-mail addresses, such as example.com."},
	{"eventId", "Id of an event of an integration."},
	{"fileId", "Id of a file."},
	{"identityId", "Id of an identity at a provider."},
	{"importRunId", "Id of an import run."},
	{"installationId", "Id of an installation of the integration."},
	{"integrationName", "Name of an integration."},
	{"inviteId", "Id of an invite."},
	{"language", "Language of a translation."},
	{"oidcProviderId", "Id of an OpenID Connect provider."},
	{"organizationId", "Id of an organization."},
	{"pageId", "Id of a page."},
	{"reusableContentId", "Id of a reusable content."},
	{"reviewId", "Id of a review."},
	{"revisionId", "Id of a revision of the space."},
	{"samlProviderId", "Id of a SAML provider."},
	{"serviceAccountId", "Id of a service account."},
	{"shareLinkId", "Id of a share link."},
	{"siteId", "Id of a site."},
	{"siteSectionGroupId", "Id of a section group of the site."},
	{"siteSectionId", "Id of a section of the site."},
	{"siteSpaceId", "Id of a site space: a space as part of the site."},
	{"spaceId", "Id of a space."},
	{"specSlug", "Slug or id of an OpenAPI specification."},
	{"subdomain", "Hostname of an organization, or its first label."},
	{"submissionId", "Id of the submission, chosen by the caller: repeats have the same effect once."},
	{"teamId", "Id of a team."},
	{"tokenId", "Id of a token."},
	{"transferId", "Id of a transfer."},
	{"translationSettingsId", "Id of translation settings."},
	{"userId", "Id of a user."},
	{"versionId", "Id of a version of the specification."},
}

// pathParameter returns the description of the path parameter with the given name, or "".
func pathParameter(name string) string {
	for _, p := range pathParameters {
		if p.name == name {
			return p.description
		}
	}
	return ""
}

// closedEnumerations are the enumerations that later versions do not extend.
var closedEnumerations = []string{"BlockChange", "CommentStatus", "Format", "Order", "ReviewStatus", "Role", "TeamRole", "TextChange"}

// isClosed reports whether later versions do not extend an enumeration. A constant is closed.
func isClosed(s *api.Schema) bool {
	return len(s.Enum) == 1 || slices.Contains(closedEnumerations, s.Name)
}

//go:embed types.json
var typesJSON []byte

// typeDescriptions returns the descriptions of the Go types of the contract by name, see TestTypesAreCurrent.
var typeDescriptions = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	_ = json.Unmarshal(typesJSON, &all) // a test reads the same file
	return all
})

// describe returns the description of a component.
func describe(s *api.Schema) string {
	text := typeDescription(s.Name)
	if s.EnumOf != "" {
		text = "Values of " + s.EnumOf + "."
	}
	if s.Enum != nil && isClosed(s) {
		text += " The list is closed: later versions do not extend it."
	}
	return text
}

// typeDescription returns the description of the Go type of a schema with the given name. SpaceInput is described as Space,
// PageOfSpace as a page of a list.
func typeDescription(name string) string {
	if item, ok := strings.CutPrefix(name, "PageOf"); ok {
		return "A page of a list of " + item + " objects."
	}
	if item, ok := strings.CutPrefix(name, "LogPageOf"); ok {
		return "A page of a log of " + item + " objects, without their number."
	}
	if text := typeDescriptions()[name]; text != "" {
		return text
	}
	return typeDescriptions()[strings.TrimSuffix(name, "Input")]
}

// tagDescription returns the description of the operations of a resource.
func tagDescription(resource string) string {
	for _, r := range api.Resources() {
		if r.Name == resource {
			return strings.ToUpper(r.Purpose[:1]) + r.Purpose[1:] + "."
		}
	}
	return ""
}
