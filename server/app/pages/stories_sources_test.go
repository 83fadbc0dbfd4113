package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// editFrom edits a change request as the editor with changes that come from a source.
func editFrom(w *servertest.World, ref api.ChangeRequestRef, source *api.RevisionSource, changes ...api.ContentChange) {
	w.T.Helper()
	servertest.Do(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
		ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes, Source: source},
	})
}

// TestRevisionsKeepTheirSource checks that the source of an edit is kept in its revision and in the merge, is answered where
// revisions are described, and selects revisions in lists.
func TestRevisionsKeepTheirSource(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		docs := &api.RevisionSource{Name: "docs", Branch: "main", Commit: strings.Repeat("0f", 20), Dirty: true}
		later := &api.RevisionSource{Name: "docs", Branch: "next", Commit: strings.Repeat("0e", 32)}
		ref := w.NewRequest("editor", space)
		editFrom(w, ref, &api.RevisionSource{Name: "other"}, servertest.NewPage("New", "New.\n"))
		editFrom(w, ref, docs, servertest.Write(page, "Pushed.\n"))
		pushed := w.ReadRequest(ref).Revision
		w.Change(ref, servertest.NewPage("Aside", "Aside.\n"))
		w.MustMerge(ref)
		second := w.NewRequest("editor", space)
		editFrom(w, second, later, servertest.NewPage("Later", "Later.\n"))
		w.MustMerge(second)
		third := w.NewRequest("editor", space)
		w.Change(third, servertest.NewPage("Without", "Without.\n"))
		w.MustMerge(third)

		list := func(filter api.RevisionSourceFilter, limit int) api.Page[api.HistoryEntry] {
			return servertest.Do(w, "commenter", api.ListSpaceRevisions, api.SpaceRevisionsInput{
				Space: space, RevisionSourceFilter: filter, ListOptions: api.ListOptions{Limit: api.Some(limit)},
			})
		}
		all := list(api.RevisionSourceFilter{}, 10).Items
		servertest.Equal(t, "merge without a source", nil, all[0].Source)
		servertest.Equal(t, "merge of the second", later, all[1].Source)
		servertest.Equal(t, "merge of the first has the source of its last push", docs, all[2].Source)
		newest := list(api.RevisionSourceFilter{Source: "docs"}, 1)
		servertest.Equal(t, "newest of docs", []any{1, 2, all[1].ID}, []any{len(newest.Items), newest.Count, newest.Items[0].ID})
		rest := servertest.Do(w, "commenter", api.ListSpaceRevisions, api.SpaceRevisionsInput{
			Space: space, RevisionSourceFilter: api.RevisionSourceFilter{Source: "docs"},
			ListOptions: api.ListOptions{Limit: api.Some(1), Page: newest.Next.Page},
		})
		servertest.Equal(t, "next of docs", all[2].ID, rest.Items[0].ID)
		ofMain := list(api.RevisionSourceFilter{Source: "docs", Branch: "main"}, 1)
		servertest.Equal(t, "newest of a branch", all[2].ID, ofMain.Items[0].ID)
		servertest.Equal(t, "of an unknown source", 0, list(api.RevisionSourceFilter{Source: "doc"}, 1).Count)
		own := servertest.Do(w, "commenter", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{
			ChangeRequestRef: ref, RevisionSourceFilter: api.RevisionSourceFilter{Source: "docs"},
		})
		servertest.Equal(t, "in the change request", []any{1, pushed}, []any{own.Count, own.Items[0].ID})

		shown := servertest.Do(w, "commenter", api.GetRevision, api.RevisionInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: pushed},
		})
		servertest.Equal(t, "revision", docs, shown.Source)
		blame := servertest.Do(w, "commenter", api.BlamePage, api.BlamePageInput{Space: space, Page: page}).Blocks
		servertest.Equal(t, "blame", docs, blame[0].Source)
		var edits []*api.RevisionSource
		timeline := servertest.Do(w, "commenter", api.GetChangeRequestTimeline, api.GetTimelineInput{ChangeRequestRef: ref})
		for _, e := range timeline.Events {
			if e.Kind == api.TimelineEdited {
				edits = append(edits, e.Source)
			}
		}
		servertest.Equal(t, "timeline", []*api.RevisionSource{{Name: "other"}, docs, nil}, edits)
		head := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		servertest.Equal(t, "what readers see", nil, head.Source)
		back := servertest.Do(w, "reviewer", api.RollbackRevision, api.RevisionRef{Space: space, Revision: all[1].ID})
		servertest.Equal(t, "a rollback is no push", nil, back.Source)
	})
}

