package inbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// queueWorld is an organization with users who work on change requests of one space.
type queueWorld struct {
	*servertest.World

	space, page string
}

func newQueueWorld(w *servertest.World) queueWorld {
	space, page := w.NewSpaceWithPage("One sentence. Another one.\n\nA second paragraph.\n")
	return queueWorld{w, space, page}
}

// openRequest creates an open change request that updates the page with text, or inserts a new page if text is empty.
func (qw queueWorld) openRequest(as, subject, text string) api.ChangeRequestRef {
	qw.T.Helper()
	qw.Clock.Advance(time.Minute)
	r := qw.CreateRequest(as, qw.space, subject)
	if text == "" {
		qw.Edit(as, r, servertest.Insert("Of "+subject, "", "Five words of this page.\n"))
	} else {
		qw.Edit(as, r, servertest.Update(qw.page, text))
	}
	servertest.Do(qw.World, as, api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: servertest.Ref(r), Body: api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)},
	})
	return servertest.Ref(r)
}

func (qw queueWorld) requestReview(r api.ChangeRequestRef, who ...string) {
	qw.T.Helper()
	var ids []string
	for _, name := range who {
		ids = append(ids, qw.Users[name].ID)
	}
	servertest.Do(qw.World, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: r, Body: api.ReviewRequest{Users: ids},
	})
}

func (qw queueWorld) review(as string, r api.ChangeRequestRef, status api.ReviewStatus) {
	qw.T.Helper()
	qw.Clock.Advance(time.Minute)
	servertest.Do(qw.World, as, api.CreateChangeRequestReview, api.CreateReviewInput{
		ChangeRequestRef: r, Body: api.ReviewCreate{Status: status},
	})
}

func (qw queueWorld) comment(as string, r api.ChangeRequestRef) api.Comment {
	qw.T.Helper()
	qw.Clock.Advance(time.Minute)
	return servertest.Do(qw.World, as, api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: r, Body: api.CommentCreate{Body: servertest.CommentBody("Why?")},
	})
}

func (qw queueWorld) reply(as string, r api.ChangeRequestRef, comment string) {
	qw.T.Helper()
	qw.Clock.Advance(time.Minute)
	servertest.Do(qw.World, as, api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: r, Comment: comment},
		Body:                    api.ReplyCreate{Body: servertest.CommentBody("Because.")},
	})
}

// runJobs advances the clock by a minute and runs the due jobs, which compute the summaries that lists lack.
func (qw queueWorld) runJobs() {
	qw.T.Helper()
	qw.Clock.Advance(time.Minute)
	servertest.RunJobs(qw.World)
}

// reasonFor returns the reason for a user and checks that the list, the filter and the counts agree.
func (qw queueWorld) reasonFor(as string, r api.ChangeRequestRef) api.QueueReason {
	qw.T.Helper()
	in := api.ListQueueInput{Organization: qw.Org}
	page := servertest.Do(qw.World, as, api.ListChangeRequestQueue, in)
	reason, counted := api.QueueReason(""), map[api.QueueReason]int{}
	for _, q := range page.Items {
		if counted[q.Reason]++; q.ID == r.ChangeRequest {
			reason = q.Reason
		}
	}
	counts := servertest.Do(qw.World, as, api.GetChangeRequestCounts, api.OrganizationRef{Organization: qw.Org})
	got := map[api.QueueReason]int{
		api.ReviewRequested: counts.ReviewRequested, api.NewSinceReview: counts.NewSinceReview, api.NeedsAnswer: counts.NeedsAnswer,
		api.ReadyToMerge: counts.Ready, api.WaitingForOther: counts.Waiting,
	}
	for _, one := range api.QueueReason("").Values() {
		if got[one] != counted[one] {
			qw.T.Errorf("%s: %d change requests are listed as %s, and %d counted", as, counted[one], one, got[one])
		}
		in.Reason = []api.QueueReason{one}
		filtered := servertest.Do(qw.World, as, api.ListChangeRequestQueue, in)
		has := slices.ContainsFunc(filtered.Items, func(q api.QueuedChangeRequest) bool { return q.ID == r.ChangeRequest })
		if filtered.Count != counted[one] || has != (one == reason) {
			qw.T.Errorf("%s: the filter %s finds %d, and this one: %t; it is listed as %q", as, one, filtered.Count, has, reason)
		}
	}
	return reason
}

