package pages_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestLinksAfterUnreadableState checks that the links of a space are listed although an earlier state of its pages, which
// a node knows the links of, cannot be read any more.
func TestLinksAfterUnreadableState(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{true, false} {
		w, removeObject := servertest.NewBreakableWorld(t)
		space, page := w.NewSpaceWithPage("[one](https://one.example/)\n")
		links := func() int {
			return len(servertest.Do(w, "reader", api.ListSpaceLinks, api.ListLinksInput{Space: space}).Items)
		}
		servertest.Equal(t, "links", 1, links())
		heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
		w.Must(err)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "[one](https://one.example/) and [two](https://two.example/)\n"))
		w.MustMerge(ref)
		if earlier := heads[space].Pages; missing {
			removeObject(space, earlier)
		} else {
			w.DamageObject(space, earlier)
		}
		servertest.Equal(t, "links", 2, links())
	}
}
