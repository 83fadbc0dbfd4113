package api

import "slices"

// Rows of the change requests of a whole organization, as they concern whoever asks. None of them computes: what is not
// known yet for the revisions that there are is said to be pending, and is computed because somebody asked.
var (
	ListChangeRequestQueue = get[ListQueueInput, Page[QueuedChangeRequest]]("change-requests.list-queue", "/v1/orgs/{organizationId}/change-requests", "List the change requests of all spaces that the caller may comment in, last changed first, each with a summary.", as("listChangeRequestsForOrganization"))
	GetChangeRequestCounts = get[OrganizationRef, QueueCounts]("change-requests.get-counts", "/v1/orgs/{organizationId}/change-requests/counts", "Count the open change requests that concern the caller, by the reason why they do.")
)

// ListQueueInput is the input of ListChangeRequestQueue.
type ListQueueInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Status []ChangeRequestStatus `query:"status" len:"0..4" doc:"Only change requests in one of these states; open ones unless given."`
	ChangeRequestPeople
	Space   string             `query:"space" pattern:"id" doc:"Only those of this space."`
	Site    string             `query:"site" pattern:"id" doc:"Only those of spaces that this site has."`
	Reason  []QueueReason      `query:"reason" len:"0..5" doc:"Only those that concern the caller for one of these reasons; all of them are open."`
	OrderBy ChangeRequestOrder `query:"orderBy" default:"updatedAt" doc:"The last changed, or the newest, first."`
	ChangeRequestTopic
	StyleguideRun string `query:"styleguideRun" len:"..200" doc:"Refused: there are no runs of style guides."`
	Finding       string `query:"finding" enum:"none,all" default:"none" doc:"There are no findings that change requests could be made of: both list the same."`
}

// CheckParams implements the rules that schemas cannot say.
func (in ListQueueInput) CheckParams() []FieldError {
	return slices.Concat(in.ChangeRequestTopic.CheckParams(), refusedParam("styleguideRun", in.StyleguideRun != "", "cannot be asked for: there are no runs of style guides here"))
}

// QueueReason says why an open change request concerns somebody. The first that holds is the reason.
type QueueReason string

// The reasons.
const (
	ReviewRequested QueueReason = "review-requested" // they were asked for a review, and have not made it
	NewSinceReview  QueueReason = "new-since-review" // they reviewed it, and it was edited or answered since
	NeedsAnswer     QueueReason = "needs-answer"     // it is theirs, and has conflicts, is asked to change, or a thread waits for them
	ReadyToMerge    QueueReason = "ready"            // it is theirs, and they can merge it
	WaitingForOther QueueReason = "waiting"          // it is theirs, or they reviewed it, and others have to act
)

// Values returns the reasons.
func (QueueReason) Values() []QueueReason {
	return []QueueReason{ReviewRequested, NewSinceReview, NeedsAnswer, ReadyToMerge, WaitingForOther}
}

// QueuedChangeRequest is a change request with what somebody wants to know before they open it.
type QueuedChangeRequest struct {
	ChangeRequest
	Reason  QueueReason    `json:"reason,omitzero" doc:"Why it concerns the caller; absent where it does not, or is not open."`
	Summary RequestSummary `json:"summary"`
}

var _ = columns[QueuedChangeRequest]("space,number,id,status,reason,subject,createdBy.displayName=BY,summary.changes.pages=PAGES,summary.changes.added=ADDED,summary.changes.removed=REMOVED,summary.threads.open=THREADS,summary.threads.waiting=WAITING,summary.checks.stops=STOPS,summary.read.read=READ,summary.read.total=OF,updatedAt")

