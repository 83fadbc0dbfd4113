package content

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api"
)

func leaf(s string, marks ...string) api.DocumentLeaf {
	l := api.DocumentLeaf{Object: "leaf", Text: s, Marks: []api.DocumentMark{}}
	for _, mark := range marks {
		l.Marks = append(l.Marks, api.DocumentMark{Object: "mark", Type: mark})
	}
	return l
}

func textNode(leaves ...api.DocumentLeaf) api.DocumentNode {
	return api.DocumentNode{Object: "text", Leaves: leaves}
}

// inlines are what is inside a block: texts, and inlines between them.
func inlines(source []byte, parent ast.Node) []api.DocumentNode {
	w := inlineWriter{source: source}
	w.children(parent, nil)
	return w.done()
}

// inlineWriter writes the inside of one block, or of one link.
type inlineWriter struct {
	source []byte
	leaves []api.DocumentLeaf // of the text that is being written
	last   strings.Builder    // text of the last leaf
	nodes  []api.DocumentNode
	html   openMarks
}

// openMarks are the marks of HTML tags that are open, each once.
type openMarks []openMark

type openMark struct {
	name  string
	times int
}

func (o openMarks) index(name string) int {
	return slices.IndexFunc(o, func(m openMark) bool { return m.name == name })
}

func (o *openMarks) open(name string) {
	if at := o.index(name); at >= 0 {
		(*o)[at].times++
		return
	}
	*o = append(*o, openMark{name, 1})
}

func (o *openMarks) close(name string) {
	at := o.index(name)
	if at < 0 {
		return
	}
	if (*o)[at].times--; (*o)[at].times == 0 {
		*o = slices.Delete(*o, at, at+1)
	}
}

// with is a set of marks with the open ones.
func (o openMarks) with(marks []string) []string {
	all := slices.Clone(marks)
	for _, m := range o {
		all = withMarks(all, m.name)
	}
	return all
}

// done ends the text that is being written.
func (w *inlineWriter) done() []api.DocumentNode {
	w.settle()
	var leaves []api.DocumentLeaf
	for _, l := range w.leaves {
		rest := l.Text
		for _, at := range expressionsOf(l) {
			before := len(l.Text) - len(rest)
			if at[0] > before {
				leaves = append(leaves, api.DocumentLeaf{Object: l.Object, Text: l.Text[before:at[0]], Marks: l.Marks})
			}
			w.nodes, leaves = appendText(w.nodes, leaves), nil
			w.nodes = append(w.nodes, expression(l, l.Text[at[0]:at[1]]))
			rest = l.Text[at[1]:]
		}
		if rest != "" {
			leaves = append(leaves, api.DocumentLeaf{Object: l.Object, Text: rest, Marks: l.Marks})
		}
	}
	w.nodes, w.leaves = appendText(w.nodes, leaves), nil
	return w.nodes
}

func appendText(nodes []api.DocumentNode, leaves []api.DocumentLeaf) []api.DocumentNode {
	if len(leaves) == 0 {
		return nodes
	}
	return append(nodes, textNode(leaves...))
}

// expressionsOf are the places of variables in a leaf. Code has none.
func expressionsOf(l api.DocumentLeaf) [][]int {
	if slices.ContainsFunc(l.Marks, func(m api.DocumentMark) bool { return m.Type == "code" }) {
		return nil
	}
	return variableExpression.FindAllStringIndex(l.Text, -1)
}

// expression is a variable that was not replaced, with its source as text.
func expression(l api.DocumentLeaf, source string) api.DocumentNode {
	l.Text = source
	return api.DocumentNode{
		Object: "inline", Type: "expression", IsVoid: true, Nodes: []api.DocumentNode{textNode(l)},
		Data: map[string]any{"expression": strings.Trim(source, "{} \t")},
	}
}

// add writes text; text with the same marks is one leaf.
func (w *inlineWriter) add(s string, marks []string) {
	if s == "" {
		return
	}
	l := leaf(s, w.html.with(marks)...)
	if last := len(w.leaves) - 1; last >= 0 && slices.Equal(w.leaves[last].Marks, l.Marks) {
		w.last.WriteString(s)
		return
	}
	w.settle()
	w.leaves = append(w.leaves, l)
	w.last.WriteString(s)
}

// settle gives the last leaf its text.
func (w *inlineWriter) settle() {
	if last := len(w.leaves) - 1; last >= 0 {
		w.leaves[last].Text = w.last.String()
		w.last.Reset()
	}
}

// withMarks is a set of marks with more of them.
func withMarks(marks []string, more ...string) []string {
	all := slices.Clone(marks)
	for _, mark := range more {
		if !slices.Contains(all, mark) {
			all = append(all, mark)
		}
	}
	return all
}

