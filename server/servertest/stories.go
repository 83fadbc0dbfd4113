package servertest

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// Story runs a test on every engine in a world of its own, and checks the invariants of the stored data at the end.
func Story(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	Each(t, func(t *testing.T, w *World) {
		test(t, w)
		w.WantClean()
	})
}

// Once is like Story on the emulation only, for tests that do not depend on the engine.
func Once(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	w := NewWorld(t, storetest.Memory())
	test(t, w)
	w.WantClean()
}

// CheckProperty checks a property with a space in a world, which is replaced from time to time since the emulation becomes
// slower with every key.
func CheckProperty(t *testing.T, property func(r *rapid.T, w *World, space string)) {
	t.Helper()
	const runsPerWorld = 10
	var w *World
	var space string
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		if runs%runsPerWorld == 0 {
			if w != nil {
				w.WantClean()
			}
			w = NewWorld(t, storetest.Memory())
			space = w.NewSpace().ID
		}
		runs++
		property(r, w, space)
	})
	w.WantClean()
}

// WantClean fails the test if `wsd fsck` finds an error.
func (w *World) WantClean() {
	w.T.Helper()
	report, err := fsck.Run(w.T.Context(), w.Store, fsck.Options{})
	if err != nil {
		w.T.Fatalf("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		w.T.Errorf("fsck: %s", finding)
	}
}

// CollectGarbage removes unreachable data, as `wsd fsck --gc` does.
func (w *World) CollectGarbage() {
	w.T.Helper()
	_, err := fsck.Run(w.T.Context(), w.Store, fsck.Options{GC: true})
	w.Must(err)
}

// NewSpace creates a space at the top level as the admin.
func (w *World) NewSpace() api.Space {
	w.T.Helper()
	return Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Title: "Docs"}})
}

// NewCollection creates a collection as the admin.
func (w *World) NewCollection(title, parent string) api.Collection {
	w.T.Helper()
	return Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: title, Parent: parent},
	})
}

// NewSpaceIn creates a space in a collection as the admin.
func (w *World) NewSpaceIn(title, parent string) api.Space {
	w.T.Helper()
	return Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Title: title, Parent: parent}})
}

// NewRequest creates a change request.
func (w *World) NewRequest(as, space string) api.ChangeRequestRef {
	w.T.Helper()
	made := Do(w, as, api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
	return api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}
}

// Change applies content operations as the editor.
func (w *World) Change(ref api.ChangeRequestRef, changes ...api.ContentChange) api.ContentResult {
	w.T.Helper()
	return Do(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
		ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes},
	})
}

// ChangeRefused applies content operations as the editor. It fails the test unless they are refused with an error for the field
// and change nothing, and returns the error.
func (w *World) ChangeRefused(ref api.ChangeRequestRef, field string, changes ...api.ContentChange) api.Error {
	w.T.Helper()
	return w.WantUntouched(func() api.Error {
		e := Refused(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{Changes: changes},
		}, 422, api.ReasonInvalid)
		if !slices.ContainsFunc(e.Fields, func(f api.FieldError) bool { return f.Path == field }) {
			w.T.Errorf("the error is about %v, want %s", e.Fields, field)
		}
		return e
	})
}

// WantUntouched calls fn and returns its result. It fails the test if fn changes any stored data except for times of last use.
func (w *World) WantUntouched(fn func() api.Error) api.Error {
	w.T.Helper()
	before := w.Dump()
	e := fn()
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		w.T.Errorf("something was written (-before +after)\n%s", diff)
	}
	return e
}

// NewPage returns a content operation that inserts a page with the given title and Markdown.
func NewPage(title, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{Markdown: api.Some(markdown)}}
}

// WithParent returns change with parent as the parent page.
func WithParent(change api.ContentChange, parent string) api.ContentChange {
	change.Into = api.Some(parent)
	return change
}

// Write returns the operation that replaces the text of a page.
func Write(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: api.Some(markdown)}}
}

