package writeback

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/text/texttest"
	"docspace.dev/wsd/store/storetest"
)

// parseSource parses a text as that of a page, and fails the test if that is not possible.
func parseSource(t interface{ Fatal(args ...any) }, markdown string) documents.Source {
	parsed, err := content.Parse("p", []byte(markdown), content.Text{})
	if err != nil {
		t.Fatal(err)
	}
	return documents.Source{Text: parsed}
}

// unchangedDocument returns the document that a client sends without changes.
func unchangedDocument(t interface{ Fatal(args ...any) }, s documents.Source) api.JSONDocument {
	return fromJSON(toJSON(t, documents.Write(s)))
}

// replaceWord replaces a word in the texts and table titles of a document. It reports whether the word occurred.
func replaceWord(nodes []api.DocumentNode, from, to string) (found bool) {
	for i := range nodes {
		for j, l := range nodes[i].Leaves {
			if strings.Contains(l.Text, from) {
				nodes[i].Leaves[j].Text, found = strings.ReplaceAll(l.Text, from, to), true
			}
		}
		found = replaceWord(nodes[i].Nodes, from, to) || found
		found = replaceWord(nodes[i].Fragments, from, to) || found
	}
	return found
}

// TestUpdateChangesOneWord checks that a change of one word in the document changes only that word in the text.
func TestUpdateChangesOneWord(t *testing.T) {
	t.Parallel()
	for name, markdown := range map[string]string{
		"paragraph":              "---\ntitle: x\n---\n\nSome *text*,\nwrapped here, and OLD there.\n\nNext\n",
		"heading":                "Setext OLD\n==========\n\n##### Deep ######\n",
		"deep heading":           "# T\n\n##### Deep OLD #####\n",
		"broken link":            "See [OLD thing](missing.md) and [other](gone.md \"t\").\n",
		"next to broken link":    "See [the thing](missing.md), OLD [other](gone.md).\n",
		"anchor":                 "<a name=\"x\"></a>Here is OLD<a id='y'></a> text\n",
		"reference link":         "Look at [this OLD one][r] and [r].\n\n[r]: /files/f_1 'Title'\n",
		"next to reference link": "Look at [this one][r], OLD [r].\n\n[r]: /files/f_1 'Title'\n",
		"table":                  "a\n\n|  Name  |Meaning|\n|:--|--:|\n|  one | the *OLD*   thing|\n|two|`x`\n\nb\n",
		"html table":             "<table>\n<tr><td>A</td>\n<td class=x>the OLD <b>one</b></td></tr>\n</table>\n",
		"nested item":            "* a\n  * b\n\n    continued __OLD__ here\n    * c\n* d\n",
		"item":                   "1) a\n2) the OLD\n   one\n3) c\n",
		"quote":                  "> some\n> OLD text\nlazy\n\nx\n",
		"hint":                   "{% hint style=\"info\" %}\nA _OLD_ one.\n\n* c\n{% endhint %}\n\n* * *\n",
		"hint in item":           "- a\n\n  {% hint %}\n  the OLD one\n  {% endhint %}\n",
		"details":                "<details>\n<summary>T</summary>\n\nthe OLD one\n\n| a |\n|---|\n\n</details>\n",
		"table in hint":          "{% hint style=\"danger\" %}\n| a | b |\n|---|---|\n| OLD | c |\n{% endhint %}\n",
		"code":                   "~~~ go title=\"x\"\nfoo(OLD)\n\tbar\n~~~\n",
		"indented code":          "x\n\n    foo\n    OLD\n\ny\n",
		"comment":                "<!-- c -->\nOLD text <!-- d --> more\n\n<!-- e -->\n",
		"crlf":                   "# A\r\n\r\nb OLD\r\nc\r\n\r\n- d\r\n- e\r\n",
		"no final newline":       "a\n\nb OLD",
		"emphasis":               "a **OLD** and __b__ ***c***\n",
		"strong and emphasis":    "*a* _b_ **c** __d__ ***OLD*** ~~e~~ `f` ``g ` h`` **i *j* k** l_m_n o*p*q\n",
		"strong":                 "*a* _b_ **c** __OLD__ ***d*** ~~e~~ `f` ``g ` h`` **i *j* k** l_m_n o*p*q\n",
		"entity":                 "a &amp; OLD &copy; \\* \\_\n",
		"definition list":        "Term\n: the OLD def\n: other\n",
		"link":                   "[OLD](<https://x.org/a b>) <https://y.org> https://z.org\n",
		"html link": "a <b>c</b> <a href=\"https://x.org/link\" target=_blank>the OLD</a> <img src=\"https://x.org/a.png\" " +
			"alt=\"d\"> e\n",
		"unknown tag, longer text": "{% odd %}\nthe OLD one\n{% endodd %}\n\nx\n\n- y\n",
		"unknown tag":              "{% odd %}\nthe OLD one\n{% endodd %}\n",
		"tabs": "{% tabs %}\n{% tab title=\"A\" %}\nthe OLD one\n{% endtab %}\n\n{% tab title=\"B\" %}\nx\n{% endtab %}\n" +
			"{% endtabs %}\n",
		"embed": "{% embed url=\"https://x.org/v\" %}\nthe OLD one\n{% endembed %}\n\nx\n",
		"file":  "{% file src=\"/files/f_1\" %}\nthe OLD one\n{% endfile %}\n",
		"picture with a dark source": "Text <picture><source srcset='https://x.org/d.png' media='(prefers-color-scheme: dark)'><img " +
			"src='https://x.org/a.png'></picture> OLD\n",
		"dark figure": "<figure>\n  <picture>\n  <source srcset='https://x.org/d.png' media='(prefers-color-scheme: dark)'>\n" +
			"  <img src='https://x.org/a.png'>\n  </picture>\n  <figcaption>the OLD one</figcaption>\n</figure>\n",
		"caption": "<figure><img src='https://x.org/a.png' alt=b><figcaption>the OLD one</figcaption></figure>\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := parseSource(t, markdown)
			d := unchangedDocument(t, was)
			if !replaceWord(d.Nodes, "OLD", "NEW") {
				t.Fatalf("the word is not in %s", toJSON(t, d))
			}
			next, err := Update(was, d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(markdown, "OLD", "NEW"), string(next)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestUpdateRewritesLinks checks that a link that cannot be changed word by word is rewritten, and that the text around it
// keeps its bytes.
func TestUpdateRewritesLinks(t *testing.T) {
	t.Parallel()
	const (
		links = "See [the guide][guide], [collapsed][] and [shortcut].\n\n[guide]: https://example.com/guide \"Title\"\n" +
			"[collapsed]: https://example.com/c\n[shortcut]: <https://example.com/s>\n"
		addresses = "Visit <https://example.com/a> or https://example.com/b. Mail <me@example.com>, www.example.com __too__.\n"
		nested    = "* a\n  * b [c] d\n  * __e__\n* f\n\n[c]: https://example.com/c\n"
	)
	for name, c := range map[string]struct{ markdown, from, to, was, now string }{
		"collapsed": {links, "collapsed", "NEW", "[collapsed][]", "[NEW](https://example.com/c)"},
		"shortcut":  {links, "shortcut", "NEW", "[shortcut].", "[NEW](https://example.com/s)."},
		"collapsed links with the same text": {
			strings.ReplaceAll(links, "shortcut", "collapsed"), "collapsed", "NEW", "[collapsed][] and [collapsed]",
			"[NEW](https://example.com/c) and [NEW](https://example.com/c)",
		},
		"link in an item": {nested, "c", "NEW", "[c] d", "[NEW](https://example.com/c) d"},
		"autolink":        {addresses, "https://example.com/a", "NEW", "<https://example.com/a>", "[NEW](https://example.com/a)"},
		"bare URL":        {addresses, "https://example.com/b", "NEW", "https://example.com/b", "[NEW](https://example.com/b)"},
		"e-mail address":  {addresses, "me@", "you@", "<me@example.com>", "[you&#64;example.com](mailto:me@example.com)"},
		"www":             {addresses, "www.example.com", "NEW", "www.example.com", "[NEW](http://www.example.com)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := parseSource(t, c.markdown)
			d := unchangedDocument(t, was)
			if !replaceWord(d.Nodes, c.from, c.to) {
				t.Fatalf("the word is not in %s", toJSON(t, d))
			}
			next, err := Update(was, d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Replace(c.markdown, c.was, c.now, 1), string(next)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestUpdateMovesBlocks checks that blocks are deleted, added and moved while the others, and text without a node, keep their
// bytes.
func TestUpdateMovesBlocks(t *testing.T) {
	t.Parallel()
	const page = "---\na: b\n---\n\n# T\n\n<!-- c -->\n\nOne  \nline\n\n[r]: /files/f\n\n* a\n* b\n* c\n\n> q\n"
	added := newParagraph("New")
	for name, c := range map[string]struct {
		edit func(nodes []api.DocumentNode) []api.DocumentNode
		want string
	}{
		"all replaced": {
			func([]api.DocumentNode) []api.DocumentNode {
				return []api.DocumentNode{added}
			}, "---\na: b\n---\n\n# T\n\n<!-- c -->\n\nNew\n\n[r]: /files/f\n\n",
		},
		"added first": {
			func(n []api.DocumentNode) []api.DocumentNode {
				return append([]api.DocumentNode{added}, n...)
			}, strings.Replace(page, "One", "New\n\nOne", 1),
		},
		"added last": {func(n []api.DocumentNode) []api.DocumentNode { return append(n, added) }, page + "\nNew\n"},
		"deleted":    {func(n []api.DocumentNode) []api.DocumentNode { return n[1:] }, strings.Replace(page, "One  \nline\n\n", "", 1)},
		"item deleted": {func(n []api.DocumentNode) []api.DocumentNode {
			n[1].Nodes = append(n[1].Nodes[:1:1], n[1].Nodes[2])
			return n
		}, strings.Replace(page, "* b\n", "", 1)},
		"moved": {
			func(n []api.DocumentNode) []api.DocumentNode {
				return []api.DocumentNode{n[2], n[0], n[1]}
			}, strings.Replace(strings.Replace(page, "> q\n", "", 1), "One", "> q\n\nOne", 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := parseSource(t, page)
			was.Title = "T"
			d := unchangedDocument(t, was)
			d.Nodes = c.edit(d.Nodes)
			next, err := Update(was, d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(next)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// drawText draws usual and unusual Markdown.
func drawText(t *rapid.T) string {
	pieces := append([]string{
		"\n", "\n\n", "\n\n", " ", "- a\n- b\n", "  - c\n", "1. x\n2. y\n", "> q\n", "# H\n\n", "##### deep\n",
		"| a | b |\n|---|:-:|\n| c | d |\n", "```go\ncode\n```\n", "    indented\n", "***\n",
		"{% hint style=\"info\" %}\n", "{% endhint %}\n", "{% tabs %}\n{% tab title=\"x\" %}\n", "{% endtab %}\n{% endtabs %}\n",
		"<details>\n<summary>s</summary>\n\n", "</details>\n", "<div>\n", "</div>\n", "<p align=\"center\">x</p>\n",
		"<table><tr><td>x</td></tr></table>\n", "[r]: /files/f\n", "[r]", "![a](https://x.org/i.png)", "<!-- c\n", "-->", "$$\nx\n$$\n",
		"[x](y.md)", "<a name=\"n\"></a>", "---\na: b\n---\n", "\r\n", "- [ ] t\n", "{% odd %}\n", "{% endodd %}\n", "\ufeff",
	}, words...)
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), "")
}

// TestTextsRoundTripCampaign checks that a text converted to a document conforms to the schema that clients expect, and that
// the unchanged document gives the same bytes. make campaign NAME=texts draws 5,000.
func TestTextsRoundTripCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "texts", 400, 5000)
	changed, refused := 0, 0
	for i := range runs {
		markdown := rapid.Custom(drawText).Example(int(seed%1e9) + i)
		was := parseSource(t, markdown)
		d := unchangedDocument(t, was)
		for _, misfit := range texttest.Violations(toJSON(t, documents.Write(was))) {
			t.Errorf("text %d: %s\n%q\n%s", i, misfit, markdown, toJSON(t, d))
		}
		next, err := Update(was, d)
		if err != nil || string(next) != markdown {
			t.Errorf("text %d: %q became %q %v", i, markdown, next, err)
		}
		switch {
		case len(d.Nodes) > 1 && i%3 == 1:
			d.Nodes = d.Nodes[1:]
		case len(d.Nodes) > 1 && i%3 == 2:
			d.Nodes = append(d.Nodes[1:], d.Nodes[0], newParagraph("New"))
		case !replaceWord(d.Nodes, "a", "changed"):
			continue
		}
		changed++
		if next, err = Update(was, d); err != nil {
			refused++
			t.Logf("text %d: %q: %v", i, markdown, err)
		} else if where := difference(d, documents.Write(parseSource(t, string(next)))); where != "" {
			t.Errorf("text %d: %q became %q, which differs at %s", i, markdown, next, where)
		}
	}
	t.Logf("of %d texts that changed %d were refused", changed, refused)
}
