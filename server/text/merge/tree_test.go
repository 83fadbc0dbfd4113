package merge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/server/text/content"
)

// treeView is a Tree that counts its reads.
type treeView struct {
	tree  Tree
	reads *int
}

func view(tree Tree) treeView { return treeView{tree, new(int)} }

func (v treeView) Page(id string) (Page, bool) {
	*v.reads++
	page, ok := v.tree[id]
	return page, ok
}

func (v treeView) Slug(id string) string { return v.tree[id].Attributes[SlugAttribute] }

func (v treeView) Children(parent string) []string {
	var ids []string
	for id, page := range v.tree {
		if page.Parent == parent {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return strings.Compare(v.tree[a].Order+"\x00"+a, v.tree[b].Order+"\x00"+b)
	})
	return ids
}

// changedPages returns the pages that differ between base and a side.
func changedPages(base Tree, sides ...Tree) []string {
	ids := map[string]bool{}
	for _, side := range sides {
		for _, tree := range []Tree{base, side} {
			for id := range tree {
				b, inBase := base[id]
				s, inSide := side[id]
				if inBase != inSide || !equalPages(&b, &s) {
					ids[id] = true
				}
			}
		}
	}
	return slices.Collect(maps.Keys(ids))
}

// loader returns a Load function that uses the hash of a text as the text itself, parsed against that of base.
func loader(base Tree) func(page, hash string) (content.Text, error) {
	return func(page, hash string) (content.Text, error) {
		previous, err := content.Parse(page, []byte(base[page].Text), content.Text{})
		if err != nil {
			return content.Text{}, err
		}
		return content.Parse(page, []byte(hash), previous)
	}
}

// mergeTrees merges two versions of a tree. It returns ours with the result applied, and the conflicts.
func mergeTrees(t testing.TB, base, ours, theirs Tree, answers Resolutions) (Tree, []Conflict) {
	t.Helper()
	in := Input{Base: view(base), Ours: view(ours), Theirs: view(theirs), Load: loader(base), Resolutions: answers}
	result, err := Pages(t.Context(), changedPages(base, ours, theirs), in)
	if err != nil {
		t.Fatal(err)
	}
	return apply(ours, result), result.Conflicts
}

func apply(ours Tree, result Result) Tree {
	merged := maps.Clone(ours)
	if merged == nil {
		merged = Tree{}
	}
	for _, id := range result.Deleted {
		delete(merged, id)
	}
	for id, page := range result.Set {
		if text, ok := result.NewTexts[id]; ok {
			page.Text = string(text.Markdown)
		}
		merged[id] = page
	}
	return merged
}

// page returns a page with the given parent, slug, text and further attributes.
func page(parent, slug, text string, attributes ...string) Page {
	p := Page{Parent: parent, Order: "m", Text: text, Attributes: map[string]string{}}
	if slug != "" {
		p.Attributes[SlugAttribute] = fmt.Sprintf("%q", slug)
	}
	for i := 0; i+1 < len(attributes); i += 2 {
		p.Attributes[attributes[i]] = attributes[i+1]
	}
	return p
}

