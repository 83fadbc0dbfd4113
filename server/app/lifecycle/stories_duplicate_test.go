package lifecycle_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/txn"
)

// TestDuplicateSpaceCopiesContent checks that a copy has the content of the original with the same ids, but no change
// requests or comments, and changes independently.
func TestDuplicateSpaceCopiesContent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		copied := servertest.Do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: s.Handbook})
		servertest.Equal(t, "title", "Copy of Handbook", copied.Title)
		servertest.Equal(t, "parent", s.Guides, copied.Parent)
		servertest.Equal(t, "comments and change requests", 0, copied.Comments+copied.ChangeRequests)
		servertest.Equal(t, "text", servertest.UsageText, w.PageText(copied.ID, s.Pages["Usage"]))
		original := servertest.Do(w, "admin", api.GetContent, api.GetContentInput{Space: s.Handbook})
		content := servertest.Do(w, "admin", api.GetContent, api.GetContentInput{Space: copied.ID})
		servertest.Equal(t, "revision", original.ID, content.ID)
		servertest.Equal(t, "file", s.File, content.Files[0].ID)

		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Handbook})
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		w.Serve() // with empty caches
		servertest.Equal(t, "text without the original", servertest.UsageText, w.PageText(copied.ID, s.Pages["Usage"]))
		r := w.CreateRequest("editor", copied.ID, "Go on")
		w.Edit("editor", r, servertest.Update(s.Pages["Usage"], "# Usage\n\nOther.\n"))
		w.Merge("reviewer", r)
		servertest.Equal(t, "text of the copy", "# Usage\n\nOther.\n", w.PageText(copied.ID, s.Pages["Usage"]))
	})
}

func TestDuplicateSpaceNeedsRoleCreate(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace(strings.Repeat("ä", 50), "", "")
		servertest.Refused(w, "reviewer", api.DuplicateSpace, api.SpaceRef{Space: space}, 403, api.ReasonForbidden)
		servertest.Equal(t, "title", "Copy of "+strings.Repeat("ä", 42),
			servertest.Do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: space}).Title)
	})
}

// TestInterruptedCopyIsRemoved checks that the content of an interrupted copy is detected and removed as garbage.
func TestInterruptedCopyIsRemoved(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		head := store.Head{Revision: servertest.Do(w, "admin", api.GetContent, api.GetContentInput{Space: s.Handbook}).ID}
		abandoned := w.Store.NewID(txn.HomePrefix(txn.SpacePrefix, w.Org))
		_, err := store.CopyContent(t.Context(), w.Store, s.Handbook, abandoned, head)
		w.Must(err)
		if len(servertest.KeysWithID(w, abandoned)) == 0 {
			t.Fatal("nothing was copied")
		}
		report, err := fsck.Run(t.Context(), w.Store, fsck.Options{GC: true})
		w.Must(err)
		if report.Removed == 0 {
			t.Error("nothing was removed")
		}
		for _, key := range servertest.KeysWithID(w, abandoned) {
			if strings.Contains(key, "}:o:") {
				t.Errorf("%s is left", key)
			}
		}
	})
}