// DeletePage returns the operation that deletes a page.
func DeletePage(page string) api.ContentChange {
	return api.ContentChange{Operation: api.DeletePage, Page: page}
}

// MovePage returns the operation that moves a page to an index below a parent; the parent "" is the root.
func MovePage(page, parent string, at int) api.ContentChange {
	change := api.ContentChange{Operation: api.UpdatePage, Page: page, Into: api.Some(parent), At: api.Some(at)}
	if parent == "" {
		change.Into = api.Null[string]()
	}
	return change
}

// InsertPage applies change, which must insert one page, as the editor, and returns the id of the page.
func (w *World) InsertPage(ref api.ChangeRequestRef, change api.ContentChange) string {
	w.T.Helper()
	return w.Change(ref, change).Changes[0].Page.ID
}

// ReadRequest reads a change request as the editor, and fails the test if that is not possible.
func (w *World) ReadRequest(ref api.ChangeRequestRef) api.ChangeRequest {
	w.T.Helper()
	return Do(w, "editor", api.GetChangeRequest, ref)
}

// DraftPage returns a page of a change request with its Markdown, read as the editor.
func (w *World) DraftPage(ref api.ChangeRequestRef, page string) api.RevisionPage {
	w.T.Helper()
	return Do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
		ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
}

// ReadPage returns a page of a space with its Markdown, read as the reader.
func (w *World) ReadPage(space, page string) api.RevisionPage {
	w.T.Helper()
	return Do(w, "reader", api.GetContentPage, api.PageInput{
		Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
}

// PageText returns the text of a page of a space.
func (w *World) PageText(space, page string) string {
	w.T.Helper()
	return *w.ReadPage(space, page).Markdown
}

// TryMerge merges a change request as the reviewer. The result may have conflicts.
func (w *World) TryMerge(ref api.ChangeRequestRef) api.MergeResult {
	w.T.Helper()
	return Do(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref})
}

// MustMerge merges a change request, which must have no conflicts.
func (w *World) MustMerge(ref api.ChangeRequestRef) api.MergeResult {
	w.T.Helper()
	result := w.TryMerge(ref)
	if result.Result != api.OutcomeMerge || len(result.Conflicts) > 0 {
		w.T.Fatalf("merge: %+v", result)
	}
	return result
}

// Pull merges the content of the space into a change request as the editor.
func (w *World) Pull(ref api.ChangeRequestRef, resolutions ...api.Resolution) api.MergeResult {
	w.T.Helper()
	return Do(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref, Body: api.Pull{Resolutions: resolutions}})
}

// NewSpaceWithPage creates a space with one page with the given text, and returns their ids.
func (w *World) NewSpaceWithPage(markdown string) (space, page string) {
	w.T.Helper()
	space = w.NewSpace().ID
	ref := w.NewRequest("editor", space)
	page = w.InsertPage(ref, NewPage("Page", markdown))
	w.MustMerge(ref)
	return space, page
}

// Outline returns the titles of a page tree in reading order, indented by two spaces for each level.
func Outline(pages []api.RevisionPage) []string {
	var lines []string
	for _, p := range pages {
		lines = append(lines, p.Title)
		for _, line := range Outline(p.Pages) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// Pages returns the page tree of a change request.
func (w *World) Pages(ref api.ChangeRequestRef) []api.RevisionPage {
	w.T.Helper()
	return Do(w, "editor", api.ListChangeRequestContentPages, api.ChangeRequestContentInput{ChangeRequestRef: ref}).Pages
}

// Equal fails the test unless got equals want.
func Equal[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// SortedKeys returns the keys of a map, sorted.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// EachPage calls fn for every page of a tree, in reading order.
func EachPage(pages []api.RevisionPage, fn func(api.RevisionPage)) {
	for _, p := range pages {
		fn(p)
		EachPage(p.Pages, fn)
	}
}
