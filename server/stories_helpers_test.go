package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// story runs a test in a world of its own on every engine and holds everything stored against its invariants at the
// end.
func story(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	each(t, func(t *testing.T, w *world) {
		test(t, w)
		w.clean()
	})
}

// once is story on the emulation alone, for tests of what does not depend on the engine.
func once(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	w := newWorld(t, storetest.Memory())
	test(t, w)
	w.clean()
}

// atRandom runs a property with a space in a world that is replaced from time to time: the emulation gets slower with
// every key.
func atRandom(t *testing.T, property func(r *rapid.T, w *world, space string)) {
	t.Helper()
	const runsPerWorld = 10
	var w *world
	var space string
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		if runs%runsPerWorld == 0 {
			if w != nil {
				w.clean()
			}
			w = newWorld(t, storetest.Memory())
			space = w.newSpace().ID
		}
		runs++
		property(r, w, space)
	})
	w.clean()
}

// clean fails the test when `wsd fsck` would find something.
func (w *world) clean() {
	w.t.Helper()
	report, err := fsck.Run(w.t.Context(), w.store, fsck.Options{})
	if err != nil {
		w.t.Fatalf("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		w.t.Errorf("fsck: %s", finding)
	}
}

// sweep removes what nothing reaches, as `wsd fsck --gc` does.
func (w *world) sweep() {
	w.t.Helper()
	_, err := fsck.Run(w.t.Context(), w.store, fsck.Options{GC: true})
	w.must(err)
}

// New makes a space at the top, as the admin.
func (w *world) newSpace() api.Space {
	w.t.Helper()
	return do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.org, Body: api.SpaceCreate{Title: "Docs"}})
}

// newCollection makes a collection, as the admin.
func (w *world) newCollection(title, parent string) api.Collection {
	w.t.Helper()
	return do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.org, Body: api.CollectionCreate{Title: title, Parent: parent},
	})
}

// newSpaceIn makes a space in a collection, as the admin.
func (w *world) newSpaceIn(title, parent string) api.Space {
	w.t.Helper()
	return do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.org, Body: api.SpaceCreate{Title: title, Parent: parent}})
}

// newRequest starts a change request.
func (w *world) newRequest(as, space string) api.ChangeRequestRef {
	w.t.Helper()
	made := do(w, as, api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
	return api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}
}

// change applies content operations as the editor.
func (w *world) change(ref api.ChangeRequestRef, changes ...api.ContentChange) api.ContentResult {
	w.t.Helper()
	return do(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes}})
}

// unedited applies content operations that have to fail and have to leave everything as it was.
func (w *world) unedited(ref api.ChangeRequestRef, field string, changes ...api.ContentChange) api.Error {
	w.t.Helper()
	return w.untouched(func() api.Error {
		e := refused(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes}}, 422, api.ReasonInvalid)
		if !slices.ContainsFunc(e.Fields, func(f api.FieldError) bool { return f.Path == field }) {
			w.t.Errorf("the error is about %v, want %s", e.Fields, field)
		}
		return e
	})
}

// untouched fails the test when what fn does changes anything that is stored.
func (w *world) untouched(fn func() api.Error) api.Error {
	w.t.Helper()
	written := func() map[string]string {
		dump := w.dump()
		maps.DeleteFunc(dump, func(key, _ string) bool { return strings.Contains(key, ":used:") }) // that a token was used
		return dump
	}
	before := written()
	e := fn()
	if diff := cmp.Diff(before, written()); diff != "" {
		w.t.Errorf("something was written (-before +after)\n%s", diff)
	}
	return e
}

// newPage is the operation that inserts a page.
func newPage(title, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{Markdown: markdown}}
}

// below puts the page of an operation below another one.
func below(change api.ContentChange, parent string) api.ContentChange {
	change.Into = api.Some(parent)
	return change
}

// write is the operation that replaces a page's text.
func write(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: markdown}}
}

// remove is the operation that deletes a page.
func remove(page string) api.ContentChange {
	return api.ContentChange{Operation: api.DeletePage, Page: page}
}

// move is the operation that moves a page below a parent, "" for the root, to an index.
func move(page, parent string, at int) api.ContentChange {
	change := api.ContentChange{Operation: api.UpdatePage, Page: page, Into: api.Some(parent), At: api.Some(at)}
	if parent == "" {
		change.Into = api.Null[string]()
	}
	return change
}

// insertPage inserts one page and returns its id.
func (w *world) insertPage(ref api.ChangeRequestRef, change api.ContentChange) string {
	w.t.Helper()
	return w.change(ref, change).Changes[0].Page.ID
}

// shown reads a change request.
func (w *world) shown(ref api.ChangeRequestRef) api.ChangeRequest {
	w.t.Helper()
	return do(w, "editor", api.GetChangeRequest, ref)
}

// draftPage reads a page of a change request with its text.
func (w *world) draftPage(ref api.ChangeRequestRef, page string) api.RevisionPage {
	w.t.Helper()
	return do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
		ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
}

// published reads a page of a space with its text.
func (w *world) published(space, page string) api.RevisionPage {
	w.t.Helper()
	return do(w, "reader", api.GetContentPage, api.PageInput{
		Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
}

// text is the text of a page of a space.
func (w *world) text(space, page string) string {
	w.t.Helper()
	return *w.published(space, page).Markdown
}

// attempt merges a change request as the reviewer.
func (w *world) attempt(ref api.ChangeRequestRef) api.MergeResult {
	w.t.Helper()
	return do(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref})
}

// merged merges a change request, which has to go without conflicts.
func (w *world) merged(ref api.ChangeRequestRef) api.MergeResult {
	w.t.Helper()
	result := w.attempt(ref)
	if result.Result != api.OutcomeMerge || len(result.Conflicts) > 0 {
		w.t.Fatalf("merge: %+v", result)
	}
	return result
}

// pull brings the space's content into a change request, as the editor.
func (w *world) pull(ref api.ChangeRequestRef, resolutions ...api.Resolution) api.MergeResult {
	w.t.Helper()
	return do(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref, Body: api.Pull{Resolutions: resolutions}})
}

// seed makes a space with one page of that text and returns the ids.
func (w *world) seed(markdown string) (space, page string) {
	w.t.Helper()
	space = w.newSpace().ID
	ref := w.newRequest("editor", space)
	page = w.insertPage(ref, newPage("Page", markdown))
	w.merged(ref)
	return space, page
}

// outline is a page tree as indented titles.
func outline(pages []api.RevisionPage) []string {
	var lines []string
	for _, p := range pages {
		lines = append(lines, p.Title)
		for _, line := range outline(p.Pages) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// pages is the page tree of a change request.
func (w *world) pages(ref api.ChangeRequestRef) []api.RevisionPage {
	w.t.Helper()
	return do(w, "editor", api.ListChangeRequestContentPages, api.ChangeRequestContentInput{ChangeRequestRef: ref}).Pages
}

// equal fails the test when got is not want.
func equal[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// sortedKeys are the keys of a map, sorted.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
