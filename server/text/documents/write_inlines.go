package documents

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
)

func leaf(s string, marks ...api.DocumentMark) api.DocumentLeaf {
	l := api.DocumentLeaf{Object: "leaf", Text: s, Marks: []api.DocumentMark{}}
	if len(marks) > 0 {
		l.Marks = slices.Clone(marks)
	}
	return l
}

func text(s string, marks ...api.DocumentMark) api.DocumentNode {
	return api.DocumentNode{Object: "text", Leaves: []api.DocumentLeaf{leaf(s, marks...)}}
}

// Mark returns a mark of a kind without data.
func Mark(kind string) api.DocumentMark { return api.DocumentMark{Object: "mark", Type: kind} }

func inlineVoid(kind string, data map[string]any) api.DocumentNode {
	return api.DocumentNode{Object: "inline", Type: kind, IsVoid: new(true), Data: data}
}

// paragraph returns a paragraph of inlines.
func paragraph(inside ...api.DocumentNode) api.DocumentNode {
	if len(inside) == 0 {
		inside = []api.DocumentNode{text("")}
	}
	return api.DocumentNode{Object: "block", Type: "paragraph", Nodes: inside}
}

// inlines returns the content of a block: texts, with inlines between them.
func (b *blockWriter) inlines(parent ast.Node) []api.DocumentNode {
	i := inlineWriter{w: b.w, source: b.source, masked: b.masked, depth: b.depth}
	i.children(parent, nil)
	return i.end()
}

// line returns the content of a line of Markdown within an HTML element.
func (w *writer) line(source string, depth int) []api.DocumentNode {
	source = strings.TrimSpace(source)
	if source == "" || depth > MaxDepth {
		return nil
	}
	b := blockWriter{w: w, source: []byte(source), depth: depth + 1}
	if b.masked = maskFormulas(b.source); b.masked == nil {
		b.masked = b.source
	}
	var all []api.DocumentNode
	root := markdown.ParseInlines(b.masked, w.references)
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		all = append(all, b.inlines(node)...)
	}
	return all
}

// inlineWriter writes the content of one block or link.
type inlineWriter struct {
	w         *writer
	source    []byte
	masked    []byte
	depth     int
	leaves    []api.DocumentLeaf // of the current text
	lastText  strings.Builder    // text of the last leaf
	nodes     []api.DocumentNode
	html      []api.DocumentMark // marks of the open tags, in order
	open      []element          // open HTML elements that are inlines
	darkImage string             // image of the open picture for dark screens
}

// element is an open HTML element.
type element struct {
	name   string
	attrs  map[string]string
	before []api.DocumentNode // preceding nodes
}

// end ends the current text and all unclosed elements, and returns the nodes.
func (w *inlineWriter) end() []api.DocumentNode {
	w.endText()
	for len(w.open) > 0 {
		w.dropElement()
	}
	return w.nodes
}

// dropElement drops the innermost open element and keeps its content.
func (w *inlineWriter) dropElement() {
	last := w.open[len(w.open)-1]
	w.open, w.nodes = w.open[:len(w.open)-1], append(last.before, w.nodes...)
}

// endText ends the current text.
func (w *inlineWriter) endText() {
	w.finishLeaf()
	if len(w.leaves) > 0 {
		w.nodes, w.leaves = append(w.nodes, api.DocumentNode{Object: "text", Leaves: w.leaves}), nil
	}
}

// node appends an inline after the current text.
func (w *inlineWriter) node(n api.DocumentNode) {
	w.endText()
	w.nodes = append(w.nodes, n)
}

// add writes text; text with the same marks forms one leaf.
func (w *inlineWriter) add(s string, marks []api.DocumentMark) {
	if s == "" {
		return
	}
	if len(w.html) > 0 {
		marks = withMarks(marks, w.html...)
	}
	if last := len(w.leaves) - 1; last >= 0 && slices.Equal(w.leaves[last].Marks, marks) {
		w.lastText.WriteString(s)
		return
	}
	w.finishLeaf()
	w.leaves = append(w.leaves, leaf("", marks...))
	w.lastText.WriteString(s)
}

// finishLeaf sets the text of the last leaf.
func (w *inlineWriter) finishLeaf() {
	if last := len(w.leaves) - 1; last >= 0 {
		w.leaves[last].Text = w.lastText.String()
		w.lastText.Reset()
	}
}

// withMarks returns a set of marks with more added; of several colors the last counts.
func withMarks(marks []api.DocumentMark, more ...api.DocumentMark) []api.DocumentMark {
	all := slices.Clone(marks)
	for _, m := range more {
		at := slices.IndexFunc(all, func(have api.DocumentMark) bool { return have.Type == m.Type })
		if at < 0 {
			all = append(all, m)
		} else {
			all[at] = m
		}
	}
	return all
}

func (w *inlineWriter) children(parent ast.Node, marks []api.DocumentMark) {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		w.inline(node, marks)
	}
}

