package resolve

import (
	"slices"
	"testing"
)

// TestResolverFindsFragmentsOfAllParts checks that fragments are resolved over all parts of a split page, in text order.
func TestResolverFindsFragmentsOfAllParts(t *testing.T) {
	t.Parallel()
	l := newFixture()
	part := func(parent, key string) string {
		id := l.addPage(parent, "slug-"+key, "one", "big.md")
		l.tree.pages[id].Origin.Part = key
		return id
	}
	other := l.addPage("", "other", "one", "other.md")
	first := part("", "")
	second, third := part(first, "two"), part(first, "three")
	orphan := l.addPage("", "orphan", "one", "lost.md")
	l.tree.pages[orphan].Origin.Part = "second"
	texts := map[string]Anchors{
		first:  {Own: []string{"example", "new", "one"}},
		second: {Own: []string{"example", "example-1", "two"}, Aliases: []string{"ID", "second"}},
		third:  {Own: []string{"example", "id"}, Aliases: []string{"example-2", "new"}},
	}
	r := New("", l.tree, l.files).WithAnchors(func(page string) Anchors {
		anchors := texts[page]
		slices.Sort(anchors.Own)
		return anchors
	})
	for _, test := range []struct{ from, to, want string }{
		{other, "big.md", first},
		{other, "big", first},
		{other, "BIG.md", first + " case"},
		{other, "elsewhere/big.md", first + " name"},
		{other, "big.md#one", first + "#one"},
		{other, "big.md#two", second + "#two"},
		{other, "big.md#example", first + "#example"},
		{other, "big.md#example-2", third + "#example-2"},
		{other, "big.md#new", third + "#new"},
		{other, "big.md#ID", second + "#ID"},
		{other, "big.md#id", third + "#id"},
		{other, "big.md#none", first + "#none"},
		{other, "/pages/" + first + "#two", second + "#two"},
		{other, "/pages/" + third + "#example", third + "#example"},
		{other, "/pages/" + third + "#two", second + "#two"},
		{other, "slug-/slug-two#example-1", second + "#example-1"},
		{other, "lost.md", orphan},
		{third, "#two", second + "#two"},
		{third, "#example", first + "#example"},
		{third, "#nothing", third + "#nothing"},
		{third, "", third},
		{third, "other.md", other},
	} {
		if got := formatResult(r.Resolve(*l.tree.pages[test.from], test.to, false)); got != test.want {
			t.Errorf("from %s, %q leads to %q, want %q", test.from, test.to, got, test.want)
		}
	}
}
