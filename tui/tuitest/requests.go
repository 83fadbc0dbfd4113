package tuitest

import (
	"context"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/tui/remote"
)

func (f *Server) request() api.ChangeRequest {
	subject := "Firmware 2.4: faster readings, longer battery life"
	if f.HeadShown {
		subject = "Subject at " + f.head()
	}
	return api.ChangeRequest{
		ChangeRequestFields: api.ChangeRequestFields{
			ID: "cr_2", Number: 2, Status: f.Status, Subject: subject,
			DescriptionMarkdown: f.Description, Space: "s_1", CreatedAt: api.At(Clock.Add(-72 * time.Hour)),
		},
		URLs:      api.AppURLs{App: "https://docs.example/cr/2"},
		CreatedBy: f.Author, UpdatedAt: api.At(Clock.Add(-2 * time.Hour)), Comments: 2, Revision: f.head(), Outdated: true,
	}
}

func (f client) ChangeRequests(ctx context.Context, _ string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error) {
	if status != f.Status || f.Empty {
		return nil, f.recordCall(ctx, "requests")
	}
	all := []api.ChangeRequest{f.request()}
	if f.ManyRequests && f.firstAsked {
		second := f.request()
		second.ID, second.Number, second.Subject = "cr_1000", 1000, "The last of many"
		all = append(all, second)
	}
	f.firstAsked = true
	return all, f.recordCall(ctx, "requests")
}

func (f client) FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, bool, error) {
	all, err := f.ChangeRequests(ctx, space, status)
	return all, f.ManyRequests, err
}

func (f client) ChangeRequest(ctx context.Context, _ remote.Target) (api.ChangeRequest, error) {
	err := f.recordCall(ctx, "request")
	return f.request(), err
}

func (f client) Merge(ctx context.Context, _ remote.Target, head, key string) (api.MergeResult, error) {
	return f.mergeWrite(ctx, "merge", head, key, "")
}

func (f client) Mergeability(ctx context.Context, _ remote.Target) (api.Mergeability, error) {
	answer := api.Mergeability{Rules: []api.MergeGate{
		{Rule: api.GateRole, State: api.GatePassed, Message: "Your role, reviewer, can merge."},
		{
			Rule: api.GateThreads, State: api.GateAdvice, Message: "2 comments are open.", Cause: api.CauseComments, Count: 2,
			ClearedBy: &api.GateClearers{Role: api.RoleEdit},
		},
		{
			Rule: string(api.RuleApproval), State: api.GateFailed,
			Message: "It changed after Grace\x1b[2J reviewed it: Quick start (text).",
			Cause:   api.CauseStale, Stale: []api.User{NewUser("u_2", "Grace")},
			ClearedBy: &api.GateClearers{Users: []api.User{NewUser("u_2", "Grace")}, Role: api.RoleReview},
			Unseen:    []api.UnseenChange{{ID: "p_quick", Title: "Quick start", Reason: api.UnseenText}},
		},
	}}
	if f.AsksForChanges {
		answer.Rules = append(answer.Rules, api.MergeGate{
			Rule: api.GateChangesRequested, State: api.GateAdvice, Message: "Piet requested changes.", Cause: api.CauseChangesRequested,
			Users: []api.User{NewUser("u_4", "Piet")}, ClearedBy: &api.GateClearers{
				Users: []api.User{NewUser("u_4", "Piet")},
			},
		})
	}
	if f.BlockedByConflicts {
		answer.Rules = append(answer.Rules, api.MergeGate{
			Rule: api.GateConflicts, State: api.GateFailed, Message: "2 conflicts have to be decided, in an update or in the merge.",
			Cause: api.CauseConflicts, Count: 2,
		})
	}
	if !f.Blocked {
		answer.Rules[2].State, answer.Mergeable = api.GateBypassed, true
	}
	if f.Empty {
		answer = api.Mergeability{}
	}
	if f.Gates != nil {
		failed := slices.ContainsFunc(f.Gates, func(g api.MergeGate) bool { return g.State == api.GateFailed })
		answer = api.Mergeability{Mergeable: !failed, Rules: f.Gates}
	}
	return answer, f.recordCall(ctx, "mergeability")
}

// hasWrite reports whether a write of the operation was recorded.
func (f *Server) hasWrite(operation string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.Writes, func(w string) bool { return strings.HasPrefix(w, operation+" ") })
}

