package api

import "slices"

// Routes of the review queue: the change requests of an organization that concern the caller. They compute nothing
// while the caller waits: values that are not computed yet for the current revisions are reported as pending, and
// their computation is started.
var (
	ListChangeRequestQueue = get[ListQueueInput, Page[QueuedChangeRequest]]("change-requests.list-queue",
		"/v1/orgs/{organizationId}/change-requests", "List the change requests of all spaces that the caller may comment in, last "+
			"changed first, each with a summary.", withOperation("listChangeRequestsForOrganization"))
	GetChangeRequestCounts = get[OrganizationRef, QueueCounts]("change-requests.get-counts",
		"/v1/orgs/{organizationId}/change-requests/counts", "Count the open change requests that concern the caller, by the reason why "+
			"they do.")
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

// CheckParams rejects topic and styleguideRun, because wsd has no topics of change requests and no runs of style guides.
func (in ListQueueInput) CheckParams() []FieldError {
	return slices.Concat(in.ChangeRequestTopic.CheckParams(), rejectParam("styleguideRun", in.StyleguideRun != "",
		"cannot be asked for: there are no runs of style guides here"))
}

// QueueReason is the reason why an open change request is in a user's queue. The first that applies is used.
type QueueReason string

// Values of QueueReason.
const (
	ReviewRequested QueueReason = "review-requested" // the user's review is requested and not submitted
	NewSinceReview  QueueReason = "new-since-review" // edited or answered since the user's review
	// created by the user, and has conflicts, requested changes or a thread that needs a reply.
	NeedsAnswer     QueueReason = "needs-answer"
	ReadyToMerge    QueueReason = "ready"   // created by the user, and can be merged
	WaitingForOther QueueReason = "waiting" // created or reviewed by the user, and waiting for others
)

// Values returns the values of QueueReason.
func (QueueReason) Values() []QueueReason {
	return []QueueReason{ReviewRequested, NewSinceReview, NeedsAnswer, ReadyToMerge, WaitingForOther}
}

// QueuedChangeRequest is an entry of the review queue: a change request with a summary.
type QueuedChangeRequest struct {
	ChangeRequest
	Reason  QueueReason    `json:"reason,omitzero" doc:"Why it concerns the caller; absent where it does not, or is not open."`
	Summary RequestSummary `json:"summary"`
}

var _ = declareColumns[QueuedChangeRequest](
	"space,number,id,status,reason,subject,createdBy.displayName=BY," +
		"summary.changes.pages=PAGES,summary.changes.added=ADDED,summary.changes.removed=REMOVED," +
		"summary.threads.open=THREADS,summary.threads.waiting=WAITING,summary.checks.stops=STOPS," +
		"summary.read.read=READ,summary.read.total=OF,updatedAt")

// RequestSummary summarizes a change request. Reviews, threads, rules and roles are current; computed values are
// those of the current revisions, or absent.
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

// SummaryChanges counts the changes of a change request.
type SummaryChanges struct {
	Pages   int `json:"pages" doc:"Pages that it changes."`
	Others  int `json:"others" doc:"Files, reusable contents and variables that it changes."`
	Added   int `json:"added" doc:"Words."`
	Removed int `json:"removed" doc:"Words."`

	PageIDs []string `json:"pageIds,omitempty" doc:"The pages, in no order that says anything; absent where there are more than 50."`
}

// MaxSummaryPages is the maximum number of pages listed in a summary.
const MaxSummaryPages = 50

// SummaryMerge is the result of a trial merge.
type SummaryMerge struct {
	Conflicts   int `json:"conflicts" doc:"Number of conflicts."`
	BrokenLinks int `json:"brokenLinks" doc:"Links that it would break."`
}

// SummaryChecks summarizes the gates of GetChangeRequestMergeability.
type SummaryChecks struct {
	Holding int    `json:"holding" doc:"How many hold, or may be bypassed by the caller."`
	Total   int    `json:"total" doc:"Number of conditions."`
	Stops   string `json:"stops,omitzero" doc:"The rule of the first that stops a merge by the caller, as in mergeability; absent if none does."`
	Advice  string `json:"advice,omitzero" doc:"The rule of the first that does not hold and stops nothing."`
}

// SummaryRead is the reading progress of the caller, as in Reading.
type SummaryRead struct {
	Read  int `json:"read" doc:"Number of changes that the caller has marked as read."`
	Total int `json:"total" doc:"Number of changes: pages, files, reusable contents and variables."`
}

// SummaryThreads counts the open threads of a change request.
type SummaryThreads struct {
	Open    int `json:"open" doc:"Number of comments that are not resolved."`
	Waiting int `json:"waiting" doc:"Of these, those that wait for the caller: it is on their change request or they began it, and the last word is another's. Only the last 100 are looked at."`
}

// SummaryVerdict is the last review of the caller and the changes since.
type SummaryVerdict struct {
	Status   ReviewStatus `json:"status"`
	Revision string       `json:"revision" doc:"The revision that was reviewed."`
	Edited   bool         `json:"edited" doc:"It was edited since."`
	Replies  int          `json:"replies" doc:"Comments and replies of others in open threads since. Only the last 100 threads are looked at, and of each the last word."`
}

// QueueCounts counts the entries of a user's queue by reason.
type QueueCounts struct {
	ReviewRequested int `json:"reviewRequested" doc:"Change requests that the caller is asked to review."`
	NewSinceReview  int `json:"newSinceReview" doc:"Change requests with edits or replies since the caller reviewed them."`
	NeedsAnswer     int `json:"needsAnswer" doc:"Change requests of the caller with a comment that waits for an answer, with conflicts, or for which changes were requested."`
	Ready           int `json:"ready" doc:"Change requests of the caller that can be merged."`
	Waiting         int `json:"waiting" doc:"Change requests that the caller made or has reviewed, and that wait for others."`
	Pending         int `json:"pending,omitzero" doc:"Of those that wait, so many may turn out to be ready or to need an answer: it is not computed yet."`
}
