package importer

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// convert converts an HTML fragment to Markdown.
func convert(t interface{ Helper() }, fragment string) string {
	t.Helper()
	at := &url.URL{Scheme: "http", Host: "example.org", Path: "/"}
	doc, err := parse([]byte(fragment), "text/html; charset=utf-8", at)
	if err != nil {
		return "" // nested too deeply to be parsed
	}
	main := doc.mainContent()
	clean(main, nil)
	return string(toMarkdown(context.Background(), main))
}

func TestConvert(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, html, want string }{
		{"paragraphs", "<p>a *b* <em>c</em> <b>d</b></p><p>e</p>", "a \\*b* *c* **d**\n\ne\n"},
		{"code keeps its text", "<pre class='lang-go'>a\n\n\n  b  \n</pre>", "```go\na\n\n\n  b  \n```\n"},
		{"code with fences", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````\n"},
		{"code in a list", "<ul><li>a<pre>b\n\nc</pre></li></ul>", "- a\n\n  ```\n  b\n  \n  c\n  ```\n"},
		{
			"code in a quotation in a list", "<ul><li><blockquote><pre>b\n\nc</pre></blockquote></li></ul>",
			"- > ```\n  > b\n  >\n  > c\n  > ```\n",
		},
		{
			"nested quotations", "<blockquote>a<blockquote><pre>b\nc</pre></blockquote></blockquote>",
			"> a\n>\n> > ```\n> > b\n> > c\n> > ```\n",
		},
		{"code span with markup", "<p><code>a(<em>b</em>) </code><em>c</em></p>", "`a(b)` *c*\n"},
		{"code span around a link", `<p><code><a href="/x">y</a></code></p>`, "[`y`](/x)\n"},
		{
			"code span with links", `<p><code>a (<a href="/x">b</a> <a href="/y">c</a>) <a name="d"></a>e</code></p>`,
			"`a (`[`b`](/x) [`c`](/y)`) e`\n",
		},
		{
			"signature", `<dl><dt class="sig"><a href="/x">int</a> f(<a href="/y">T</a>)<a href="/s">[source]</a></dt><dd>b</dd></dl>`,
			"- [`int`](/x) `f(`[`T`](/y)`)` [\\[source\\]](/s)\n\n  b\n",
		},
		{"code span with backticks", "<p><code>a`b</code></p>", "``a`b``\n"},
		{"emphasized code", "<p><strong><code>-a</code></strong></p>", "`-a`\n"},
		{"definitions", "<dl><dt>a</dt><dd>b<p>c</p></dd><dt>d</dt></dl>", "- **a**\n\n  b\n\n  c\n- **d**\n"},
		{"definitions in groups", "<dl><div><dt>a</dt><dd>b</dd></div></dl>", "- **a**\n\n  b\n"},
		{"definition without term", "<dl><dd>b</dd>text</dl>", "- b\n\n  text\n"},
		{"tasks", "<ul><li><input type=checkbox checked>a</li><li><input type=checkbox>b</li></ul>", "- [x] a\n- [ ] b\n"},
		{
			"details", "<details open><summary>A <b>b</b></summary><p>c</p></details>", "<details>\n\n<summary>A b</summary>\n\nc\n\n" +
				"</details>\n",
		},
		{"details without summary", "<details><p>c</p></details>", "<details>\n\n<summary></summary>\n\nc\n\n</details>\n"},
		{"table", "<table><tr><th>a<th>b<tr><td>c|d<td><code>e|f</code></table>", "| a | b |\n| --- | --- |\n| c\\|d | `e\\|f` |\n"},
		{"table without header", "<table><tr><td>a<td>b<tr><td>c</table>", "| | |\n| --- | --- |\n| a | b |\n| c | |\n"},
		{
			"table with spans", "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>",
			"| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| | f | g |\n",
		},
		{
			"table with blocks", "<table><tr><th>a<tr><td><ol><li>b<li>c</ol><h3>d</h3><p>e<br>f</table>",
			"| a |\n| --- |\n| 1. b<br>2. c<br>**d**<br>e<br>f |\n",
		},
		{"table in a table", "<table><tr><td>a<table><tr><th>b</table><td>c</table>", "a\n\n| b |\n| --- |\n\nc\n"},
		{"table for layout", "<table><tr><td><p>a</p><p>b</p><td><ul><li>c</ul></table>", "a\n\nb\n\n- c\n"},
		{"figure", `<figure><img src="/i.png" alt="a [b]"><figcaption>c</figcaption></figure>`, "![a \\[b\\]](/i.png)\n\nc\n"},
		{"image in an object", `<p><object type="image/svg+xml" data="/i.svg">a <b>b</b></object></p>`, "![a b](/i.svg)\n"},
		{"anchor with a space", `<p><a href="#a b">c</a></p>`, "[c](#a%20b)\n"},
		{"drawing without words", `<p>a <svg><title>b</title><path d="M0 0"/></svg></p>`, "a\n"},
		{"embedded", `<iframe src="https://example.org/v" title="Film"></iframe>`, "[Film](https://example.org/v)\n"},
		{"text that looks like HTML", "<p>a &lt;b&gt; &amp;lt;</p>", "a &lt;b&gt; &lt;\n"},
		{"script and style", "<p>a</p><script>b</script><style>c</style><button>d</button>", "a\n"},
		{"without scripts", "<noscript><p>a <b>b</b></p></noscript>", "a **b**\n"},
		{"anchor without a target", `<p><a id="x"></a><a name="y">z</a></p>`, "z\n"},
		{"permalink with words", `<h2>a<a class="anchor" href="#a">b</a><a class="anchor" href="#a">#</a></h2>`, "## a[b](#a)\n"},
		{"surroundings", "<header>h</header><nav>n</nav><p>a</p><aside>s</aside><footer>f</footer>", "a\n"},
		{"a bell and an icon", "<p>a\abc\uF002d</p>", "a bc d\n"},
		{"nothing", "", "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, convert(t, test.html)); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", test.html, diff)
			}
		})
	}
}

