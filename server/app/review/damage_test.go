package review_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// newDamagedConflict returns a change request that conflicts with its space. The last revision of the space that
// contributed to the conflict, which is not the head, has been removed from the store.
func newDamagedConflict(t *testing.T) (w *servertest.World, ref api.ChangeRequestRef, removed string) {
	t.Helper()
	w, removeObject := servertest.NewBreakableWorld(t)
	ref, _ = newConflictingRequest(w)
	removed = servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision
	other := w.NewRequest("editor", ref.Space)
	w.InsertPage(other, servertest.NewPage("Other", "Text.\n"))
	w.MustMerge(other)
	removeObject(ref.Space, revision.ObjectHash(removed))
	w.Serve()
	return w, ref, removed
}

// requestConflicts requests the conflicts of a change request. The response may be an error that is no part of the
// contract.
func requestConflicts(w *servertest.World, ref api.ChangeRequestRef) servertest.Response {
	w.T.Helper()
	path := "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest + "/conflicts"
	r := httptest.NewRequestWithContext(w.T.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// TestConflictsWithUnreadableHistoryFail checks that if the history that leads to a conflict cannot be read, the request for
// the conflicts fails: conflicts are not shown without their authors.
func TestConflictsWithUnreadableHistoryFail(t *testing.T) {
	t.Parallel()
	w, ref, _ := newDamagedConflict(t)
	a := requestConflicts(w, ref)
	servertest.Equal(t, "status", http.StatusInternalServerError, a.Status)
	servertest.Equal(t, "reason", api.ReasonContentUnreadable, a.Error().Reason)
}

// TestConflictsWithLostHistoryHaveNoAuthor checks that if a revision in the history that leads to a conflict was lost and
// replaced in a repair, the conflict has no author there and can be resolved.
func TestConflictsWithLostHistoryHaveNoAuthor(t *testing.T) {
	t.Parallel()
	w, ref, removed := newDamagedConflict(t)
	w.Must(w.Store.ReplaceLost(t.Context(), ref.Space, map[string]objects.Placeholder{revision.ObjectHash(removed): {}}))
	w.Serve()
	shown := getConflicts(w, ref)
	servertest.Equal(t, "conflicts", 1, len(shown.Conflicts))
	servertest.Equal(t, "has an author in the space", false, shown.Conflicts[0].Ours.By != nil)
	servertest.Equal(t, "author in the change request", w.Users["editor"].ID, shown.Conflicts[0].Theirs.By.ID)
	w.Pull(ref, api.Resolution{Conflict: shown.Conflicts[0].ID, Take: api.TakeTheirs})
}

// TestConflictsWithLostBaseTextAreShown checks that if one side deleted a page and the other changed it, and the base text was
// lost and replaced in a repair, the conflict is shown and can be resolved.
func TestConflictsWithLostBaseTextAreShown(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	space, page := w.NewSpaceWithPage("Green.\n")
	text := servertest.Do(w, "reader", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
	changed, deleted := w.NewRequest("editor", space), w.NewRequest("creator", space)
	w.Change(changed, servertest.Write(page, "Blue.\n"))
	w.Change(deleted, servertest.DeletePage(page))
	w.MustMerge(deleted)
	removeObject(space, text)
	w.Must(w.Store.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{text: {}}))
	w.Serve()
	shown := getConflicts(w, changed).Conflicts
	servertest.Equal(t, "conflicts", 1, len(shown))
	servertest.Equal(t, "page", page, shown[0].Page)
	w.Pull(changed, api.Resolution{Conflict: shown[0].ID, Take: api.TakeTheirs})
	servertest.Equal(t, "text", "Blue.\n", *w.DraftPage(changed, page).Markdown)
}

// TestReviewOfLostRevisionIsRefused checks that a lost revision of a change request that was replaced in a repair cannot be
// reviewed, because its content is unknown.
func TestReviewOfLostRevisionIsRefused(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	space, page := w.NewSpaceWithPage("Green.\n")
	ref := w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "Red.\n"))
	lost := w.ReadRequest(ref).Revision
	w.Change(ref, servertest.Write(page, "Blue.\n"))
	r, err := revision.New(w.Store, 1<<20).Revision(t.Context(), w.Store.Content(space), lost)
	w.Must(err)
	note, err := json.Marshal(revision.LostNote{Revision: &r})
	w.Must(err)
	removeObject(space, revision.ObjectHash(lost))
	w.Must(w.Store.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{
		revision.ObjectHash(lost): {Refs: r.Parents, Note: note},
	}))
	w.Serve()
	servertest.Refused(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
		ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved, Revision: lost},
	}, http.StatusGone, api.ReasonContentLost)
	servertest.Equal(t, "outdated", false, isOutdated(w, ref, approve(w, "reviewer", ref)))
}