// TestReadersDoNotSeeSources checks that the source of the head is answered to those who may see change requests only.
func TestReadersDoNotSeeSources(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		editFrom(w, ref, &api.RevisionSource{Name: "docs"}, servertest.Write(page, "Pushed.\n"))
		w.MustMerge(ref)
		for as, want := range map[string]bool{"reader": false, "commenter": true} {
			head := servertest.Do(w, as, api.GetContent, api.GetContentInput{Space: space})
			servertest.Equal(t, as, want, head.Source != nil)
		}
	})
}

// TestEditRefusesInvalidSource checks the limits of a source.
func TestEditRefusesInvalidSource(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		for field, source := range map[string]api.RevisionSource{
			"source.name":   {Name: strings.Repeat("x", 101)},
			"source.branch": {Name: "docs", Branch: strings.Repeat("x", 251)},
			"source.commit": {Name: "docs", Commit: strings.Repeat("a", 41)},
		} {
			body := api.ContentEdit{Changes: []api.ContentChange{servertest.NewPage("x", "x\n")}, Source: &source}
			w.WantUntouched(func() api.Error {
				e := servertest.Refused(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
					ChangeRequestRef: ref, Body: body,
				}, 422, api.ReasonInvalid)
				servertest.Equal(t, "field", field, e.Fields[0].Path)
				return e
			})
		}
		body := `{"changes":[{"operation":"insert_page","title":"x"}],"source":{}}`
		a := w.Send("editor", http.MethodPost, "/v1/spaces/"+ref.Space+"/change-requests/"+ref.ChangeRequest+"/content", []byte(body))
		servertest.Equal(t, "status without a name", http.StatusUnprocessableEntity, a.Status)
	})
}

// TestEditHonorsIfMatch checks that an edit with the head in If-Match is refused with 412 where the head has moved, also if it
// could not be applied to the new head, and that a record that changed alone does not refuse it.
func TestEditHonorsIfMatch(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		path := "/v1/spaces/" + space + "/change-requests/" + ref.ChangeRequest
		tag := w.Call("editor", http.MethodGet, path, nil, http.StatusOK).Header.Get("Etag")
		servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Subject: api.Some("Renamed")},
		})
		edit := func(c api.ContentChange) api.EditContentInput {
			return api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{c}}}
		}
		send := func(c api.ContentChange, headers ...string) servertest.Response {
			return w.Send("editor", http.MethodPost, path+"/content", edit(c).Body, headers...)
		}
		first := send(servertest.DeletePage(page), "If-Match", tag, "Idempotency-Key", "step-1")
		servertest.Equal(t, "first", http.StatusOK, first.Status)
		w.WantUntouched(func() api.Error {
			for name, c := range map[string]api.ContentChange{
				"that could be applied": servertest.NewPage("New", "New.\n"), "that could not": servertest.Write(page, "Late.\n"),
			} {
				a := send(c, "If-Match", tag)
				servertest.Equal(t, "an edit "+name, [2]any{http.StatusPreconditionFailed, api.ReasonPrecondition},
					[2]any{a.Status, a.Error().Reason})
			}
			return api.Error{}
		})
		again := send(servertest.DeletePage(page), "If-Match", tag, "Idempotency-Key", "step-1")
		servertest.Equal(t, "repeated", string(first.Body), string(again.Body))
		servertest.Equal(t, "with the answered tag", http.StatusOK,
			send(servertest.NewPage("New", "New.\n"), "If-Match", first.Header.Get("Etag")).Status)
	})
}
