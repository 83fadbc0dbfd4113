package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

// sketch writes a tree in few lines: a block as type{...}, an inline as type<...>, a leaf as text with its marks
// behind it.
func sketch(nodes []api.DocumentNode) string {
	var parts []string
	for _, n := range nodes {
		switch n.Object {
		case "block":
			parts = append(parts, n.Type+"{"+sketch(n.Nodes)+"}")
		case "inline":
			parts = append(parts, n.Type+"<"+sketch(n.Nodes)+">")
		default:
			for _, l := range n.Leaves {
				marks := ""
				for _, m := range l.Marks {
					marks += "/" + m.Type
				}
				parts = append(parts, fmt.Sprintf("%q%s", l.Text, marks))
			}
		}
	}
	return strings.Join(parts, " ")
}

func TestDocument(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"":                                    "",
		"Plain.\n":                            `paragraph{"Plain."}`,
		"a\nb  \nc":                           `paragraph{"a b\nc"}`,
		"# One\n\n##### Five\n":               `heading-1{"One"} heading-3{"Five"}`,
		"a *b **c*** ~~d~~ `e`":               `paragraph{"a " "b "/italic "c"/italic/bold " " "d"/strikethrough " " "e"/code}`,
		"a &amp; \\*b\\*":                     `paragraph{"a & *b*"}`,
		"[a *b*](/pages/p_1)":                 `paragraph{link<"a " "b"/italic>}`,
		"see https://x.org now":               `paragraph{"see " link<"https://x.org"> " now"}`,
		"[a][r]\n\n[r]: /files/f_1":           `paragraph{link<"a">}`,
		"![a](b.png)":                         `images{image{"a"}}`,
		"see ![a](b.png)":                     `paragraph{"see " inline-image<"a">}`,
		"- a\n- b\n  - c\n":                   `list-unordered{list-item{paragraph{"a"}} list-item{paragraph{"b"} list-unordered{list-item{paragraph{"c"}}}}}`,
		"3. a\n\n   b\n":                      `list-ordered{list-item{paragraph{"a"} paragraph{"b"}}}`,
		"- [x] a\n- [ ] b\n":                  `list-tasks{list-item{paragraph{"a"}} list-item{paragraph{"b"}}}`,
		"> a\n>\n> b\n":                       `blockquote{paragraph{"a"} paragraph{"b"}}`,
		"```go\na\n\nb\n```\n":                `code{code-line{"a"} code-line{""} code-line{"b"}}`,
		"    a\n":                             `code{code-line{"a"}}`,
		"---\n":                               `divider{""}`,
		"| a | b |\n|---|:-:|\n| *c* | d |\n": `table{table-row{table-cell{"a"} table-cell{"b"}} table-row{table-cell{"c"/italic} table-cell{"d"}}}`,
		"<div>\na\n</div>\n":                  `code{code-line{"<div>"} code-line{"a"} code-line{"</div>"}}`,
		"a<sup>2</sup><br>b<x>":               `paragraph{"a" "2"/superscript "\nb" "<x>"/code}`,
		"{{ space.vars.a_b_c }} is":           `paragraph{expression<"{{ space.vars.a_b_c }}"> " is"}`,
		"`{{ space.vars.a }}`":                `paragraph{"{{ space.vars.a }}"/code}`,
		"{% include \"reusable:rc_1\" %}\n":   `reusable-content{""}`,
		"{% embed url=\"https://x.org\" %}\n": `embed{""}`,
		"{% hint style=\"info\" %}\nA *b*.\n\n- c\n{% endhint %}\n":             `hint{paragraph{"A " "b"/italic "."} list-unordered{list-item{paragraph{"c"}}}}`,
		"{% tabs %}\n{% tab title=\"One\" %}\na\n{% endtab %}\n{% endtabs %}\n": `tabs{tabs-item{paragraph{"a"}}}`,
		"{% code title=\"x.go\" %}\n```go\na\n```\n{% endcode %}\n":             `code{code-line{"a"}}`,
		"{% odd %}\na\n{% endodd %}\n":                                          `paragraph{"{% odd %}"} paragraph{"a"} paragraph{"{% endodd %}"}`,
		"---\ntitle: x\n---\na":                                                 `paragraph{"a"}`,
	} {
		t.Run(markdown, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, sketch(Document(Text{Markdown: []byte(markdown)}).Nodes)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestDocumentData(t *testing.T) {
	t.Parallel()
	markdown := "---\ntitle: x\n---\n{% hint style=\"info\" %}\na\n{% endhint %}\n\n[a](/pages/p_1#part) [b](/files/f_1) [c](#here) [d](e.md)\n\n- [x] a\n\n```go title=\"a.go\" {2}\na\n```\n"
	d := Document(Text{Markdown: []byte(markdown)})
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"data":{"schemaVersion":1,"frontMatter":"title: x\n"}`, `"style":"info"`, `"checked":true`, `{"kind":"anchor","page":"p_1","anchor":"part"}`,
		`{"kind":"file","file":"f_1"}`, `{"kind":"anchor","anchor":"here"}`, `{"kind":"url","url":"e.md"}`,
		`{"info":"go title=\"a.go\" {2}","syntax":"go","title":"a.go"}`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s is not in %s", part, data)
		}
	}
}

// keysOf are the keys of a tree, in its order.
func keysOf(nodes []api.DocumentNode) (keys []string) {
	for _, n := range nodes {
		if n.Key != "" {
			keys = append(keys, n.Key)
		}
		keys = append(keys, keysOf(n.Nodes)...)
	}
	return keys
}

// Every block of a text, but for definitions, is a block of the tree under its id.
func TestDocumentKeys(t *testing.T) {
	t.Parallel()
	markdown := "\n\n---\ntext\n\n# One\n\n- a\n- b\n\n[r]: /x\n\n{% hint style=\"info\" %}\na\n{% endhint %}\n\n{% odd %}\nb\n{% endodd %}\n> c\n\n| a |\n|---|\n\n```\nd\n```\n"
	parsed, err := Parse("p", []byte(markdown), Text{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, block := range parsed.Blocks {
		if block.Kind != KindDefinition && block.Kind != KindFrontMatter {
			want = append(want, block.ID)
		}
	}
	if diff := cmp.Diff(want, keysOf(Document(parsed).Nodes)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// wordsIn are the words of the leaves of a tree, in its order.
func wordsIn(nodes []api.DocumentNode) (found []string) {
	for _, n := range nodes {
		joined := ""
		for _, l := range n.Leaves {
			joined += l.Text
		}
		found = append(append(found, alphanumeric(joined)...), wordsIn(n.Nodes)...)
	}
	return found
}

func alphanumeric(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// markdownOf draws Markdown of every construct with numbered words in it, so that each is easily found.
func markdownOf(t *rapid.T) (markdown string, written []string) {
	word := func() string {
		written = append(written, fmt.Sprintf("word%d", len(written)))
		return written[len(written)-1]
	}
	inline := func() string {
		form := rapid.SampledFrom([]string{"%s", "*%s*", "**%s**", "~~%s~~", "`%s`", "[%s](/pages/p)", "![%s](x.png)", "<b>%s</b>", "***%s***", "%s\n%s", "\\*%s"}).Draw(t, "inline")
		args := make([]any, strings.Count(form, "%s"))
		for i := range args {
			args[i] = word()
		}
		return fmt.Sprintf(form, args...)
	}
	var block func(depth int) string
	block = func(depth int) string {
		forms := []string{"paragraph", "heading", "code", "table", "html"}
		if depth < 3 {
			forms = append(forms, "list", "tasks", "quote", "hint", "tabs", "odd")
		}
		indented := func(prefix, rest string) string {
			return prefix + strings.ReplaceAll(strings.TrimRight(block(depth+1), "\n"), "\n", "\n"+rest) + "\n"
		}
		switch rapid.SampledFrom(forms).Draw(t, "block") {
		case "heading":
			return strings.Repeat("#", rapid.IntRange(1, 6).Draw(t, "level")) + " " + word() + "\n\n"
		case "code":
			return "```\n" + word() + "\n\n" + word() + "\n```\n\n"
		case "table":
			return "| " + word() + " | " + word() + " |\n|---|---|\n| *" + word() + "* | `" + word() + "` |\n\n"
		case "html":
			return "<div>\n" + word() + "\n</div>\n\n"
		case "list":
			return indented("- ", "  ") + indented("- ", "  ") + "\n"
		case "tasks":
			return "- [ ] " + word() + "\n- [x] " + word() + "\n\n"
		case "quote":
			return indented("> ", "> ") + "\n"
		case "hint":
			return "{% hint style=\"info\" %}\n" + block(depth+1) + "{% endhint %}\n\n"
		case "tabs":
			return "{% tabs %}\n{% tab title=\"t\" %}\n" + block(depth+1) + "{% endtab %}\n{% endtabs %}\n\n"
		case "odd":
			return "{% odd %}\n" + block(depth+1) + "{% endodd %}\n\n"
		}
		return inline() + " " + inline() + "\n\n"
	}
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		markdown += block(0)
	}
	return markdown, written
}

// All that people read of a Markdown is in the leaves of its tree, once and in order.
func TestDocumentHasAllText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		markdown, written := markdownOf(t)
		found := slices.DeleteFunc(wordsIn(Document(Text{Markdown: []byte(markdown)}).Nodes), func(w string) bool { return !strings.HasPrefix(w, "word") })
		if diff := cmp.Diff(written, found); diff != "" {
			t.Errorf("%s\n-want +got\n%s", markdown, diff)
		}
	})
}

// FuzzDocument holds any text against what makes a document: it is the same every time, its keys are the ids of
// blocks, each once, and plain Markdown has the words of its leaves.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n\nb *c* `d` [e](f)\n", "- a\n  - b\n\n1. c\n", "| a |\n|---|\n| b |\n", "{% hint %}\na\n{% endhint %}\n", "{% tabs %}\n{% tab %}\n",
		"---\na: b\n---\nc", "[a]: b\n\n[a]\n", "```\na\n", "<sup>a<br></sup><!-- b -->", "{{ space.vars.a_b }}", "\ufeff---\n---\n\n> a\n",
		"![a [b](c)](d)", "a\r\nb\r\n\r\n* * *\r\n", "- [ ] \n- [x]\n", "![a](b)\n![c](d)", "{% include \"reusable:a\" %}\n{% endhint %}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, markdown []byte) {
		if len(markdown) > 1<<14 {
			return
		}
		parsed, err := Parse("p", markdown, Text{})
		if err != nil {
			return
		}
		d := Document(parsed)
		if diff := cmp.Diff(d, Document(parsed)); diff != "" {
			t.Fatalf("another time it is another one\n%s", diff)
		}
		if _, err := json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		keys := keysOf(d.Nodes)
		slices.Sort(keys)
		for i, key := range keys {
			if _, ok := parsed.Blocks.Find(key); !ok || i > 0 && keys[i-1] == key {
				t.Errorf("key %s twice, or of no block", key)
			}
		}
		if plain := string(markdown); strings.ContainsAny(plain, "<{[&\\") || bodyStart(markdown) > 0 {
			return
		}
		if diff := cmp.Diff(strings.Join(wordsOfSyntax(markdown), " "), strings.Join(wordsIn(d.Nodes), " ")); diff != "" {
			t.Errorf("words of the syntax tree, and of the document\n%s", diff)
		}
	})
}

// wordsOfSyntax are the words of the texts and the code of a Markdown, read from the parser's tree.
func wordsOfSyntax(markdown []byte) (found []string) {
	joined := ""
	_ = ast.Walk(syntax(markdown), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Text:
			if entering {
				joined += string(n.Value(markdown))
				if n.SoftLineBreak() || n.HardLineBreak() {
					joined += " "
				}
			}
		case *ast.AutoLink:
			if entering {
				joined += " " + string(n.Label(markdown)) + " "
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				joined += string(n.Lines().Value(markdown))
			}
		default:
			if node.Type() == ast.TypeBlock {
				joined += " "
			}
		}
		return ast.WalkContinue, nil
	})
	return alphanumeric(joined)
}
