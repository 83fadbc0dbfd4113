package imports_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// manualText returns a manual of two chapters. The second has extra additional paragraphs.
func manualText(extra int) string {
	var text strings.Builder
	text.WriteString("# Manual\n\nIt begins.\n\n## First\n\nAlpha is said first.\n\nBeta is said then.\n\n## Second\n\n" +
		"Gamma is said second.\n\nDelta is said then.\n\nEpsilon is said last.\n")
	for n := range extra {
		fmt.Fprintf(&text, "\nParagraph %d says what had to be said, too.\n", n)
	}
	return text.String()
}

// withEdits returns the text with the edits of a user.
func withEdits(text string) string {
	return strings.NewReplacer("Beta is said then.\n\n", "", "Delta is said then.\n\n", "", "Gamma is said second.",
		"Gamma is said second, people say.").Replace(text)
}

// importManual imports a small manual and edits it.
func importManual(w *servertest.World) (*folder, api.RevisionPage) {
	w.T.Helper()
	setSplitLimit(w, 620)
	f := newFolder(w, map[string]string{"manual.md": manualText(0)})
	f.reimport(nil)
	p := f.page("Manual")
	f.edit(servertest.Write(p.ID, withEdits(manualText(0))))
	return f, p
}

// TestPageIsSplitWhereSourceIsSplit checks that a page that has become too large is cut where the source is cut: edits,
// removals and comments after the cut move to the new part.
func TestPageIsSplitWhereSourceIsSplit(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f, p := importManual(w)
		said := servertest.Do(w, "editor", api.CreateComment, api.CreateCommentInput{Space: f.space, Body: api.CommentCreate{
			Body: servertest.CommentBody("Really?"), Page: p.ID, Node: findBlock(w, f.space, p.ID,
				"Epsilon"), Quote: "Epsilon is said last.",
		}})
		f.texts["manual.md"] = manualText(11)
		got := f.reimport(nil)
		servertest.Equal(t, "created", []string{"Second"}, titles(got.Created))
		servertest.Equal(t, "updated", []string{"Manual"}, titles(got.Updated))
		servertest.Equal(t, "keys", []string{"", "second"}, keys(f.manualParts()))
		servertest.Equal(t, "text", withEdits(manualText(11)), f.joinedText())
		servertest.Equal(t, "again", got.Revision, f.reimport(nil).Revision)

		now := servertest.Do(w, "editor", api.GetComment, api.CommentInput{
			CommentRef: api.CommentRef{Space: f.space, Comment: said.ID},
		}).Target.Anchor
		second := f.manualParts()[1]
		if now == nil || now.Page != second.ID || now.Start == nil || !strings.HasPrefix(w.PageText(f.space, second.ID)[*now.Start:],
			"Epsilon is said last.") {
			t.Errorf("the comment is at %+v", now)
		}

		f.texts["manual.md"] = strings.Replace(manualText(11)+"\nThat is all.\n", "Delta is said then.", "Delta is said then and now.", 1)
		again := f.reimport(nil)
		servertest.Equal(t, "conflicts with what people took out", []string{"Second"}, titles(again.Conflicting))
		servertest.Equal(t, "the page in conflict stays", withEdits(manualText(11)), f.joinedText())
		w.Fsck()
	})
}

// findBlock returns the id of the block of a page that contains a text.
func findBlock(w *servertest.World, space, page, words string) string {
	w.T.Helper()
	text := w.PageText(space, page)
	for _, b := range w.ReadPage(space, page).Blocks {
		if strings.Contains(text[b.Start:b.End], words) {
			return b.ID
		}
	}
	w.T.Fatalf("no block has %q", words)
	return ""
}

