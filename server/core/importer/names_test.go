package importer

import (
	"context"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/server/text/content"
)

// convertWithNames returns the Markdown of a main content, and the line of each name.
func convertWithNames(t *testing.T, source string) (text string, lines map[string]string) {
	t.Helper()
	read := func() *goquery.Selection {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(source))
		if err != nil {
			t.Fatal(err)
		}
		main := doc.Find("body")
		keepNames(main)
		clean(main, nil)
		return main
	}
	main := read()
	marks := markNames(main)
	marked, aliases := marks.remove(toMarkdown(context.Background(), main))
	plain := toMarkdown(context.Background(), read())
	if diff := cmp.Diff(string(plain), string(marked)); diff != "" {
		t.Errorf("names change the text:\n%s", diff)
	}
	lines = map[string]string{}
	for _, a := range aliases {
		if _, twice := lines[a.Name]; !twice {
			lines[a.Name] = strings.Split(string(marked), "\n")[a.Line]
		}
	}
	return string(plain), lines
}

func TestNamesKeepTheirPositions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		html string
		want map[string]string // name -> line
	}{
		"empty name":      {`<p>One</p><a name="x"></a><h2>Head</h2>`, map[string]string{"x": "## Head"}},
		"enclosing name":  {`<p>One</p><h2><a name="x">Head</a></h2>`, map[string]string{"x": "## Head"}},
		"paragraph":       {`<p>One</p><p id="x"><b>Two</b> words</p>`, map[string]string{"x": "**Two** words"}},
		"span in heading": {`<h2>The <span id="x"></span>head</h2><p>One</p>`, map[string]string{"x": "## The head"}},
		"section":         {`<p>One</p><section id="x"><h2>Head</h2><p>Text</p></section>`, map[string]string{"x": "## Head"}},
		"nested divisions": {
			`<div id="a"><div class="titlepage"><h2 id="b">Head</h2></div><p>Text</p></div>`, map[string]string{
				"a": "## Head", "b": "## Head",
			},
		},
		"definition": {
			`<dl><dt id="x"><code>-o</code></dt><dd>One</dd><dt id="y">term</dt><dd>Two</dd></dl>`, map[string]string{
				"x": "- `-o`", "y": "- **term**",
			},
		},
		"signature": {
			`<dl><dt class="sig" id="f.g"><span>f</span>.<span>g</span>(<em>x</em>)</dt><dd>One</dd></dl>`,
			map[string]string{"f.g": "- `f.g(x)`"},
		},
		"table": {
			`<p>One</p><table id="x"><tr><th>Ab</th></tr><tr id="y"><td>1</td></tr></table>`,
			map[string]string{"x": "| Ab |", "y": "| 1 |"},
		},
		"code": {
			"<p>One</p><pre id=\"x\">  $ go build\n  <span id=\"y\"></span># no heading</pre>", map[string]string{
				"x": "  $ go build", "y": "  # no heading",
			},
		},
		"image": {
			`<p>One</p><p id="x"><img src="a.png" alt="The picture"></p><p>Two</p>`, map[string]string{"x": "![The picture](a.png)"},
		},
		"list": {
			`<ol><li id="x">1. one</li><li id="y">- two</li></ol>`, map[string]string{"x": `1. 1\. one`, "y": `2. \- two`},
		},
		"text like Markdown": {
			`<p id="x">1. one</p><p id="y">&amp;lt; <i id="z">_a_</i></p>`, map[string]string{
				"x": `1\. one`, "y": `&lt; *\_a\_*`, "z": `&lt; *\_a\_*`,
			},
		},
		"permalink": {`<p>One</p><a class="anchor" id="x" href="#x"></a><h2>Head</h2>`, map[string]string{"x": "## Head"}},
		"footnote": {
			`<p>One <a id="x" href="#y">[1]</a></p><h2>Head</h2><p><a id="y" href="#x">(1)</a></p>`, map[string]string{
				"x": `One [\[1\]](#y)`, "y": `[(1)](#x)`,
			},
		},
		"anchor at the end":    {`<p>One</p><a id="x"></a>`, map[string]string{"x": "One"}},
		"name of a form field": {`<p>One <input name="x"> two</p>`, map[string]string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, lines := convertWithNames(t, test.html)
			if diff := cmp.Diff(test.want, lines); diff != "" {
				t.Errorf("names in %q (-want +got):\n%s", text, diff)
			}
		})
	}
}

func TestAnchorsResolveToText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		html string
		want map[string]content.TextPosition
	}{
		"word after marks": {`<p>One <a id="x"></a><b>-v</b>, two</p>`, map[string]content.TextPosition{"x": {Text: "v**, two"}}},
		"later plain word": {
			`<ul><li>One</li><li id="x">2.5 plain words</li></ul>`, map[string]content.TextPosition{"x": {Text: "2.5 plain words"}},
		},
		"preceding number": {
			`<p>One</p><h3 id="x">8.1 <code>f</code> <i id="y">it</i></h3>`, map[string]content.TextPosition{
				"x": {Text: "8.1 `f` *it*"}, "y": {Text: "it*"},
			},
		},
		"row and cell": {
			`<table><tr><th>Ab</th><th>Ab</th></tr><tr id="x"><td>1</td><td id="y">Ab</td></tr></table>`, map[string]content.TextPosition{
				"x": {Text: "1 | Ab |"}, "y": {Text: "Ab |"},
			},
		},
		"repeated last word": {`<p>the end the end <i id="x"></i>the end.</p>`, map[string]content.TextPosition{"x": {Text: "the end."}}},
		"repeated words": {
			`<p>one two three four five six, one two three four five six, <i id="x"></i>one two three four five six</p>`,
			map[string]content.TextPosition{
				"x": {Text: "one two three four five", Nth: 2},
			},
		},
		"code term":    {`<dl><dt id="x"><code>\A</code></dt><dd>Matches.</dd></dl>`, map[string]content.TextPosition{"x": {Text: "A`"}}},
		"word in code": {"<pre>a\n<i id=\"x\"></i>./configure\nmake</pre>", map[string]content.TextPosition{"x": {Text: "configure"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(test.html))
			if err != nil {
				t.Fatal(err)
			}
			main := doc.Find("body")
			marks := markNames(main)
			text, aliases := marks.remove(toMarkdown(context.Background(), main))
			got := map[string]content.TextPosition{}
			for _, a := range aliases {
				got[a.Name] = a.Position
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("names in %q (-want +got):\n%s", text, diff)
			}
		})
	}
}
