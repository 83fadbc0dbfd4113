package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// What lists say of a change request and what takes a while to find out is computed by a job and kept beside the heads,
// with the revisions that it is of: who reads it sees whether it still is about what there is now. All of it is derived.
// It goes with the heads, and where it is absent it is computed anew.

// Summary is what was computed about a change request: of its range, and of its merge into the space.
type Summary struct {
	Base     string `json:"base"`     // the first half is about what is between these
	Revision string `json:"revision"` // both halves are about this head

	Pages   int               `json:"pages,omitzero"`
	Others  int               `json:"others,omitzero"`
	Added   int               `json:"added,omitzero"`
	Removed int               `json:"removed,omitzero"`
	Sights  map[string]string `json:"sights,omitempty"` // names of what there is to read, by id
	Large   bool              `json:"large,omitzero"`   // there is too much to be kept, or it cannot be told: the first half is not known

	Space     string          `json:"space,omitzero"` // head of the space that the second half is about
	Conflicts int             `json:"conflicts,omitzero"`
	Broken    int             `json:"broken,omitzero"`
	Unchanged bool            `json:"unchanged,omitzero"`
	Seen      map[string]bool `json:"seen,omitempty"`    // reviews, and whether what would be merged is as they saw it
	Changes   []MergedPage    `json:"changes,omitempty"` // pages that a merge would change
	Many      bool            `json:"many,omitzero"`     // they are too many to be kept
	Vast      bool            `json:"vast,omitzero"`     // the second half cannot be told
}

// MergedPage is a page that a merge would change.
type MergedPage struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Title  string `json:"title"`
	Change string `json:"change"`
}

// SummariesKey is the HASH of summaries by RequestID. A space has the mark there of how far the job has come in it.
func SummariesKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "summaries") }

// ParseSummary reads the stored form; no text is an empty summary, which is about nothing.
func ParseSummary(text string) (s Summary, err error) {
	if text == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("%w: summary: %w", redis.ErrCorrupt, err)
	}
	return s, nil
}

// SummaryMark is how far the job has come that walks through the change requests of a space.
type SummaryMark struct {
	Space  string                  `json:"space"` // head when the walk began
	Status api.ChangeRequestStatus `json:"status"`
	After  string                  `json:"after,omitzero"` // member of the index by creation
}

// ParseSummaryMark reads the stored form; no text is the beginning.
func ParseSummaryMark(text string) (m SummaryMark, err error) {
	if text == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("%w: mark of summaries: %w", redis.ErrCorrupt, err)
	}
	return m, nil
}

// PutSummary writes a summary, or the mark of a space.
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

// summaryDelay is how long that job waits for more of the same.
const summaryDelay = time.Second

// The indexes of what is to be computed, by space, and of the open change requests that somebody has reviewed, by user.
// The latter is a superset, as it is made by reviews and, for those of earlier builds, by the job.
const (
	IndexWanted   = "wanted"
	IndexReviewed = "reviewed"
)

// WantedKey is the index of the summaries of a space that are to be computed, the most urgent first.
func WantedKey(org, space string) redis.Key { return IndexKey(org, IndexWanted, space) }

// ReviewedKey is the index of the change requests, by RequestID, that a user has reviewed: those that are not finished, and
// maybe others.
func ReviewedKey(org, user string) redis.Key { return IndexKey(org, IndexReviewed, user) }

// WantedBy says why a summary is to be computed: what a list showed as missing comes first.
type WantedBy string

// The reasons, by which members of WantedKey begin.
const (
	WantedByList WantedBy = "0"
	WantedByMove WantedBy = "1" // its head moved
	WantedByAll  WantedBy = "2" // the head of the space moved: all of them
)

// WantedMember is the member of a change request, or of a space.
func WantedMember(by WantedBy, id string) string { return string(by) + id }

// SplitWanted takes a member apart.
func SplitWanted(member string) (by WantedBy, id string) { return WantedBy(member[:1]), member[1:] }

// Want has the summary of a change request computed, or, by WantedByAll, those of a whole space.
func (tx *Tx) Want(org, id string, by WantedBy) {
	space := HeadSpace(id)
	tx.Add(WantedKey(org, space), WantedMember(by, id))
	tx.ScheduleOnce(org, txn.JobName(SummaryKind, space), summaryDelay)
}

// unwant forgets what was computed about something whose head goes, and what was to be.
func (tx *Tx) unwant(org, id string) {
	space := HeadSpace(id)
	for _, by := range []WantedBy{WantedByList, WantedByMove, WantedByAll} {
		tx.Remove(WantedKey(org, space), WantedMember(by, id))
	}
	tx.DeleteField(SummariesKey(org), id)
	if id == space {
		tx.Unschedule(org, txn.JobName(SummaryKind, space))
	}
}

// NoteReviewed keeps the indexes of those who have reviewed a change request.
func (tx *Tx) NoteReviewed(org string, d ChangeRequestDocument) {
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

// ForgetReviewed removes a change request that goes from those indexes.
func (tx *Tx) ForgetReviewed(org string, r txn.Record) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	for _, v := range d.Private.Verdicts {
		tx.Remove(ReviewedKey(org, v.User), RequestID(d.Fields.Space, d.Fields.Number))
	}
	return nil
}

// SplitRequestID returns the space and the number of a RequestID.
func SplitRequestID(id string) (space string, number int) {
	space, text, _ := strings.Cut(id, "-")
	number, _ = strconv.Atoi(text)
	return space, number
}
