package api

import (
	"fmt"
	"net/http"
)

// Routes of change requests. {changeRequest} is an id or the number in the space.
var (
	ListChangeRequests = get[ListChangeRequestsInput, Page[ChangeRequest]]("change-requests.list",
		"/v1/spaces/{spaceId}/change-requests", "List the change requests of a space, newest first; open ones unless a status is given.",
		withOperation("listChangeRequestsForSpace"))
	CreateChangeRequest = create[CreateChangeRequestInput, ChangeRequest]("change-requests.create",
		"/v1/spaces/{spaceId}/change-requests", "Start a change request, as a draft.", withOptionalBody,
		withOperation("createChangeRequest"))
	GetChangeRequest = get[ChangeRequestRef, ChangeRequest]("change-requests.get",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}", "Show a change request.", withOperation("getChangeRequestById"))
	UpdateChangeRequest = patch[UpdateChangeRequestInput, ChangeRequest]("change-requests.update",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}", "Change the subject, the description, the links, the "+
			"status, or whether a push to it is complete.",
		withOperation("updateChangeRequestById"))
	MergeChangeRequest = post[MergeInput, MergeResult]("change-requests.merge",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge", "Merge into the space; with conflicts nothing is applied and "+
			"they are answered.", markSlow, withOptionalBody, withBodyLimit(ResolutionsBodyLimit), withOperation("mergeChangeRequest"),
		failsWith(ReasonMergeRules))
	PullChangeRequest = post[PullInput, MergeResult]("change-requests.pull",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update", "Bring the space's newest content into the change request.",
		markSlow,
		withOptionalBody, withBodyLimit(ResolutionsBodyLimit), withOperation("updateChangeRequest"))
	ApplyChangeRequestSuggestions = post[ApplySuggestionsInput, SuggestionsApplied]("change-requests.apply-suggestions",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/apply-suggestions", "Apply what comments suggest, as one revision: all "+
			"of it or nothing.", markSlow)
	GetChangeRequestConflicts = get[ChangeRequestRef, ConflictList]("change-requests.get-conflicts",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", "Show the conflicts that a merge or an update would meet now.",
		markSlow)
	GetChangeRequestMergeability = get[ChangeRequestRef, Mergeability]("change-requests.get-mergeability",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/mergeability", "Show what a merge depends on, how each of it stands, and "+
			"who can clear it.", markSlow)
	GetChangeRequestPdf = get[GetChangeRequestPDFInput, PDF]("change-requests.get-pdf",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf", "Print the content of a change request as a PDF and answer where "+
			"it can be downloaded for an hour.", markSlow, withOperation("getChangeRequestPDF"))
	ListChangeRequestContributors = get[ListContributorsInput, Page[Contributor]]("change-requests.list-contributors",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors", "List who edited the content of a change request and who "+
			"commented on it.", withOperation("getContributorsByChangeRequestId"))
	ListChangeRequestCommenters = get[ListChangeRequestCommentersInput, Page[Member]]("change-requests.list-commenters",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters", "List the members who commented on a change request.",
		withOperation("listCommentersInChangeRequest"))
	ListChangeRequestReviewers = get[ListReviewersInput, Page[RequestedReviewer]]("change-requests.list-reviewers",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", "List who was asked for a review.",
		withOperation("getRequestedReviewersByChangeRequestId"))
	RequestChangeRequestReview = post[RequestReviewInput, RequestedReviewers]("change-requests.request-review",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", "Ask people for a review; a draft becomes open.",
		withOperation("requestReviewersForChangeRequest"))
	RemoveChangeRequestReviewer = remove[ReviewerRef]("change-requests.remove-reviewer",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}", http.StatusResetContent,
		"Take back a request for a review.", withOperation("removeRequestedReviewerFromChangeRequest"))
)

// ChangeRequestStatus is the state of a change request.
type ChangeRequestStatus string

// Values of ChangeRequestStatus.
const (
	StatusDraft    ChangeRequestStatus = "draft"
	StatusOpen     ChangeRequestStatus = "open"
	StatusArchived ChangeRequestStatus = "archived"
	StatusMerged   ChangeRequestStatus = "merged"
)

// Values returns the values of ChangeRequestStatus.
func (ChangeRequestStatus) Values() []ChangeRequestStatus {
	return []ChangeRequestStatus{StatusDraft, StatusOpen, StatusArchived, StatusMerged}
}

// ChangeRequestRef identifies a change request.
type ChangeRequestRef struct {
	Space         string `path:"spaceId" pattern:"id"`
	ChangeRequest string `path:"changeRequestId" pattern:"id" doc:"Its id, or its number in the space."`
}

