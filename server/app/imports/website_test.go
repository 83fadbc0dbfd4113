package imports_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// changingSite is a website that tests change between imports.
type changingSite struct {
	*folder

	mu     sync.Mutex
	pages  map[string]string // path -> content of its main element
	failed map[string]bool   // paths with status 500
	url    string
}

func newChangingSite(w *servertest.World) *changingSite {
	w.T.Helper()
	s := &changingSite{folder: newFolder(w, nil), pages: map[string]string{}, failed: map[string]bool{}}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	w.T.Cleanup(web.Close)
	w.AllowLoopback()
	s.url = web.URL
	return s
}

func (s *changingSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, there := s.pages[r.URL.Path]
	switch {
	case !there:
		http.NotFound(w, r)
	case s.failed[r.URL.Path]:
		http.Error(w, "come back later", http.StatusInternalServerError)
	case strings.HasSuffix(r.URL.Path, ".png"):
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte(text))
	default:
		_, _ = w.Write([]byte("<html><head><title>T</title></head><body><main>" + text + "</main></body></html>"))
	}
}

// change changes the pages of the site.
func (s *changingSite) change(change func(pages map[string]string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.pages)
}

// fail makes exactly the given paths respond with status 500.
func (s *changingSite) fail(paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.failed)
	for _, path := range paths {
		s.failed[path] = true
	}
}

func (s *changingSite) run(change func(*api.Import)) api.ImportResult {
	s.w.T.Helper()
	body := api.Import{URL: s.url + "/docs/", Source: api.ImportWebsite, Name: "site"}
	if change != nil {
		change(&body)
	}
	return servertest.Do(s.w, "editor", api.ImportContent, api.ImportInput{Space: s.space, Body: body})
}

// comment creates a comment on a quote of a page and returns its id.
func (f *folder) comment(page, quote string) string {
	f.w.T.Helper()
	text := f.w.PageText(f.space, page)
	node := ""
	for _, b := range f.w.ReadPage(f.space, page).Blocks {
		if strings.Contains(text[b.Start:b.End], quote) {
			node = b.ID
		}
	}
	return servertest.Do(f.w, "editor", api.CreateComment, api.CreateCommentInput{Space: f.space, Body: api.CommentCreate{
		Body: servertest.CommentBody("About " + quote), Page: page, Node: node, Quote: quote,
	}}).ID
}

// checkAnchored fails the test unless a comment is anchored to its quote.
func (f *folder) checkAnchored(comment, page string) {
	f.w.T.Helper()
	now := servertest.Do(f.w, "editor", api.GetComment, api.CommentInput{
		CommentRef: api.CommentRef{Space: f.space, Comment: comment},
	}).Target.Anchor
	if now == nil || now.Page != page || now.State != api.AnchorExact && now.State != api.AnchorShifted {
		f.w.T.Errorf("the comment is at %+v", now)
	}
}

