package specs_test

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// putShop stores the specification of the shop with words as the summary of an operation, runs the job that reads it,
// and returns it.
func putShop(w *servertest.World, words string) api.OpenAPISpec {
	w.T.Helper()
	servertest.PutSpec(w, "shop", api.OpenAPISource{Text: strings.Replace(shopText, "List pets", words, 1)})
	return servertest.ReadSpec(w, "shop")
}

// headOf returns the head revision of a space.
func headOf(w *servertest.World, space string) api.Revision {
	w.T.Helper()
	return servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
}

// seeds returns the versions that the pages of a revision were generated from.
func seeds(pages []api.RevisionPage) (found []string) {
	for _, p := range pages {
		if p.Type == api.PageComputed {
			found = append(found, p.ComputedSeed)
		}
		found = append(found, seeds(p.Pages)...)
	}
	return found
}

// TestNewVersionUpdatesSpaces checks that a new version creates a computed revision in each space with its pages,
// including locked ones, and in no other. Earlier revisions do not change, and a rollback restores them.
func TestNewVersionUpdatesSpaces(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := servertest.NewSpec(w, "shop", shopText)
		servertest.NewSpec(w, "pets", servertest.PetsText)
		var spaces, heads []string
		for _, pages := range [][]api.ContentChange{
			{servertest.InsertComputedPage("API", "shop"), servertest.NewPage("Guide", "x\n")},
			{servertest.InsertComputedPage("By id", first.ID)},
			{servertest.InsertComputedPage("Other", "pets")},
			{servertest.NewPage("Guide", "x\n")},
		} {
			ref := w.NewRequest("editor", w.NewSpace().ID)
			w.Change(ref, pages...)
			w.MustMerge(ref)
			spaces, heads = append(spaces, ref.Space), append(heads, headOf(w, ref.Space).ID)
		}
		second := putShop(w, "List all pets")
		for i, space := range spaces {
			now := headOf(w, space)
			if i > 1 {
				servertest.Equal(t, "untouched", heads[i], now.ID)
				continue
			}
			servertest.Equal(t, "type", api.RevisionComputed, now.Type)
			servertest.Equal(t, "parents", []string{heads[i]}, now.Parents)
			servertest.Equal(t, "versions", []string{second.LastVersion}, seeds(now.Pages))
			was := servertest.Do(w, "editor", api.GetRevision, api.RevisionInput{
				RevisionRef: api.RevisionRef{Space: space, Revision: heads[i]},
			})
			servertest.Equal(t, "versions before", []string{first.LastVersion}, seeds(was.Pages))
		}
		again := headOf(w, spaces[0]).ID
		putShop(w, "List all pets")
		servertest.Equal(t, "for equal bytes", again, headOf(w, spaces[0]).ID)

		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: spaces[0], Revision: heads[0]})
		servertest.Equal(t, "rolled back", []string{first.LastVersion}, seeds(headOf(w, spaces[0]).Pages))
		third := putShop(w, "List every pet")
		servertest.Equal(t, "the next version", []string{third.LastVersion}, seeds(headOf(w, spaces[0]).Pages))
		w.Fsck()
	})
}

// TestFirstVersionUpdatesSpaces checks that the first version of a specification is shown and pinned at once.
func TestFirstVersionUpdatesSpaces(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	servertest.PutSpec(w, "shop", api.OpenAPISource{Text: "no document"})
	servertest.ReadSpec(w, "shop")
	ref := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(ref, servertest.InsertComputedPage("API", "shop"))
	w.MustMerge(ref)
	servertest.Equal(t, "at first", []string{""}, seeds(headOf(w, ref.Space).Pages))
	first := putShop(w, "List pets")
	now := headOf(w, ref.Space)
	servertest.Equal(t, "type", api.RevisionComputed, now.Type)
	servertest.Equal(t, "versions", []string{first.LastVersion}, seeds(now.Pages))
}

// TestComputedRevisionCausesNoConflicts checks that a computed revision causes no conflicts and keeps approvals. A
// change request shows its initial versions; after its merge the space has the newest ones.
func TestComputedRevisionCausesNoConflicts(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		servertest.NewSpec(w, "shop", shopText)
		pets := servertest.NewSpec(w, "pets", servertest.PetsText)
		begin := w.NewRequest("editor", w.NewSpace().ID)
		id := w.Change(begin, servertest.InsertComputedPage("API", "shop"), servertest.NewPage("Guide", "One.\n")).Changes[0].Page.ID
		w.MustMerge(begin)
		before := headOf(w, begin.Space)

		ref := w.NewRequest("editor", begin.Space)
		w.Change(ref, api.ContentChange{
			Operation: api.UpdatePage, Page: id, Title: api.Some("Reference"),
		}, servertest.InsertComputedPage("Pets", "pets"))
		servertest.Do(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
			ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved},
		})
		second := putShop(w, "List all pets")
		servertest.PutSpec(w, "pets", api.OpenAPISource{Text: strings.Replace(servertest.PetsText, "All.", "All of them.", 1)})
		newest := servertest.ReadSpec(w, "pets")
		servertest.Equal(t, "in the request", []string{seeds(before.Pages)[0], pets.LastVersion}, seeds(w.Pages(ref)))
		servertest.Equal(t, "in the space", []string{second.LastVersion}, seeds(headOf(w, ref.Space).Pages))

		reviews := servertest.Do(w, "commenter", api.ListChangeRequestReviews, api.ListReviewsInput{ChangeRequestRef: ref}).Items
		servertest.Equal(t, "reviews", 1, len(reviews))
		servertest.Equal(t, "outdated", false, reviews[0].Outdated)
		w.MustMerge(ref)
		servertest.Equal(t, "merged", []string{second.LastVersion, newest.LastVersion}, seeds(headOf(w, ref.Space).Pages))
		w.Fsck()
	})
}

// TestPullUpdatesVersions checks that updating a change request adopts the versions of the space.
func TestPullUpdatesVersions(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	servertest.NewSpec(w, "shop", shopText)
	begin := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(begin, servertest.InsertComputedPage("API", "shop"))
	w.MustMerge(begin)
	ref := w.NewRequest("editor", begin.Space)
	w.Change(ref, servertest.NewPage("Guide", "x\n"))
	second := putShop(w, "List all pets")
	servertest.Do(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref})
	servertest.Equal(t, "updated", []string{second.LastVersion}, seeds(w.Pages(ref)))
}

// TestDuplicateKeepsVersions checks that a copy shows the versions of its original.
func TestDuplicateKeepsVersions(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	first := servertest.NewSpec(w, "shop", shopText)
	ref := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(ref, servertest.InsertComputedPage("API", "shop"))
	w.MustMerge(ref)
	servertest.Do(w, "creator", api.DeleteOpenAPISpec, api.DeleteOpenAPISpecInput{
		OpenAPISpecRef: servertest.SpecRef(w, "shop"), Force: api.Some(true),
	})
	w.Must(w.Server.RunDueJobs(t.Context()))
	two := servertest.Do(w, "admin", api.DuplicateSpace, api.SpaceRef{Space: ref.Space}).ID
	servertest.Equal(t, "versions", []string{first.LastVersion}, seeds(headOf(w, two).Pages))
	servertest.Equal(t, "pages", fmt.Sprint(servertest.Outline(headOf(w, ref.Space).Pages)),
		fmt.Sprint(servertest.Outline(headOf(w, two).Pages)))
	w.Fsck()
}