// ListChangeRequestsInput is the input of ListChangeRequests.
type ListChangeRequestsInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
	Status ChangeRequestStatus `query:"status" default:"open" doc:"Only change requests in this state."`
	ChangeRequestPeople
	OrderBy ChangeRequestOrder `query:"orderBy" default:"createdAt" doc:"The newest, or the last changed, first."`
	ChangeRequestTopic
}

// ChangeRequestTopic is the topic filter of the public API. CheckParams rejects requests that use it.
type ChangeRequestTopic struct {
	Topic string `query:"topic" len:"..200" doc:"Refused: change requests have no topics."`
}

// CheckParams rejects topic, because change requests have no topics in wsd.
func (t ChangeRequestTopic) CheckParams() []FieldError {
	return rejectParam("topic", t.Topic != "", "cannot be asked for: change requests have no topics here")
}

// rejectParam returns an error with the given reason if a parameter that wsd does not support is given.
func rejectParam(name string, given bool, reason string) []FieldError {
	if !given {
		return nil
	}
	return []FieldError{{Path: name, Message: reason}}
}

// ChangeRequestPeople filters lists of change requests by people. All given filters must match.
type ChangeRequestPeople struct {
	Creator           string `query:"creator" pattern:"id" doc:"Only those that this user created."`
	Contributor       string `query:"contributor" pattern:"id" doc:"Only those that this user created or edited."`
	RequestedReviewer string `query:"requestedReviewer" pattern:"id" doc:"Only those that this user was asked to review."`
}

// ChangeRequestOrder is the time by which a list of change requests is sorted, latest first.
type ChangeRequestOrder string

// Values of ChangeRequestOrder.
const (
	ByUpdate   ChangeRequestOrder = "updatedAt"
	ByCreation ChangeRequestOrder = "createdAt"
)

// Values returns the orders.
func (ChangeRequestOrder) Values() []ChangeRequestOrder {
	return []ChangeRequestOrder{ByUpdate, ByCreation}
}

// CreateChangeRequestInput is the input of CreateChangeRequest.
type CreateChangeRequestInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  ChangeRequestCreate
}

// ChangeRequestCreate is the body of CreateChangeRequest.
type ChangeRequestCreate struct {
	Subject     string                `json:"subject,omitzero" len:"0..100"`
	Description Optional[Description] `json:"description,omitzero" len:"0..10000" format:"markdown" null:"true" doc:"What it is for and how to review it: Markdown, {markdown}, {document}, or a document."`
	AgentTaskID string                `json:"agentTaskId,omitzero" len:"1..100" pattern:"id" doc:"The agent task that the change request carries out."`
	Revision    string                `json:"revision,omitzero" len:"1..100" pattern:"id" doc:"The revision of the space that it begins at: the head, which is the default, one of the 1,000 before it, or one of a change request that was merged with them."`
	Pushing     bool                  `json:"pushing,omitzero" doc:"The caller is going to push to it in several steps: until that is ended it can be neither opened nor merged."`
	Template    JSONObject            `json:"template,omitzero" len:"..20" keys:"..100" each:"..10000" doc:"Refused: there are no templates of spaces."`
}

// Validate rejects a template, which wsd does not support.
func (c ChangeRequestCreate) Validate() []FieldError { return rejectTemplate(c.Template) }

// UpdateChangeRequestInput is the input of UpdateChangeRequest.
type UpdateChangeRequestInput struct {
	ChangeRequestRef
	Body ChangeRequestPatch
}

// ChangeRequestPatch is the body of UpdateChangeRequest.
type ChangeRequestPatch struct {
	Subject     Optional[string]                   `json:"subject,omitzero" len:"0..100"`
	Description Optional[Description]              `json:"description,omitzero" len:"0..10000" format:"markdown" null:"true" doc:"What it is for and how to review it: Markdown, {markdown}, {document}, or a document; null or an empty text removes it, {} leaves it."`
	Links       Optional[[]ChangeRequestLinkInput] `json:"links,omitzero" len:"0..50" doc:"All of them: those that are left out go."`
	Status      Optional[ChangeRequestStatus]      `json:"status,omitzero" enum:"draft,open,archived" doc:"merged is reached by merging only."`
	Pushing     Optional[bool]                     `json:"pushing,omitzero" doc:"true starts a push of the caller, false ends it; archiving ends it, too. Who pushes and admins of the space may end it."`
}