// TestConvertIsBounded checks the limits for small pages designed to grow into huge texts or to take very long.
func TestConvertIsBounded(t *testing.T) {
	t.Parallel()
	row := "<tr>" + strings.Repeat("<td>a", 2000)
	for name, page := range map[string]string{
		"deep lists":      strings.Repeat("<ul><li>", 200) + strings.Repeat("<li>a", 2000),
		"deep quotations": strings.Repeat("<blockquote>", 200) + strings.Repeat("a<br>", 2000),
		"wide table":      "<table>" + row + strings.Repeat("<tr><td>b", 2000) + "</table>",
		"spans":           "<table>" + strings.Repeat(strings.Repeat("<tr><td rowspan=999 colspan=999>a", 10), 200) + "</table>",
		"deep tables":     strings.Repeat("<table><tr><td>a", 150),
		"deep divisions":  strings.Repeat("<div>", 5000) + "a",
	} {
		if text := convert(t, page); len(text) > 2<<20 {
			t.Errorf("%s: %d bytes of HTML became %d of Markdown", name, len(page), len(text))
		}
	}
}

// countWords counts the runs of letters and digits of a text.
func countWords(text string) map[string]int {
	counts := map[string]int{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		counts[word]++
	}
	return counts
}

// TestConvertKeepsEveryWord checks that no word is lost or duplicated, whatever the nesting of elements.
func TestConvertKeepsEveryWord(t *testing.T) {
	t.Parallel()
	const blocks = `p div section blockquote pre h2 h6 ul ol dl table details figure center
		div.admonition div.admonitionblock aside.footnote dl.toc dt.sig td.head`
	const inlines = `span em strong b i code kbd a sup sub del small mark`
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		var element func(depth int) string
		content := func(depth int) string {
			var b strings.Builder
			for range rapid.IntRange(1, 3).Draw(t, "children") {
				n++
				fmt.Fprintf(&b, "w%dw ", n)
				if depth > 0 {
					b.WriteString(element(depth - 1))
				}
			}
			return b.String()
		}
		element = func(depth int) string {
			names := strings.Fields(blocks + " " + inlines)
			name, class, _ := strings.Cut(rapid.SampledFrom(names).Draw(t, "element"), ".")
			wrap := func(name string, parts ...string) string {
				return "<" + name + " class='" + class + "' href='/x'>" + strings.Join(parts, "") + "</" + name + ">"
			}
			switch name {
			case "ul", "ol":
				return wrap(name, wrap("li", content(depth)), wrap("li", content(depth)))
			case "dl", "dt":
				return wrap("dl", wrap("dt", content(0)), wrap("dd", content(depth)), wrap("dt", content(0)))
			case "table", "td":
				return wrap("table", wrap("caption", content(0)), wrap("tr", wrap("th", content(0)), wrap("td", content(depth))),
					wrap("tr", wrap("td", content(depth))))
			case "details":
				return wrap(name, wrap("summary", content(0)), content(depth))
			default:
				return wrap(name, content(depth))
			}
		}
		page := content(4)
		got := countWords(convert(t, page))
		for i := 1; i <= n; i++ {
			if word := fmt.Sprintf("w%dw", i); got[word] != 1 {
				t.Fatalf("%s is %d times in the Markdown of\n%s\n\n%s", word, got[word], page, convert(t, page))
			}
		}
	})
}

func FuzzConvert(f *testing.F) {
	f.Add("<p>a <b>b</b></p><table><tr><td><ul><li>c</table>")
	f.Add("<dl><dt class=sig>a<a href=x>b</a><dd><pre>c\n</pre></dl><details><summary>d")
	f.Add("<ul><li><input type=checkbox checked><blockquote><pre><code class=language-x>a")
	f.Add("<div class=admonitionblock><table><tr><td>a<td>b</table></div><code><a href=x>y</a> </code>")
	f.Add("<table><tr><td colspan=9999 rowspan=-1>a<tr><th>b<caption>c")
	f.Add("<code><code> a </code><kbd><a href=x>b</a></kbd></code><strong><em><code>c</code></em></strong>")
	f.Add("<em><code>a</code></em><svg><p>b</svg><math><mi>c<noscript>d")
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 1<<12 {
			return
		}
		if text := convert(t, page); !utf8.ValidString(text) {
			t.Errorf("%q became %q, which is not UTF-8", page, text)
		}
	})
}
