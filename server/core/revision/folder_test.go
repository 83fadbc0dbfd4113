package revision

import (
	"maps"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
)

// TestFolderKeepsPagesAtOnePathApart lays out two whole pages with the same path of a source, and a page of two parts.
func TestFolderKeepsPagesAtOnePathApart(t *testing.T) {
	t.Parallel()
	at := func(id, slug, path, part string) *Page {
		return &Page{
			ID: id, Type: api.PageDocument, Slug: slug, Order: id,
			Origin: &Origin{Source: "src_1", Path: path, Part: part},
		}
	}
	pages := []*Page{
		at("p_1", "new", "new.md", ""), at("p_2", "new-2", "new.md", ""),
		at("p_3", "long", "long.md", ""), at("p_4", "later", "long.md", "Later"),
	}
	tree := NewTree()
	for _, p := range pages {
		tree.Put(p)
	}
	folder := NewFolder(tree, nil, nil)
	want := map[string]string{"p_1": "new.md", "p_2": "new-2.md", "p_3": "long.md", "p_4": "long.md"}
	if !maps.Equal(folder.Paths, want) {
		t.Errorf("the paths are %v", folder.Paths)
	}
	var parts []int
	for _, document := range folder.Documents {
		parts = append(parts, len(document))
	}
	if !slices.Equal(parts, []int{1, 1, 2}) {
		t.Errorf("the documents have %v pages", parts)
	}
}