// checkReasons fails the test unless a change request concerns each user for the given reason.
func (qw queueWorld) checkReasons(when string, r api.ChangeRequestRef, want map[string]api.QueueReason) {
	qw.T.Helper()
	for as, reason := range want {
		servertest.Equal(qw.T, when+", the "+as, reason, qw.reasonFor(as, r))
	}
}

// TestQueueReasons checks that a change request is listed for each user who has to act, with the reason.
func TestQueueReasons(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		r := d.openRequest("editor", "Ours", "One sentence. Another one.\n\nA changed paragraph.\n")
		d.openRequest("creator", "Theirs", "")
		d.runJobs()
		type who = map[string]api.QueueReason
		// The editor lacks permission to merge.
		d.checkReasons("opened", r, who{"editor": api.WaitingForOther, "reviewer": "", "commenter": "", "admin": ""})
		d.requestReview(r, "reviewer", "commenter")
		d.runJobs()
		d.checkReasons("asked", r, who{"editor": api.WaitingForOther, "reviewer": api.ReviewRequested, "commenter": api.ReviewRequested})
		thread := d.comment("reviewer", r)
		d.checkReasons("commented", r, who{"editor": api.NeedsAnswer, "reviewer": api.ReviewRequested})
		d.reply("editor", r, thread.ID)
		d.checkReasons("answered", r, who{"editor": api.WaitingForOther, "reviewer": api.ReviewRequested})
		d.review("reviewer", r, api.ReviewChangesRequested)
		d.checkReasons("reviewed", r, who{"editor": api.NeedsAnswer, "reviewer": api.WaitingForOther, "commenter": api.ReviewRequested})
		d.reply("editor", r, thread.ID)
		d.checkReasons("replied", r, who{"editor": api.NeedsAnswer, "reviewer": api.NewSinceReview})
		w.Change(r, servertest.Write(d.page, "One sentence. Another one.\n\nA better paragraph.\n"))
		d.checkReasons("edited", r, who{"editor": api.WaitingForOther, "reviewer": api.NewSinceReview})
		d.review("reviewer", r, api.ReviewApproved)
		d.checkReasons("approved", r, who{"editor": api.WaitingForOther, "reviewer": api.WaitingForOther, "commenter": api.ReviewRequested})
		servertest.Do(w, "commenter", api.RemoveChangeRequestReviewer, api.ReviewerRef{ChangeRequestRef: r, User: w.Users["commenter"].ID})
		servertest.Grant(w, "editor", d.space, api.RoleReview)
		d.runJobs()
		d.checkReasons("may be merged", r, who{"editor": api.ReadyToMerge, "commenter": ""})
		servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: r, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusDraft)},
		})
		d.checkReasons("a draft", r, who{"editor": "", "reviewer": ""})
		servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: r, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)},
		})
		d.runJobs()
		d.checkReasons("open again", r, who{"editor": api.ReadyToMerge, "reviewer": api.WaitingForOther})
		w.MustMerge(r)
		d.runJobs()
		d.checkReasons("merged", r, who{"editor": "", "reviewer": "", "commenter": ""})
	})
}

// TestReadinessRequiresCurrentSummary checks that a merge of another change request can invalidate readiness, and the summary
// is pending until this is known.
func TestReadinessRequiresCurrentSummary(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		servertest.Grant(w, "editor", d.space, api.RoleReview)
		r := d.openRequest("editor", "Ours", "One more sentence. Another one.\n\nA second paragraph.\n")
		row := func() api.QueuedChangeRequest {
			t.Helper()
			page := servertest.Do(w, "editor", api.ListChangeRequestQueue, api.ListQueueInput{Organization: w.Org})
			index := slices.IndexFunc(page.Items, func(q api.QueuedChangeRequest) bool { return q.ID == r.ChangeRequest })
			if index < 0 {
				t.Fatal("the change request is not in the list")
			}
			return page.Items[index]
		}
		counts := func() api.QueueCounts {
			return servertest.Do(w, "editor", api.GetChangeRequestCounts, api.OrganizationRef{Organization: w.Org})
		}
		got := row()
		if s := got.Summary; !s.Pending || s.Ready || s.Changes != nil || s.Merge != nil || s.Checks != nil || s.Read != nil ||
			got.Reason != api.WaitingForOther {
			t.Errorf("before anything is computed it is %s with %+v", got.Reason, s)
		}
		servertest.Equal(t, "pending", api.QueueCounts{Waiting: 1, Pending: 1}, counts())
		d.runJobs()
		got = row()
		servertest.Equal(t, "reason", api.ReadyToMerge, got.Reason)
		servertest.Equal(t, "changes", api.SummaryChanges{Pages: 1, Added: 1, PageIDs: []string{d.page}}, *got.Summary.Changes)
		servertest.Equal(t, "merge", api.SummaryMerge{}, *got.Summary.Merge)
		servertest.Equal(t, "read", api.SummaryRead{Total: 1}, *got.Summary.Read)
		servertest.Equal(t, "ready", api.QueueCounts{Ready: 1}, counts())

		other := d.openRequest("creator", "Theirs", "One other sentence. Another one.\n\nA second paragraph.\n")
		w.MustMerge(other)
		got = row()
		if s := got.Summary; !s.Pending || s.Ready || s.Changes == nil || s.Merge != nil || got.Reason != api.WaitingForOther {
			t.Errorf("after a merge elsewhere it is %s with %+v", got.Reason, s)
		}
		d.runJobs()
		got = row()
		servertest.Equal(t, "reason in a conflict", api.NeedsAnswer, got.Reason)
		servertest.Equal(t, "conflicts", 1, got.Summary.Merge.Conflicts)
		servertest.Equal(t, "what stops it", api.GateConflicts, got.Summary.Checks.Stops)
		servertest.Equal(t, "counts", api.QueueCounts{NeedsAnswer: 1}, counts())
	})
}