func TestPages(t *testing.T) {
	t.Parallel()
	a, b := page("", "a", "One. Two."), page("", "b", "Three.")
	at := func(p Page, order string) Page { p.Order = order; return p }
	tests := map[string]struct {
		base, ours, theirs Tree
		want               Tree
		conflicts          []string // "kind page"
	}{
		"both add":        {Tree{}, Tree{"a": a}, Tree{"b": b}, Tree{"a": a, "b": b}, nil},
		"same page added": {Tree{}, Tree{"a": a}, Tree{"a": a}, Tree{"a": a}, nil},
		"theirs deletes":  {Tree{"a": a, "b": b}, Tree{"a": a, "b": b}, Tree{"a": a}, Tree{"a": a}, nil},
		"ours deletes":    {Tree{"a": a, "b": b}, Tree{"a": a}, Tree{"a": a, "b": b}, Tree{"a": a}, nil},
		"both delete":     {Tree{"a": a}, Tree{}, Tree{}, Tree{}, nil},
		"text and rename": {
			Tree{"a": a}, Tree{"a": page("", "a", "One. 2.")}, Tree{
				"a": page("", "x", "One. Two."),
			}, Tree{"a": page("", "x", "One. 2.")}, nil,
		},
		"different sentences": {
			Tree{"a": a}, Tree{
				"a": page("", "a", "Uno. Two."),
			}, Tree{"a": page("", "a", "One. Dos.")}, Tree{"a": page("", "a", "Uno. Dos.")}, nil,
		},
		"text conflict": {
			Tree{"a": a}, Tree{"a": page("", "a", "Uno. Two.")}, Tree{"a": page("", "a", "Ein. Two.")}, nil, []string{"text a"},
		},
		"different attributes": {
			Tree{"a": page("", "a", "")}, Tree{
				"a": page("", "a", "", "title", `"x"`),
			}, Tree{"a": page("", "a", "", "icon", `"y"`)}, Tree{"a": page("", "a", "", "title", `"x"`, "icon", `"y"`)}, nil,
		},
		"attribute conflict": {
			Tree{"a": a}, Tree{
				"a": page("", "a", a.Text, "title", `"x"`),
			}, Tree{"a": page("", "a", a.Text, "title", `"y"`)}, nil, []string{"attribute a"},
		},
		"ours edits, theirs deletes": {Tree{"a": a}, Tree{"a": page("", "a", "Uno.")}, Tree{}, nil, []string{"deleted a"}},
		"ours deletes, theirs edits": {Tree{"a": a}, Tree{}, Tree{"a": page("", "a", "Uno.")}, nil, []string{"deleted a"}},
		"new child":                  {Tree{"a": a}, Tree{}, Tree{"a": a, "b": page("a", "b", "")}, nil, []string{"deleted a"}},
		"new grandchild": {
			Tree{
				"a": a, "b": page("a", "b", ""),
			}, Tree{}, Tree{"a": a, "b": page("a", "b", ""), "c": page("b", "c", "")}, nil, []string{"deleted a", "deleted b"},
		},
		"moved and edited": {
			Tree{"a": a, "b": b}, Tree{
				"a": a, "b": page("a", "b", b.Text),
			}, Tree{"a": a, "b": page("", "b", "3.")}, Tree{"a": a, "b": page("a", "b", "3.")}, nil,
		},
		"moved to different parents": {
			Tree{"a": a, "b": b, "c": page("", "c", "")},
			Tree{"a": a, "b": b, "c": page("a", "c", "")},
			Tree{"a": a, "b": b, "c": page("b", "c", "")},
			nil,
			[]string{"moved c"},
		},
		"ordered differently": {Tree{"a": a}, Tree{"a": at(a, "a")}, Tree{"a": at(a, "z")}, nil, []string{"order a"}},
		"cycle": {
			Tree{"a": a, "b": b},
			Tree{"a": page("b", "a", a.Text), "b": b},
			Tree{"a": a, "b": page("a", "b", b.Text)},
			nil,
			[]string{"cycle a"},
		},
		"slug clash": {Tree{}, Tree{"a": page("", "x", "")}, Tree{"b": page("", "x", "")}, nil, []string{"slug b"}},
		"slug clash by move": {
			Tree{
				"a": page("c", "x", ""), "c": page("", "c", ""),
			}, Tree{
				"a": page("c", "x", ""), "b": page("", "x", ""), "c": page("", "c", ""),
			}, Tree{"a": page("", "x", ""), "c": page("", "c", "")}, nil, []string{"slug a"},
		},
		"ours keeps its slug": {Tree{}, Tree{"b": page("", "x", "")}, Tree{"a": page("", "x", "")}, nil, []string{"slug a"}},
		"same slug, different parents": {
			Tree{"c": a}, Tree{
				"c": a, "d": page("c", "x", ""),
			}, Tree{"c": a, "e": page("", "x", "")}, Tree{"c": a, "d": page("c", "x", ""), "e": page("", "x", "")}, nil,
		},
		"slug freed by rename": {
			Tree{"a": page("", "x", "")}, Tree{"a": page("", "y", "")}, Tree{
				"a": page("", "x", ""), "b": page("", "x2", ""),
			}, Tree{"a": page("", "y", ""), "b": page("", "x2", "")}, nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			merged, conflicts := mergeTrees(t, test.base, test.ours, test.theirs, nil)
			var got []string
			for _, c := range conflicts {
				got = append(got, c.Kind+" "+c.Page)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.conflicts, got); diff != "" {
				t.Fatalf("conflicts (-want +got):\n%s", diff)
			}
			if len(conflicts) == 0 {
				if diff := cmp.Diff(test.want, merged); diff != "" {
					t.Errorf("merged (-want +got):\n%s", diff)
				}
			}
			checkTree(t, merged)
			for _, pick := range []func(Conflict) *string{
				func(c Conflict) *string {
					return c.Ours
				}, func(c Conflict) *string { return c.Theirs }, func(c Conflict) *string { return c.Proposed },
			} {
				answers := Resolutions{}
				for _, c := range conflicts {
					answers[c.ID] = pick(c)
				}
				resolved, _ := mergeTrees(t, test.base, test.ours, test.theirs, answers)
				checkTree(t, resolved)
			}
		})
	}
}