// Validate checks that no id of a link is used twice and that no push starts in an archived change request.
func (p ChangeRequestPatch) Validate() []FieldError {
	links, _ := p.Links.Get()
	var wrong []FieldError
	known := map[string]bool{}
	for i, l := range links {
		if l.ID != "" && known[l.ID] {
			wrong = append(wrong, FieldError{Path: fmt.Sprintf("links[%d].id", i), Message: "is used twice"})
		}
		known[l.ID] = true
	}
	status, _ := p.Status.Get()
	if pushing, _ := p.Pushing.Get(); pushing && status == StatusArchived {
		wrong = append(wrong, FieldError{Path: "pushing", Message: "does not go with the status archived, which ends a push"})
	}
	return wrong
}

// ChangeRequestLinkInput is a link of a change request.
type ChangeRequestLinkInput struct {
	ID    string `json:"id,omitzero" len:"1..100" pattern:"id" doc:"Of a link that is there, or of the caller's own; default a new one."`
	Ref   URLRef `json:"ref" doc:"Where it leads."`
	Title string `json:"title,omitzero" len:"0..250"`
}

// ChangeRequestLink is a link from a change request to an external resource, such as a ticket or a discussion.
type ChangeRequestLink struct {
	ID    string `json:"id"`
	Ref   URLRef `json:"ref"`
	Title string `json:"title,omitzero"`
}

// URLRef is a ContentRef of kind url.
type URLRef struct {
	Kind string `json:"kind" enum:"url"`
	URL  string `json:"url" len:"1..2048" format:"uri"`
}

// PullInput is the input of PullChangeRequest.
type PullInput struct {
	ChangeRequestRef
	Body Pull
}

// Pull is the body of PullChangeRequest.
type Pull struct {
	Resolutions   []Resolution `json:"resolutions,omitzero" len:"0..1000" doc:"One per conflict; applied only when every conflict has one."`
	Revision      string       `json:"revision,omitzero" pattern:"id" doc:"The head of the change request that they were made for; if it has moved, nothing is applied."`
	SpaceRevision string       `json:"spaceRevision,omitzero" pattern:"id" doc:"Likewise the head of the space."`
}

// MergeInput is the input of MergeChangeRequest.
type MergeInput struct {
	ChangeRequestRef
	Body Merge
}

// Merge is the body of MergeChangeRequest.
type Merge struct {
	Resolutions   []Resolution `json:"resolutions,omitzero" len:"0..1000" doc:"One per conflict; applied only when every conflict has one."`
	Revision      string       `json:"revision,omitzero" pattern:"id" doc:"The head of the change request that is to be merged; if it has moved, nothing is applied."`
	SpaceRevision string       `json:"spaceRevision,omitzero" pattern:"id" doc:"Likewise the head of the space."`
}

// ConflictList is the result of GetChangeRequestConflicts.
type ConflictList struct {
	Revision      string     `json:"revision" doc:"The head of the change request that they were computed for."`
	SpaceRevision string     `json:"spaceRevision" doc:"Likewise the head of the space."`
	Conflicts     []Conflict `json:"conflicts" doc:"The conflicts that a merge would have now."`
}

var _ = declareView[ConflictList](ViewConflicts, "conflicts")

// MergeOutcome is the outcome of a merge or an update.
type MergeOutcome string

// Values of MergeOutcome.
const (
	OutcomeMerge     MergeOutcome = "merge"     // the change request was merged
	OutcomeUpdate    MergeOutcome = "update"    // the change request was updated from the space
	OutcomeConflicts MergeOutcome = "conflicts" // nothing was applied
)

// Values returns the outcomes.
func (MergeOutcome) Values() []MergeOutcome {
	return []MergeOutcome{OutcomeMerge, OutcomeUpdate, OutcomeConflicts}
}

// MergeResult is the result of MergeChangeRequest and PullChangeRequest.
type MergeResult struct {
	Revision  string       `json:"revision" doc:"The new head; with conflicts the unchanged one."`
	Result    MergeOutcome `json:"result"`
	Conflicts []Conflict   `json:"conflicts,omitempty" doc:"The conflicts that prevent the merge; empty if it has none."`
}

var _ = declareView[MergeResult](ViewMerge, "")

// ChangeRequestFields holds the stored members of a ChangeRequest.
type ChangeRequestFields struct {
	Object                 string              `json:"object" enum:"change-request"`
	ID                     string              `json:"id"`
	Number                 int                 `json:"number" doc:"Number in the space, from 1."`
	Status                 ChangeRequestStatus `json:"status"`
	Subject                string              `json:"subject" len:"0..100"`
	DescriptionMarkdown    string              `json:"descriptionMarkdown,omitzero" format:"markdown" doc:"What it is for, as it was written."`
	Links                  []ChangeRequestLink `json:"links,omitzero" doc:"What it is about elsewhere."`
	Space                  string              `json:"space"`
	AgentTaskID            string              `json:"agentTaskId,omitzero" doc:"The agent task that the change request carries out."`
	CreatedAt              Time                `json:"createdAt"`
	RevisionInitial        string              `json:"revisionInitial" doc:"The revision of the space from which the change request started."`
	RevisionMergedAncestor string              `json:"revisionMergedAncestor,omitzero" doc:"The revision of the space that the last update brought into the change request; absent without one."`
	RevisionMerged         string              `json:"revisionMerged,omitzero" doc:"The revision of the space that the merge made."`
}

