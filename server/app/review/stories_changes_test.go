package review_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// formatChanges formats changes as text, one per line.
func formatChanges(c api.SemanticChanges) string {
	var lines []string
	for _, change := range c.Changes {
		line := string(change.Type)
		switch {
		case change.Page != nil:
			line += " " + change.Page.Title
		case change.File != nil:
			line += " " + change.File.Name
		case change.ReusableContent != nil:
			line += " " + change.ReusableContent.Title
		}
		if change.Parent != nil {
			line += fmt.Sprintf(" from %s to %s", changedTitle(change.Parent.Before), changedTitle(change.Parent.After))
			line += fmt.Sprintf(", after %s and %s", changedTitle(change.Previous.Before), changedTitle(change.Previous.After))
		}
		for _, name := range servertest.SortedKeys(change.Attributes) {
			a := change.Attributes[name]
			if name == "document" {
				line += " document"
				continue
			}
			line += fmt.Sprintf(" %s %s->%s", name, a.Before, a.After)
		}
		for _, name := range servertest.SortedKeys(change.Variables) {
			line += " " + name
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func changedTitle(p *api.ChangedPage) string {
	if p == nil {
		return "the root"
	}
	return p.Title
}

// formatDiff formats a diff as text, one block per line: unchanged text as is, changes with markers.
func formatDiff(d api.ContentDiff) string {
	var lines []string
	for _, document := range d.Documents {
		name := "reusable"
		if document.Page != nil {
			name = document.Page.Title
		}
		lines = append(lines, fmt.Sprintf("%s %s +%d -%d", document.Change, name, document.Words.Added, document.Words.Removed))
		for _, block := range document.Blocks {
			line := string(block.Change) + ": "
			for _, run := range block.Runs {
				line += map[api.TextChange]string{api.TextSame: "%s", api.TextAdded: "{+%s+}", api.TextRemoved: "[-%s-]"}[run.Change]
				line = fmt.Sprintf(strings.ReplaceAll(line, "%s", "%[1]s"), strings.TrimRight(run.Text, "\n"))
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func getChanges(w *servertest.World, ref api.ChangeRequestRef, since string) api.SemanticChanges {
	w.T.Helper()
	return servertest.Do(w, "commenter", api.GetChangeRequestChanges, api.ChangeRequestChangesInput{
		ChangeRequestRef: ref, SinceOptions: api.SinceOptions{Since: since}, ChangesOptions: api.ChangesOptions{Limit: api.Some(100)},
	})
}

func getDiff(w *servertest.World, ref api.ChangeRequestRef, page, since string) api.ContentDiff {
	w.T.Helper()
	return servertest.Do(w, "commenter", api.DiffChangeRequest, api.ChangeRequestDiffInput{
		ChangeRequestRef: ref, SinceOptions: api.SinceOptions{Since: since}, DiffOptions: api.DiffOptions{Page: page},
	})
}

// TestChangesFollowPageOrder checks that the changes of a request are listed completely, in page order.
func TestChangesFollowPageOrder(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		first := w.NewRequest("admin", space)
		created := w.Change(first, servertest.WithRef("a", servertest.NewPage("A", "a text\n")),
			servertest.WithRef("b", servertest.NewPage("B", "b text\n")), servertest.NewPage("C", "c text\n"), servertest.NewPage("D",
				"d text\n"),
			servertest.Insert("A1", "a", "a1\n"), servertest.Insert("A2", "a", "a2\n"), servertest.InsertReusable("Note",
				"one\n"), servertest.SetVariables("", "x", "1"), servertest.SetVariables("", "y", "1"))
		id := func(i int) string { return created.Changes[i].Page.ID }
		w.MustMerge(first)

		ref := w.NewRequest("admin", space)
		w.Change(ref,
			api.ContentChange{
				Operation: api.UpdatePage, Page: id(0), Title: api.Some("A renamed"), Document: &api.Document{
					Markdown: api.Some("another a\n"),
				},
			},
			api.ContentChange{Operation: api.DeletePage, Page: id(4)},
			api.ContentChange{Operation: api.UpdatePage, Page: id(3), Into: api.Some(id(0))},
			api.ContentChange{Operation: api.UpdatePage, Page: id(2), At: api.Some(0)},
			api.ContentChange{
				Operation: api.InsertPage, Title: api.Some("E"), Hidden: api.Some(true), Document: &api.Document{
					Markdown: api.Some("e text\n"),
				},
			},
			api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f.txt", ContentType: "text/plain", Base64: "aGk="}},
			},
			api.ContentChange{
				Operation: api.UpdateReusableContent, ReusableContent: created.Changes[6].ReusableContent.ID,
				Document: &api.Document{Markdown: api.Some("two\n")},
			},
			servertest.SetVariables("", "x", "2"),
		)
		servertest.Equal(t, "changes", strings.Join([]string{
			"page_moved C from the root to the root, after B and the root",
			`page_edited A renamed document title "A"->"A renamed"`,
			"page_deleted A1",
			"page_moved D from the root to A renamed, after C and A2",
			"page_created E hidden ->true",
			"file_created f.txt",
			"reusable_content_edited Note document",
			"variables_edited x",
		}, "\n"), formatChanges(getChanges(w, ref, "")))

		// ten changes are shown by default, and the rest is counted
		few := servertest.Do(w, "commenter", api.GetChangeRequestChanges, api.ChangeRequestChangesInput{
			ChangeRequestRef: ref, ChangesOptions: api.ChangesOptions{Limit: api.Some(3)},
		})
		servertest.Equal(t, "shown", 3, len(few.Changes))
		servertest.Equal(t, "more", 5, few.More)
		servertest.Equal(t, "texts", strings.Join([]string{
			"edited A renamed +2 -2", "edited: [-a text-]{+another a+}",
			"deleted A1 +0 -1", "removed: [-a1-]",
			"created E +2 -0", "added: {+e text+}",
			"edited reusable +1 -1", "edited: [-one-]{+two+}",
		}, "\n"), formatDiff(getDiff(w, ref, "", "")))
		servertest.Equal(t, "other than texts", strings.Join([]string{
			"page_moved C from the root to the root, after B and the root",
			`page_edited A renamed title "A"->"A renamed"`,
			"page_moved D from the root to A renamed, after C and A2",
			"page_created E hidden ->true",
			"file_created f.txt",
			"variables_edited x",
		}, "\n"), formatChanges(api.SemanticChanges{Changes: getDiff(w, ref, "", "").Changes}))
		servertest.Equal(t, "of one page", `page_edited A renamed title "A"->"A renamed"`,
			formatChanges(api.SemanticChanges{Changes: getDiff(w, ref, id(0), "").Changes}))
	})
}

// TestChangesExcludeSpaceChanges checks that the changes of a request are its own: they exclude later changes of the space, and
// remain the same after the merge.
func TestChangesExcludeSpaceChanges(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		first := w.NewRequest("admin", space)
		created := w.Change(first, servertest.NewPage("Mine", "One is here. Two is there.\n"), servertest.NewPage("Theirs", "Old words.\n"))
		mine, theirs := created.Changes[0].Page.ID, created.Changes[1].Page.ID
		w.MustMerge(first)

		ref := w.NewRequest("admin", space)
		w.Change(ref, servertest.Update(mine, "One is here. Two is gone.\n"))
		other := w.NewRequest("admin", space)
		w.Change(other, servertest.Update(theirs, "New words.\n"), servertest.NewPage("News", "x\n"))
		w.MustMerge(other)

		want, diff := "page_edited Mine document", "edited Mine +1 -1\nedited: One is here. Two is [-there-]{+gone+}."
		servertest.Equal(t, "outdated", want, formatChanges(getChanges(w, ref, "")))
		servertest.Equal(t, "outdated", diff, formatDiff(getDiff(w, ref, "", "")))
		servertest.Do(w, "admin", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref})
		servertest.Equal(t, "updated", want, formatChanges(getChanges(w, ref, "")))
		w.MustMerge(ref)
		servertest.Equal(t, "merged", want, formatChanges(getChanges(w, ref, "")))
		servertest.Equal(t, "merged", diff, formatDiff(getDiff(w, ref, "", "")))

		// the revision of the merge has the same changes and names the change request
		head := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).ID
		changes := servertest.Do(w, "commenter", api.GetRevisionChanges, api.RevisionChangesInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: head},
		})
		servertest.Equal(t, "of the merge", want, formatChanges(changes))
		if changes.MergedFrom == nil || changes.MergedFrom.Number != 2 {
			t.Errorf("merged from %+v", changes.MergedFrom)
		}
		merge := servertest.Do(w, "commenter", api.DiffRevision, api.RevisionDiffInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: head},
		})
		servertest.Equal(t, "of the merge", diff, formatDiff(merge))
	})
}

