package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestReadRevision reads pages, files and reusable contents of a revision after they changed.
func TestReadRevision(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		ref := w.NewRequest("editor", space)
		made := w.Change(ref, servertest.NewPage("Install", "Use {{ space.vars.tool }}.\n"), servertest.SetVariables("", "tool", "make"),
			servertest.InsertReusable("Notice", "# Notice\n\nRun {{ space.vars.tool }} twice.\n"))
		page, reusable := made.Changes[0].Page.ID, made.Changes[2].ReusableContent.ID
		file, _ := servertest.Upload(w, ref, "a.txt", "text/plain", []byte("hi"))
		w.MustMerge(ref)
		then := api.RevisionRef{Space: space, Revision: servertest.Do(w, "editor", api.GetSpace, api.GetSpaceInput{Space: space}).Revision}
		next := w.NewRequest("editor", space)
		w.Change(next, servertest.Write(page, "Gone.\n"), api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{file.ID}})
		w.MustMerge(next)

		read := func(evaluated api.Evaluation) string {
			return textOf(servertest.Do(w, "commenter", api.GetRevisionPageDocument, api.RevisionPageDocumentInput{
				RevisionRef: then, Page: page, TextOptions: api.TextOptions{Evaluated: evaluated},
			}).Nodes)
		}
		servertest.Equal(t, "evaluated", "Use make.", read(api.EvaluateAll))
		if got := read(api.EvaluateNothing); strings.Contains(got, "make") {
			t.Errorf("not evaluated: %s", got)
		}
		servertest.Equal(t, "notice", "NoticeRun make twice.",
			textOf(servertest.Do(w, "commenter", api.GetRevisionReusableContentDocument, api.RevisionReusableContentDocumentInput{
				RevisionRef: then, ReusableContent: reusable, TextOptions: api.TextOptions{Evaluated: api.EvaluateVariables},
			}).Nodes))
		in := api.RevisionPagePathInput{RevisionRef: then, PagePath: "install", PageOptions: api.PageOptions{Format: api.FormatMarkdown}}
		servertest.Equal(t, "by path", "Use {{ space.vars.tool }}.\n", *servertest.Do(w, "commenter", api.GetRevisionPageByPath,
			in).Markdown)
		files := servertest.Do(w, "commenter", api.ListRevisionFiles, api.RevisionFilesInput{RevisionRef: then})
		if files.Count != 1 || files.Items[0].ID != file.ID {
			t.Errorf("files %+v", files)
		}
		servertest.Equal(t, "file", "a.txt", servertest.Do(w, "commenter", api.GetRevisionFile, api.RevisionFileInput{
			RevisionRef: then, File: file.ID,
		}).Name)
		servertest.Refused(w, "reader", api.GetRevisionPageDocument, api.RevisionPageDocumentInput{RevisionRef: then, Page: page},
			http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "editor", api.GetRevisionPageDocument, api.RevisionPageDocumentInput{RevisionRef: then, Page: "p_none"},
			http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestGetDocumentPermissions checks that readers can get a text while the content has it, and users who see the
// history at any time.
func TestGetDocumentPermissions(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("First [here](/pages/none).\n")
		id := func() string { return w.ReadPage(space, page).DocumentID }
		was := id()
		of := func(document string) api.DocumentInput {
			return api.DocumentInput{Space: space, Document: document, Schema: "next"}
		}
		shown := servertest.Do(w, "reader", api.GetContentDocument, of(was))
		servertest.Equal(t, "text", "First here.", textOf(shown.Nodes))
		servertest.Equal(t, "page", page, shown.Data.Page)

		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Second.\n"))
		draft := w.DraftPage(ref, page).DocumentID
		servertest.Equal(t, "draft", "Second.", textOf(servertest.Do(w, "commenter", api.GetContentDocument, of(draft)).Nodes))
		servertest.Refused(w, "reader", api.GetContentDocument, of(draft), http.StatusNotFound, api.ReasonNotFound)
		w.MustMerge(ref)
		servertest.Equal(t, "now", "Second.", textOf(servertest.Do(w, "reader", api.GetContentDocument, of(draft)).Nodes))
		servertest.Equal(t, "before", "First here.", textOf(servertest.Do(w, "commenter", api.GetContentDocument, of(was)).Nodes))
		for _, none := range []string{
			"none", strings.Repeat("0", 32), strings.TrimPrefix(servertest.Do(w, "editor", api.GetSpace,
				api.GetSpaceInput{Space: space}).Revision, "r_"),
		} {
			servertest.Refused(w, "admin", api.GetContentDocument, of(none), http.StatusNotFound, api.ReasonNotFound)
		}
	})
}

// TestMetaLinksMoveWithPage sets the meta links of a page and moves them with it.
func TestMetaLinksMoveWithPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		links := api.PageMetaLinks{
			Canonical:  &api.MetaLink{Kind: api.RefPage, Page: "new"},
			Alternates: []api.MetaLink{{Kind: api.RefURL, URL: "https://example.com/de"}},
		}
		inserted := servertest.NewPage("New", "x\n")
		inserted.Ref = "new"
		made := w.Change(ref, inserted, api.ContentChange{Operation: api.UpdatePage, Page: page, MetaLinks: api.Some(links)})
		links.Canonical.Page = made.Changes[0].Page.ID
		draft := servertest.Do(w, "commenter", api.GetChangeRequestContentMetaLinks, api.ChangeRequestMetaLinksInput{
			ChangeRequestRef: ref, Page: page,
		})
		servertest.Equal(t, "in the draft", links, draft)
		before := servertest.Do(w, "reader", api.GetContentMetaLinks, api.MetaLinksInput{Space: space, Page: page})
		servertest.Equal(t, "before the merge", api.PageMetaLinks{}, before)
		changes := servertest.Do(w, "editor", api.GetChangeRequestChanges, api.ChangeRequestChangesInput{ChangeRequestRef: ref})
		recorded := false
		for _, c := range changes.Changes {
			recorded = recorded || c.Attributes["metaLinks"].After != nil
		}
		servertest.Equal(t, "recorded as a change", true, recorded)
		w.MustMerge(ref)
		servertest.Equal(t, "after the merge", links, servertest.Do(w, "reader", api.GetContentMetaLinks,
			api.MetaLinksInput{Space: space, Page: page}))
		servertest.Equal(t, "on the page", links, *w.ReadPage(space, page).MetaLinks)
		list := servertest.Do(w, "reader", api.ListContentLinks, api.ListPageLinksInput{Space: space, Page: page})
		servertest.Equal(t, "links of the page", 2, list.Count)

		next := w.NewRequest("editor", space)
		w.Change(next, api.ContentChange{Operation: api.UpdatePage, Page: page, MetaLinks: api.Null[api.PageMetaLinks]()})
		servertest.Equal(t, "removed", api.PageMetaLinks{}, servertest.Do(w, "editor", api.GetChangeRequestContentMetaLinks,
			api.ChangeRequestMetaLinksInput{ChangeRequestRef: next, Page: page}))
		wrong := api.PageMetaLinks{Alternates: []api.MetaLink{{Kind: api.RefURL, URL: "https://example.com/de"}, {Kind: api.RefPage}}}
		w.ChangeRefused(next, "changes[0].metaLinks.alternates[1].page", api.ContentChange{
			Operation: api.UpdatePage, Page: page, MetaLinks: api.Some(wrong),
		})
	})
}
