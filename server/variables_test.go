package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// evaluated is the text of a page of a change request with everything replaced by what it stands for.
func evaluated(w *world, ref api.ChangeRequestRef, page string) api.RevisionPage {
	w.t.Helper()
	return do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
		ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown, Evaluated: api.Some(true)},
	})
}

// draftOf is the revision of a change request.
func draftOf(w *world, ref api.ChangeRequestRef) api.Revision {
	w.t.Helper()
	return do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref})
}

// updateReusable is the operation that replaces the text of a reusable content.
func updateReusable(id, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdateReusableContent, ReusableContent: id, Document: &api.Document{Markdown: markdown}}
}

// A page says what its variables and includes stand for when it is asked to; what is stored stays what was sent.
func TestEvaluatedPage(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		text := "# {{ space.vars.product }}\n\nLevel {{ page.vars.level }}, {{ space.vars.unknown }}.\n\n{% include \"reusable:note\" %}\n"
		ref := w.newRequest("editor", w.newSpace().ID)
		made := w.change(ref,
			named("note", insertReusable("Note", "A note about {{ space.vars.product }}.\n")),
			named("page", newPage("Page", text)),
			setVariables("", "product", "Lamp"), setVariables("page", "level", "easy"))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		equal(t, "effects", []string{"created_reusable_content", "created_page", "updated_variables", "updated_page"},
			[]string{made.Changes[0].Object, made.Changes[1].Object, made.Changes[2].Object, made.Changes[3].Object})

		stored := w.draftPage(ref, page)
		equal(t, "stored", strings.Replace(text, "reusable:note", "reusable:"+note, 1), *stored.Markdown)
		equal(t, "variables of the page", map[string]string{"level": "easy"}, stored.Variables)
		revision := draftOf(w, ref)
		equal(t, "variables of the space", map[string]string{"product": "Lamp"}, revision.Variables)
		if len(revision.ReusableContents) != 1 || revision.ReusableContents[0].ID != note || revision.ReusableContents[0].Title != "Note" {
			t.Errorf("reusable contents %+v", revision.ReusableContents)
		}
		shown := evaluated(w, ref, page)
		equal(t, "evaluated", "# Lamp\n\nLevel easy, {{ space.vars.unknown }}.\n\nA note about Lamp.\n", *shown.Markdown)
		equal(t, "the first block", stored.Blocks[0].ID, shown.Blocks[0].ID)
		w.merged(ref)
		equal(t, "published", text, strings.Replace(w.text(ref.Space, page), note, "note", 1))

		next := w.newRequest("editor", ref.Space)
		w.change(next, updateReusable(note, "Another note.\n"), removeVariable("", "product"), setVariables(page, "level", "hard"))
		equal(t, "evaluated", "# {{ space.vars.product }}\n\nLevel hard, {{ space.vars.unknown }}.\n\nAnother note.\n", *evaluated(w, next, page).Markdown)
		shownNote := do(w, "editor", api.GetChangeRequestContentReusableContent, api.ChangeRequestReusableContentInput{
			ChangeRequestRef: next, ReusableContent: note, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		equal(t, "text of the note", "Another note.\n", *shownNote.Markdown)
		w.change(next, api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: note})
		if got := *evaluated(w, next, page).Markdown; !strings.Contains(got, "reusable:"+note) {
			t.Errorf("the include of a deleted content is gone: %q", got)
		}
		w.change(next, api.ContentChange{Operation: api.RevertPage, Page: page})
		equal(t, "variables that came back with the page", map[string]string{"level": "easy"}, w.draftPage(next, page).Variables)
		w.merged(next)
		refused(w, "reader", api.GetContentReusableContent, api.ReusableContentInput{Space: ref.Space, ReusableContent: note}, 404, api.ReasonNotFound)
	})
}

// Edits, moves and imports of others do not touch variables and reusable contents.
func TestVariablesStay(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		s := w.populate()
		w.web["https://example.com/a.md"] = "# A\n"
		do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref(s.Request), Body: api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown},
		})
		w.pull(ref(s.Request))
		w.merge("reviewer", s.Request)
		revision := do(w, "reader", api.GetContent, api.GetContentInput{Space: s.Handbook})
		equal(t, "variables", map[string]string{"product": "Lamp"}, revision.Variables)
		equal(t, "reusable content", s.ReusableContent, revision.ReusableContents[0].ID)
	})
}

