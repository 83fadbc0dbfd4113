package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// What a space was is listed, read, blamed and gone back to, and going back loses nothing.
func TestStoryOfHistory(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(pumpIntro + pumpBody)
		first := do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
		ref := w.newRequest("creator", space)
		do(w, "creator", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{write(page, pumpIntro+pumpBody+pumpLast)}}})
		w.change(ref, newPage("Other", "Other.\n"))
		w.merged(ref)

		history := func(in api.SpaceRevisionsInput) (types []api.RevisionType, ids []string, list api.Page[api.HistoryEntry]) {
			list = do(w, "commenter", api.ListSpaceRevisions, in)
			for _, r := range list.Items {
				types, ids = append(types, r.Type), append(ids, r.ID)
			}
			return types, ids, list
		}
		types, ids, list := history(api.SpaceRevisionsInput{Space: space})
		equal(t, "history", []api.RevisionType{api.RevisionMerge, api.RevisionMerge, api.RevisionEdits}, types)
		equal(t, "count", 3, list.Count)
		equal(t, "numbers", []int{3, 2, 1}, []int{list.Items[0].Number, list.Items[1].Number, list.Items[2].Number})
		equal(t, "merged from", w.shown(ref).ID, list.Items[0].MergedFrom.ID)
		in := api.SpaceRevisionsInput{Space: space, ListOptions: api.ListOptions{Limit: api.Some(2)}}
		_, start, list := history(in)
		in.Page = list.Next.Page
		_, rest, _ := history(in)
		equal(t, "in parts", ids, append(start, rest...))
		made := do(w, "commenter", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: ref})
		equal(t, "of the request", [2]int{2, 2}, [2]int{made.Count, len(made.Items)})
		equal(t, "its last author", w.users["editor"].ID, made.Items[0].Author.ID)
		refused(w, "reader", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: space}, 403, api.ReasonForbidden)

		changed := do(w, "commenter", api.ListPageRevisions, api.PageRevisionsInput{Space: space, Page: page})
		equal(t, "of the page", 2, changed.Count)
		equal(t, "its first", first, changed.Items[1].ID)
		refused(w, "commenter", api.ListPageRevisions, api.PageRevisionsInput{Space: space, Page: "p_none"}, 404, api.ReasonNotFound)

		blocks := do(w, "commenter", api.BlamePage, api.BlamePageInput{Space: space, Page: page}).Blocks
		equal(t, "blamed", []string{w.users["editor"].ID, w.users["editor"].ID, w.users["creator"].ID}, []string{blocks[0].Author.ID, blocks[1].Author.ID, blocks[2].Author.ID})
		equal(t, "with the request", w.shown(ref).ID, blocks[2].ChangeRequest.ID)
		equal(t, "in the revision of the edit", made.Items[1].ID, blocks[2].Revision)

		then := do(w, "commenter", api.GetRevisionPage, api.RevisionPageInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: first}, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		equal(t, "as it was", pumpIntro+pumpBody, *then.Markdown)
		refused(w, "commenter", api.GetRevision, api.RevisionInput{RevisionRef: api.RevisionRef{Space: space, Revision: "r_" + then.DocumentID}}, 404, api.ReasonNotFound)

		back := api.RevisionRef{Space: space, Revision: first}
		refused(w, "editor", api.RollbackRevision, back, 403, api.ReasonForbidden)
		refused(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: ids[0]}, 409, api.ReasonNoChange)
		refused(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: made.Items[0].ID}, 404, api.ReasonNotFound)
		done := do(w, "reviewer", api.RollbackRevision, back)
		equal(t, "rollback", [2]any{api.RevisionRollback, 4}, [2]any{done.Type, done.Number})
		equal(t, "text", pumpIntro+pumpBody, w.text(space, page))
		equal(t, "pages", 1, len(do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
		do(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: ids[0]})
		equal(t, "and forth", pumpIntro+pumpBody+pumpLast, w.text(space, page))
		equal(t, "lost", 2, len(do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
		_, _, list = history(api.SpaceRevisionsInput{Space: space})
		equal(t, "nothing is", 5, list.Count)
	})
}
