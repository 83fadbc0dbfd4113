package operations

import "docspace.dev/wsd/client/api"

// completionSource returns the row that lists the resources of a subject that have no names, and the path of the member that
// describes them. It returns the zero Row if there is no such list.
func completionSource(subject string) (api.Row, string) {
	switch subject {
	case "linkInvite":
		return api.ListLinkInvites.Row, "level"
	case "review":
		return api.ListChangeRequestReviews.Row, "reviewer.displayName"
	case "comment":
		return api.ListComments.Row, "status"
	case "importRun":
		return api.ListImportRuns.Row, "source.url"
	default:
		return api.Row{}, ""
	}
}
