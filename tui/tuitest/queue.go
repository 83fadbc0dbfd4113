package tuitest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// queueState is the state of a Server for change requests of the whole organization and for the timeline.
type queueState struct {
	Words      map[string]api.WordCount // changed words by page
	Counts     api.QueueCounts
	CountsETag string
	Polls      []string // requests for counts and timelines, with the known version
	saved      []api.SavedQuery
	Events     []api.TimelineEvent
	Earlier    []api.TimelineEvent // earlier events, loaded separately
	LastLook   string
	Looks      []string
	Pending    bool // nothing is computed yet
	ExtraOpen  int  // number of additional open change requests
}

// timelineEvents returns the events of the change request.
func timelineEvents() []api.TimelineEvent {
	grace, ada := NewUser("u_2", "Grace"), NewUser("u_1", "Ada")
	event := func(n int, kind api.TimelineKind, ago time.Duration) api.TimelineEvent {
		return api.TimelineEvent{
			Cursor: fmt.Sprintf("e_%d", n), Kind: kind, At: api.At(Clock.Add(-ago)), By: &grace, Revision: fmt.Sprintf("r_%d", n),
		}
	}
	asked := event(2, api.TimelineAsked, 50*time.Hour)
	asked.Users = []api.User{ada}
	edited := event(3, api.TimelineEdited, 25*time.Hour)
	edited.Page, edited.PageTitle = "p_quick", "Quick start"
	replied := event(4, api.TimelineReplied, 4*time.Hour)
	replied.Page, replied.PageTitle, replied.Comment = "p_quick", "Quick start", "c_1"
	return []api.TimelineEvent{event(1, api.TimelineCreated, 72*time.Hour), asked, edited, replied}
}

func newQueue() queueState {
	return queueState{
		Words:  map[string]api.WordCount{"p_quick": {Added: 14, Removed: 6}, "p_new": {Added: 160}, "p_gone": {Removed: 1}},
		Counts: api.QueueCounts{ReviewRequested: 2, NewSinceReview: 1, NeedsAnswer: 1, Ready: 1, Waiting: 1}, CountsETag: `"1"`,
		Events: timelineEvents(), LastLook: "e_2",
	}
}

// queuedRequests returns the open change requests of the organization.
func (f *Server) queuedRequests() []api.QueuedChangeRequest {
	ada, grace := NewUser("u_1", "Ada"), NewUser("u_2", "Grace")
	one := func(
		number int, space, subject string, by api.User, reason api.QueueReason, ago time.Duration, s api.RequestSummary,
	) api.QueuedChangeRequest {
		r := f.request()
		r.ID, r.Number, r.Space, r.Subject, r.CreatedBy = fmt.Sprintf("cr_%d", number), number, space, subject, by
		r.UpdatedAt = api.At(Clock.Add(-ago))
		return api.QueuedChangeRequest{ChangeRequest: r, Reason: reason, Summary: s}
	}
	checks := func(holding int, stops string) *api.SummaryChecks {
		return &api.SummaryChecks{Holding: holding, Total: 9, Stops: stops}
	}
	words := func(pages, added, removed int) *api.SummaryChanges {
		return &api.SummaryChanges{Pages: pages, Added: added, Removed: removed}
	}
	asked := api.RequestSummary{
		Changes: words(4, 212, 48), Merge: &api.SummaryMerge{}, Checks: checks(6, "review"), Read: &api.SummaryRead{Read: 1, Total: 4},
		Threads: api.SummaryThreads{Open: 3},
		AskedAt: api.At(Clock.Add(-50 * time.Hour)), AskedBy: &grace,
	}
	first := one(2, "s_1", "", grace, api.ReviewRequested, 2*time.Hour, asked)
	first.Subject = f.request().Subject
	first.Summary.Changes.PageIDs = []string{"p_gone", "p_new", "p_quick"}
	all := []api.QueuedChangeRequest{
		first,
		one(31, "s_2", "无线电：10 分贝的余量意味着什么，为什么不能省", NewUser("u_4", "Piet"), api.ReviewRequested, 5*time.Hour,
			api.RequestSummary{Pending: true}),
		one(27, "s_1", "Wind arm: torque, not feeling", grace, api.NewSinceReview, time.Hour, api.RequestSummary{
			Changes: &api.SummaryChanges{
				Pages: 6, Added: 90, Removed: 3, PageIDs: []string{"p_quick"},
			}, Merge: &api.SummaryMerge{}, Checks: checks(9, ""), Read: &api.SummaryRead{Read: 5, Total: 6},
			Threads: api.SummaryThreads{Open: 1, Waiting: 1},
			Verdict: &api.SummaryVerdict{Status: api.ReviewApproved, Revision: "r_3", Edited: true, Replies: 3},
		}),
		one(9, "s_3", "New hires: the first week", ada, api.NeedsAnswer, 30*time.Hour, api.RequestSummary{
			Changes: words(3, 140, 22), Merge: &api.SummaryMerge{Conflicts: 1}, Checks: checks(5, "conflicts"), ChangesRequested: 1,
			Threads: api.SummaryThreads{Open: 4, Waiting: 2},
		}),
		one(14, "s_3", "Backups: where the second copy lives", ada, api.ReadyToMerge, 20*time.Minute, api.RequestSummary{
			Changes: words(2, 31, 9), Merge: &api.SummaryMerge{}, Checks: checks(8, ""), Ready: true, Approvals: 2,
		}),
		one(33, "s_1", "A picture of the wind arm", ada, api.WaitingForOther, 90*time.Hour, api.RequestSummary{
			Changes: &api.SummaryChanges{Others: 1}, Merge: &api.SummaryMerge{}, Checks: checks(8, ""),
		}),
	}
	if f.Queue.Pending {
		for i := range all {
			s := &all[i].Summary
			s.Pending, s.Changes, s.Merge, s.Checks, s.Read = true, nil, nil, nil, nil
		}
	}
	for i := range f.Queue.ExtraOpen {
		all = append(all, one(100+i, "s_1", fmt.Sprintf("One of many, %d", i), grace, "", time.Duration(i)*time.Minute, asked))
	}
	return all
}

