package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/transfers"
	"docspace.dev/wsd/store/txn"
)

// A copy has the content, down to the ids, and nothing of the talk about it; from then on the two go their own ways.
func TestStoryOfADuplicate(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		s := w.populate()
		copied := do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: s.Handbook})
		equal(t, "title", "Copy of Handbook", copied.Title)
		equal(t, "parent", s.Guides, copied.Parent)
		equal(t, "comments and change requests", 0, copied.Comments+copied.ChangeRequests)
		equal(t, "text", usageText, w.text(copied.ID, s.Pages["Usage"]))
		original := do(w, "admin", api.GetContent, api.GetContentInput{Space: s.Handbook})
		content := do(w, "admin", api.GetContent, api.GetContentInput{Space: copied.ID})
		equal(t, "revision", original.ID, content.ID)
		equal(t, "file", s.File, content.Files[0].ID)

		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Handbook})
		w.clock.Advance(store.TrashTime)
		runJobs(w)
		w.serve() // without anything in memory
		equal(t, "text without the original", usageText, w.text(copied.ID, s.Pages["Usage"]))
		r := w.request("editor", copied.ID, "Go on")
		w.edit("editor", r, update(s.Pages["Usage"], "# Usage\n\nOther.\n"))
		w.merge("reviewer", r)
		equal(t, "text of the copy", "# Usage\n\nOther.\n", w.text(copied.ID, s.Pages["Usage"]))
	})
}

func TestDuplicateNeedsTheRoleCreateWhereItIsPut(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.space(strings.Repeat("ä", 50), "", "")
		refused(w, "reviewer", api.DuplicateSpace, api.SpaceRef{Space: space}, 403, api.ReasonForbidden)
		equal(t, "title", "Copy of "+strings.Repeat("ä", 42), do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: space}).Title)
	})
}

// What a copy that was cut off left behind is found and removed.
func TestAbandonedCopyIsSwept(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		s := w.populate()
		head := store.Head{Revision: do(w, "admin", api.GetContent, api.GetContentInput{Space: s.Handbook}).ID}
		abandoned := w.store.NewID(txn.HomePrefix(txn.SpacePrefix, w.org))
		_, err := transfers.CopyContent(t.Context(), w.store, s.Handbook, abandoned, head)
		w.must(err)
		if len(mentions(w, abandoned)) == 0 {
			t.Fatal("nothing was copied")
		}
		report, err := fsck.Run(t.Context(), w.store, fsck.Options{GC: true})
		w.must(err)
		if report.Removed == 0 {
			t.Error("nothing was removed")
		}
		for _, key := range mentions(w, abandoned) {
			if strings.Contains(key, "}:o:") {
				t.Errorf("%s is left", key)
			}
		}
	})
}