// TestChangesSinceRevision checks that the changes since a revision exclude those that came in from the space.
func TestChangesSinceRevision(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		first := w.NewRequest("admin", space)
		created := w.Change(first, servertest.NewPage("One", "one a\n"), servertest.NewPage("Two", "two a\n"),
			servertest.NewPage("Three", "three a\n"))
		id := func(i int) string { return created.Changes[i].Page.ID }
		w.MustMerge(first)

		ref := w.NewRequest("admin", space)
		w.Change(ref, servertest.Update(id(0), "one b\n"), servertest.SetVariables("", "mine", "1"))
		seen := servertest.Do(w, "admin", api.GetChangeRequest, ref).Revision
		servertest.Equal(t, "nothing yet", "", formatChanges(getChanges(w, ref, seen)))
		other := w.NewRequest("admin", space)
		w.Change(other, servertest.Update(id(2), "three b\n"), servertest.SetVariables("", "theirs", "1"))
		w.MustMerge(other)
		servertest.Do(w, "admin", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref})
		servertest.Equal(t, "brought in only", "", formatChanges(getChanges(w, ref, seen)))
		w.Change(ref, servertest.Update(id(1), "two b\n"), servertest.SetVariables("", "mine", "2"))
		servertest.Equal(t, "since", "page_edited Two document\nvariables_edited mine", formatChanges(getChanges(w, ref, seen)))
		servertest.Equal(t, "since", "edited Two +1 -1\nedited: two [-a-]{+b+}", formatDiff(getDiff(w, ref, "", seen)))
		servertest.Equal(t, "a page that came from the space", "same Three +0 -0\nsame: three b", formatDiff(getDiff(w, ref, id(2), seen)))
		servertest.Equal(t, "all", "page_edited One document\npage_edited Two document\nvariables_edited mine",
			formatChanges(getChanges(w, ref, "")))

		// a page reset to the state of the space differs from the revision seen
		seen = servertest.Do(w, "admin", api.GetChangeRequest, ref).Revision
		w.Change(ref, servertest.Update(id(0), "one a\n"))
		servertest.Equal(t, "taken back", "page_edited One document", formatChanges(getChanges(w, ref, seen)))

		path := "/v1/spaces/" + space + "/change-requests/" + ref.ChangeRequest
		for _, query := range []string{
			"/changes?since=r_nothing", "/diff?since=" + servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).ID,
		} {
			if a := w.Send("commenter", http.MethodGet, path+query, nil); a.Status != http.StatusBadRequest ||
				a.Error().Fields[0].Path != "since" {
				t.Errorf("%s: %d %s", query, a.Status, a.Body)
			}
		}
	})
}