// TestSummaryListsPageIDs checks that a summary lists the ids of the changed pages, unless there are too many.
func TestSummaryListsPageIDs(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		d.openRequest("editor", "One", "Another sentence.\n")
		many := w.CreateRequest("creator", d.space, "Many")
		for i := range api.MaxSummaryPages + 1 {
			w.Edit("creator", many, servertest.Insert(fmt.Sprint(i), "", "Words.\n"))
		}
		d.runJobs()
		in := api.ListQueueInput{Organization: w.Org, Space: d.space, Status: []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft}}
		for _, q := range servertest.Do(w, "commenter", api.ListChangeRequestQueue, in).Items {
			want := map[string]*api.SummaryChanges{
				"One": {Pages: 1, PageIDs: []string{d.page}}, "Many": {Pages: api.MaxSummaryPages + 1},
			}[q.Subject]
			servertest.Equal(t, q.Subject+", pages", want.Pages, q.Summary.Changes.Pages)
			servertest.Equal(t, q.Subject+", their ids", want.PageIDs, q.Summary.Changes.PageIDs)
		}
	})
}

// TestSummaryChecksMatchMergeability checks that the checks in the list equal those of mergeability for the same caller.
func TestSummaryChecksMatchMergeability(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		r := d.openRequest("editor", "Ours", "One sentence.\n\nA [link](nowhere.md).\n")
		servertest.Do(w, "admin", api.UpdateSpace,
			api.UpdateSpaceInput{Space: d.space, Body: api.SpacePatch{MergeRules: api.Some(api.MergeRules{
				Type: api.MergeRulesListed, Rules: []api.MergeRule{
					{Rule: api.RuleApproval}, {Rule: api.RuleThreads}, {Rule: api.RuleAuthorMerges},
				},
			})}})
		d.comment("commenter", r)
		same := func(when string) {
			t.Helper()
			d.runJobs()
			for _, as := range []string{"editor", "reviewer", "commenter", "admin"} {
				page := servertest.Do(w, as, api.ListChangeRequestQueue, api.ListQueueInput{Organization: w.Org})
				m := servertest.Do(w, as, api.GetChangeRequestMergeability, r)
				want := api.SummaryChecks{Total: len(m.Rules)}
				for _, g := range m.Rules {
					switch {
					case g.State == api.GatePassed, g.State == api.GateBypassed:
						want.Holding++
					case g.State == api.GateFailed && want.Stops == "":
						want.Stops = g.Rule
					case g.State == api.GateAdvice && want.Advice == "":
						want.Advice = g.Rule
					}
				}
				servertest.Equal(t, when+" for the "+as, want, *page.Items[0].Summary.Checks)
			}
		}
		same("at first")
		d.review("reviewer", r, api.ReviewApproved)
		same("approved")
		w.Change(r, servertest.Write(d.page, "Nothing is as it was.\n"))
		same("edited since")
	})
}

