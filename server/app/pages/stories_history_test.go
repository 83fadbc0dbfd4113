package pages_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestHistory lists revisions, reads them, attributes blocks and restores an earlier revision, which keeps all
// others.
func TestHistory(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.PumpIntro + servertest.PumpBody)
		first := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
		ref := w.NewRequest("creator", space)
		servertest.Do(w, "creator", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{
				Changes: []api.ContentChange{servertest.Write(page, servertest.PumpIntro+servertest.PumpBody+servertest.PumpLast)},
			},
		})
		w.Change(ref, servertest.NewPage("Other", "Other.\n"))
		w.MustMerge(ref)

		history := func(in api.SpaceRevisionsInput) (types []api.RevisionType, ids []string, list api.Page[api.HistoryEntry]) {
			list = servertest.Do(w, "commenter", api.ListSpaceRevisions, in)
			for _, r := range list.Items {
				types, ids = append(types, r.Type), append(ids, r.ID)
			}
			return types, ids, list
		}
		types, ids, list := history(api.SpaceRevisionsInput{Space: space})
		servertest.Equal(t, "history", []api.RevisionType{api.RevisionMerge, api.RevisionMerge, api.RevisionEdits}, types)
		servertest.Equal(t, "count", 3, list.Count)
		servertest.Equal(t, "numbers", []int{3, 2, 1}, []int{list.Items[0].Number, list.Items[1].Number, list.Items[2].Number})
		servertest.Equal(t, "merged from", w.ReadRequest(ref).ID, list.Items[0].MergedFrom.ID)
		in := api.SpaceRevisionsInput{Space: space, ListOptions: api.ListOptions{Limit: api.Some(2)}}
		_, start, list := history(in)
		in.Page = list.Next.Page
		_, rest, _ := history(in)
		servertest.Equal(t, "in parts", ids, append(start, rest...))
		made := servertest.Do(w, "commenter", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: ref})
		servertest.Equal(t, "of the request", [2]int{2, 2}, [2]int{made.Count, len(made.Items)})
		servertest.Equal(t, "its last author", w.Users["editor"].ID, made.Items[0].Author.ID)
		servertest.Refused(w, "reader", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: space}, 403, api.ReasonForbidden)

		changed := servertest.Do(w, "commenter", api.ListPageRevisions, api.PageRevisionsInput{Space: space, Page: page})
		servertest.Equal(t, "of the page", 2, changed.Count)
		servertest.Equal(t, "its first", first, changed.Items[1].ID)
		servertest.Refused(w, "commenter", api.ListPageRevisions, api.PageRevisionsInput{Space: space, Page: "p_none"}, 404,
			api.ReasonNotFound)

		blocks := servertest.Do(w, "commenter", api.BlamePage, api.BlamePageInput{Space: space, Page: page}).Blocks
		servertest.Equal(t, "blamed", []string{w.Users["editor"].ID, w.Users["editor"].ID, w.Users["creator"].ID},
			[]string{blocks[0].Author.ID, blocks[1].Author.ID, blocks[2].Author.ID})
		servertest.Equal(t, "with the request", w.ReadRequest(ref).ID, blocks[2].ChangeRequest.ID)
		servertest.Equal(t, "in the revision of the edit", made.Items[1].ID, blocks[2].Revision)

		then := servertest.Do(w, "commenter", api.GetRevisionPage, api.RevisionPageInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: first}, Page: page,
			PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		servertest.Equal(t, "as it was", servertest.PumpIntro+servertest.PumpBody, *then.Markdown)
		servertest.Refused(w, "commenter", api.GetRevision, api.RevisionInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: "r_" + then.DocumentID},
		}, 404, api.ReasonNotFound)

		back := api.RevisionRef{Space: space, Revision: first}
		servertest.Refused(w, "editor", api.RollbackRevision, back, 403, api.ReasonForbidden)
		servertest.Refused(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: ids[0]}, 409, api.ReasonNoChange)
		servertest.Refused(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: made.Items[0].ID}, 404,
			api.ReasonNotFound)
		done := servertest.Do(w, "reviewer", api.RollbackRevision, back)
		servertest.Equal(t, "rollback", [2]any{api.RevisionRollback, 4}, [2]any{done.Type, done.Number})
		servertest.Equal(t, "text", servertest.PumpIntro+servertest.PumpBody, w.PageText(space, page))
		servertest.Equal(t, "pages", 1, len(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
		servertest.Do(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: ids[0]})
		servertest.Equal(t, "and forth", servertest.PumpIntro+servertest.PumpBody+servertest.PumpLast, w.PageText(space, page))
		servertest.Equal(t, "lost", 2, len(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
		_, _, list = history(api.SpaceRevisionsInput{Space: space})
		servertest.Equal(t, "nothing is", 5, list.Count)
	})
}