// RequestSummary is a change request in numbers. Reviews, threads, rules and roles are those of the moment. What is
// computed is of the revisions that there are now, or absent.
type RequestSummary struct {
	Pending          bool            `json:"pending,omitzero" doc:"Something of changes, merge, checks and read is not computed yet, and is absent. It will be."`
	Large            bool            `json:"large,omitzero" doc:"It changes so much that some of that is only computed for who opens it."`
	Ready            bool            `json:"ready" doc:"It can be merged: it is open, no check stops it, nobody asks for changes, and nobody is still asked for a review."`
	Changes          *SummaryChanges `json:"changes,omitzero" doc:"What it changes."`
	Merge            *SummaryMerge   `json:"merge,omitzero" doc:"What a merge would meet now; absent where it is finished."`
	Checks           *SummaryChecks  `json:"checks,omitzero" doc:"What a merge by the caller depends on; absent where it is finished."`
	Read             *SummaryRead    `json:"read,omitzero" doc:"What of it the caller has read."`
	Threads          SummaryThreads  `json:"threads"`
	Verdict          *SummaryVerdict `json:"verdict,omitzero" doc:"The caller's last review."`
	Approvals        int             `json:"approvals" doc:"People whose last review approves."`
	ChangesRequested int             `json:"changesRequested" doc:"People whose last review asks for changes."`
	AskedAt          Time            `json:"askedAt,omitzero" doc:"When the caller was asked for a review that is still to be made."`
	AskedBy          *User           `json:"askedBy,omitzero" doc:"Who asked."`
}

// SummaryChanges are the changes of a change request in numbers.
type SummaryChanges struct {
	Pages   int `json:"pages" doc:"Pages that it changes."`
	Others  int `json:"others" doc:"Files, reusable contents and variables that it changes."`
	Added   int `json:"added" doc:"Words."`
	Removed int `json:"removed" doc:"Words."`

	PageIDs []string `json:"pageIds,omitempty" doc:"The pages, in no order that says anything; absent where there are more than 50."`
}

// MaxSummaryPages is how many pages a summary names at most.
const MaxSummaryPages = 50

// SummaryMerge is what a merge would meet.
type SummaryMerge struct {
	Conflicts   int `json:"conflicts"`
	BrokenLinks int `json:"brokenLinks" doc:"Links that it would break."`
}

// SummaryChecks are the rules of GetChangeRequestMergeability in short.
type SummaryChecks struct {
	Holding int    `json:"holding" doc:"How many hold, or may be bypassed by the caller."`
	Total   int    `json:"total"`
	Stops   string `json:"stops,omitzero" doc:"The rule of the first that stops a merge by the caller, as in mergeability; absent if none does."`
	Advice  string `json:"advice,omitzero" doc:"The rule of the first that does not hold and stops nothing."`
}

// SummaryRead is how much somebody has read, as in Reading.
type SummaryRead struct {
	Read  int `json:"read"`
	Total int `json:"total"`
}

// SummaryThreads are the open threads of a change request.
type SummaryThreads struct {
	Open    int `json:"open"`
	Waiting int `json:"waiting" doc:"Of these, those that wait for the caller: it is on their change request or they began it, and the last word is another's. Only the last 100 are looked at."`
}

// SummaryVerdict is the last review of the caller, and what is new since.
type SummaryVerdict struct {
	Status   ReviewStatus `json:"status"`
	Revision string       `json:"revision" doc:"The revision that was reviewed."`
	Edited   bool         `json:"edited" doc:"It was edited since."`
	Replies  int          `json:"replies" doc:"Comments and replies of others in open threads since. Only the last 100 threads are looked at, and of each the last word."`
}

// QueueCounts are how many open change requests concern somebody, by the reason.
type QueueCounts struct {
	ReviewRequested int `json:"reviewRequested"`
	NewSinceReview  int `json:"newSinceReview"`
	NeedsAnswer     int `json:"needsAnswer"`
	Ready           int `json:"ready"`
	Waiting         int `json:"waiting"`
	Pending         int `json:"pending,omitzero" doc:"Of those that wait, so many may turn out to be ready or to need an answer: it is not computed yet."`
}
