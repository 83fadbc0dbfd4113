package pages_test

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// TestLinksAreListedAfterUnreadableRevision checks that the links of a space are listed although an earlier state of its pages,
// whose links a node has cached, cannot be read any more.
func TestLinksAreListedAfterUnreadableRevision(t *testing.T) {
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

// damagedHistory is a space with one page. Some of its revisions, or their maps of pages, are lost.
type damagedHistory struct {
	*servertest.World

	space, page string
	remove      func(owner, hash string)
}

func newDamagedHistory(t *testing.T) *damagedHistory {
	t.Helper()
	d := &damagedHistory{}
	d.World, d.remove = servertest.NewBreakableWorld(t)
	d.space, d.page = d.NewSpaceWithPage("One.\n")
	return d
}

// head returns the id of the current revision of the space.
func (d *damagedHistory) head() string {
	d.T.Helper()
	return servertest.Do(d.World, "reader", api.GetSpace, api.GetSpaceInput{Space: d.space}).Revision
}

// write replaces the text of the page in a change request, merges it, and returns the new head of the space.
func (d *damagedHistory) write(as, markdown string) string {
	d.T.Helper()
	r := d.CreateRequest(as, d.space, "Change")
	d.Edit(as, r, servertest.Update(d.page, markdown))
	d.Merge("admin", r)
	return d.head()
}

// insert adds a page in a change request, merges it, and returns the new head of the space.
func (d *damagedHistory) insert(as, title string) string {
	d.T.Helper()
	r := d.CreateRequest(as, d.space, "Change")
	d.Edit(as, r, servertest.Insert(title, "", title+".\n"))
	d.Merge("admin", r)
	return d.head()
}

// read reads a revision from the store with an empty cache. It fails the test if that is not possible.
func (d *damagedHistory) read(id string) revision.Revision {
	d.T.Helper()
	r, err := revision.New(d.Store, 1<<20).Revision(d.T.Context(), d.Store.Content(d.space), id)
	d.Must(err)
	return r
}

// replaceObject replaces an object by a placeholder, as a repair does.
func (d *damagedHistory) replaceObject(hash string, p objects.Placeholder) {
	d.T.Helper()
	d.remove(d.space, hash)
	d.Must(d.Store.ReplaceLost(d.T.Context(), d.space, map[string]objects.Placeholder{hash: p}))
	d.Serve()
}

// replaceRevision replaces a revision by a placeholder with its parents and its number.
func (d *damagedHistory) replaceRevision(id string) {
	d.T.Helper()
	r := d.read(id)
	note, err := json.Marshal(revision.LostNote{Revision: &revision.Revision{Parents: r.Parents, Number: r.Number}})
	d.Must(err)
	var refs []string
	for _, parent := range r.Parents {
		refs = append(refs, revision.ObjectHash(parent))
	}
	d.replaceObject(revision.ObjectHash(id), objects.Placeholder{Refs: refs, Note: note})
}

// pageRevisions returns the ids of the revisions that changed the page, newest first.
func (d *damagedHistory) pageRevisions() (ids []string) {
	d.T.Helper()
	for _, r := range servertest.Do(d.World, "commenter", api.ListPageRevisions,
		api.PageRevisionsInput{Space: d.space, Page: d.page}).Items {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestPageHistoryWithLostRevisions checks that the changes of a page in a lost revision are listed with the following revision,
// and that the others stay in the list.
func TestPageHistoryWithLostRevisions(t *testing.T) {
	t.Parallel()
	t.Run("page tree lost", func(t *testing.T) {
		t.Parallel()
		d := newDamagedHistory(t)
		first, lost, last := d.head(), d.write("editor", "Two.\n"), d.insert("creator", "Other")
		servertest.Equal(t, "before", []string{lost, first}, d.pageRevisions())
		d.replaceObject(d.read(lost).Pages, objects.Placeholder{})
		servertest.Equal(t, "after", []string{last, first}, d.pageRevisions())
	})
	t.Run("page tree before a rollback lost", func(t *testing.T) {
		t.Parallel()
		d := newDamagedHistory(t)
		first, lost := d.head(), d.write("editor", "Two.\n")
		servertest.Do(d.World, "admin", api.RollbackRevision, api.RevisionRef{Space: d.space, Revision: first})
		servertest.Equal(t, "before", []string{d.head(), lost, first}, d.pageRevisions())
		d.replaceObject(d.read(lost).Pages, objects.Placeholder{})
		servertest.Equal(t, "after", []string{first}, d.pageRevisions())
	})
	t.Run("revision lost", func(t *testing.T) {
		t.Parallel()
		d := newDamagedHistory(t)
		first, lost, last := d.head(), d.write("editor", "Two.\n"), d.insert("creator", "Other")
		d.replaceRevision(lost)
		servertest.Equal(t, "after", []string{last, first}, d.pageRevisions())
	})
	t.Run("first revision lost", func(t *testing.T) {
		t.Parallel()
		d := newDamagedHistory(t)
		d.insert("creator", "Other")
		list := servertest.Do(d.World, "commenter", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: d.space}).Items
		second, first := list[len(list)-2], list[len(list)-1]
		d.replaceRevision(first.ID)
		servertest.Equal(t, "after", []string{second.ID}, d.pageRevisions())
	})
}

// blame returns the ids of the revisions in which the blocks of the page got their texts.
func (d *damagedHistory) blame() (ids []string) {
	d.T.Helper()
	for _, b := range servertest.Do(d.World, "commenter", api.BlamePage, api.BlamePageInput{Space: d.space, Page: d.page}).Blocks {
		ids = append(ids, b.Revision)
	}
	return ids
}

// TestBlameAfterLostRevision checks that the blocks of a page whose earlier states are lost are attributed to the following
// revision.
func TestBlameAfterLostRevision(t *testing.T) {
	t.Parallel()
	d := newDamagedHistory(t)
	lost := d.write("editor", "One.\n\nTwo.\n")
	d.write("creator", "One.\n\nTwo.\n\nThree.\n")
	before := d.blame()
	d.replaceRevision(lost)
	servertest.Equal(t, "after", []string{before[2], before[2], before[2]}, d.blame())
}