// checkUnique fails the test if a source path or a title occurs twice, or a slug has a number.
func (f *folder) checkUnique() {
	f.w.T.Helper()
	paths, names := map[string]int{}, map[string]int{}
	servertest.EachPage(servertest.Do(f.w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages,
		func(p api.RevisionPage) {
			names[p.Title]++
			if p.Git != nil {
				paths[p.Git.Path+" "+p.Git.Part]++
			}
			if strings.HasSuffix(p.Slug, "-2") {
				f.w.T.Errorf("%s has the slug %s", p.Title, p.Slug)
			}
		})
	maps.DeleteFunc(paths, func(_ string, n int) bool { return n == 1 })
	maps.DeleteFunc(names, func(_ string, n int) bool { return n == 1 })
	if len(paths)+len(names) > 0 {
		f.w.T.Errorf("there more than once: %v %v", paths, names)
	}
}

// checkText fails the test unless a page contains each sentence of says once and none of not.
func (f *folder) checkText(page string, says, not []string) {
	f.w.T.Helper()
	text := f.w.PageText(f.space, page)
	for _, sentence := range says {
		if n := strings.Count(text, sentence); n != 1 {
			f.w.T.Errorf("%q is there %d times:\n%s", sentence, n, text)
		}
	}
	for _, sentence := range not {
		if strings.Contains(text, sentence) {
			f.w.T.Errorf("%q is there:\n%s", sentence, text)
		}
	}
}

func smallSite() map[string]string {
	return map[string]string{
		"/docs/":                   `<h1>Home</h1><p>Read the <a href="guide/">guide</a>, <a href="options.html#quiet">options</a>, and <a href="codes.html">codes</a>.</p>`,
		"/docs/guide/":             `<h1>Guide</h1><p>The guide begins here.</p><p>Its <a href="steps.html">steps</a> and <a href="tricks.html">tricks</a>.</p><p>The guide ends here.</p><img src="a.png" alt="A">`,
		"/docs/guide/steps.html":   `<h1>Steps</h1><p>The first step is easy.</p><p>The second step is not.</p><p>The third is <a href="./">the last</a>.</p>`,
		"/docs/guide/tricks.html":  `<h1>Tricks</h1><p>A trick is a <a href="steps.html">step</a>.</p><p>Another trick is none.</p>`,
		"/docs/guide/a.png":        "picture",
		"/docs/options.html":       `<h1>Options</h1><p>There are some options.</p><p>All of them are good.</p><p id="quiet">The quiet one says less.</p><p>The loud one says more.</p>`,
		"/docs/codes.html":         `<h1>Codes</h1><p>Zero is well.</p><p>See <a href="old.html">old ones</a>.</p>`,
		"/docs/old.html":           `<h1>Old codes</h1><p>They were used before.</p>`,
		"/docs/unreferenced/b.png": "",
	}
}

// TestReimportSite imports a site three times while users edit, and while the site renames and deletes pages and one
// page cannot be read.
func TestReimportSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := newChangingSite(w)
		s.change(func(pages map[string]string) { maps.Copy(pages, smallSite()) })
		first := s.run(nil)
		servertest.Equal(t, "broken links", 0, len(first.BrokenLinks))
		servertest.Equal(t, "created", []string{"Codes", "Guide", "Home", "Old codes", "Options", "Steps", "Tricks", "a.png"},
			titles(first.Created))
		servertest.Equal(t, "revision of an unchanged site", first.Revision, s.run(nil).Revision)
		guide, steps, options, codes := s.page("Guide").ID, s.page("Steps").ID, s.page("Options").ID, s.page("Codes").ID
		onSteps, onOptions := s.comment(steps, "second step is not"), s.comment(options, "says less")

		// Users edit, move and rename. The site edits pages, renames options.html and deletes old.html, and its guide
		// fails.
		w.Clock.Advance(1)
		s.edit(servertest.Write(steps, strings.Replace(w.PageText(s.space, steps), "is easy.", "is easy. People say so.", 1)),
			servertest.Write(guide, w.PageText(s.space, guide)+"\nPeople add a line.\n"),
			servertest.MovePage(codes, guide, 0),
			api.ContentChange{Operation: api.UpdatePage, Page: options, Title: api.Some("All options")})
		s.change(func(pages map[string]string) {
			pages["/docs/flags.html"] = strings.Replace(pages["/docs/options.html"], "The loud one says more.",
				"The loud one says much more.", 1)
			pages["/docs/"] = strings.Replace(pages["/docs/"], "options.html", "flags.html", 1)
			pages["/docs/codes.html"] = `<h1>Codes</h1><p>Zero is well.</p><p>See <a href="guide/">the guide</a> and <a href="guide/steps.html">its steps</a>.</p>`
			pages["/docs/guide/steps.html"] = strings.Replace(pages["/docs/guide/steps.html"], "The third is", "The third step is", 1)
			delete(pages, "/docs/options.html")
			delete(pages, "/docs/old.html")
		})
		s.fail("/docs/guide/", "/docs/guide/a.png")
		before := w.PageText(s.space, guide)
		second := s.run(func(i *api.Import) { i.Delete = true })
		servertest.Equal(t, "created", 0, len(second.Created))
		servertest.Equal(t, "updated", []string{"Codes", "Options", "Steps"}, titles(second.Updated))
		servertest.Equal(t, "gone", []string{"Old codes"}, titles(second.Gone))
		servertest.Equal(t, "kept and conflicting", 0, len(second.Kept)+len(second.Conflicts))
		servertest.Equal(t, "text of what failed", before, w.PageText(s.space, guide))
		servertest.Equal(t, "links to what failed", true, strings.Contains(w.PageText(s.space, codes), "[the guide](/pages/"+guide+")"))
		servertest.Equal(t, "outline", []string{"Home", "All options", "Guide", "  Codes", "  Steps", "  Tricks"}, s.outline())
		servertest.Equal(t, "options", [2]string{options, "docs/flags.html"}, [2]string{
			s.page("All options").ID, s.page("All options").Git.Path,
		})
		s.checkText(steps, []string{"is easy. People say so.", "The second step is not.", "The third step is"}, []string{"The third is"})
		s.checkText(options, []string{"says much more"}, nil)
		servertest.Equal(t, "broken links", nil, brokenLinks(w, s.space))
		s.checkUnique()
		s.checkAnchored(onSteps, steps)
		s.checkAnchored(onOptions, options)
		servertest.Equal(t, "revision of an unchanged site", second.Revision, s.run(func(i *api.Import) { i.Delete = true }).Revision)

		// The guide responds again, with a new text and without one of its pages. Users have edited it in the
		// meantime.
		w.Clock.Advance(1)
		s.edit(servertest.Write(guide, strings.Replace(w.PageText(s.space, guide), "The guide begins here.",
			"The guide begins here, people say.", 1)))
		s.change(func(pages map[string]string) {
			pages["/docs/guide/"] = `<h1>Guide</h1><p>The guide begins here.</p><p>Its <a href="steps.html">steps</a>.</p><p>The guide ends here, at last.</p><img src="a.png" alt="A">`
			delete(pages, "/docs/guide/tricks.html")
		})
		s.fail()
		third := s.run(func(i *api.Import) { i.Delete = true })
		servertest.Equal(t, "created and in conflict", 0, len(third.Created)+len(third.Conflicts))
		servertest.Equal(t, "updated", []string{"Guide"}, titles(third.Updated))
		servertest.Equal(t, "gone", []string{"Tricks"}, titles(third.Gone))
		s.checkText(guide, []string{
			"begins here, people say.", "[steps](/pages/" + steps + ")", "ends here, at last.", "People add a line.",
		}, []string{"tricks"})
		servertest.Equal(t, "broken links", nil, brokenLinks(w, s.space))
		s.checkUnique()
		s.checkAnchored(onSteps, steps)
		s.checkAnchored(onOptions, options)
		servertest.Equal(t, "revision of an unchanged site", third.Revision, s.run(nil).Revision)
		w.Fsck()
	})
}
