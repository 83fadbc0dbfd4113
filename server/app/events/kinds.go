package events

import (
	"maps"

	"docspace.dev/wsd/client/api"
)

// kinds are the kinds of events, by the operation that they come from. Where an operation does several things, the event
// says which: see told.
var kinds = map[string]api.TimelineKind{
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

// told are the kinds of operations that do several things, by what the event says.
var told = map[string]map[string]api.TimelineKind{
	api.UpdateChangeRequest.Name: {
		string(api.StatusOpen): api.TimelineOpened, string(api.StatusDraft): api.TimelineDrafted, string(api.StatusArchived): api.TimelineArchived,
	},
	api.CreateChangeRequestReview.Name: verdicts,
	api.SubmitChangeRequestReview.Name: verdicts,
	api.UpdateChangeRequestComment.Name: {
		string(api.CommentResolved): api.TimelineResolved, string(api.CommentOpen): api.TimelineReopened,
	},
}

var verdicts = map[string]api.TimelineKind{
	string(api.ReviewApproved): api.TimelineApproved, string(api.ReviewChangesRequested): api.TimelineChangesRequested,
}

// kindOf is the kind of an event.
func kindOf(fields map[string]string) api.TimelineKind {
	operation := fields["type"]
	if kind, ok := told[operation][fields["did"]]; ok {
		return kind
	}
	if kind, ok := kinds[operation]; ok {
		return kind
	}
	return api.TimelineOther
}

// told is what an event says of what it is about, under the names that the answer has for it.
func (e event) told() map[string]string {
	told := maps.Clone(e.fields)
	switch e.fields["type"] {
	case api.CreateChangeRequestComment.Name:
		told["comment"] = e.fields["id"]
	case api.CreateChangeRequestReply.Name:
		told["reply"] = e.fields["id"]
	case api.RemoveChangeRequestReviewer.Name:
		told["users"] = e.fields["user"]
	case api.CreateChangeRequestReview.Name, api.SubmitChangeRequestReview.Name: // of several comments
		delete(told, "page")
	}
	return told
}
