package imports_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// twoSources is a space with a folder and a site as sources. Both have a page of the same name.
type twoSources struct {
	*changingSite

	folder *folder
}

func newTwoSources(w *servertest.World) twoSources {
	w.T.Helper()
	s := newChangingSite(w)
	s.change(func(pages map[string]string) {
		pages["/docs/"] = `<h1>Site</h1><p>See <a href="a.html">A of the site</a> and <a href="last.html">the last</a>.</p>`
		pages["/docs/a.html"] = `<h1>A</h1><p>The site says this of A.</p><p>And that, too.</p><p>And no more of it.</p>`
		pages["/docs/last.html"] = `<h1>Last</h1><p>The last page of the site.</p>`
	})
	texts := smallFolder()
	return twoSources{s, &folder{w: w, space: s.space, texts: texts}}
}

// importBoth imports both sources. The world fetches archives from memory and sites from the loopback interface.
func (s twoSources) importBoth(remove bool) (folder, site api.ImportResult) {
	s.w.T.Helper()
	change := func(i *api.Import) { i.Delete = remove }
	site = s.run(change)
	s.w.Serve(func(o *server.Options) { o.Importer = importer.New(s.w.Web, importer.Limits{}) })
	folder = s.folder.reimport(change)
	s.w.AllowLoopback()
	return folder, site
}

// pagesNamedA returns the ids of the imported pages titled A by source path.
func (s twoSources) pagesNamedA() map[string]string {
	s.w.T.Helper()
	found := map[string]string{}
	servertest.EachPage(servertest.Do(s.w, "reader", api.ListContentPages, api.GetContentInput{Space: s.space}).Pages,
		func(p api.RevisionPage) {
			if p.Title == "A" && p.Git != nil {
				found[p.Git.Path] = p.ID
			}
		})
	return found
}

// TestSourcesOfOneSpaceAreIndependent checks that imports of two sources do not affect each other, whatever users edit,
// and that both continue after rollbacks.
func TestSourcesOfOneSpaceAreIndependent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := newTwoSources(w)
		empty := servertest.Do(w, "editor", api.GetContent, api.GetContentInput{Space: s.space}).ID
		firstFolder, firstSite := s.importBoth(false)
		if firstFolder.Source == firstSite.Source {
			t.Fatal("both are one source")
		}
		outline := s.outline()
		of := s.pagesNamedA()
		servertest.Equal(t, "pages called A", 2, len(of))
		ofFolder, ofSite := of["a.md"], of["docs/a.html"]
		onFolder, onSite := s.comment(ofFolder, "Second part"), s.comment(ofSite, "And that")

		// Users edit pages of both sources, and a page of one links to the last page of the other.
		w.Clock.Advance(1)
		s.edit(servertest.Write(ofFolder, strings.Replace(threeParts, "First part", "People's first part", 1)),
			servertest.Write(ofSite, w.PageText(s.space, ofSite)+"\nPeople add this of A.\n"),
			servertest.Write(s.page("C").ID, "# C\n\nText of C, and [the last](/pages/"+s.page("Last").ID+").\n"))
		s.folder.texts["a.md"] = strings.Replace(threeParts, "Third part", "The folder's third part", 1)
		delete(s.folder.texts, "more/d.md")
		s.change(func(pages map[string]string) {
			pages["/docs/a.html"] = strings.Replace(pages["/docs/a.html"], "And no more", "And nothing more", 1)
			pages["/docs/"] = `<h1>Site</h1><p>See <a href="a.html">A of the site</a>.</p>`
			delete(pages, "/docs/last.html")
		})
		folder, site := s.importBoth(true)
		servertest.Equal(t, "conflicts", 0, len(folder.Conflicts)+len(site.Conflicts)+len(folder.Created)+len(site.Created))
		servertest.Equal(t, "updated of the folder", []string{"A"}, titles(folder.Updated))
		servertest.Equal(t, "gone of the folder", []string{"D"}, titles(folder.Gone))
		servertest.Equal(t, "updated of the site", []string{"A", "Site"}, titles(site.Updated))
		servertest.Equal(t, "kept of the site", []string{`Last The page "C" uses it.`}, titles(site.Kept))
		both := func() {
			t.Helper()
			servertest.Equal(t, "pages called A", of, s.pagesNamedA())
			s.checkText(ofFolder, []string{"People's first part", "Second part of the page.", "The folder's third part"}, []string{"site"})
			s.checkText(ofSite, []string{"The site says this of A.", "And that, too.", "And nothing more of it.", "People add this of A."},
				[]string{"folder"})
			s.checkAnchored(onFolder, ofFolder)
			s.checkAnchored(onSite, ofSite)
		}
		both()
		lastFolder, lastSite := s.importBoth(true)
		servertest.Equal(t, "revisions of unchanged sources", [2]string{
			folder.Revision, folder.Revision,
		}, [2]string{lastFolder.Revision, lastSite.Revision})

		// Roll back to the edits before the second import: the sources import the same again.
		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: s.space, Revision: firstFolder.Revision})
		servertest.Equal(t, "outline after the rollback", outline, s.outline())
		folder, site = s.importBoth(true)
		servertest.Equal(t, "created and in conflict", 0, len(folder.Conflicts)+len(site.Conflicts)+len(folder.Created)+len(site.Created))
		servertest.Equal(t, "gone", []string{"D", "Last"}, append(titles(folder.Gone), titles(site.Gone)...))
		servertest.Equal(t, "pages called A", of, s.pagesNamedA())
		s.checkText(ofFolder, []string{"First part of the page.", "The folder's third part"}, []string{"People"})
		s.checkText(ofSite, []string{"And nothing more of it."}, []string{"People"})
		s.checkAnchored(onFolder, ofFolder)
		s.checkAnchored(onSite, ofSite)

		// Roll back to the beginning: everything is imported again, once.
		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: s.space, Revision: empty})
		folder, site = s.importBoth(true)
		servertest.Equal(t, "created", []string{"A", "B", "C", "i.png", "more", "p.png", "unused.x", "A", "Site"},
			append(titles(folder.Created), titles(site.Created)...))
		servertest.Equal(t, "pages called A", 2, len(s.pagesNamedA()))
		again, andSite := s.importBoth(true)
		servertest.Equal(t, "unchanged", [2]string{folder.Revision, folder.Revision}, [2]string{again.Revision, andSite.Revision})
		w.Fsck()
	})
}

