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

// grown is a manual of two chapters; the second has grown by so many paragraphs since.
func grown(by int) string {
	var text strings.Builder
	text.WriteString("# Manual\n\nIt begins.\n\n## First\n\nAlpha is said first.\n\nBeta is said then.\n\n## Second\n\nGamma is said second.\n\nDelta is said then.\n\nEpsilon is said last.\n")
	for n := range by {
		fmt.Fprintf(&text, "\nParagraph %d says what had to be said, too.\n", n)
	}
	return text.String()
}

// edited is what people make of a text.
func edited(text string) string {
	return strings.NewReplacer("Beta is said then.\n\n", "", "Delta is said then.\n\n", "", "Gamma is said second.", "Gamma is said second, people say.").Replace(text)
}

// manualOnPage imports a small manual, and lets people edit it.
func manualOnPage(w *servertest.World) (*folder, api.RevisionPage) {
	w.T.Helper()
	splitting(w, 620)
	f := newFolder(w, map[string]string{"manual.md": grown(0)})
	f.again(nil)
	p := f.page("Manual")
	f.edit(servertest.Write(p.ID, edited(grown(0))))
	return f, p
}

// A page that has become too large is cut where it is cut in the source: what people wrote and took out behind the cut goes
// to the new part with the rest, and so does a comment.
func TestGrownPageIsDivided(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f, p := manualOnPage(w)
		said := servertest.Do(w, "editor", api.CreateComment, api.CreateCommentInput{Space: f.space, Body: api.CommentCreate{
			Body: servertest.Says("Really?"), Page: p.ID, Node: blockWith(w, f.space, p.ID, "Epsilon"), Quote: "Epsilon is said last.",
		}})
		f.texts["manual.md"] = grown(11)
		got := f.again(nil)
		servertest.Equal(t, "created", []string{"Second"}, titles(got.Created))
		servertest.Equal(t, "updated", []string{"Manual"}, titles(got.Updated))
		servertest.Equal(t, "keys", []string{"", "second"}, keys(f.manualParts()))
		servertest.Equal(t, "text", edited(grown(11)), f.joined())
		servertest.Equal(t, "again", got.Revision, f.again(nil).Revision)

		now := servertest.Do(w, "editor", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: f.space, Comment: said.ID}}).Target.Anchor
		second := f.manualParts()[1]
		if now == nil || now.Page != second.ID || now.Start == nil || !strings.HasPrefix(w.Text(f.space, second.ID)[*now.Start:], "Epsilon is said last.") {
			t.Errorf("the comment is at %+v", now)
		}

		f.texts["manual.md"] = strings.Replace(grown(11)+"\nThat is all.\n", "Delta is said then.", "Delta is said then and now.", 1)
		again := f.again(nil)
		servertest.Equal(t, "conflicts with what people took out", []string{"Second"}, titles(again.Conflicting))
		servertest.Equal(t, "the page in conflict stays", edited(grown(11)), f.joined())
		w.Fsck()
	})
}

// blockWith is the id of the block of a page that has some words.
func blockWith(w *servertest.World, space, page, words string) string {
	w.T.Helper()
	text := w.Text(space, page)
	for _, b := range w.Published(space, page).Blocks {
		if strings.Contains(text[b.Start:b.End], words) {
			return b.ID
		}
	}
	w.T.Fatalf("no block has %q", words)
	return ""
}

// A page in conflict is not divided before somebody decides, whichever of its parts the conflict would be in.
func TestGrownPageInConflict(t *testing.T) {
	t.Parallel()
	for _, both := range []string{"Alpha is said first", "Epsilon is said last"} {
		t.Run(both, func(t *testing.T) {
			t.Parallel()
			servertest.Story(t, func(t *testing.T, w *servertest.World) {
				f, p := manualOnPage(w)
				mine := strings.Replace(edited(grown(0)), both, "People say something else here", 1)
				f.edit(servertest.Write(p.ID, mine))
				f.texts["manual.md"] = strings.Replace(grown(11), both, both+" of all, says the source", 1)
				first := f.again(nil)
				servertest.Equal(t, "conflicting", []string{"Manual"}, titles(first.Conflicting))
				servertest.Equal(t, "others", 0, len(first.Created)+len(first.Updated)+len(first.Gone))
				servertest.Equal(t, "conflicts", 1, len(first.Conflicts))
				servertest.Equal(t, "text", mine, f.joined())
				servertest.Equal(t, "the conflict is there again", first.Conflicts, f.again(nil).Conflicts)
				done := f.again(func(i *api.Import) {
					i.Resolutions = []api.Resolution{{Conflict: first.Conflicts[0].ID, Take: api.TakeOurs}}
				})
				servertest.Equal(t, "created", []string{"Second"}, titles(done.Created))
				servertest.Equal(t, "text", strings.Replace(edited(grown(11)), both, "People say something else here", 1), f.joined())
				servertest.Equal(t, "again", done.Revision, f.again(nil).Revision)
			})
		})
	}
}

// A page that people took out stays away when it is several in the source; where the source has changed it, that is a
// conflict, as with any page.
func TestGrownPageThatWasTakenOut(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f, p := manualOnPage(w)
		f.edit(servertest.Remove(p.ID))
		f.texts["manual.md"] = grown(11)
		got := f.again(nil)
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
			done := f.again(answers)
			servertest.Equal(t, "again", done.Revision, f.again(nil).Revision)
			f.texts["manual.md"] = grown(11) + "\nThat is all.\n"
			got = f.again(nil)
		}
	})
}

// What a dry run says of conflicts can be answered by the import behind it, although it is about what is new in the source.
func TestDryRunNamesTheConflicts(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, map[string]string{"a.md": "# A\n\nText of it.\n", "b.md": "# B\n\nText of B.\n"})
		f.again(nil)
		a := f.page("A")
		f.edit(api.ContentChange{Operation: api.UpdatePage, Page: a.ID, Into: api.Some(f.page("B").ID)})
		f.texts["new/a.md"] = f.texts["a.md"]
		delete(f.texts, "a.md")
		var told api.ImportResult
		dry := w.Raw("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true", f.body(nil).Body)
		if err := json.Unmarshal(dry.Body, &told); err != nil {
			t.Fatal(err)
		}
		servertest.Equal(t, "conflicts", 1, len(told.Conflicts))
		done := f.again(func(i *api.Import) {
			i.Resolutions = []api.Resolution{{Conflict: told.Conflicts[0].ID, Take: api.TakeTheirs}}
		})
		servertest.Equal(t, "conflicts", 0, len(done.Conflicts))
		servertest.Equal(t, "outline", []string{"B", "new", "  A"}, f.outline())
		servertest.Equal(t, "again", done.Revision, f.again(nil).Revision)

		// What is gone and comes back does not get the place of what has its id.
		delete(f.texts, "b.md")
		f.texts["c.md"] = "# B\n\nText of B.\n"
		f.again(nil)
		b := f.page("B").ID
		f.texts["b.md"] = "# New B\n\nOther text.\n"
		f.again(nil)
		if other := f.page("New B"); other.ID == b || f.page("B").ID != b || f.page("B").Git.Path != "c.md" {
			t.Errorf("B is %+v, the new one %+v", f.page("B"), other)
		}
	})
}
