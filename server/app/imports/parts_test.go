package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// chapters returns a manual with chapters of size bytes, each with an example.
func chapters(size int, titles ...string) string {
	var text strings.Builder
	text.WriteString("---\ndescription: All of it\n---\n\n# Manual\n\nSee [the first](#chapter-1), [the last](#last-one) and [its " +
		"example](#example-" + fmt.Sprint(len(titles)-1) + ").\n")
	for n, title := range titles {
		fmt.Fprintf(&text,
			"\n## %s\n\nThe chapter %s begins.\n\n### Example\n\nBack to [the beginning](#manual), [the first](#chapter-1), see "+
				"[other](other.md).\n\n", title, title)
		for line := 0; text.Len() < (n+1)*size; line++ {
			fmt.Fprintf(&text, "Paragraph %d of %s says what has to be said there.\n\n", line, title)
		}
	}
	return text.String()
}

// manualParts returns the parts of manual.md in reading order.
func (f *folder) manualParts() (parts []api.RevisionPage) {
	f.w.T.Helper()
	servertest.EachPage(servertest.Do(f.w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages,
		func(p api.RevisionPage) {
			if p.Git != nil && p.Git.Path == "manual.md" {
				parts = append(parts, p)
			}
		})
	return parts
}

// joinedText returns the concatenated text of all parts.
func (f *folder) joinedText() string {
	f.w.T.Helper()
	var text strings.Builder
	for _, p := range f.manualParts() {
		text.WriteString(f.w.PageText(f.space, p.ID))
	}
	return text.String()
}

func keys(parts []api.RevisionPage) (list []string) {
	for _, p := range parts {
		list = append(list, p.Git.Part)
	}
	return list
}

// destinations returns the targets of the links of a page by destination, or the problem of a broken link.
func (f *folder) destinations(page string) map[string]string {
	f.w.T.Helper()
	parts := map[string]string{}
	servertest.EachPage(servertest.Do(f.w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages,
		func(p api.RevisionPage) {
			parts[p.ID] = "page"
			if p.Git != nil {
				parts[p.ID] = p.Git.Path + " " + p.Git.Part
			}
		})
	found := map[string]string{}
	for _, l := range servertest.Do(f.w, "reader", api.ListContentLinks, api.ListPageLinksInput{Space: f.space, Page: page}).Items {
		found[l.Href] = string(l.Problem)
		if l.Target != nil {
			found[l.Href] = strings.TrimSpace(parts[l.Target.Page.ID])
		}
	}
	return found
}

// TestLargePageIsSplit imports a page of 3 MiB as several parts with the same bytes, whose links lead to the right
// parts. Another import changes nothing.
//
//wsd:serial
func TestLargePageIsSplit(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		titles := []string{"Chapter 1", "Chapter 2", "Chapter 3", "Chapter 4", "Chapter 5", "Last one"}
		manual := chapters(512<<10, titles...)
		f := newFolder(w, map[string]string{
			"manual.md": manual, "other.md": "# Other\n\nSee [it](manual.md), [chapter 5](manual.md#chapter-5) and [its " +
				"example](manual.md#example-4).\n",
		})
		first := f.reimport(nil)
		servertest.Equal(t, "notes", []string(nil), first.Notes)
		servertest.Equal(t, "broken links", 0, len(first.BrokenLinks))
		servertest.Equal(t, "parts joined", manual, f.joinedText())
		parts := f.manualParts()
		servertest.Equal(t, "keys", []string{"", "chapter-2", "chapter-3", "chapter-4", "chapter-5", "last-one"}, keys(parts))
		servertest.Equal(t, "outline", []string{
			"Manual", "  Chapter 2", "  Chapter 3", "  Chapter 4", "  Chapter 5", "  Last one", "Other",
		}, f.outline())
		servertest.Equal(t, "links of the first part", map[string]string{
			"#chapter-1": "manual.md", "#last-one": "manual.md last-one", "#example-5": "manual.md last-one", "#manual": "manual.md",
			"other.md": "other.md",
		}, f.destinations(parts[0].ID))
		servertest.Equal(t, "links of another part", map[string]string{
			"#chapter-1": "manual.md", "#manual": "manual.md", "other.md": "other.md",
		}, f.destinations(parts[3].ID))
		servertest.Equal(t, "links of another page", map[string]string{
			"manual.md": "manual.md", "manual.md#chapter-5": "manual.md chapter-5", "manual.md#example-4": "manual.md chapter-5",
		}, f.destinations(f.page("Other").ID))
		again := f.reimport(nil)
		servertest.Equal(t, "revision of an unchanged source", first.Revision, again.Revision)
	})
}