func (f client) Reviews(ctx context.Context, _ remote.Target) ([]api.Review, []api.RequestedReviewer, error) {
	review := func(by api.User, status api.ReviewStatus, outdated bool) api.Review {
		return api.Review{
			ReviewFields: api.ReviewFields{Status: status, CreatedAt: api.At(Clock.Add(-time.Hour))}, Reviewer: by, Outdated: outdated,
		}
	}
	reviews := []api.Review{
		review(NewUser("u_3", "Lin"), api.ReviewApproved, !f.Approved || f.hasWrite("edit")), review(NewUser("u_3", "Lin"),
			api.ReviewChangesRequested, true),
		review(NewUser("u_4", "Piet"), api.ReviewChangesRequested, false),
	}
	asked := []api.RequestedReviewer{
		{User: NewUser("u_1", "Ada"), RequestedBy: NewUser("u_2", "Grace"), CreatedAt: api.At(Clock.Add(-3 * time.Hour))},
	}
	asked = append(asked, f.RequestedReviewers...)
	if f.Reviewed {
		reviews = append(reviews, review(NewUser("u_1", "Ada"), api.ReviewChangesRequested, true))
	}
	if f.Empty {
		reviews, asked = nil, nil
	}
	if f.ReviewList != nil {
		reviews, asked = f.ReviewList, f.RequestedReviewers
	}
	return append(slices.Clone(f.outdatedVerdicts), reviews...), asked, f.recordCall(ctx, "reviews")
}

// checkHead returns nil if head is the head of the change request, and otherwise the error of the server for an outdated head.
func (f *Server) checkHead(head string) error {
	if now := f.request().Revision; now != head {
		return api.Errorf(412, api.ReasonPrecondition, "It has changed since: If-Match is %s.", head)
	}
	return nil
}

func (f client) Pull(
	ctx context.Context, _ remote.Target, head string, resolutions []api.Resolution, key string,
) (api.MergeResult, error) {
	var takes []string
	for _, r := range resolutions {
		own, _ := r.Text.Get()
		takes = append(takes, r.Conflict+"="+string(r.Take)+own)
	}
	return f.mergeWrite(ctx, "pull", head, key, strings.Join(takes, ","))
}

func (f client) Conflicts(ctx context.Context, _ remote.Target) (api.ConflictList, error) {
	return api.ConflictList{Revision: f.head(), Conflicts: f.ConflictList}, f.recordCall(ctx, "conflicts")
}

func (f *Server) mergeWrite(ctx context.Context, operation, head, key, what string) (api.MergeResult, error) {
	if err := f.recordCall(ctx, operation); err != nil {
		return api.MergeResult{}, err
	}
	if err := f.checkHead(head); err != nil {
		return api.MergeResult{}, err
	}
	f.record(key, operation+" "+what)
	f.confirm(operation, head)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.MergeResults) == 0 {
		return api.MergeResult{Revision: "r_2", Result: api.OutcomeMerge}, nil
	}
	next := f.MergeResults[0]
	f.MergeResults = f.MergeResults[1:]
	return next, nil
}

// ConflictResult returns the result of a merge with two conflicts.
func ConflictResult() api.MergeResult {
	answers := func(takes ...api.ResolutionTake) (list []api.ConflictAnswer) {
		for _, take := range takes {
			list = append(list, api.ConflictAnswer{Take: take, Effect: "It is as " + string(take) + " says."})
		}
		return list
	}
	side := func(base, value string) api.ConflictSide {
		return api.ConflictSide{Value: value, Runs: diff.Runs(context.Background(), base, value)}
	}
	day, words := "Answer within 15 minutes.", "Words."
	both := "Answer within 10 minutes. Answer within 25 minutes at night."
	mine := side(day, "Answer within 25 minutes at night.")
	mine.By, mine.At, mine.ChangeRequest = &api.ConflictAuthor{ID: "u_1", DisplayName: "Ada"}, new(api.At(Clock.Add(-3*time.Hour))),
		&api.HistoryRequest{ID: "cr_2", Number: 2}
	return api.MergeResult{Revision: "r_1", Result: api.OutcomeConflicts, Conflicts: []api.Conflict{
		{
			ID: "x_1", Kind: "text", Title: "On call", Page: "p_quick", Block: "b_1", Place: "paragraph 1, sentence 2 of 3",
			Summary: "The space and the change request changed this sentence differently.",
			Base:    &api.ConflictSide{Value: day}, Ours: side(day, "Answer within 10 minutes."), Theirs: mine, Proposed: &both,
			Before: "Keep the phone on.", After: "Then write it down.", Answers: answers(api.TakeOurs, api.TakeTheirs, api.TakeBoth,
				api.TakeText),
		},
		{
			ID: "x_2", Kind: "deleted", Title: "Old page", Place: "Table of contents", Summary: "The space deleted “Old page”, the " +
				"change request changed it.",
			Base: &api.ConflictSide{Value: words}, Ours: api.ConflictSide{
				Value: "Deleted.", Absent: true,
			}, Theirs: side(words, "More words."), Answers: answers(api.TakeOurs, api.TakeTheirs),
		},
	}}
}
