package operations

import "docspace.dev/wsd/client/api"

// completionSource returns the row that lists the resources of the kind subject, and the path of the member with their names.
// It returns the zero Row if there is no such list.
func completionSource(subject string) (api.Row, string) {
	switch subject {
	case "organization":
		return api.ListOrganizations.Row, "title"
	case "space":
		return api.ListSpaces.Row, "title"
	case "trashed":
		return api.ListTrash.Row, "title"
	case "collection":
		return api.ListCollections.Row, "title"
	case "user":
		return api.ListMembers.Row, "user.displayName"
	case "invite":
		return api.ListInvites.Row, "email"
	case "linkInvite":
		return api.ListLinkInvites.Row, "level"
	case "team":
		return api.ListTeams.Row, "title"
	case "changeRequest":
		return api.ListChangeRequests.Row, "subject"
	case "review":
		return api.ListChangeRequestReviews.Row, "reviewer.displayName"
	case "comment":
		return api.ListComments.Row, "status"
	case "revision":
		return api.ListSpaceRevisions.Row, "createdAt"
	case "page":
		return api.ListContentPages.Row, "title"
	case "file":
		return api.ListContentFiles.Row, "name"
	case "spec":
		return api.ListOpenAPISpecs.Row, "slug"
	case "transfer":
		return api.ListTransfers.Row, "title"
	case "importRun":
		return api.ListImportRuns.Row, "source.url"
	case "translation":
		return api.ListTranslations.Row, "title"
	case "samlProvider":
		return api.ListSAMLProviders.Row, "label"
	case "token":
		return api.ListTokens.Row, "name"
	case "site":
		return api.ListSites.Row, "title"
	case "siteSection":
		return api.ListSiteSections.Row, "title"
	case "siteSectionGroup":
		return api.ListSiteSectionGroups.Row, "title"
	case "siteSpace":
		return api.ListSiteSpaces.Row, "title"
	case "shareLink":
		return api.ListShareLinks.Row, "name"
	default:
		return api.Row{}, ""
	}
}
