package api

// GateState is the state of a merge gate.
type GateState string

// Values of GateState.
const (
	GatePassed   GateState = "passed"
	GateFailed   GateState = "failed"   // prevents the merge
	GateAdvice   GateState = "advice"   // not met, but no rule requires it
	GateBypassed GateState = "bypassed" // not met, but the caller may bypass it
)

// Values returns the values of GateState.
func (GateState) Values() []GateState {
	return []GateState{GatePassed, GateFailed, GateAdvice, GateBypassed}
}

// The gates of every merge. Other gates are named after the merge rules that require them; the rules threads and
// blocking require the gates of the same names.
const (
	GateSpace            = "space"             // the space is not deleted
	GateStatus           = "state"             // the change request is a draft or open, and has changes
	GatePush             = "push"              // no push to the change request is incomplete; listed only while one is
	GateRole             = "role"              // the caller may merge
	GateConflicts        = "conflicts"         // the change request can be merged without resolutions
	GateUpToDate         = "up_to_date"        // the change request is based on the current content of the space
	GateReview           = "review"            // a user other than its author has approved the current changes
	GateChangesRequested = "changes_requested" // no reviewer requests changes
	GateThreads          = "threads"           // no comment is open
	GateBlocking         = "blocking"          // no comment marked as blocking is open
	GateLinks            = "links"             // the merge would not break links
)

// Mergeability lists the gates of a merge with their states and the users who can clear them.
type Mergeability struct {
	Mergeable     bool        `json:"mergeable" doc:"The caller can merge now: no rule has failed."`
	Revision      string      `json:"revision" doc:"The head of the change request that this is about."`
	SpaceRevision string      `json:"spaceRevision" doc:"Likewise the head of the space."`
	Rules         []MergeGate `json:"rules" doc:"The conditions of a merge, in the order in which they are checked."`
}

var _ = declareView[Mergeability](ViewGates, "rules")

// MergeGate is a condition of a merge.
type MergeGate struct {
	Rule      string         `json:"rule" doc:"space, state, push, role, conflicts, up_to_date, review, changes_requested, threads, blocking, links, or the name of a merge rule."`
	State     GateState      `json:"state"`
	Message   string         `json:"message" doc:"How it stands, and why."`
	Cause     GateCause      `json:"cause,omitzero" doc:"Why it is not passed; absent when it is."`
	Users     []User         `json:"users,omitempty" doc:"Whom the cause names; of a passed gate, who reviewed it."`
	Stale     []User         `json:"stale,omitempty" doc:"Whose reviews are of something else than what would be merged."`
	Count     int            `json:"count,omitzero" doc:"How many conflicts, comments or links it is about."`
	Links     []string       `json:"links,omitempty" doc:"The first links that would be broken."`
	ClearedBy *GateClearers  `json:"clearedBy,omitzero" doc:"Who can change that; absent when it is passed, or when nobody can."`
	Unseen    []UnseenChange `json:"unseen,omitempty" doc:"What would be merged and is not as the reviewers saw it."`
}

var _ = declareColumns[MergeGate]("state,rule,message,clearedBy.role=BY ROLE,clearedBy.users.0.displayName=BY")

// GateCause is the reason why a gate is not passed.
type GateCause string

// Values of GateCause. Count, Users and Stale are fields of MergeGate.
const (
	CauseTrash            GateCause = "trash"             // the space is in the trash
	CauseArchived         GateCause = "archived"          // the change request is archived
	CauseMerged           GateCause = "merged"            // the change request is merged already
	CauseEmpty            GateCause = "empty"             // the change request changes nothing
	CausePushing          GateCause = "pushing"           // Users are pushing to the change request
	CauseRole             GateCause = "role"              // the role of the caller does not suffice
	CauseConflicts        GateCause = "conflicts"         // Count conflicts are unresolved
	CauseOutdated         GateCause = "outdated"          // the space has changed since the last update
	CauseNotReviewed      GateCause = "not_reviewed"      // nobody has reviewed the change request
	CauseNotApproved      GateCause = "not_approved"      // nobody has approved it; if Users is set, these users have to approve it
	CauseNoneApproved     GateCause = "none_approved"     // none of Users has approved the change request; one has to
	CauseOwnVerdict       GateCause = "own_verdict"       // only the author has reviewed or approved the change request
	CauseChangesRequested GateCause = "changes_requested" // Users request changes
	CauseStale            GateCause = "stale"             // the change request has changed since Stale reviewed it
	CauseComments         GateCause = "comments"          // Count comments are open
	CauseBlockingComments GateCause = "blocking_comments" // Count blocking comments are open
	CauseLinks            GateCause = "links"             // Count links would be broken
	CauseNoSubject        GateCause = "no_subject"        // the change request has no subject
	CauseNotAuthor        GateCause = "not_author"        // only the author, listed in Users, may merge
	CauseCustom           GateCause = "custom"            // a custom rule is not fulfilled
	CauseUnknownRule      GateCause = "unknown_rule"      // the rule is unknown to the server
)

// Values returns the values of GateCause.
func (GateCause) Values() []GateCause {
	return []GateCause{
		CauseTrash, CauseArchived, CauseMerged, CauseEmpty, CausePushing, CauseRole,
		CauseConflicts, CauseOutdated, CauseNotReviewed, CauseNotApproved,
		CauseNoneApproved, CauseOwnVerdict, CauseChangesRequested, CauseStale, CauseComments, CauseBlockingComments, CauseLinks,
		CauseNoSubject, CauseNotAuthor, CauseCustom, CauseUnknownRule,
	}
}

// GateClearers are the users who can clear a gate.
type GateClearers struct {
	Role  Role   `json:"role,omitzero" doc:"Everybody with this role, or a higher one, in the space."`
	Users []User `json:"users,omitempty" doc:"These people."`
}

// UnseenChange is a change since a review.
type UnseenChange struct {
	ID     string       `json:"id,omitzero" doc:"Of the page, reusable content or file; a variable has a name only."`
	Title  string       `json:"title"`
	Reason UnseenReason `json:"reason"`
}

// UnseenReason is the kind of a change since a review.
type UnseenReason string

// Values of UnseenReason.
const (
	UnseenCreated  UnseenReason = "created"
	UnseenDeleted  UnseenReason = "deleted"
	UnseenText     UnseenReason = "text"
	UnseenPlace    UnseenReason = "place"
	UnseenSettings UnseenReason = "settings"
	UnseenIncluded UnseenReason = "included" // an included reusable content or variable changed
)

// Values returns the values of UnseenReason.
func (UnseenReason) Values() []UnseenReason {
	return []UnseenReason{UnseenCreated, UnseenDeleted, UnseenText, UnseenPlace, UnseenSettings, UnseenIncluded}
}