// TestPageIsNotSplitBeforeConflictIsResolved checks that a page with a conflict in any of its parts is not divided
// before the conflict is resolved.
func TestPageIsNotSplitBeforeConflictIsResolved(t *testing.T) {
	t.Parallel()
	for _, both := range []string{"Alpha is said first", "Epsilon is said last"} {
		t.Run(both, func(t *testing.T) {
			t.Parallel()
			servertest.Story(t, func(t *testing.T, w *servertest.World) {
				f, p := importManual(w)
				mine := strings.Replace(withEdits(manualText(0)), both, "People say something else here", 1)
				f.edit(servertest.Write(p.ID, mine))
				f.texts["manual.md"] = strings.Replace(manualText(11), both, both+" of all, says the source", 1)
				first := f.reimport(nil)
				servertest.Equal(t, "conflicting", []string{"Manual"}, titles(first.Conflicting))
				servertest.Equal(t, "others", 0, len(first.Created)+len(first.Updated)+len(first.Gone))
				servertest.Equal(t, "conflicts", 1, len(first.Conflicts))
				servertest.Equal(t, "text", mine, f.joinedText())
				servertest.Equal(t, "the conflict is there again", first.Conflicts, f.reimport(nil).Conflicts)
				done := f.reimport(func(i *api.Import) {
					i.Resolutions = []api.Resolution{{Conflict: first.Conflicts[0].ID, Take: api.TakeOurs}}
				})
				servertest.Equal(t, "created", []string{"Second"}, titles(done.Created))
				want := strings.Replace(withEdits(manualText(11)), both, "People say something else here", 1)
				servertest.Equal(t, "text", want, f.joinedText())
				servertest.Equal(t, "again", done.Revision, f.reimport(nil).Revision)
			})
		})
	}
}

// TestSplitSourceDoesNotRestoreRemovedPage checks that a removed page is not restored when the source splits it, and
// that a changed one conflicts like any page.
func TestSplitSourceDoesNotRestoreRemovedPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f, p := importManual(w)
		f.edit(servertest.DeletePage(p.ID))
		f.texts["manual.md"] = manualText(11)
		got := f.reimport(nil)
		servertest.Equal(t, "conflicting", []string{"Manual"}, titles(got.Conflicting))
		servertest.Equal(t, "created", 0, len(got.Created))
		servertest.Equal(t, "pages", 0, len(f.manualParts()))
		for _, take := range []api.ResolutionTake{api.TakeOurs, api.TakeTheirs} {
			answers := func(i *api.Import) {
				for _, c := range got.Conflicts {
					i.Resolutions = append(i.Resolutions, api.Resolution{Conflict: c.ID, Take: take})
				}
			}
			if take == api.TakeOurs {
				answers = func(i *api.Import) {
					i.Resolutions = []api.Resolution{{Conflict: got.Conflicts[0].ID, Take: take}}
				}
			}
			done := f.reimport(answers)
			servertest.Equal(t, "again", done.Revision, f.reimport(nil).Revision)
			f.texts["manual.md"] = manualText(11) + "\nThat is all.\n"
			got = f.reimport(nil)
		}
	})
}

// TestDryRunConflictsCanBeResolved checks that an import accepts resolutions of conflicts that a dry run reported, even if
// they are about new pages.
func TestDryRunConflictsCanBeResolved(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, map[string]string{"a.md": "# A\n\nText of it.\n", "b.md": "# B\n\nText of B.\n"})
		f.reimport(nil)
		a := f.page("A")
		f.edit(api.ContentChange{Operation: api.UpdatePage, Page: a.ID, Into: api.Some(f.page("B").ID)})
		f.texts["new/a.md"] = f.texts["a.md"]
		delete(f.texts, "a.md")
		var result api.ImportResult
		dry := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true", f.input(nil).Body)
		if err := json.Unmarshal(dry.Body, &result); err != nil {
			t.Fatal(err)
		}
		servertest.Equal(t, "conflicts", 1, len(result.Conflicts))
		done := f.reimport(func(i *api.Import) {
			i.Resolutions = []api.Resolution{{Conflict: result.Conflicts[0].ID, Take: api.TakeTheirs}}
		})
		servertest.Equal(t, "conflicts", 0, len(done.Conflicts))
		servertest.Equal(t, "outline", []string{"B", "new", "  A"}, f.outline())
		servertest.Equal(t, "again", done.Revision, f.reimport(nil).Revision)

		// A removed and restored page does not take over the position of another object with its id.
		delete(f.texts, "b.md")
		f.texts["c.md"] = "# B\n\nText of B.\n"
		f.reimport(nil)
		b := f.page("B").ID
		f.texts["b.md"] = "# New B\n\nOther text.\n"
		f.reimport(nil)
		if other := f.page("New B"); other.ID == b || f.page("B").ID != b || f.page("B").Git.Path != "c.md" {
			t.Errorf("B is %+v, the new one %+v", f.page("B"), other)
		}
	})
}
