package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawTree draws a tree, or a change of one.
func drawTree(t *rapid.T, base Tree, prefix string) Tree {
	tree := maps.Clone(base)
	number := 0
	for range rapid.IntRange(0, 5).Draw(t, "changes") {
		ids := append(slices.Sorted(maps.Keys(tree)), "")
		id := rapid.SampledFrom(ids).Draw(t, "page")
		changed := tree[id]
		kind := rapid.IntRange(0, 5).Draw(t, "change")
		if id == "" {
			kind = 0
		}
		switch kind {
		case 0:
			number++
			parent := rapid.SampledFrom(ids).Draw(t, "parent")
			addPage(tree, fmt.Sprintf("%s%d", prefix, number), page(parent, rapid.StringMatching(`[x-z]`).Draw(t, "slug"), prefix+"text."))
		case 1:
			removePage(tree, id)
		case 2:
			changed.Parent = rapid.SampledFrom(ids).Draw(t, "to")
			addPage(tree, id, changed)
		case 3:
			changed.Attributes = maps.Clone(changed.Attributes)
			changed.Attributes["title"] = fmt.Sprintf(`"%s%d"`, prefix, rapid.IntRange(1, 3).Draw(t, "title"))
			tree[id] = changed
		case 4:
			changed.Text += " " + prefix + "more."
			tree[id] = changed
		case 5:
			changed.Order = rapid.StringMatching(`[a-c]`).Draw(t, "order")
			tree[id] = changed
		}
	}
	return tree
}

// addPage sets a page unless that would form a cycle or a slug clash.
func addPage(tree Tree, id string, p Page) {
	for at := p.Parent; at != ""; at = tree[at].Parent {
		if at == id {
			return
		}
	}
	for other, sibling := range tree {
		if other != id && sibling.Parent == p.Parent && sibling.Attributes[SlugAttribute] == p.Attributes[SlugAttribute] {
			return
		}
	}
	tree[id] = p
}

func removePage(tree Tree, id string) {
	delete(tree, id)
	for _, child := range slices.Sorted(maps.Keys(tree)) {
		if tree[child].Parent == id {
			removePage(tree, child)
		}
	}
}

// TestTreeLaws checks the laws of the package comment on random trees.
func TestTreeLaws(t *testing.T) {
	t.Parallel()
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		base := drawTree(t, Tree{}, "b")
		ours, theirs := drawTree(t, base, "o"), drawTree(t, base, "t")
		merged, conflicts := mergeTrees(outer, base, ours, theirs, nil)
		checkTree(t, merged)
		for name, got := range map[string]func() (Tree, []Conflict){
			"(b,b,x)": func() (Tree, []Conflict) { return mergeTrees(outer, base, base, theirs, nil) },
			"(b,x,b)": func() (Tree, []Conflict) { return mergeTrees(outer, base, theirs, base, nil) },
			"(b,x,x)": func() (Tree, []Conflict) { return mergeTrees(outer, base, theirs, theirs, nil) },
		} {
			if tree, left := got(); len(left) > 0 || !cmp.Equal(tree, theirs) {
				t.Fatalf("merge%s: %v\n%s", name, summaries(left), cmp.Diff(theirs, tree))
			}
		}
		checkTreeSymmetry(t, outer, base, ours, theirs, merged, conflicts)
		checkPagesKept(t, base, ours, theirs, merged, conflicts)
		checkAnswers(t, outer, base, ours, theirs, conflicts)
	})
}

func checkTreeSymmetry(t *rapid.T, outer *testing.T, base, ours, theirs, merged Tree, conflicts []Conflict) {
	swapped, swappedConflicts := mergeTrees(outer, base, theirs, ours, nil)
	if (len(conflicts) == 0) != (len(swappedConflicts) == 0) {
		t.Fatalf("conflicts %v, swapped %v", summaries(conflicts), summaries(swappedConflicts))
	}
	if len(conflicts) == 0 && !cmp.Equal(merged, swapped) {
		t.Fatalf("merge, swapped:\n%s", cmp.Diff(merged, swapped))
	}
}

// checkPagesKept checks that a page is missing only if a side deleted it, and that each page that a side added or
// changed is in the result or in a conflict.
func checkPagesKept(t *rapid.T, base, ours, theirs, merged Tree, conflicts []Conflict) {
	named := map[string]bool{}
	for _, c := range conflicts {
		named[c.Page] = true
	}
	for _, side := range []Tree{ours, theirs} {
		for id, page := range side {
			b, inBase := base[id]
			changed := !inBase || !equalPages(&b, &page)
			result, ok := merged[id]
			if changed && !ok && !named[id] {
				t.Fatalf("page %s was changed and is gone", id)
			}
			if changed && ok && !named[id] && !strings.Contains(result.Text, page.Text) && len(ours[id].Text) == len(theirs[id].Text) {
				t.Fatalf("page %s has text %q, want %q in it", id, result.Text, page.Text)
			}
		}
		for id := range base {
			if _, kept := side[id]; kept {
				continue
			}
			if _, back := merged[id]; back && !named[id] {
				t.Fatalf("page %s was deleted and is back", id)
			}
		}
	}
}

// checkAnswers checks that random resolutions, followed by the proposals of further conflicts, end in a valid tree.
func checkAnswers(t *rapid.T, outer *testing.T, base, ours, theirs Tree, conflicts []Conflict) {
	answers := Resolutions{}
	for _, c := range conflicts {
		answers[c.ID] = []*string{c.Ours, c.Theirs, c.Proposed}[rapid.IntRange(0, 2).Draw(t, "answer")]
	}
	for range 10 {
		var merged Tree
		if merged, conflicts = mergeTrees(outer, base, ours, theirs, answers); len(conflicts) == 0 {
			checkTree(t, merged)
			return
		}
		for _, c := range conflicts {
			answers[c.ID] = c.Proposed
		}
	}
	t.Fatalf("answers never suffice: %v", summaries(conflicts))
}
