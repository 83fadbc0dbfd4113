package server_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// queue lists change requests of the whole organization by their subjects.
func queue(w *world, as string, in api.ListQueueInput) (subjects []string, count int) {
	w.t.Helper()
	in.Organization = w.org
	page := do(w, as, api.ListChangeRequestQueue, in)
	for _, r := range page.Items {
		subjects = append(subjects, r.Subject)
	}
	return subjects, page.Count
}

// inQueue holds what somebody finds in the queue, and what is counted, against what it has to be.
func inQueue(w *world, as string, in api.ListQueueInput, want ...string) {
	w.t.Helper()
	got, count := queue(w, as, in)
	if !slices.Equal(got, want) || count != len(want) {
		w.t.Errorf("the %s finds %q and counts %d with %+v, want %q", as, got, count, in, want)
	}
}

// The queue has the change requests of all spaces in which its reader may comment, and follows what happens to them.
func TestStoryOfTheQueue(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		public, private := w.newSpace().ID, w.newSpace().ID
		do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: private, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		made := func(as, space, subject string) api.ChangeRequest {
			w.clock.Advance(time.Minute)
			r := w.request(as, space, subject)
			return do(w, as, api.UpdateChangeRequest, api.UpdateChangeRequestInput{ChangeRequestRef: ref(r), Body: api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)}})
		}
		first, hidden, second := made("editor", public, "first"), made("admin", private, "hidden"), made("creator", public, "second")
		w.request("editor", public, "draft")

		all := api.ListQueueInput{}
		inQueue(w, "admin", all, "second", "hidden", "first")
		inQueue(w, "commenter", all, "second", "first")
		inQueue(w, "reader", all)
		inQueue(w, "guest", all)
		grant(w, "guest", private, api.RoleComment)
		inQueue(w, "guest", all, "hidden")
		inQueue(w, "commenter", api.ListQueueInput{Space: private})
		inQueue(w, "commenter", api.ListQueueInput{Status: []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft}}, "draft", "second", "first")

		w.clock.Advance(time.Minute)
		w.insertPage(ref(first), newPage("Page", "Text.\n"))
		inQueue(w, "commenter", all, "first", "second")
		inQueue(w, "commenter", api.ListQueueInput{OrderBy: api.ByCreation}, "second", "first")
		by := func(people api.ChangeRequestPeople) api.ListQueueInput {
			return api.ListQueueInput{ChangeRequestPeople: people}
		}
		editor, reviewer := w.users["editor"].ID, w.users["reviewer"].ID
		inQueue(w, "admin", by(api.ChangeRequestPeople{Creator: editor}), "first")
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}))
		for _, r := range []api.ChangeRequest{first, second} {
			w.clock.Advance(time.Minute)
			do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: ref(r), Body: api.ReviewRequest{Users: []string{reviewer}}})
		}
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}), "second", "first")
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer, Contributor: editor}), "first")
		w.insertPage(ref(second), newPage("Other", "Text.\n"))
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer, Contributor: editor}), "second", "first")
		do(w, "editor", api.RemoveChangeRequestReviewer, api.ReviewerRef{ChangeRequestRef: ref(second), User: reviewer})
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}), "first")

		w.merged(ref(first))
		inQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}))
		inQueue(w, "admin", api.ListQueueInput{Status: []api.ChangeRequestStatus{api.StatusMerged}}, "first")
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: public})
		inQueue(w, "admin", all, "hidden")
		equal(t, "space", hidden.Space, private)
	})
}

// Who sees little of a large organization finds it all the same, page by page.
func TestQueueOfALargeOrganization(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		const spaces, each = 40, 2
		var mine string
		for i := range spaces {
			space := w.newSpaceIn(fmt.Sprint(i), "").ID
			do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
			if i%spaces == 0 {
				mine = space
			}
			if i < spaces-5 {
				grant(w, "guest", space, api.RoleComment)
			}
			for n := range each {
				w.request("admin", space, fmt.Sprintf("%d/%d", i, n))
			}
		}
		drafts := api.ListQueueInput{Organization: w.org, Status: []api.ChangeRequestStatus{api.StatusDraft}}
		grant(w, "commenter", mine, api.RoleComment)
		for as, want := range map[string]int{"admin": spaces * each, "guest": (spaces - 5) * each, "commenter": each, "editor": 0} {
			in, seen := drafts, map[string]bool{}
			in.Limit = api.Some(7)
			for {
				page := do(w, as, api.ListChangeRequestQueue, in)
				equal(t, as+"'s count", want, page.Count)
				for _, r := range page.Items {
					seen[r.ID] = true
				}
				if page.Next == nil {
					break
				}
				equal(t, as+"'s page", 7, len(page.Items))
				in.Page = page.Next.Page
			}
			equal(t, as+"'s change requests", want, len(seen))
		}
	})
}

// Contributors are counted by what they did, each kind on its own.
func TestStoryOfContributors(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		request := w.newRequest("editor", space)
		list := func() (did []string) {
			answer := do(w, "commenter", api.ListChangeRequestContributors, api.ListContributorsInput{ChangeRequestRef: request})
			equal(t, "count", len(answer.Items), answer.Count)
			for _, c := range answer.Items {
				did = append(did, fmt.Sprintf("%s %s %d", c.User.DisplayName, c.ActionType, c.Count))
			}
			slices.Sort(did)
			return did
		}
		equal(t, "at first", nil, list())
		w.change(request, write(page, "One.\n"))
		w.change(request, write(page, "Two.\n"))
		do(w, "creator", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: request, Body: api.ContentEdit{Changes: []api.ContentChange{write(page, "Three.\n")}}})
		for _, as := range []string{"editor", "commenter", "commenter"} {
			do(w, as, api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: request, Body: api.CommentCreate{Body: says("?")}})
		}
		equal(t, "contributors", []string{"The commenter comment 2", "The creator edit 1", "The editor comment 1", "The editor edit 2"}, list())
	})
}