// fataler is the common subset of testing.T and rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkTree checks the invariants of a tree: parents exist, no cycles, slugs differ.
func checkTree(t fataler, tree Tree) {
	t.Helper()
	slugs := map[string]string{}
	for id, page := range tree {
		if slug := page.Attributes[SlugAttribute]; slug != "" {
			key := page.Parent + " " + slug
			if other, ok := slugs[key]; ok {
				t.Fatalf("pages %s and %s have the slug %s", id, other, slug)
			}
			slugs[key] = id
		}
		depth := 0
		for at := page.Parent; at != ""; at = tree[at].Parent {
			if _, ok := tree[at]; !ok {
				t.Fatalf("page %s is under %s, which is not there", id, at)
			}
			if depth++; depth > len(tree) {
				t.Fatalf("page %s is in a cycle", id)
			}
		}
	}
}

func TestDeletedParentMovesChildrenUp(t *testing.T) {
	t.Parallel()
	base := Tree{"a": page("", "a", ""), "b": page("a", "b", "")}
	ours := Tree{"a": page("", "a", "")}
	theirs := Tree{"a": page("", "a", ""), "b": page("a", "b", ""), "c": page("b", "c", "new words")}
	_, conflicts := mergeTrees(t, base, ours, theirs, nil)
	if len(conflicts) != 1 || conflicts[0].Kind != KindDeleted || conflicts[0].Page != "b" {
		t.Fatalf("conflicts %v, want b deleted", summaries(conflicts))
	}
	merged, left := mergeTrees(t, base, ours, theirs, Resolutions{conflicts[0].ID: nil})
	want := Tree{"a": page("", "a", ""), "c": page("a", "c", "new words")}
	if diff := cmp.Diff(want, merged); diff != "" || len(left) > 0 {
		t.Errorf("merged (-want +got), %v:\n%s", summaries(left), diff)
	}
}

func TestPagesReturnsLoadError(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	tree := func(text string) treeView { return view(Tree{"a": page("", "a", text)}) }
	_, err := Pages(t.Context(), []string{"a"}, Input{
		Base: tree("x"), Ours: tree("y"), Theirs: tree("z"),
		Load: func(string, string) (content.Text, error) { return content.Text{}, lost },
	})
	if !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}

// TestPagesReadsOnlyChangedPages checks the number of reads of a merge of ten changed pages in a large tree.
func TestPagesReadsOnlyChangedPages(t *testing.T) {
	t.Parallel()
	base := Tree{}
	for i := range 10_000 {
		parent := ""
		if i >= 100 {
			parent = fmt.Sprintf("p%d", i%100)
		}
		base[fmt.Sprintf("p%d", i)] = page(parent, fmt.Sprintf("s%d", i), "")
	}
	ours, theirs := maps.Clone(base), maps.Clone(base)
	for i := range 5 {
		ours[fmt.Sprintf("p%d", 5000+i)] = page("p1", fmt.Sprintf("new%d", i), "")
		theirs[fmt.Sprintf("p%d", 6000+i)] = page("p2", fmt.Sprintf("new%d", i), "")
	}
	views := Input{Base: view(base), Ours: view(ours), Theirs: view(theirs), Load: loader(base)}
	result, err := Pages(t.Context(), changedPages(base, ours, theirs), views)
	if err != nil || len(result.Conflicts) > 0 || len(result.Set) != 5 {
		t.Fatalf("%d pages set, %v, %v", len(result.Set), result.Conflicts, err)
	}
	if reads := *views.Ours.(treeView).reads + *views.Base.(treeView).reads + *views.Theirs.(treeView).reads; reads > 100 {
		t.Errorf("%d pages were read", reads)
	}
}