func (w *inlineWriter) children(parent ast.Node, marks []string) {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		w.inline(node, marks)
	}
}

func (w *inlineWriter) inline(node ast.Node, marks []string) {
	switch n := node.(type) {
	case *ast.Text:
		w.text(n, marks)
	case *ast.String:
		w.add(string(n.Value), marks)
	case *ast.CodeSpan:
		w.add(codeOf(n, w.source), withMarks(marks, "code"))
	case *ast.Emphasis:
		w.children(n, withMarks(marks, map[bool]string{true: "bold", false: "italic"}[n.Level > 1]))
	case *extast.Strikethrough:
		w.children(n, withMarks(marks, "strikethrough"))
	case *ast.Link:
		w.node("link", string(unescape(n.Destination)), string(unescape(n.Title)), n, marks)
	case *ast.Image:
		w.node("inline-image", string(unescape(n.Destination)), string(unescape(n.Title)), n, marks)
	case *ast.AutoLink:
		w.autoLink(n, marks)
	case *ast.RawHTML:
		w.rawHTML(n.Segments.Value(w.source), marks)
	case *extast.TaskCheckBox: // of the item
	default:
		w.children(n, marks)
	}
}

func (w *inlineWriter) text(n *ast.Text, marks []string) {
	value := n.Value(w.source)
	if !n.IsRaw() {
		value = unescape(value)
	}
	w.add(string(value), marks)
	switch {
	case n.HardLineBreak():
		w.add("\n", marks)
	case n.SoftLineBreak():
		w.add(" ", marks)
	}
}

// codeOf is the text of a code span, in one line.
func codeOf(span *ast.CodeSpan, source []byte) string {
	var code []byte
	for node := span.FirstChild(); node != nil; node = node.NextSibling() {
		if t, ok := node.(*ast.Text); ok {
			code = append(code, t.Value(source)...)
		}
	}
	return string(bytes.ReplaceAll(code, []byte("\n"), []byte(" ")))
}

// node writes an inline that refers to something, with what is inside it.
func (w *inlineWriter) node(kind, destination, title string, n ast.Node, marks []string) {
	w.done()
	inside := inlineWriter{source: w.source, html: slices.Clone(w.html)}
	inside.children(n, marks)
	data := map[string]any{"ref": contentRef(destination)}
	if title != "" {
		data["title"] = title
	}
	w.nodes = append(w.nodes, api.DocumentNode{Object: "inline", Type: kind, Data: data, Nodes: orText(inside.done())})
}

func (w *inlineWriter) autoLink(n *ast.AutoLink, marks []string) {
	w.done()
	w.nodes = append(w.nodes, api.DocumentNode{
		Object: "inline", Type: "link", Data: map[string]any{"ref": contentRef(string(n.URL(w.source)))},
		Nodes: []api.DocumentNode{textNode(leaf(string(n.Label(w.source)), w.html.with(marks)...))},
	})
}

// htmlMarks are the marks of HTML tags.
var htmlMarks = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "code": "code", "kbd": "keyboard",
	"s": "strikethrough", "del": "strikethrough", "sup": "superscript", "sub": "subscript",
}

// rawHTML writes a tag: a mark for what follows, a line break, or else code.
func (w *inlineWriter) rawHTML(tag []byte, marks []string) {
	name := strings.ToLower(string(tagWord(bytes.TrimLeft(tag, "</"))))
	mark, known := htmlMarks[name]
	switch {
	case name == "br":
		w.add("\n", marks)
	case !known || bytes.HasPrefix(tag, []byte("<!")):
		w.add(string(tag), withMarks(marks, "code"))
	case !bytes.HasPrefix(tag, []byte("</")):
		w.html.open(mark)
	default:
		w.html.close(mark)
	}
}

// contentRef is what a destination names: stable links name pages and files of the space, all else is a URL.
func contentRef(destination string) api.ContentRef {
	path, anchor, _ := strings.Cut(destination, "#")
	page, isPage := strings.CutPrefix(path, "/pages/")
	file, isFile := strings.CutPrefix(path, "/files/")
	switch {
	case (path == "" || isPage && isID(page)) && anchor != "":
		return api.ContentRef{Kind: api.RefAnchor, Page: page, Anchor: anchor}
	case isPage && isID(page):
		return api.ContentRef{Kind: api.RefPage, Page: page}
	case isFile && isID(file):
		return api.ContentRef{Kind: api.RefFile, File: file}
	}
	return api.ContentRef{Kind: api.RefURL, URL: destination}
}

func isID(s string) bool { return api.Patterns["id"].MatchString(s) }
