package api

// GetChangeRequestTimeline is the route of the timeline of a change request.
var GetChangeRequestTimeline = get[GetTimelineInput, Timeline]("change-requests.get-timeline",
	"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/timeline", "Show what happened in a change request: the latest, or what is "+
		"new behind a cursor.")

// GetTimelineInput is the input of GetChangeRequestTimeline.
type GetTimelineInput struct {
	ChangeRequestRef
	After  string        `query:"after" pattern:"id" len:"..100" doc:"Only what happened after this cursor of an earlier answer."`
	Before string        `query:"before" pattern:"id" len:"..100" doc:"Only what happened before this cursor, the latest of it."`
	Limit  Optional[int] `query:"limit" range:"1..200" default:"50" doc:"Events at most."`
}

// Timeline is a page of the events of a change request. A request scans a bounded number of events of the
// organization, so a page may be empty although more events follow.
type Timeline struct {
	Events   []TimelineEvent `json:"events" doc:"The oldest first."`
	Cursor   string          `json:"cursor" doc:"Send it as after to ask what is new since."`
	More     bool            `json:"more,omitzero" doc:"There may be more behind the cursor: ask again at once."`
	Earlier  string          `json:"earlier,omitzero" doc:"Send it as before to ask what came before; absent where that is known to be nothing."`
	Gone     bool            `json:"gone,omitzero" doc:"Some of what was asked for is not kept any more, so that events are missing."`
	LastLook string          `json:"lastLook,omitzero" doc:"The cursor that the caller left with update-reading; only without after and before."`
}

var _ = declareView[Timeline](ViewTable, "events")

// TimelineEvent is an event of a change request. Events written by earlier versions of wsd have only the user, the
// time and the kind.
type TimelineEvent struct {
	Cursor    string          `json:"cursor" doc:"Names the event; what is after it is new."`
	Kind      TimelineKind    `json:"kind"`
	At        Time            `json:"at" doc:"When it happened."`
	By        *User           `json:"by,omitzero" doc:"Absent where wsd did it by itself."`
	Revision  string          `json:"revision,omitzero" doc:"The head of the change request afterwards, or the revision that was reviewed."`
	Source    *RevisionSource `json:"source,omitzero" doc:"Where an edit was pushed from."`
	Page      string          `json:"page,omitzero" doc:"Id of the page that it is about, where that is one."`
	PageTitle string          `json:"pageTitle,omitzero" doc:"Its title now; absent where the change request has no such page any more."`
	Pages     int             `json:"pages,omitzero" doc:"How many pages it is about, where that is known."`
	Comment   string          `json:"comment,omitzero" doc:"Id of the thread."`
	Reply     string          `json:"reply,omitzero" doc:"Id of the reply."`
	Review    string          `json:"review,omitzero" doc:"Id of the review."`
	Users     []User          `json:"users,omitempty" doc:"Who was asked for a review, or is no longer asked."`
}

var _ = declareColumns[TimelineEvent]("at,by.displayName=BY,kind,pageTitle=PAGE,comment=THREAD,revision")

// TimelineKind is the kind of a timeline event.
type TimelineKind string

// Values of TimelineKind.
const (
	TimelineCreated           TimelineKind = "created"
	TimelineDescribed         TimelineKind = "described" // the subject or description was changed
	TimelineOpened            TimelineKind = "opened"
	TimelineDrafted           TimelineKind = "drafted" // converted back to a draft
	TimelineArchived          TimelineKind = "archived"
	TimelineEdited            TimelineKind = "edited"
	TimelineImported          TimelineKind = "imported"
	TimelineUpdated           TimelineKind = "updated" // updated with the current content of the space
	TimelineMerged            TimelineKind = "merged"
	TimelineAsked             TimelineKind = "asked"     // a review was requested
	TimelineWithdrawn         TimelineKind = "withdrawn" // a review request was withdrawn
	TimelineApproved          TimelineKind = "approved"
	TimelineChangesRequested  TimelineKind = "changes-requested"
	TimelineReviewed          TimelineKind = "reviewed" // comments were submitted together without a verdict
	TimelineCommented         TimelineKind = "commented"
	TimelineReplied           TimelineKind = "replied"
	TimelineResolved          TimelineKind = "resolved"
	TimelineReopened          TimelineKind = "reopened"
	TimelineRemarked          TimelineKind = "remarked" // a comment or reply was edited, moved or reacted to
	TimelineRemoved           TimelineKind = "removed"  // a comment or reply was deleted
	TimelineSuggestionApplied TimelineKind = "suggestion-applied"
	TimelineOther             TimelineKind = "other"
)

// Values returns the values of TimelineKind.
func (TimelineKind) Values() []TimelineKind {
	return []TimelineKind{
		TimelineCreated, TimelineDescribed, TimelineOpened, TimelineDrafted, TimelineArchived, TimelineEdited, TimelineImported,
		TimelineUpdated, TimelineMerged, TimelineAsked, TimelineWithdrawn, TimelineApproved, TimelineChangesRequested,
		TimelineReviewed, TimelineCommented, TimelineReplied, TimelineResolved, TimelineReopened, TimelineRemarked,
		TimelineRemoved, TimelineSuggestionApplied, TimelineOther,
	}
}
