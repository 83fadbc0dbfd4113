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
	GateStatus           = "state"             // it is a draft or open, and has changes
	GateRole             = "role"              // the caller may merge
	GateConflicts        = "conflicts"         // it can be merged without resolutions
	GateUpToDate         = "up_to_date"        // it is based on the current content of the space
	GateReview           = "review"            // somebody other than its author has approved the current changes
	GateChangesRequested = "changes_requested" // no reviewer requests changes
	GateThreads          = "threads"           // no comment is open
	GateBlocking         = "blocking"          // no comment marked as blocking is open
	GateLinks            = "links"             // it would not break links
)

// Mergeability lists the gates of a merge with their states and the users who can clear them.
type Mergeability struct {
	Mergeable     bool        `json:"mergeable" doc:"The caller can merge now: no rule has failed."`
	Revision      string      `json:"revision" doc:"The head of the change request that this is about."`
	SpaceRevision string      `json:"spaceRevision" doc:"Likewise the head of the space."`
	Rules         []MergeGate `json:"rules"`
}

var _ = declareView[Mergeability](ViewGates, "rules")

// MergeGate is a condition of a merge.
type MergeGate struct {
	Rule      string         `json:"rule" doc:"space, state, role, conflicts, up_to_date, review, changes_requested, threads, blocking, links, or the name of a merge rule."`
	State     GateState      `json:"state"`
	Message   string         `json:"message" doc:"How it stands, and why."`
	ClearedBy *GateClearers  `json:"clearedBy,omitzero" doc:"Who can change that; absent when it is passed, or when nobody can."`
	Unseen    []UnseenChange `json:"unseen,omitempty" doc:"What would be merged and is not as the reviewers saw it."`
}

var _ = columns[MergeGate]("state,rule,message,clearedBy.role=BY ROLE,clearedBy.users.0.displayName=BY")

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