// TestCompareAnyTwoRevisions checks that any two revisions of a space can be compared in both directions. Other ids are not
// found.
func TestCompareAnyTwoRevisions(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		var heads []string
		head := func() {
			heads = append(heads, servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).ID)
		}
		head()
		first := w.NewRequest("admin", space)
		page := w.Change(first, servertest.NewPage("One", "A is b.\n")).Changes[0].Page.ID
		w.MustMerge(first)
		head()
		second := w.NewRequest("admin", space)
		w.Change(second, servertest.Update(page, "A is c.\n"))
		w.MustMerge(second)
		head()
		compare := func(revision, base string) string {
			return formatDiff(servertest.Do(w, "commenter", api.DiffRevision, api.RevisionDiffInput{
				RevisionRef: api.RevisionRef{Space: space, Revision: revision}, BaseOptions: api.BaseOptions{Base: base},
			}))
		}
		servertest.Equal(t, "with the parent", "edited One +1 -1\nedited: A is [-b-]{+c+}.", compare(heads[2], ""))
		servertest.Equal(t, "with the first", "created One +3 -0\nadded: {+A is c.+}", compare(heads[2], heads[0]))
		at := func(revision string) string { return "/v1/spaces/" + space + "/revisions/" + revision }
		none := servertest.Do(w, "commenter", api.GetRevisionChanges, api.RevisionChangesInput{
			RevisionRef: api.RevisionRef{Space: space, Revision: heads[0]},
		})
		servertest.Equal(t, "of the first", 0, len(none.Changes))
		root := strings.TrimPrefix(textID(w, space, page), "")
		for path, want := range map[string]int{
			at("r_nothing") + "/changes": 404, at(strings.TrimPrefix(heads[1], "r_")) + "/diff": 404, at("r_"+root) + "/diff": 404,
			at(heads[1]) + "/changes?base=r_nothing": 400, at(heads[1]) + "/diff?page=p_nothing": 404,
		} {
			if a := w.Send("commenter", http.MethodGet, path, nil); a.Status != want {
				t.Errorf("%s: %d %s, want %d", path, a.Status, a.Body, want)
			}
		}
	})
}

