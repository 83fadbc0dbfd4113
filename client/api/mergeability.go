package api

// GateState says whether something stands in the way of a merge.
type GateState string

// The states.
const (
	GatePassed   GateState = "passed"
	GateFailed   GateState = "failed"   // no merge as long as it is so
	GateAdvice   GateState = "advice"   // it does not hold, and no rule asks for it
	GateBypassed GateState = "bypassed" // it does not hold, and the caller may merge all the same
)

// Values returns the states.
func (GateState) Values() []GateState {
	return []GateState{GatePassed, GateFailed, GateAdvice, GateBypassed}
}

// The gates that every merge passes; the others are named after the merge rules that ask for them. The rules threads and
// blocking ask for the gates of the same name.
const (
	GateSpace            = "space"             // the space is not deleted
	GateStatus           = "state"             // it is a draft or open, and changes something
	GateRole             = "role"              // the caller may merge
	GateConflicts        = "conflicts"         // it can be merged without decisions
	GateUpToDate         = "up_to_date"        // it stands on the newest content of the space
	GateReview           = "review"            // somebody but its author has approved what would be merged
	GateChangesRequested = "changes_requested" // nobody asks for changes
	GateThreads          = "threads"           // no comment is open
	GateBlocking         = "blocking"          // no comment that its author calls blocking is open
	GateLinks            = "links"             // it would break no link
)

// Mergeability says of everything that a merge depends on how it stands and who can clear it.
type Mergeability struct {
	Mergeable     bool        `json:"mergeable" doc:"The caller can merge now: no rule has failed."`
	Revision      string      `json:"revision" doc:"The head of the change request that this is about."`
	SpaceRevision string      `json:"spaceRevision" doc:"Likewise the head of the space."`
	Rules         []MergeGate `json:"rules"`
}

var _ = shown[Mergeability](ViewGates, "rules")

// MergeGate is one thing that a merge depends on.
type MergeGate struct {
	Rule      string         `json:"rule" doc:"space, state, role, conflicts, up_to_date, review, changes_requested, threads, blocking, links, or the name of a merge rule."`
	State     GateState      `json:"state"`
	Message   string         `json:"message" doc:"How it stands, and why."`
	ClearedBy *GateClearers  `json:"clearedBy,omitzero" doc:"Who can change that; absent when it is passed, or when nobody can."`
	Unseen    []UnseenChange `json:"unseen,omitempty" doc:"What would be merged and is not as the reviewers saw it."`
}

var _ = columns[MergeGate]("state,rule,message,clearedBy.role=BY ROLE,clearedBy.users.0.displayName=BY")

// GateClearers are those who can clear a gate.
type GateClearers struct {
	Role  Role   `json:"role,omitzero" doc:"Everybody with this role, or a higher one, in the space."`
	Users []User `json:"users,omitempty" doc:"These people."`
}

// UnseenChange is something that is not as a review saw it.
type UnseenChange struct {
	ID     string       `json:"id,omitzero" doc:"Of the page, reusable content or file; a variable has a name only."`
	Title  string       `json:"title"`
	Reason UnseenReason `json:"reason"`
}

// UnseenReason says how something is not as a review saw it.
type UnseenReason string

// The reasons.
const (
	UnseenCreated  UnseenReason = "created"
	UnseenDeleted  UnseenReason = "deleted"
	UnseenText     UnseenReason = "text"
	UnseenPlace    UnseenReason = "place"
	UnseenSettings UnseenReason = "settings"
	UnseenIncluded UnseenReason = "included" // a reusable content or variable in it
)

// Values returns the reasons.
func (UnseenReason) Values() []UnseenReason {
	return []UnseenReason{UnseenCreated, UnseenDeleted, UnseenText, UnseenPlace, UnseenSettings, UnseenIncluded}
}
