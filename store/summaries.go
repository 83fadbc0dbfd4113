package store

import (
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Properties of change requests that are slow to compute are computed by a job and stored with the revisions they
// were computed from, so that readers can see whether they are current. Summaries are derived data: they are removed
// with the heads and recomputed if missing.

// Summary is the computed data of a change request: first about its diff, second about its merge into the space.
type Summary struct {
	Base     string `json:"base"`     // base of the diff
	Revision string `json:"revision"` // head of the change request, for both parts

	Pages          int               `json:"pages,omitzero"`
	Others         int               `json:"others,omitzero"`
	Added          int               `json:"added,omitzero"`
	Removed        int               `json:"removed,omitzero"`
	Sights         map[string]string `json:"sights,omitempty"` // states of readable items by id
	IsDiffTooLarge bool              `json:"large,omitzero"`   // the diff is too large or cannot be computed: the first part is unknown

	Space               string          `json:"space,omitzero"` // head of the space, for the second part
	Conflicts           int             `json:"conflicts,omitzero"`
	Broken              int             `json:"broken,omitzero"`
	Unchanged           bool            `json:"unchanged,omitzero"`
	Seen                map[string]bool `json:"seen,omitempty"`    // reviews, and whether the merge result is unchanged since
	Changes             []MergedPage    `json:"changes,omitempty"` // pages changed by a merge
	HasTooManyChanges   bool            `json:"many,omitzero"`     // there are too many to store
	IsSecondPartUnknown bool            `json:"vast,omitzero"`     // the second part cannot be computed
}

// MergedPage is a page changed by a merge.
type MergedPage struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Title  string `json:"title"`
	Change string `json:"change"`
}

// SummariesKey returns the key of the HASH of summaries by RequestID. The field of a space is the progress of its job.
func SummariesKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "summaries") }

// ParseSummary parses the stored form; an empty text is an empty summary.
func ParseSummary(text string) (s Summary, err error) {
	if text == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("%w: summary: %w", redis.ErrCorrupt, err)
	}
	return s, nil
}

// SummaryMark is the progress of the job that computes the summaries of a space.
type SummaryMark struct {
	Space  string                  `json:"space"` // head of the space at the start
	Status api.ChangeRequestStatus `json:"status"`
	After  string                  `json:"after,omitzero"` // last handled member of the index by creation
}

// ParseSummaryMark parses the stored form; an empty text is the beginning.
func ParseSummaryMark(text string) (m SummaryMark, err error) {
	if text == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("%w: mark of summaries: %w", redis.ErrCorrupt, err)
	}
	return m, nil
}

// PutSummary writes a summary, or the progress of a space.
func (tx *Tx) PutSummary(org, id string, s any) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("summary of %s: %w", id, err)
	}
	tx.SetField(SummariesKey(org), id, string(data))
	return nil
}

// SummaryKind is the kind of the job that computes the summaries of a space's change requests.
const SummaryKind = "summary"

// summaryDelay is the delay of a job of SummaryKind, so that it handles several changes at once.
const summaryDelay = time.Second

// Indexes of pending summaries by space, and of the open change requests reviewed by a user. The latter is a superset
// maintained by reviews and, for those of earlier builds, by the job.
const (
	IndexPendingSummaries = "wanted"
	IndexReviewed         = "reviewed"
)

// PendingSummariesKey returns the key of the index of the pending summaries of a space, most urgent first.
func PendingSummariesKey(org, space string) redis.Key {
	return IndexKey(org, IndexPendingSummaries, space)
}

// ReviewedKey returns the key of the index of the change requests, by RequestID, that a user has reviewed: all unfinished ones, and
// possibly others.
func ReviewedKey(org, user string) redis.Key { return IndexKey(org, IndexReviewed, user) }

// SummaryReason is the reason why a summary is pending. Summaries that a list lacks are computed first.
type SummaryReason string

// Reasons, which are the prefixes of members of PendingSummariesKey.
const (
	WantedByList      SummaryReason = "0"
	SummaryHeadMoved  SummaryReason = "1" // its head moved
	SummarySpaceMoved SummaryReason = "2" // the head of the space moved: all summaries of the space
)

// PendingSummaryMember returns the member of PendingSummariesKey for a change request or a space.
func PendingSummaryMember(by SummaryReason, id string) string { return string(by) + id }

// SplitPendingSummary returns the parts of a member that PendingSummaryMember returned.
func SplitPendingSummary(member string) (by SummaryReason, id string) {
	return SummaryReason(member[:1]), member[1:]
}

// RequestSummary requests the summary of a change request, or with SummarySpaceMoved those of a whole space.
func (tx *Tx) RequestSummary(org, id string, by SummaryReason) {
	space := HeadSpace(id)
	tx.Add(PendingSummariesKey(org, space), PendingSummaryMember(by, id))
	tx.ScheduleOnce(org, txn.JobName(SummaryKind, space), summaryDelay)
}

// dropSummary removes the summary and the pending request of a deleted head.
func (tx *Tx) dropSummary(org, id string) {
	space := HeadSpace(id)
	for _, by := range []SummaryReason{WantedByList, SummaryHeadMoved, SummarySpaceMoved} {
		tx.Remove(PendingSummariesKey(org, space), PendingSummaryMember(by, id))
	}
	tx.DeleteField(SummariesKey(org), id)
	if id == space {
		tx.Unschedule(org, txn.JobName(SummaryKind, space))
	}
}

// UpdateReviewed updates the indexes of the reviewers of a change request.
func (tx *Tx) UpdateReviewed(org string, d ChangeRequestDocument) {
	id := RequestID(d.Fields.Space, d.Fields.Number)
	status := d.Fields.Status
	for _, v := range d.Private.Verdicts {
		if status == api.StatusOpen || status == api.StatusDraft {
			tx.Add(ReviewedKey(org, v.User), id)
		} else {
			tx.Remove(ReviewedKey(org, v.User), id)
		}
	}
}

// RemoveReviewed removes a deleted change request from the indexes of its reviewers (ReviewedKey).
func (tx *Tx) RemoveReviewed(org string, r txn.Record) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	for _, v := range d.Private.Verdicts {
		tx.Remove(ReviewedKey(org, v.User), RequestID(d.Fields.Space, d.Fields.Number))
	}
	return nil
}