// ChangeRequest is a proposed change of a space with revisions of its own.
type ChangeRequest struct {
	ChangeRequestFields
	Description *JSONDocument `json:"description,omitzero" doc:"What it is for, as a document."`
	CreatedBy   User          `json:"createdBy"`
	UpdatedAt   Time          `json:"updatedAt"`
	Revision    string        `json:"revision" doc:"The newest revision of the change request."`
	Comments    int           `json:"comments" doc:"Open comments."`
	Outdated    bool          `json:"outdated" doc:"The space has moved on since."`
	Pushing     *Push         `json:"pushing,omitzero" doc:"The push to it that is not complete; absent when there is none."`
	URLs        AppURLs       `json:"urls"`
}

var _ = declareColumns[ChangeRequest]("number,id,status,subject,createdBy.displayName=BY,comments,outdated,updatedAt," +
	"pushing.user.displayName=PUSHING")

// Push is a push to a change request that is not complete: its content is sent in several revisions.
type Push struct {
	User  User `json:"user" doc:"Who pushes."`
	Since Time `json:"since" doc:"When the push started."`
}

// GetChangeRequestPDFInput is the input of GetChangeRequestPdf.
type GetChangeRequestPDFInput struct {
	ChangeRequestRef
	PDFOptions
}

// ListContributorsInput is the input of ListChangeRequestContributors.
type ListContributorsInput struct {
	ChangeRequestRef
	ListOptions
}

// ListChangeRequestCommentersInput is the input of ListChangeRequestCommenters.
type ListChangeRequestCommentersInput struct {
	ChangeRequestRef
	ListOptions
}

// ContributionType is the kind of a contribution to a change request.
type ContributionType string

// Values of ContributionType.
const (
	ContributedEdit    ContributionType = "edit"
	ContributedComment ContributionType = "comment"
)

// Values returns the values of ContributionType.
func (ContributionType) Values() []ContributionType {
	return []ContributionType{ContributedEdit, ContributedComment}
}

// Contributor is a user's contribution to a change request. A user who edited and commented is listed twice.
type Contributor struct {
	User       User             `json:"user"`
	ActionType ContributionType `json:"actionType"`
	Count      int              `json:"count" doc:"Revisions that the user made, or comments."`
	UpdatedAt  Time             `json:"updatedAt" doc:"When the last of them was made."`
}

var _ = declareColumns[Contributor]("user.id=USER,user.displayName=NAME,actionType=DID,count,updatedAt")

// ListReviewersInput is the input of ListChangeRequestReviewers.
type ListReviewersInput struct {
	ChangeRequestRef
	ListOptions
}

// RequestReviewInput is the input of RequestChangeRequestReview.
type RequestReviewInput struct {
	ChangeRequestRef
	Body ReviewRequest
}

// ReviewRequest is the body of RequestChangeRequestReview.
type ReviewRequest struct {
	Users   []string         `json:"users" len:"1..100" each:"..100" doc:"Ids of users who can comment in the space."`
	Subject Optional[string] `json:"subject,omitzero" len:"0..100" doc:"Also change the subject."`
}

// ReviewerRef identifies a requested reviewer.
type ReviewerRef struct {
	ChangeRequestRef
	User string `path:"userId" pattern:"id"`
}

// RequestedReviewer is a user whose review was requested.
type RequestedReviewer struct {
	Object      string `json:"object" enum:"change-request-requested-reviewer"`
	Revision    string `json:"revision" doc:"The head when the review was asked for."`
	RequestedBy User   `json:"requestedBy"`
	CreatedAt   Time   `json:"createdAt"`
	Kind        string `json:"kind" enum:"user"`
	User        User   `json:"user"`
}

var _ = declareColumns[RequestedReviewer]("user.id=USER,user.displayName=NAME,requestedBy.displayName=ASKED BY,createdAt")

// RequestedReviewers is the result of RequestChangeRequestReview: the reviewers added by the call.
type RequestedReviewers struct {
	Users []RequestedReviewer `json:"users" doc:"The users who are asked to review."`
}