// setSplitLimit makes the importer of the world split texts of more than limit bytes.
func setSplitLimit(w *servertest.World, limit int) {
	w.T.Helper()
	w.Serve(func(o *server.Options) { o.Importer = importer.New(w.Web, importer.Limits{PageText: limit}) })
}

// TestReimportKeepsSplitPositions checks that an import cuts at the positions of the last import and that each part is merged like a
// page.
func TestReimportKeepsSplitPositions(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setSplitLimit(w, 4000)
		manual := chapters(2000, "Chapter 1", "Chapter 2", "Chapter 3", "Chapter 4", "Chapter 5", "Last one")
		f := newFolder(w, map[string]string{"manual.md": manual, "other.md": "# Other\n\nSee [it](manual.md#chapter-5).\n"})
		f.reimport(nil)
		servertest.Equal(t, "joined", manual, f.joinedText())
		before := f.manualParts()
		servertest.Equal(t, "keys", []string{"", "chapter-2", "chapter-3", "chapter-4", "chapter-5", "last-one"}, keys(before))
		ids := func(parts []api.RevisionPage) (ids []string) {
			for _, p := range parts {
				ids = append(ids, p.ID)
			}
			return ids
		}

		// A user comments on a chapter.
		node := ""
		for _, b := range w.ReadPage(f.space, before[4].ID).Blocks {
			if strings.Contains(w.PageText(f.space, before[4].ID)[b.Start:b.End], "Chapter 5 begins.") {
				node = b.ID
			}
		}
		said := servertest.Do(w, "editor", api.CreateComment, api.CreateCommentInput{Space: f.space, Body: api.CommentCreate{
			Body: servertest.CommentBody("Really?"), Page: before[4].ID, Node: node, Quote: "Chapter 5 begins.",
		}})
		inPlace := func() {
			t.Helper()
			now := servertest.Do(w, "editor", api.GetComment, api.CommentInput{
				CommentRef: api.CommentRef{Space: f.space, Comment: said.ID},
			}).Target.Anchor
			if now == nil || now.Page != before[4].ID || now.State != api.AnchorExact && now.State != api.AnchorShifted {
				t.Errorf("the comment is at %+v", now)
			}
		}

		// A user edits chapter 4. In the source, another paragraph of chapter 4 and one of chapter 2 have changed.
		mine := strings.Replace(w.PageText(f.space, before[3].ID), "The chapter Chapter 4 begins.", "People begin chapter 4.", 1)
		f.edit(servertest.Write(before[3].ID, mine))
		manual = strings.Replace(manual, "Paragraph 2 of Chapter 4 says", "Paragraph 2 of Chapter 4 says now", 1)
		manual = strings.Replace(manual, "Paragraph 2 of Chapter 2 says", "Paragraph 2 of Chapter 2 says now", 1)
		f.texts["manual.md"] = manual
		second := f.reimport(nil)
		servertest.Equal(t, "updated", []string{"Chapter 2", "Chapter 4"}, titles(second.Updated))
		servertest.Equal(t, "ids", ids(before), ids(f.manualParts()))
		servertest.Equal(t, "joined, with what people said", strings.Replace(manual, "The chapter Chapter 4 begins.",
			"People begin chapter 4.", 1), f.joinedText())

		// A heading is renamed, and chapters become longer and shorter.
		manual = strings.Replace(manual, "## Chapter 3\n", "## The third\n", 1)
		manual = strings.Replace(manual, "Paragraph 0 of Chapter 2", strings.Repeat("More of it. ", 50)+"\n\nParagraph 0 of Chapter 2", 1)
		f.texts["manual.md"] = manual
		third := f.reimport(nil)
		servertest.Equal(t, "created and gone", 0, len(third.Created)+len(third.Gone)+len(third.Kept)+len(third.Conflicts))
		after := f.manualParts()
		servertest.Equal(t, "ids", ids(before), ids(after))
		servertest.Equal(t, "keys", []string{"", "chapter-2", "the-third", "chapter-4", "chapter-5", "last-one"}, keys(after))
		servertest.Equal(t, "title", "The third", after[2].Title)
		servertest.Equal(t, "joined", strings.Replace(manual, "The chapter Chapter 4 begins.", "People begin chapter 4.", 1),
			f.joinedText())
		inPlace()
		servertest.Equal(t, "again", third.Revision, f.reimport(nil).Revision)

		// A heading is removed: its text joins the chapter before, and nothing is duplicated.
		manual = strings.Replace(manual, "## Chapter 5\n\n", "", 1)
		f.texts["manual.md"] = manual
		fourth := f.reimport(nil)
		servertest.Equal(t, "created, gone and kept", 0, len(fourth.Created)+len(fourth.Gone)+len(fourth.Kept))
		servertest.Equal(t, "ids", ids(before), ids(f.manualParts()))
		servertest.Equal(t, "joined", strings.Replace(manual, "The chapter Chapter 4 begins.", "People begin chapter 4.", 1),
			f.joinedText())
		for _, p := range f.manualParts() {
			if strings.HasSuffix(p.Slug, "-2") && p.Slug != "chapter-2" {
				t.Errorf("a slug is %q", p.Slug)
			}
		}
		inPlace()
		servertest.Equal(t, "again", fourth.Revision, f.reimport(nil).Revision)
		w.Fsck()
	})
}