// Variables merge one by one, and reusable contents as pages do.
func TestMergeVariablesAndReusableContents(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		start := w.newRequest("editor", space)
		made := w.change(start, insertReusable("Note", threeSentences), named("page", newPage("Page", "x\n")),
			setVariables("", "a", "1"), setVariables("", "b", "1"), setVariables("page", "a", "1"))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		w.merged(start)

		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, setVariables("", "a", "2"), removeVariable("", "b"), setVariables(page, "a", "2"), setVariables(page, "b", "2"),
			updateReusable(note, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.change(second, setVariables("", "c", "3"), setVariables(page, "c", "3"),
			updateReusable(note, "The lamp is green. The door is shut. The cat is awake now.\n"), insertReusable("More", "More.\n"))
		w.merged(first)
		w.merged(second)
		revision := do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		equal(t, "variables of the space", map[string]string{"a": "2", "c": "3"}, revision.Variables)
		equal(t, "variables of the page", map[string]string{"a": "2", "b": "2", "c": "3"}, revision.Pages[0].Variables)
		equal(t, "reusable contents", 2, len(revision.ReusableContents))
		merged := do(w, "reader", api.GetContentReusableContent, api.ReusableContentInput{
			Space: space, ReusableContent: note, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		equal(t, "text of the note", "The lamp is red. The door is shut. The cat is awake now.\n", *merged.Markdown)
	})
}

// What both sides changed is a conflict, and each conflict can be settled.
func TestMergeConflictsOfVariablesAndReusableContents(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		start := w.newRequest("editor", space)
		made := w.change(start, insertReusable("Note", threeSentences), insertReusable("Gone", "x\n"), named("page", newPage("Page", "x\n")))
		note, gone, page := made.Changes[0].ReusableContent.ID, made.Changes[1].ReusableContent.ID, made.Changes[2].Page.ID
		w.merged(start)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, setVariables("", "a", "1"), setVariables(page, "a", "1"),
			updateReusable(note, "The lamp is red. The door is shut. The cat is asleep.\n"), updateReusable(gone, "y\n"))
		w.change(second, setVariables("", "a", "2"), setVariables(page, "a", "2"),
			updateReusable(note, "The lamp is blue. The door is shut. The cat is asleep.\n"),
			api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: gone})
		w.merged(first)

		var result api.MergeResult
		w.untouched(func() api.Error { result = w.attempt(second); return api.Error{} })
		byKind := map[string]api.Conflict{}
		for _, c := range result.Conflicts {
			byKind[c.Kind] = c
		}
		equal(t, "kinds", []string{"attribute", "deleted", "text", "variable"}, sortedKeys(byKind))
		equal(t, "the space's", [3]string{"a", "1", "2"}, [3]string{byKind["variable"].Key, show(byKind["variable"].Ours), show(byKind["variable"].Theirs)})
		equal(t, "the page's", [3]string{"variables.a", "1", "2"}, [3]string{byKind["attribute"].Attribute, show(byKind["attribute"].Ours), show(byKind["attribute"].Theirs)})
		equal(t, "the note's", [3]string{"", note, "Note"}, [3]string{byKind["text"].Page, byKind["text"].ReusableContent, byKind["text"].Title})
		equal(t, "the deleted one", [2]string{gone, "Gone"}, [2]string{byKind["deleted"].ReusableContent, byKind["deleted"].Title})
		mine := func(kind, text string) api.Resolution {
			return api.Resolution{Conflict: byKind[kind].ID, Take: api.TakeText, Text: api.Some(text)}
		}
		answers := func(variable string) []api.Resolution {
			return []api.Resolution{
				mine("variable", variable), mine("attribute", "4"), mine("text", "The lamp is off."),
				{Conflict: byKind["deleted"].ID, Take: api.TakeTheirs},
			}
		}
		w.untouched(func() api.Error {
			tooLong := api.PullInput{ChangeRequestRef: second, Body: api.Pull{Resolutions: answers(strings.Repeat("x", 257))}}
			return refused(w, "editor", api.PullChangeRequest, tooLong, 422, api.ReasonInvalid)
		})
		w.pull(second, answers("3")...)
		w.merged(second)
		revision := do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		equal(t, "variables of the space", map[string]string{"a": "3"}, revision.Variables)
		equal(t, "variables of the page", map[string]string{"a": "4"}, revision.Pages[0].Variables)
		equal(t, "reusable contents", 1, len(revision.ReusableContents))
	})
}

// Every refusal names the field and changes nothing.
func TestVariableRefusals(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		g := grow(w)
		set := func(name, value string) api.ContentChange { return setVariables("", name, value) }
		many := api.ContentChange{Operation: api.SetVariables, Variables: map[string]*string{}}
		for i := range 201 {
			many.Variables["v"+strings.Repeat("x", i)] = new("")
		}
		for field, change := range map[string]api.ContentChange{
			"variables.1st":               set("1st", "x"),
			"variables. empty name":       set("", "x"),
			"variables.long":              set("long", strings.Repeat("ö", 257)),
			"variables too many":          many,
			"variables missing":           {Operation: api.SetVariables},
			"page":                        setVariables("p_unknown", "a", "b"),
			"page of a link":              setVariables(g.link, "a", "b"),
			"reusableContent":             updateReusable("rc_unknown", "x"),
			"reusableContent missing":     {Operation: api.DeleteReusableContent},
			"reusableContent of a page":   {Operation: api.UpdatePage, Page: g.a, ReusableContent: "rc_x"},
			"document.markdown not UTF-8": insertReusable("Bad", "a\x00b"),
		} {
			t.Run(field, func(*testing.T) {
				name, _, _ := strings.Cut(field, " ")
				w.unedited(g.ref, "changes[1]."+name, newPage("Fine", "x"), change)
			})
		}
		w.change(g.ref, set("long", strings.Repeat("ö", 256)))
	})
}
