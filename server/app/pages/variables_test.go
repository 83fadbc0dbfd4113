package pages_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// evaluatedPage returns the text of a page of a change request with variables and includes replaced.
func evaluatedPage(w *servertest.World, ref api.ChangeRequestRef, page string) api.RevisionPage {
	w.T.Helper()
	return servertest.Do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
		ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{
			Format: api.FormatMarkdown, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll},
		},
	})
}

// draftRevision returns the revision of a change request.
func draftRevision(w *servertest.World, ref api.ChangeRequestRef) api.Revision {
	w.T.Helper()
	return servertest.Do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref})
}

// updateReusable returns the operation that replaces the text of a reusable content.
func updateReusable(id, markdown string) api.ContentChange {
	return api.ContentChange{
		Operation: api.UpdateReusableContent, ReusableContent: id, Document: &api.Document{Markdown: api.Some(markdown)},
	}
}

// TestEvaluatedPage checks that variables and includes are replaced on request only and that the stored text does not
// change.
func TestEvaluatedPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		text := "# {{ space.vars.product }}\n\nLevel {{ page.vars.level }}, {{ space.vars.unknown }}.\n\n{% include \"reusable:note\" %}\n"
		ref := w.NewRequest("editor", w.NewSpace().ID)
		made := w.Change(ref,
			servertest.WithRef("note", servertest.InsertReusable("Note", "A note about {{ space.vars.product }}.\n")),
			servertest.WithRef("page", servertest.NewPage("Page", text)),
			servertest.SetVariables("", "product", "Lamp"), servertest.SetVariables("page", "level", "easy"))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		servertest.Equal(t, "effects", []string{"created_reusable_content", "created_page", "updated_variables", "updated_page"},
			[]string{made.Changes[0].Object, made.Changes[1].Object, made.Changes[2].Object, made.Changes[3].Object})

		stored := w.DraftPage(ref, page)
		servertest.Equal(t, "stored", strings.Replace(text, "reusable:note", "reusable:"+note, 1), *stored.Markdown)
		servertest.Equal(t, "variables of the page", map[string]string{"level": "easy"}, stored.Variables)
		revision := draftRevision(w, ref)
		servertest.Equal(t, "variables of the space", map[string]string{"product": "Lamp"}, revision.Variables)
		if len(revision.ReusableContents) != 1 || revision.ReusableContents[0].ID != note || revision.ReusableContents[0].Title != "Note" {
			t.Errorf("reusable contents %+v", revision.ReusableContents)
		}
		shown := evaluatedPage(w, ref, page)
		servertest.Equal(t, "evaluated", "# Lamp\n\nLevel easy, {{ space.vars.unknown }}.\n\nA note about Lamp.\n", *shown.Markdown)
		servertest.Equal(t, "the first block", stored.Blocks[0].ID, shown.Blocks[0].ID)
		w.MustMerge(ref)
		servertest.Equal(t, "published", text, strings.Replace(w.PageText(ref.Space, page), note, "note", 1))

		next := w.NewRequest("editor", ref.Space)
		w.Change(next, updateReusable(note, "Another note.\n"), servertest.RemoveVariable("", "product"),
			servertest.SetVariables(page, "level", "hard"))
		servertest.Equal(t, "evaluated", "# {{ space.vars.product }}\n\nLevel hard, {{ space.vars.unknown }}.\n\nAnother note.\n",
			*evaluatedPage(w, next, page).Markdown)
		shownNote := servertest.Do(w, "editor", api.GetChangeRequestContentReusableContent, api.ChangeRequestReusableContentInput{
			ChangeRequestRef: next, ReusableContent: note, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		servertest.Equal(t, "text of the note", "Another note.\n", *shownNote.Markdown)
		w.Change(next, api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: note})
		if got := *evaluatedPage(w, next, page).Markdown; !strings.Contains(got, "reusable:"+note) {
			t.Errorf("the include of a deleted content is gone: %q", got)
		}
		w.Change(next, api.ContentChange{Operation: api.RevertPage, Page: page})
		servertest.Equal(t, "variables that came back with the page", map[string]string{"level": "easy"}, w.DraftPage(next, page).Variables)
		w.MustMerge(next)
		servertest.Refused(w, "reader", api.GetContentReusableContent, api.ReusableContentInput{Space: ref.Space, ReusableContent: note},
			404, api.ReasonNotFound)
	})
}