// TestPagesMissingFromFirstImportAreMatchedLater checks that pages missing from the first import, or too large for a
// time, are linked and matched once they are available.
func TestPagesMissingFromFirstImportAreMatchedLater(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	s := newChangingSite(w)
	s.change(func(pages map[string]string) {
		pages["/docs/"] = `<h1>Home</h1><p>See <a href="guide/#x">the guide</a> and <a href="guide/steps.html">its steps</a>.</p>`
		pages["/docs/guide/"] = `<h1>Guide</h1><p id="x">The guide.</p>`
		pages["/docs/guide/steps.html"] = `<h1>Steps</h1><p>The steps.</p>`
	})
	s.fail("/docs/guide/")
	first := s.run(nil)
	home := s.page("Home").ID
	s.checkText(home, []string{"[the guide](" + s.url + "/docs/guide/#x)"}, []string{"/pages/p_0#"})
	servertest.Equal(t, "revision of an unchanged site", first.Revision, s.run(nil).Revision)
	s.fail()
	second := s.run(nil)
	guide := s.page("Guide")
	s.checkText(home, []string{"[the guide](/pages/" + guide.ID + "#x)"}, nil)
	servertest.Equal(t, "conflicts", 0, len(second.Conflicts))
	servertest.Equal(t, "broken links", nil, brokenLinks(w, s.space))
	s.checkUnique()
	text := w.PageText(s.space, home)
	s.fail("/docs/guide/")
	servertest.Equal(t, "revision while it fails again", second.Revision, s.run(func(i *api.Import) { i.Delete = true }).Revision)
	servertest.Equal(t, "text", text, w.PageText(s.space, home))
}

// TestReimportKeepsFileThatBecameTooLarge checks that a file that has become too large stays unchanged, whatever
// directory the archive is packed in.
func TestReimportKeepsFileThatBecameTooLarge(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.Importer = importer.New(w.Web, importer.Limits{ResourceSize: 200}) })
	f := newFolder(w, map[string]string{
		"manual-1/docs/a.md": "# A\n\nText.\n", "manual-1/docs/b.md": "# B\n\nText.\n", "manual-1/docs/x.png": "picture",
	})
	f.reimport(nil)
	f.texts["manual-1/docs/b.md"], f.texts["manual-1/docs/x.png"] = strings.Repeat("large ", 100), strings.Repeat("large ", 100)
	again := f.reimport(func(i *api.Import) { i.Delete = true })
	servertest.Equal(t, "gone", 0, len(again.Gone)+len(again.Kept))
	servertest.Equal(t, "outline", []string{"docs", "  A", "  B"}, f.outline())
}

// TestReimportKeepsPageThatBecameFaulty checks that a page whose text cannot be imported any more stays unchanged, and is
// not removed as one that is missing in the source.
func TestReimportKeepsPageThatBecameFaulty(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	f := newFolder(w, map[string]string{"a.md": "# A\n\nText.\n", "b.md": "# B\n\nText.\n"})
	f.reimport(nil)
	page := f.page("B").ID
	f.texts["b.md"] = "# B\n\nText\x00.\n"
	again := f.reimport(func(i *api.Import) { i.Delete = true })
	servertest.Equal(t, "gone", 0, len(again.Gone)+len(again.Kept))
	servertest.Equal(t, "outline", []string{"A", "B"}, f.outline())
	servertest.Equal(t, "text", "# B\n\nText.\n", w.PageText(f.space, page))
	if notes := strings.Join(again.Notes, "\n"); !strings.Contains(notes, "b.md: it has a NUL") {
		t.Errorf("notes are %q", notes)
	}
}
