package importer

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// formatting returns 400 start tags of different formatting elements.
func formatting() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "<b id=%d>", i)
	}
	return b.String()
}

// TestElementsAreCountedBeforeParsing checks that no document gets through that makes the parser add more than twice as many
// elements as are allowed.
func TestElementsAreCountedBeforeParsing(t *testing.T) {
	t.Parallel()
	const paragraphs = 600 // times 400 formatting elements are more than allowed
	repeated := strings.Repeat("<p>a</p>", paragraphs)
	for name, c := range map[string]struct {
		text    string
		refused bool
	}{
		"paragraphs":           {strings.Repeat("<p>a", maxElements+1), true},
		"fewer paragraphs":     {strings.Repeat("<p>a", 1000), false},
		"open formatting":      {"<p>" + formatting() + "</p>" + repeated, true},
		"equal formatting":     {"<p>" + strings.Repeat("<b>", 400) + "</p>" + repeated, false},
		"anchors without end":  {strings.Repeat("<p><a name=x>a</p>", 10_000), false},
		"closed formatting":    {strings.Repeat("<p><b>a <i>b</i></b><code>c</code></p>", 10_000), false},
		"highlighted code":     {"<pre><code>" + strings.Repeat("<span>a</span>", 100_000) + "</code></pre>", false},
		"cells without end":    {"<table>" + strings.Repeat("<tr><td><b>a<td>b", 10_000) + "</table>", false},
		"picture with a title": {strings.Repeat("<p><b>a<svg><title>t</title><path/></svg></b></p>", 10_000), false},

		"end tags in a table":    {"<p>" + formatting() + "<table>" + strings.Repeat("</b>", 400) + "</table></p>" + repeated, true},
		"end tags in a cell":     {"<p>" + formatting() + "<table><td>" + strings.Repeat("</b>", 400) + "</table></p>" + repeated, true},
		"end tags in a choice":   {"<p>" + formatting() + "<select>" + strings.Repeat("</b>", 400) + "</select></p>" + repeated, true},
		"end tags in a template": {"<p>" + formatting() + "<template>" + strings.Repeat("</b>", 400) + "</template></p>" + repeated, true},
		"end tags in a picture": {
			"<p>" + formatting() + "<svg><desc></svg>" + strings.Repeat("</b>", 400) + "</desc></svg></p>" + repeated, true,
		},
		"end tags after blocks": {keptOpen(400) + repeated, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkElements([]byte(c.text))
			if (err != nil) != c.refused {
				t.Errorf("refused: %v, want %v", err, c.refused)
			}
			root, failure := html.Parse(strings.NewReader(c.text))
			if failure != nil {
				t.Fatal(failure)
			}
			made := 0
			for n := range root.Descendants() {
				if n.Type == html.ElementNode {
					made++
				}
			}
			if err == nil && made > 2*maxElements {
				t.Errorf("the parser made %d elements", made)
			}
		})
	}
}

// keptOpen returns formatting elements that the parser keeps open at their end tags, because each contains ten blocks.
func keptOpen(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<b id=%d>%s</b>%s", i, strings.Repeat("<div>", 10), strings.Repeat("</div>", 10))
	}
	return b.String()
}