// TestVariablesSurviveOtherEdits checks that edits, moves and imports do not change variables and reusable contents.
func TestVariablesSurviveOtherEdits(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		w.Web["https://example.com/a.md"] = "# A\n"
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: servertest.Ref(s.Request), Body: api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown},
		})
		w.Pull(servertest.Ref(s.Request))
		w.Merge("reviewer", s.Request)
		revision := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: s.Handbook})
		servertest.Equal(t, "variables", map[string]string{"product": "Lamp"}, revision.Variables)
		servertest.Equal(t, "reusable content", s.ReusableContent, revision.ReusableContents[0].ID)
	})
}

// TestMergeVariablesAndReusables checks that variables merge one by one and reusable contents like pages.
func TestMergeVariablesAndReusables(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		start := w.NewRequest("editor", space)
		made := w.Change(start, servertest.InsertReusable("Note", servertest.ThreeSentences),
			servertest.WithRef("page", servertest.NewPage("Page", "x\n")),
			servertest.SetVariables("", "a", "1"), servertest.SetVariables("", "b", "1"), servertest.SetVariables("page", "a", "1"))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		w.MustMerge(start)

		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.SetVariables("", "a", "2"), servertest.RemoveVariable("", "b"), servertest.SetVariables(page, "a", "2"),
			servertest.SetVariables(page, "b", "2"),
			updateReusable(note, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.Change(second, servertest.SetVariables("", "c", "3"), servertest.SetVariables(page, "c", "3"),
			updateReusable(note, "The lamp is green. The door is shut. The cat is awake now.\n"), servertest.InsertReusable("More",
				"More.\n"))
		w.MustMerge(first)
		w.MustMerge(second)
		revision := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		servertest.Equal(t, "variables of the space", map[string]string{"a": "2", "c": "3"}, revision.Variables)
		servertest.Equal(t, "variables of the page", map[string]string{"a": "2", "b": "2", "c": "3"}, revision.Pages[0].Variables)
		servertest.Equal(t, "reusable contents", 2, len(revision.ReusableContents))
		merged := servertest.Do(w, "reader", api.GetContentReusableContent, api.ReusableContentInput{
			Space: space, ReusableContent: note, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		servertest.Equal(t, "text of the note", "The lamp is red. The door is shut. The cat is awake now.\n", *merged.Markdown)
	})
}

// TestMergeConflictsOfVariablesAndReusables checks that edits on both sides conflict and that each conflict can be
// resolved.
func TestMergeConflictsOfVariablesAndReusables(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		start := w.NewRequest("editor", space)
		made := w.Change(start, servertest.InsertReusable("Note", servertest.ThreeSentences), servertest.InsertReusable("Gone", "x\n"),
			servertest.WithRef("page", servertest.NewPage("Page", "x\n")))
		note, gone, page := made.Changes[0].ReusableContent.ID, made.Changes[1].ReusableContent.ID, made.Changes[2].Page.ID
		w.MustMerge(start)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.SetVariables("", "a", "1"), servertest.SetVariables(page, "a", "1"),
			updateReusable(note, "The lamp is red. The door is shut. The cat is asleep.\n"), updateReusable(gone, "y\n"))
		w.Change(second, servertest.SetVariables("", "a", "2"), servertest.SetVariables(page, "a", "2"),
			updateReusable(note, "The lamp is blue. The door is shut. The cat is asleep.\n"),
			api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: gone})
		w.MustMerge(first)

		var result api.MergeResult
		w.WantUntouched(func() api.Error { result = w.TryMerge(second); return api.Error{} })
		byKind := map[string]api.Conflict{}
		for _, c := range result.Conflicts {
			byKind[c.Kind] = c
		}
		servertest.Equal(t, "kinds", []string{"attribute", "reusable-content", "text", "variable"}, servertest.SortedKeys(byKind))
		servertest.Equal(t, "the space's", [3]string{"a", "1", "2"}, [3]string{
			byKind["variable"].Variable, byKind["variable"].Ours.Value, byKind["variable"].Theirs.Value,
		})
		servertest.Equal(t, "the page's", [3]string{"variables.a", "1", "2"}, [3]string{
			byKind["attribute"].Attribute, byKind["attribute"].Ours.Value, byKind["attribute"].Theirs.Value,
		})
		servertest.Equal(t, "the note's", [3]string{"", note, "Note"}, [3]string{
			byKind["text"].Page, byKind["text"].ReusableContent, byKind["text"].Title,
		})
		servertest.Equal(t, "the deleted one", [2]string{gone, "Gone"}, [2]string{
			byKind["reusable-content"].ReusableContent, byKind["reusable-content"].Title,
		})
		mine := func(kind, text string) api.Resolution {
			return api.Resolution{Conflict: byKind[kind].ID, Take: api.TakeText, Text: api.Some(text)}
		}
		answers := func(variable string) []api.Resolution {
			return []api.Resolution{
				mine("variable", variable), mine("attribute", "4"), mine("text", "The lamp is off."),
				{Conflict: byKind["reusable-content"].ID, Take: api.TakeTheirs},
			}
		}
		w.WantUntouched(func() api.Error {
			tooLong := api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: answers(strings.Repeat("x", 257))}}
			return servertest.Refused(w, "editor", api.PullChangeRequest, tooLong, 422, api.ReasonInvalid)
		})
		w.Pull(second, answers("3")...)
		w.MustMerge(second)
		revision := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		servertest.Equal(t, "variables of the space", map[string]string{"a": "3"}, revision.Variables)
		servertest.Equal(t, "variables of the page", map[string]string{"a": "4"}, revision.Pages[0].Variables)
		servertest.Equal(t, "reusable contents", 1, len(revision.ReusableContents))
	})
}