// htmlManual returns a page of a site whose chapters have headings with ids and subheadings with equal texts.
func htmlManual(size, chapters int) string {
	var text strings.Builder
	text.WriteString("<html><body><main><h1 id=top-of-it>Manual</h1><p><a href='#c-2'>the third</a> <a href='#e-3'>its example</a> <a " +
		"href='#term-1'>a term</a></p>")
	for n := range chapters {
		fmt.Fprintf(&text,
			"<h2 id=c-%d>Chapter</h2><p>Number %d begins. <a href='#c-0'>first</a></p><h3><a name=e-%d></a>Example</h3><dl><dt "+
				"id=term-%d>Term</dt><dd>It is said.</dd></dl>", n, n, n, n)
		for line := 0; text.Len() < (n+1)*size; line++ {
			fmt.Fprintf(&text, "<p>Paragraph %d of %d says <a href='other.html'>what</a> has to be said there.</p>", line, n)
		}
	}
	return text.String()
}

// TestLargeWebsitePageIsSplit splits a large page of a site. The ids of its elements are found in the part that
// contains them.
//
//wsd:serial
func TestLargeWebsitePageIsSplit(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, nil)
		w.Web["https://example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
		w.Web["https://example.com/docs/"] = "<html><body><main><h1>Home</h1><p><a href='manual.html'>it</a> <a " +
			"href='manual.html#e-3'>3</a> <a href='other.html'>other</a>"
		w.Web["https://example.com/docs/other.html"] = "<html><body><main><h1>Other</h1><p>Text."
		w.Web["https://example.com/docs/manual.html"] = htmlManual(500<<10, 5)
		body := api.Import{URL: "https://example.com/docs/", Source: api.ImportWebsite, Name: "site"}
		run := func() api.ImportResult {
			return servertest.Do(w, "editor", api.ImportContent, api.ImportInput{Space: f.space, Body: body})
		}
		first := run()
		servertest.Equal(t, "broken links", 0, len(first.BrokenLinks))
		servertest.Equal(t, "resources", [2]int{3, 3}, [2]int{first.ImportedResources, first.TotalResources})
		servertest.Equal(t, "notes", 0, len(first.Notes))
		var parts []api.RevisionPage
		servertest.EachPage(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages,
			func(p api.RevisionPage) {
				if p.Git != nil && p.Git.Path == "docs/manual.html" {
					parts = append(parts, p)
				}
			})
		servertest.Equal(t, "keys", []string{"", "c-1", "c-2", "c-3", "c-4"}, keys(parts))
		to := f.destinations(parts[0].ID)
		servertest.Equal(t, "links", []string{"docs/manual.html c-2", "docs/manual.html c-3", "docs/manual.html c-1"},
			[]string{to["#c-2"], to["#e-3"], to["#term-1"]})
		servertest.Equal(t, "revision of an unchanged source", first.Revision, run().Revision)
		w.Web["https://example.com/docs/manual.html"] = strings.Replace(w.Web["https://example.com/docs/manual.html"], "Number 3 begins.",
			"Number three begins.", 1)
		second := run()
		servertest.Equal(t, "updated", 1, len(second.Updated))
		servertest.Equal(t, "others", 0, len(second.Created)+len(second.Gone)+len(second.Kept)+len(second.Conflicts))
	})
}