// TestCountsReturnNotModified checks that an unchanged list returns 304, and read items are counted for their reader only.
func TestCountsReturnNotModified(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		r := d.openRequest("editor", "Ours", "One sentence.\n")
		d.requestReview(r, "reviewer")
		d.runJobs()
		path := "/v1/orgs/" + w.Org + "/change-requests/counts"
		first := w.Send("reviewer", http.MethodGet, path, nil)
		again := func() int {
			return w.Send("reviewer", http.MethodGet, path, nil, "If-None-Match", first.Header.Get("Etag")).Status
		}
		servertest.Equal(t, "nothing new", http.StatusNotModified, again())
		reading := api.UpdateReadingInput{ChangeRequestRef: r, Body: api.ReadingUpdate{Read: []string{d.page}}}
		servertest.Do(w, "reviewer", api.UpdateChangeRequestReading, reading)
		servertest.Equal(t, "read", http.StatusNotModified, again())
		for as, want := range map[string]int{"reviewer": 1, "admin": 0, "editor": 0} {
			page := servertest.Do(w, as, api.ListChangeRequestQueue, api.ListQueueInput{Organization: w.Org})
			servertest.Equal(t, "read by the "+as, api.SummaryRead{Read: want, Total: 1}, *page.Items[0].Summary.Read)
		}
		d.review("reviewer", r, api.ReviewApproved)
		servertest.Equal(t, "reviewed", http.StatusOK, again())
		page := servertest.Do(w, "reviewer", api.ListChangeRequestQueue, api.ListQueueInput{Organization: w.Org})
		servertest.Equal(t, "verdict", api.ReviewApproved, page.Items[0].Summary.Verdict.Status)
	})
}

// TestCountsExcludeHiddenSpaces checks that change requests that the caller may not see are neither listed nor counted, even if
// the caller contributed to them.
func TestCountsExcludeHiddenSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		asked, reviewed := d.openRequest("editor", "Asked", ""), d.openRequest("editor", "Reviewed", "")
		own := d.openRequest("creator", "Own", "")
		d.requestReview(asked, "creator")
		d.review("creator", reviewed, api.ReviewApproved)
		d.runJobs()
		counts := func() api.QueueCounts {
			return servertest.Do(w, "creator", api.GetChangeRequestCounts, api.OrganizationRef{Organization: w.Org})
		}
		servertest.Equal(t, "at first", api.QueueCounts{ReviewRequested: 1, Waiting: 1, Ready: 1}, counts())
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: d.space, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		servertest.Equal(t, "hidden", api.QueueCounts{}, counts())
		checkQueue(w, "creator", api.ListQueueInput{Reason: api.QueueReason("").Values()})
		servertest.Grant(w, "creator", d.space, api.RoleComment)
		servertest.Equal(t, "who may comment", api.QueueCounts{ReviewRequested: 1, Waiting: 2}, counts())
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: d.space})
		servertest.Equal(t, "in the trash", api.QueueCounts{}, counts())
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: d.space})
		servertest.Equal(t, "restored", api.QueueCounts{ReviewRequested: 1, Waiting: 2}, counts())
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: d.space})
		w.Clock.Advance(8 * 24 * time.Hour)
		servertest.RunJobs(w)
		for key, value := range w.Dump() {
			if strings.Contains(key, "summaries") && strings.Contains(value, d.space) || strings.Contains(key, ":wanted:") ||
				strings.Contains(key, ":reviewed:") {
				t.Errorf("%s is left: %s", key, value)
			}
		}
		_ = own
	})
}

// TestJobComputesManySummaries checks that the summaries of a space with more change requests than a batch are all computed,
// with consistent lists at the end.
func TestJobComputesManySummaries(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		d := newQueueWorld(w)
		const many = 150
		for i := range many {
			d.openRequest("editor", fmt.Sprint(i), "")
		}
		other := w.NewSpace().ID
		w.CreateRequest("editor", other, "Elsewhere")
		pending := func() (n int) {
			page := servertest.Do(w, "admin", api.ListChangeRequestQueue, api.ListQueueInput{
				Organization: w.Org, ListOptions: api.ListOptions{Limit: api.Some(many)},
			})
			for _, q := range page.Items {
				if q.Summary.Pending {
					n++
				}
			}
			return n
		}
		servertest.Equal(t, "pending at first", many, pending())
		d.runJobs()
		servertest.Equal(t, "pending then", 0, pending())
		w.MustMerge(d.openRequest("creator", "Merged", ""))
		servertest.Equal(t, "pending after a merge", many, pending())
		d.runJobs()
		servertest.Equal(t, "pending at the end", 0, pending())
	})
}
