package view

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
)

// newTree returns the pages "guide" and, below it, "inner", in reverse order of their ids.
func newTree() *revision.Tree {
	t := revision.NewTree()
	t.Put(&revision.Page{
		ID: "p_2", Order: "a0", Type: api.PageDocument, Title: "Guide", Slug: "guide", CreatedAt: api.At(testTime),
		UpdatedAt: api.At(testTime),
	})
	t.Put(&revision.Page{ID: "p_1", Parent: "p_2", Order: "a0", Type: api.PageDocument, DerivedTitle: "Inner", Slug: "inner"})
	return t
}

// TestHref checks that the target of a link page is a path of the own space only if the page is named
// without another space. Pages of a duplicate have the ids of the original.
func TestHref(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target *api.ContentRef
		want   string
	}{
		{nil, ""},
		{&api.ContentRef{Kind: api.RefURL, URL: "https://example.com/?a=b#c"}, "https://example.com/?a=b#c"},
		{&api.ContentRef{Kind: api.RefPage, Page: "p_2"}, "/guide"},
		{&api.ContentRef{Kind: api.RefPage, Page: "p_1"}, "/guide/inner"},
		{&api.ContentRef{Kind: api.RefAnchor, Page: "p_1", Anchor: "part"}, "/guide/inner#part"},
		{&api.ContentRef{Kind: api.RefPage, Page: "p_absent"}, ""},
		{&api.ContentRef{Kind: api.RefPage, Page: "p_1", Space: "s_2"}, ""},
		{&api.ContentRef{Kind: api.RefAnchor, Page: "p_1", Anchor: "part", Space: "s_2"}, ""},
		{&api.ContentRef{Kind: api.RefSpace, Space: "s_2"}, ""},
		{&api.ContentRef{Kind: api.RefFile, File: "f_1"}, ""},
		{&api.ContentRef{Kind: api.RefCollection, Collection: "l_1"}, ""},
		{&api.ContentRef{Kind: api.RefOpenAPI, Spec: "pets"}, ""},
	} {
		if got := Href(newTree(), c.target); got != c.want {
			t.Errorf("%+v leads to %q, want %q", c.target, got, c.want)
		}
	}
}

// TestPageHasMembersOfItsType checks that members that belong to some types of pages are present on those only.
func TestPageHasMembersOfItsType(t *testing.T) {
	t.Parallel()
	w, tree, at := newWriter(), newTree(), revision.Target{Space: "s_1", ChangeRequest: "2"}
	for _, p := range []revision.Page{
		{ID: "p_3", Type: api.PageLink, Title: "<b>", Slug: "link", Target: &api.ContentRef{Kind: api.RefPage, Page: "p_1"}},
		{ID: "p_4", Parent: "p_2", Order: "a1", Type: api.PageGroup, Title: "Group", Slug: "group"},
		{ID: "p_5", Parent: "p_4", Type: api.PageComputed, Slug: "api", Computed: &api.Computed{Type: "openapi"}},
		{ID: "p_6", Type: api.PageDocument, Slug: "text", Text: "t1", Description: "About", Layout: &api.PageLayout{}},
	} {
		tree.Put(&p)
	}
	page := func(id string) api.RevisionPage { return w.Page(tree, at, tree.Page(id), false) }
	link := page("p_3")
	wantEqual(t, "path of a link", [3]string{"", "", "/guide/inner"}, [3]string{link.Slug, link.Path, link.Href})
	wantEqual(t, "title of a link", "<b>", link.Title)
	wantEqual(t, "address of a link", publicURL+"/app/pages/s_1~p_3", link.URLs.App)
	if data, err := json.Marshal(page("p_4")); err != nil || decode[api.RevisionPage](t, data).DocumentID != "" {
		t.Errorf("a group has a document: %s %v", data, err)
	}
	wantEqual(t, "kind and path of a group", "group guide/group", page("p_4").Kind+" "+page("p_4").Path)
	wantEqual(t, "path of a computed page", "guide/group/api", page("p_5").Path)
	wantEqual(t, "source of a computed page", "openapi", page("p_5").Computed.Type)
	wantEqual(t, "title of a page without one", "Untitled", page("p_5").Title)
	text := page("p_6")
	wantEqual(t, "a text", "sheet t1 About", text.Kind+" "+text.DocumentID+" "+text.Description)
	wantEqual(t, "layout of a text", api.PageLayout{}, *text.Layout)
	wantEqual(t, "default layout", api.DefaultLayout(), *page("p_2").Layout)
}

// TestPagesAreNestedInOrder checks the order of nested pages, that a page without children has an empty list, and that
// times are shown on request only.
func TestPagesAreNestedInOrder(t *testing.T) {
	t.Parallel()
	w, tree := newWriter(), newTree()
	tree.Put(&revision.Page{ID: "p_0", Parent: "p_2", Order: "a1", Type: api.PageDocument, Title: "Last", Slug: "last"})
	var titles []string
	pages := w.Pages(tree, revision.Target{Space: "s_1"}, "", true)
	for _, p := range pages[0].Pages {
		titles = append(titles, p.Title)
		if p.Pages == nil {
			t.Errorf("the pages of %s are null", p.Title)
		}
	}
	if diff := cmp.Diff([]string{"Inner", "Last"}, titles); diff != "" {
		t.Error(diff)
	}
	wantEqual(t, "time", api.At(testTime), pages[0].UpdatedAt)
	untimed := w.Pages(tree, revision.Target{Space: "s_1"}, "", false)[0]
	if !untimed.CreatedAt.IsZero() || !untimed.UpdatedAt.IsZero() {
		t.Errorf("the times are %v and %v", untimed.CreatedAt, untimed.UpdatedAt)
	}
	if data, err := json.Marshal(OrEmpty[string](nil)); err != nil || string(data) != "[]" {
		t.Errorf("nil is encoded as %s, %v", data, err)
	}
}