// mergedRequests returns the merged change requests of the organization.
func (f *Server) mergedRequests() []api.QueuedChangeRequest {
	var all []api.QueuedChangeRequest
	for i, subject := range []string{"More time to acknowledge a page at night", "The office in winter"} {
		r := f.queuedRequests()[0].ChangeRequest
		r.ID, r.Number, r.Subject, r.Status = fmt.Sprintf("cr_%d", 5-i), 5-i, subject, api.StatusMerged
		r.UpdatedAt = api.At(Clock.Add(-time.Duration(i*240+49) * time.Hour))
		all = append(all, api.QueuedChangeRequest{
			ChangeRequest: r, Summary: api.RequestSummary{Changes: &api.SummaryChanges{Pages: 1 + i, Added: 20}},
		})
	}
	return all
}

func (f client) Queued(ctx context.Context, _ string, query api.SavedQuery) ([]api.QueuedChangeRequest, bool, error) {
	if f.Empty {
		return nil, false, f.recordCall(ctx, "queued")
	}
	all := f.queuedRequests()
	if slices.Contains(query.Status, api.StatusMerged) {
		if past := f.mergedRequests(); len(query.Status) == 1 {
			all = past
		} else {
			all = append(all, past...)
		}
		slices.SortStableFunc(all, func(a, b api.QueuedChangeRequest) int { return b.UpdatedAt.Compare(a.UpdatedAt.Time) })
	}
	all = slices.DeleteFunc(all, func(r api.QueuedChangeRequest) bool {
		return len(query.Reason) > 0 && !slices.Contains(query.Reason, r.Reason) || query.Space != "" && r.Space != query.Space ||
			query.Creator != "" && r.CreatedBy.ID != query.Creator
	})
	return all, false, f.recordCall(ctx, "queued")
}

func (f client) Counts(ctx context.Context, _, seen string) (api.QueueCounts, string, error) {
	err := f.recordCall(ctx, "counts")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Queue.Polls = append(f.Queue.Polls, "counts "+seen)
	if err == nil && seen == f.Queue.CountsETag {
		return api.QueueCounts{}, seen, remote.ErrNotModified
	}
	return f.Queue.Counts, f.Queue.CountsETag, err
}

func (f client) SavedQueries(ctx context.Context, _ string) ([]api.SavedQuery, error) {
	return f.Queue.saved, f.recordCall(ctx, "saved-queries")
}

