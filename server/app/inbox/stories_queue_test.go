package inbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// listQueue returns the subjects of the change requests in the queue of the organization.
func listQueue(w *servertest.World, as string, in api.ListQueueInput) (subjects []string, count int) {
	w.T.Helper()
	in.Organization = w.Org
	page := servertest.Do(w, as, api.ListChangeRequestQueue, in)
	for _, r := range page.Items {
		subjects = append(subjects, r.Subject)
	}
	return subjects, page.Count
}

// checkQueue checks the subjects and the count of a queue.
func checkQueue(w *servertest.World, as string, in api.ListQueueInput, want ...string) {
	w.T.Helper()
	got, count := listQueue(w, as, in)
	if !slices.Equal(got, want) || count != len(want) {
		w.T.Errorf("the %s finds %q and counts %d with %+v, want %q", as, got, count, in, want)
	}
}

// TestQueueOfSite checks that the queue of a site contains the change requests of its spaces, for callers who may see the site
// and comment in them.
func TestQueueOfSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		shown, private, other := w.NewSpace().ID, w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: private, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		site := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{shown, private}},
		}).ID
		for _, in := range []struct{ space, subject string }{{shown, "shown"}, {private, "private"}, {other, "other"}} {
			w.Clock.Advance(time.Minute)
			w.CreateRequest("admin", in.space, in.subject)
		}
		of := api.ListQueueInput{Site: site, Status: []api.ChangeRequestStatus{api.StatusDraft}}
		checkQueue(w, "admin", of, "private", "shown")
		checkQueue(w, "commenter", of, "shown")
		by := of
		by.Creator = w.Users["admin"].ID
		checkQueue(w, "commenter", by, "shown")
		by.Space = other
		checkQueue(w, "commenter", by)
		checkQueue(w, "admin", api.ListQueueInput{Site: "site_none", Status: of.Status})
		servertest.Grant(w, "guest", shown, api.RoleComment)
		checkQueue(w, "guest", api.ListQueueInput{Status: of.Status}, "shown")
		checkQueue(w, "guest", of) // a caller who may not see the site gets no information about it
	})
}

// TestQueue checks that the queue contains the change requests of all spaces in which the caller may comment, and reflects
// their changes.
func TestQueue(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		public, private := w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: private, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		create := func(as, space, subject string) api.ChangeRequest {
			w.Clock.Advance(time.Minute)
			r := w.CreateRequest(as, space, subject)
			return servertest.Do(w, as, api.UpdateChangeRequest, api.UpdateChangeRequestInput{
				ChangeRequestRef: servertest.Ref(r), Body: api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)},
			})
		}
		first, hidden, second := create("editor", public, "first"), create("admin", private, "hidden"), create("creator", public, "second")
		w.CreateRequest("editor", public, "draft")

		all := api.ListQueueInput{}
		checkQueue(w, "admin", all, "second", "hidden", "first")
		checkQueue(w, "commenter", all, "second", "first")
		checkQueue(w, "reader", all)
		checkQueue(w, "guest", all)
		servertest.Grant(w, "guest", private, api.RoleComment)
		checkQueue(w, "guest", all, "hidden")
		checkQueue(w, "commenter", api.ListQueueInput{Space: private})
		checkQueue(w, "commenter", api.ListQueueInput{Status: []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft}}, "draft",
			"second", "first")

		w.Clock.Advance(time.Minute)
		w.InsertPage(servertest.Ref(first), servertest.NewPage("Page", "Text.\n"))
		checkQueue(w, "commenter", all, "first", "second")
		checkQueue(w, "commenter", api.ListQueueInput{OrderBy: api.ByCreation}, "second", "first")
		by := func(people api.ChangeRequestPeople) api.ListQueueInput {
			return api.ListQueueInput{ChangeRequestPeople: people}
		}
		editor, reviewer := w.Users["editor"].ID, w.Users["reviewer"].ID
		checkQueue(w, "admin", by(api.ChangeRequestPeople{Creator: editor}), "first")
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}))
		for _, r := range []api.ChangeRequest{first, second} {
			w.Clock.Advance(time.Minute)
			servertest.Do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
				ChangeRequestRef: servertest.Ref(r), Body: api.ReviewRequest{Users: []string{reviewer}},
			})
		}
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}), "second", "first")
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer, Contributor: editor}), "first")
		w.InsertPage(servertest.Ref(second), servertest.NewPage("Other", "Text.\n"))
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer, Contributor: editor}), "second", "first")
		servertest.Do(w, "editor", api.RemoveChangeRequestReviewer, api.ReviewerRef{
			ChangeRequestRef: servertest.Ref(second), User: reviewer,
		})
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}), "first")

		w.MustMerge(servertest.Ref(first))
		checkQueue(w, "admin", by(api.ChangeRequestPeople{RequestedReviewer: reviewer}))
		checkQueue(w, "admin", api.ListQueueInput{Status: []api.ChangeRequestStatus{api.StatusMerged}}, "first")
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: public})
		checkQueue(w, "admin", all, "hidden")
		servertest.Equal(t, "space", hidden.Space, private)
	})
}

// TestQueueOfLargeOrganization checks that a caller who may see few spaces of a large organization gets all their change
// requests, page by page.
func TestQueueOfLargeOrganization(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const spaces, each = 40, 2
		var mine string
		for i := range spaces {
			space := w.NewSpaceIn(fmt.Sprint(i), "").ID
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
				Space: space, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
			})
			if i%spaces == 0 {
				mine = space
			}
			if i < spaces-5 {
				servertest.Grant(w, "guest", space, api.RoleComment)
			}
			for n := range each {
				w.CreateRequest("admin", space, fmt.Sprintf("%d/%d", i, n))
			}
		}
		drafts := api.ListQueueInput{Organization: w.Org, Status: []api.ChangeRequestStatus{api.StatusDraft}}
		servertest.Grant(w, "commenter", mine, api.RoleComment)
		for as, want := range map[string]int{"admin": spaces * each, "guest": (spaces - 5) * each, "commenter": each, "editor": 0} {
			in, seen := drafts, map[string]bool{}
			in.Limit = api.Some(7)
			for {
				page := servertest.Do(w, as, api.ListChangeRequestQueue, in)
				servertest.Equal(t, as+"'s count", want, page.Count)
				for _, r := range page.Items {
					seen[r.ID] = true
				}
				if page.Next == nil {
					break
				}
				servertest.Equal(t, as+"'s page", 7, len(page.Items))
				in.Page = page.Next.Page
			}
			servertest.Equal(t, as+"'s change requests", want, len(seen))
		}
	})
}
