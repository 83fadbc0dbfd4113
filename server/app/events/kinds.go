package events

import (
	"maps"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
)

// kindsByOperation maps operations to kinds of events. Operations with several effects are refined by kindsByDetail.
var kindsByOperation = map[string]api.TimelineKind{
	api.CreateChangeRequest.Name:           api.TimelineCreated,
	api.UpdateChangeRequest.Name:           api.TimelineDescribed,
	api.MergeChangeRequest.Name:            api.TimelineMerged,
	api.PullChangeRequest.Name:             api.TimelineUpdated,
	api.ApplyChangeRequestSuggestions.Name: api.TimelineSuggestionApplied,
	api.RequestChangeRequestReview.Name:    api.TimelineAsked,
	api.RemoveChangeRequestReviewer.Name:   api.TimelineWithdrawn,
	api.EditChangeRequestContent.Name:      api.TimelineEdited,
	api.ImportChangeRequestContent.Name:    api.TimelineImported,
	api.CreateChangeRequestReview.Name:     api.TimelineReviewed,
	api.SubmitChangeRequestReview.Name:     api.TimelineReviewed,
	api.CreateChangeRequestComment.Name:    api.TimelineCommented,
	api.UpdateChangeRequestComment.Name:    api.TimelineRemarked,
	api.ReattachChangeRequestComment.Name:  api.TimelineRemarked,
	api.DeleteChangeRequestComment.Name:    api.TimelineRemoved,
	api.CreateChangeRequestReply.Name:      api.TimelineReplied,
	api.UpdateChangeRequestReply.Name:      api.TimelineRemarked,
	api.DeleteChangeRequestReply.Name:      api.TimelineRemoved,
}

// kindsByDetail maps operations with several effects, and the member did of the event, to kinds of events.
var kindsByDetail = map[string]map[string]api.TimelineKind{
	api.UpdateChangeRequest.Name: {
		string(api.StatusOpen): api.TimelineOpened, string(api.StatusDraft): api.TimelineDrafted,
		string(api.StatusArchived): api.TimelineArchived,
	},
	api.CreateChangeRequestReview.Name: reviewKinds,
	api.SubmitChangeRequestReview.Name: reviewKinds,
	api.UpdateChangeRequestComment.Name: {
		string(api.CommentResolved): api.TimelineResolved, string(api.CommentOpen): api.TimelineReopened,
	},
}

var reviewKinds = map[string]api.TimelineKind{
	string(api.ReviewApproved): api.TimelineApproved, string(api.ReviewChangesRequested): api.TimelineChangesRequested,
}

// eventKind returns the timeline kind of an event by its operation and detail. It returns TimelineOther for an unknown
// operation.
func eventKind(fields map[string]string) api.TimelineKind {
	operation := fields["type"]
	if kind, ok := kindsByDetail[operation][fields["did"]]; ok {
		return kind
	}
	if kind, ok := kindsByOperation[operation]; ok {
		return kind
	}
	return api.TimelineOther
}

// details returns the fields of an event under the names used in the timeline.
func (e event) details() map[string]string {
	details := maps.Clone(e.fields)
	switch e.fields["type"] {
	case api.CreateChangeRequestComment.Name:
		details["comment"] = e.fields["id"]
	case api.CreateChangeRequestReply.Name:
		details["reply"] = e.fields["id"]
	case api.RemoveChangeRequestReviewer.Name:
		details["users"] = e.fields["user"]
	case api.CreateChangeRequestReview.Name, api.SubmitChangeRequestReview.Name: // a review may have comments on several pages
		delete(details, "page")
	case api.MergeChangeRequest.Name: // the revision is that of the space
		delete(details, eventlog.Revision)
		delete(details, eventlog.Page)
		delete(details, eventlog.Pages)
	}
	return details
}