// TestImportReportsOversizedResources checks that resources beyond the size limit are named in the result.
//
//wsd:serial
func TestImportReportsOversizedResources(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	var large strings.Builder
	for n := 0; large.Len() < 11<<20; n++ {
		if n%1000 == 0 {
			fmt.Fprintf(&large, "## Heading %d\n\n", n)
		}
		fmt.Fprintf(&large, "All of %x is said, and %x.  \n", n*7919, n*6007)
	}
	f := newFolder(w, map[string]string{
		"a.md": "# A\n", "large.md": large.String(), "just.md": large.String()[:9<<20], "large.bin": large.String(),
	})
	result := f.reimport(nil)
	servertest.Equal(t, "resources", [2]int{2, 4}, [2]int{result.ImportedResources, result.TotalResources})
	for _, name := range []string{"large.md", "large.bin"} {
		if !strings.Contains(strings.Join(result.Notes, "\n"), name+": it is larger than 10485760 bytes") {
			t.Errorf("notes %q do not name %s", result.Notes, name)
		}
	}
	servertest.Equal(t, "unchanged", result.Revision, f.reimport(nil).Revision)
}

// TestReferencesWorkAcrossParts checks that a reference and its definition in different parts keep the bytes of the
// source and are rendered as a link.
func TestReferencesWorkAcrossParts(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setSplitLimit(w, 2000)
		manual := strings.Replace(chapters(1500, "Chapter 1", "Chapter 2", "Chapter 3"), "The chapter Chapter 2 begins.",
			"Chapter 2 says [what][The  Other] says, and [mine].\n\n[mine]: https://example.com/mine", 1) +
			"\n[the other]: other.md \"Title\"\n[unused]: nowhere.md\n[Mine]: https://example.com/last\n"
		f := newFolder(w, map[string]string{"manual.md": manual, "other.md": "# Other\n\nWords.\n"})
		got := f.reimport(nil)
		servertest.Equal(t, "notes", 0, len(got.Notes))
		servertest.Equal(t, "joined", manual, f.joinedText())
		second := f.manualParts()[1]
		show := func(evaluated api.Evaluation, format api.Format) api.RevisionPage {
			return servertest.Do(w, "reader", api.GetContentPage,
				api.PageInput{Space: f.space, Page: second.ID, PageOptions: api.PageOptions{
					Format: format, TextOptions: api.TextOptions{Evaluated: evaluated},
				}})
		}
		read := *show(api.EvaluateAll, api.FormatMarkdown).Markdown
		if own := w.PageText(f.space, second.ID); read != "[the other]: other.md \"Title\"\n\n"+own {
			t.Errorf("readers see %q", read)
		}
		for _, evaluated := range []api.Evaluation{api.EvaluateAll, api.EvaluateNothing} {
			said := fmt.Sprintf("%+v", show(evaluated, api.FormatDocument).Document.Nodes)
			for _, part := range []string{f.page("Other").ID, "https://example.com/mine", "what"} {
				if !strings.Contains(said, part) {
					t.Errorf("evaluated %v: the document does not say %s: %s", evaluated, part, said)
				}
			}
			if strings.Contains(said, "[what]") || strings.Contains(said, "other.md") || strings.Contains(said, "unused") ||
				strings.Contains(said, "example.com/last") {
				t.Errorf("evaluated %v: the document says %s", evaluated, said)
			}
		}
	})
}