func (w *inlineWriter) inline(node ast.Node, marks []api.DocumentMark) {
	switch n := node.(type) {
	case *ast.Text:
		w.text(n, marks)
	case *ast.String:
		w.add(string(n.Value), marks)
	case *ast.CodeSpan:
		w.add(codeOf(n, w.source), withMarks(marks, Mark("code")))
	case *ast.Emphasis:
		kind := "italic"
		if n.Level > 1 {
			kind = "bold"
		}
		w.children(n, withMarks(marks, Mark(kind)))
	case *extast.Strikethrough:
		w.children(n, withMarks(marks, Mark("strikethrough")))
	case *ast.Link:
		w.link(unescape(n.Destination), n, marks)
	case *ast.Image:
		w.image(unescape(n.Destination), n, marks)
	case *ast.AutoLink:
		w.autoLink(n, marks)
	case *ast.RawHTML:
		w.tag(n.Segments.Value(w.source), marks)
	case *extast.TaskCheckBox: // belongs to the item
	default:
		w.children(n, marks)
	}
}

func unescape(b []byte) string { return string(content.Unescape(b)) }

// text writes a text, in which formulas are separate nodes.
func (w *inlineWriter) text(n *ast.Text, marks []api.DocumentMark) {
	at := n.Segment.Start
	for at < n.Segment.Stop {
		start := bytes.IndexByte(w.masked[at:n.Segment.Stop], formulaByte)
		if start < 0 || w.source[at+start] == formulaByte {
			break
		}
		w.words(w.source[at:at+start], n.IsRaw(), marks)
		n, length := parseMasked(w.source[at+start : n.Segment.Stop])
		w.node(n)
		at += start + length
	}
	if at < n.Segment.Stop || at == n.Segment.Start {
		if at == n.Segment.Start {
			w.words(n.Value(w.source), n.IsRaw(), marks)
		} else {
			w.words(w.source[at:n.Segment.Stop], n.IsRaw(), marks)
		}
	}
	switch {
	case n.HardLineBreak():
		w.add("\n", marks)
	case n.SoftLineBreak():
		w.add(" ", marks)
	}
}

func (w *inlineWriter) words(value []byte, raw bool, marks []api.DocumentMark) {
	if !raw {
		value = content.Unescape(value)
	}
	w.add(string(value), marks)
}

// codeOf returns the text of a code span in one line.
func codeOf(span *ast.CodeSpan, source []byte) string {
	var code []byte
	for node := span.FirstChild(); node != nil; node = node.NextSibling() {
		if t, ok := node.(*ast.Text); ok {
			code = append(code, t.Segment.Value(source)...)
		}
	}
	return string(bytes.ReplaceAll(code, []byte("\n"), []byte(" ")))
}

// link writes a link. If it refers to nothing, its text is written.
func (w *inlineWriter) link(destination string, n ast.Node, marks []api.DocumentMark) {
	ref, ok := w.w.ref(destination, false)
	if !ok {
		w.children(n, marks)
		return
	}
	inside := inlineWriter{w: w.w, source: w.source, masked: w.masked, depth: w.depth, html: slices.Clone(w.html)}
	inside.children(n, marks)
	if l, isLink := n.(*ast.Link); isLink && string(l.Title) == MentionTitle {
		inside.end()
		w.node(inlineVoid("mention", map[string]any{"ref": ref}))
		return
	}
	w.node(linkNode(ref, inside.end()))
}

// MentionTitle is the title of a link that is a mention.
const MentionTitle = "mention"

// linkNode returns a link with the content that links allow: text and images.
func linkNode(ref map[string]any, inside []api.DocumentNode) api.DocumentNode {
	nodes := make([]api.DocumentNode, 0, len(inside))
	for _, n := range inside {
		switch {
		case n.Object == "text" || n.Type == "inline-image":
			nodes = append(nodes, n)
		default:
			nodes = append(nodes, text(inlineText(n)))
		}
	}
	if len(nodes) == 0 {
		nodes = append(nodes, text(""))
	}
	return api.DocumentNode{Object: "inline", Type: "link", Data: map[string]any{"ref": ref}, Nodes: nodes}
}

// inlineText returns the visible text of an inline.
func inlineText(n api.DocumentNode) string {
	for _, name := range []string{"formula", "expression", "label", "caption"} {
		if s, ok := n.Data[name].(string); ok {
			return s
		}
	}
	return PlainText([]api.DocumentNode{n})
}

// image writes an image. If it refers to nothing, its alternative text is written.
func (w *inlineWriter) image(destination string, n ast.Node, marks []api.DocumentMark) {
	ref, ok := w.w.ref(destination, true)
	if !ok {
		w.children(n, marks)
		return
	}
	inside := inlineWriter{w: w.w, source: w.source, masked: w.masked, depth: w.depth}
	inside.children(n, nil)
	data := map[string]any{"ref": ref}
	if alt := visibleText(inside.end()); alt != "" {
		data["caption"] = alt
	}
	w.node(inlineVoid("inline-image", data))
}

func (w *inlineWriter) autoLink(n *ast.AutoLink, marks []api.DocumentMark) {
	label, address := string(n.Label(w.source)), string(n.URL(w.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(address, "mailto:") {
		address = "mailto:" + address
	}
	ref, ok := w.w.ref(address, false)
	if !ok {
		w.add(label, marks)
		return
	}
	w.node(linkNode(ref, []api.DocumentNode{text(label, withMarks(marks, w.html...)...)}))
}
