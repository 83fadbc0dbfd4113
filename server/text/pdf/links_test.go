package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/text/texttest"
)

// fragmentResolver resolves #fragments of a page with the id "there".
type fragmentResolver struct{ fragments content.FragmentOffsets }

func (fragmentResolver) Image(pdf.Page, string) []byte { return nil }

func (a fragmentResolver) Link(_ pdf.Page, destination string) pdf.Target {
	fragment, _ := strings.CutPrefix(destination, "#")
	place, _ := a.fragments.Find(fragment)
	return pdf.Target{Page: "there", Fragment: place}
}

// TestLinksToFragments checks that links with a fragment refer to the line at which the fragment's target begins.
func TestLinksToFragments(t *testing.T) {
	t.Parallel()
	there := "# There\n\nIntroduction.\n\n## Part {#own}\n\nFirst.\n\n## Part\n\nSecond.\n\nSetext heading\n---\n\n" +
		strings.Repeat("Line that fills a sheet.\n\n", 60) +
		"<a name=\"empty\"></a>\n\nBehind the empty one.\n\nText with <span id=\"inside\">a name</span> in it.\n\n" +
		"* Item one\n* Item <a id=\"item\"></a>two\n  * Nested one\n  * Nested two, and more\n\n> Quoted\n>\n> ### Quoted heading\n\n" +
		"{% hint style=\"info\" %}\n\n#### Hinted\n\n{% endhint %}\n\n" +
		"| Table |\n|---|\n| <a id=\"cell\"></a>cell |\n\n```\ncode of the source\n```\n\nThe end.\n\n<a id=\"last\"></a>\n"
	text, err := content.Parse("there", []byte(there), content.Text{})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Count(there[:strings.Index(there, "```")], "\n")
	nested := strings.Count(there[:strings.Index(there, "Nested two")], "\n")
	text = text.WithAliases([]content.Alias{
		{Name: "LISTING", Line: at}, {Name: "own", Line: at}, {Name: "NESTED", Line: nested}, {
			Name: "MORE", Line: nested, Position: content.TextPosition{Text: "more"},
		},
	})
	places := content.ReadFragmentOffsets(text)
	wanted := map[string]string{
		"": "There Introduction.", "there": "There Introduction.", "own": "Part First.", "part": "Part First.", "part-1": "Part Second.",
		"setext-heading": "Setext heading", "empty": "Behind the empty one.", "inside": "Text with a name in it.", "item": "• Item two",
		"quoted-heading": "Quoted heading", "Hinted": "Hinted Table", "cell": "Table cell", "LISTING": "code of the source",
		"NESTED": "• Nested two", "MORE": "• Nested two", "last": "Manual ·",
	}
	var here strings.Builder
	for fragment := range wanted {
		fmt.Fprintf(&here, "[to %s](#%s)\n\n", fragment, fragment)
	}
	links := texttest.Links(t, makePDF(t, pdf.Document{Title: "Manual", Pages: []pdf.Page{
		{ID: "here", Title: "Here", Markdown: []byte(here.String())},
		{ID: "there", Title: "There", Markdown: []byte(there), Fragments: places},
	}}, fragmentResolver{places}))
	for _, link := range links {
		fragment, ok := strings.CutPrefix(link.Text+" ", "to ")
		if want := wanted[strings.TrimSpace(fragment)]; ok && !strings.HasPrefix(link.To, want) {
			t.Errorf("#%s leads to %.60q, want %q", fragment, link.To, want)
		}
	}
	if len(links) < len(wanted) {
		t.Errorf("%d of %d links are there", len(links), len(wanted))
	}
}