// TestEditRejectsInvalidVariables checks that an error names the field and that nothing is changed.
func TestEditRejectsInvalidVariables(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		set := func(name, value string) api.ContentChange { return servertest.SetVariables("", name, value) }
		many := api.ContentChange{Operation: api.SetVariables, Variables: map[string]*string{}}
		for i := range 201 {
			many.Variables["v"+strings.Repeat("x", i)] = new("")
		}
		for field, change := range map[string]api.ContentChange{
			"variables.1st":               set("1st", "x"),
			"variables. empty name":       set("", "x"),
			"variables.long":              set("long", strings.Repeat("ö", 257)),
			"variables above the limit":   many,
			"variables missing":           {Operation: api.SetVariables},
			"page":                        servertest.SetVariables("p_unknown", "a", "b"),
			"page of a link":              servertest.SetVariables(g.Link, "a", "b"),
			"reusableContent":             updateReusable("rc_unknown", "x"),
			"reusableContent missing":     {Operation: api.DeleteReusableContent},
			"reusableContent of a page":   {Operation: api.UpdatePage, Page: g.A, ReusableContent: "rc_x"},
			"document.markdown not UTF-8": servertest.InsertReusable("Bad", "a\x00b"),
		} {
			t.Run(field, func(*testing.T) {
				name, _, _ := strings.Cut(field, " ")
				w.ChangeRefused(g.Ref, "changes[1]."+name, servertest.NewPage("Fine", "x"), change)
			})
		}
		w.Change(g.Ref, set("long", strings.Repeat("ö", 256)))
	})
}
