package lifecycle_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// TestDuplicateKeepsHistoryGap checks that a space whose lost earlier content was replaced by a placeholder in a repair is
// duplicated with that gap in its history.
func TestDuplicateKeepsHistoryGap(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	space, page := w.NewSpaceWithPage("Earlier.\n")
	heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
	w.Must(err)
	lost := heads[space].Pages
	ref := w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "Now.\n"))
	w.MustMerge(ref)
	removeObject(space, lost)
	w.Must(w.Store.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{lost: {}}))

	copied := servertest.Do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: space}).ID
	servertest.Equal(t, "text", "Now.\n", w.PageText(copied, page))
	found, err := w.Store.FetchObjects(t.Context(), copied, []string{lost})
	w.Must(err)
	servertest.Equal(t, "lost in the copy", true, objects.IsLost(found[0].Err))
	w.Fsck()
}

// TestCopyOfMissingContentIsRefused checks that a copy of a transfer is refused if the content of that time is missing.
func TestCopyOfMissingContentIsRefused(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	g := servertest.TransferAway(w, false)
	heads, err := w.Store.LoadHeads(t.Context(), g.ToOrganization, g.Space)
	w.Must(err)
	removeObject(g.Space, heads[g.Space].Pages)
	refused := servertest.Refused(w, "admin", api.CopyTransfer, g.SourceRef(), 409, api.ReasonState)
	if !strings.Contains(refused.Message, g.Space) {
		t.Error(refused.Message)
	}
	g.WantState(api.TransferOpen)
}