func (f client) SaveQueries(ctx context.Context, _ string, all []api.SavedQuery, key string) error {
	var what strings.Builder
	for _, q := range all {
		what.WriteString(q.Name + " " + q.Space + q.Creator + ";")
	}
	again, err := f.write(ctx, "save-queries", key, what.String())
	if err == nil && !again {
		f.Queue.saved = slices.Clone(all)
	}
	return err
}

// Edit edits the change request as a user: it gets a new head and an event, and the page p_new is unread.
func (f *Server) Edit(by api.User) {
	f.mu.Lock()
	defer f.mu.Unlock()
	number := 0
	_, _ = fmt.Sscanf(f.Head, "r_%d", &number) // 0 for other heads
	f.Head = fmt.Sprintf("r_%d", number+1)
	f.edits++
	f.Queue.Events = append(f.Queue.Events, api.TimelineEvent{
		Cursor: fmt.Sprintf("edit_%d", f.edits), Kind: api.TimelineEdited, At: api.At(Clock.Add(time.Duration(f.edits) * time.Second)),
		By:       &by,
		Revision: f.Head, Page: "p_new", PageTitle: "Power and battery", Pages: 1,
	})
	delete(f.ReadItems, "p_new")
	f.ChangedSinceRead = "p_new"
}

// cursor returns the cursor of the latest event.
func (f *Server) cursor() string {
	if n := len(f.Queue.Events); n > 0 {
		return f.Queue.Events[n-1].Cursor
	}
	return "e_0"
}

func (f client) Timeline(ctx context.Context, at remote.Target) (api.Timeline, error) {
	err := f.recordCall(ctx, "timeline")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Queue.Polls = append(f.Queue.Polls, "latest "+at.ChangeRequest)
	t := api.Timeline{Events: slices.Clone(f.Queue.Events), Cursor: f.cursor(), LastLook: f.Queue.LastLook}
	if len(f.Queue.Earlier) > 0 {
		t.Earlier = t.Events[0].Cursor
	}
	return t, err
}

func (f client) TimelineBefore(ctx context.Context, at remote.Target, cursor string) (api.Timeline, error) {
	f.mu.Lock()
	f.Queue.Polls = append(f.Queue.Polls, fmt.Sprintf("before %s %s", at.ChangeRequest, cursor))
	f.mu.Unlock()
	return api.Timeline{Events: f.Queue.Earlier}, f.recordCall(ctx, "timeline-before")
}

func (f client) TimelineAfter(ctx context.Context, at remote.Target, cursor, seen string) (api.Timeline, string, error) {
	err := f.recordCall(ctx, "timeline-after")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Queue.Polls = append(f.Queue.Polls, fmt.Sprintf("timeline %s %s %s", at.ChangeRequest, cursor, seen))
	tag := `"` + f.cursor() + `"`
	if err == nil && seen == tag {
		return api.Timeline{}, seen, remote.ErrNotModified
	}
	at0 := slices.IndexFunc(f.Queue.Events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
	return api.Timeline{Events: slices.Clone(f.Queue.Events[at0+1:]), Cursor: f.cursor()}, tag, err
}

func (f client) Look(ctx context.Context, at remote.Target, cursor, _ string) error {
	err := f.recordCall(ctx, "look")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Queue.Looks = append(f.Queue.Looks, at.ChangeRequest+" "+cursor)
	return err
}

func (f client) Words(ctx context.Context, _ remote.Target, _ string) (map[string]api.WordCount, error) {
	return maps.Clone(f.Queue.Words), f.recordCall(ctx, "words")
}

func (f client) Revisions(ctx context.Context, _ remote.Target) ([]api.HistoryEntry, error) {
	var all []api.HistoryEntry
	for i := range 7 { // after the update from the space, the fifth, the server numbers start at 1 again
		all = append(all, api.HistoryEntry{
			ID: fmt.Sprintf("r_%d", 7-i), Number: []int{5, 4, 3, 13, 12, 11, 10}[i],
			Author: UserGrace, CreatedAt: api.At(Clock.Add(-time.Duration(i) * time.Hour)),
		})
	}
	return all, f.recordCall(ctx, "revisions")
}
