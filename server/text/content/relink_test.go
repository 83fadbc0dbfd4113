package content

import (
	"strings"
	"testing"
)

// TestWithLinksAdjustsSpans checks that only destinations in links and tags change, and that the spans of the blocks are
// adjusted.
func TestWithLinksAdjustsSpans(t *testing.T) {
	t.Parallel()
	const page = "# One\n\n[a](x) `[a](x)` <https://e.example/x>\n\n{% content-ref url=\"x\" %}\n{% endcontent-ref %}\n\n" +
		"{% file src=\"x\" %}\n\nLast.\n"
	text, err := Parse("p", []byte(page), Text{})
	if err != nil {
		t.Fatal(err)
	}
	const to = "/pages/p_long"
	got := text.WithLinks(func(l Link) (string, bool) { return to, l.Destination == "x" })
	want := strings.NewReplacer("[a](x) ", "[a]("+to+") ", "url=\"x\"", "url=\""+to+"\"", "src=\"x\"", "src=\""+to+"\"").Replace(page)
	if string(got.Markdown) != want {
		t.Fatalf("%s", got.Markdown)
	}
	again, err := Parse("p", []byte(want), Text{})
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range got.Blocks {
		if a := again.Blocks[i]; block.ID != text.Blocks[i].ID || block.Start != a.Start || block.End != a.End || block.Hash != a.Hash {
			t.Errorf("block %d is %+v, not %+v", i, block, a)
		}
	}
	if same := text.WithLinks(func(Link) (string, bool) { return "", false }); string(same.Markdown) != page ||
		&same.Blocks[0] != &text.Blocks[0] {
		t.Error("a text without other destinations is another")
	}
}