// textID returns the id of the text of a page, which is an object but not a revision.
func textID(w *servertest.World, space, page string) string {
	w.T.Helper()
	return servertest.Do(w, "reader", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
}

// TestPatchApplies checks that a patch can be applied by patch programs.
func TestPatchApplies(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		first := w.NewRequest("admin", space)
		page := w.Change(first, servertest.NewPage("One", "a\n\nb\n\nc\n")).Changes[0].Page.ID
		w.MustMerge(first)
		ref := w.NewRequest("admin", space)
		w.Change(ref, servertest.Update(page, "a\n\nb anew\n\nc\n"), servertest.NewPage("Two", "x"), servertest.NewPage("Three", "y\n"))
		path := "/v1/spaces/" + space + "/change-requests/" + ref.ChangeRequest + "/diff?format=unified"
		a := w.Send("commenter", http.MethodGet, path, nil)
		servertest.Equal(t, "type", "text/x-diff; charset=utf-8", a.Header.Get("Content-Type"))
		servertest.Equal(t, "patch", "diff --git a/one.md b/one.md\n--- a/one.md\n+++ b/one.md\n"+
			"@@ -1,5 +1,5 @@\n a\n \n-b\n+b anew\n \n c\n"+
			"diff --git a/two.md b/two.md\nnew file mode 100644\n--- /dev/null\n+++ b/two.md\n"+
			"@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"+
			"diff --git a/three.md b/three.md\nnew file mode 100644\n--- /dev/null\n+++ b/three.md\n@@ -0,0 +1 @@\n+y\n"+
			"diff --git a/SUMMARY.md b/SUMMARY.md\n--- a/SUMMARY.md\n+++ b/SUMMARY.md\n@@ -1,3 +1,5 @@\n # Summary\n \n * [One](one.md)\n"+
			"+* [Two](two.md)\n+* [Three](three.md)\n", string(a.Body))
		again := w.Send("commenter", http.MethodGet, path, nil, "If-None-Match", a.Header.Get("ETag"))
		servertest.Equal(t, "again", http.StatusNotModified, again.Status)
		limited := w.Send("commenter", http.MethodGet, path+"&limit=1", nil)
		if !strings.HasSuffix(string(limited.Body), "\n# 3 more texts differ: ask for a higher limit, or for one page\n") {
			t.Errorf("%s", limited.Body)
		}
		if git, err := exec.LookPath("git"); err == nil {
			command := exec.CommandContext(t.Context(), git, "apply", "--numstat", "-")
			command.Dir, command.Stdin = t.TempDir(), strings.NewReader(string(limited.Body))
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("git: %v %s", err, out)
			}
		}
		servertest.Equal(t, "two formats", http.StatusBadRequest, w.Send("commenter", http.MethodGet, path+"&format=blocks", nil).Status)
	})
}

// TestChangesSinceLastReview checks that the changes since the last review of the caller are all changes if there is no review.
func TestChangesSinceLastReview(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Docs", "").ID
		ref := w.NewRequest("admin", space)
		page := w.Change(ref, servertest.NewPage("One", "A is b.\n"), servertest.NewPage("Two", "x\n")).Changes[0].Page.ID
		requestReview(w, ref)
		approve(w, "commenter", ref)
		w.Change(ref, servertest.Update(page, "A is c.\n"))
		servertest.Equal(t, "mine", "page_edited One document", formatChanges(getChanges(w, ref, api.SinceMyLastReview)))
		servertest.Equal(t, "mine", "edited One +1 -1\nedited: A is [-b-]{+c+}.", formatDiff(getDiff(w, ref, "", api.SinceMyLastReview)))
		other := servertest.Do(w, "reviewer", api.GetChangeRequestChanges, api.ChangeRequestChangesInput{
			ChangeRequestRef: ref, SinceOptions: api.SinceOptions{Since: api.SinceMyLastReview},
		})
		servertest.Equal(t, "of another", "page_created One\npage_created Two", formatChanges(other))
		requestReview(w, ref)
		approve(w, "commenter", ref)
		servertest.Equal(t, "seen all", "", formatChanges(getChanges(w, ref, api.SinceMyLastReview)))
	})
}

// requestReview requests a review from the commenter.
func requestReview(w *servertest.World, ref api.ChangeRequestRef) {
	w.T.Helper()
	body := api.ReviewRequest{Users: []string{w.Users["commenter"].ID}}
	servertest.Do(w, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: ref, Body: body})
}
