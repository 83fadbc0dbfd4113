package content

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
)

// plain are the blocks of markdown[from:to], which has neither front matter nor containers.
func (w *documentWriter) plain(from, to int) []api.DocumentNode {
	stretch := w.markdown[from:to]
	if len(TrimEnd(stretch)) == 0 {
		return nil
	}
	b := blockWriter{source: stretch, key: func(node ast.Node) string {
		start, ok := StartOf(node)
		if !ok {
			return ""
		}
		return w.key(from + lineStart(stretch, min(start, len(stretch))))
	}}
	return b.children(markdown.Parse(stretch, w.references))
}

// blockWriter writes the blocks of one parsed stretch.
type blockWriter struct {
	source []byte
	key    func(ast.Node) string
}

func (b *blockWriter) children(parent ast.Node) []api.DocumentNode {
	var nodes []api.DocumentNode
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		if written, ok := b.block(node); ok {
			nodes = append(nodes, written)
		}
	}
	return nodes
}

// block writes one block. A link reference definition is none.
func (b *blockWriter) block(node ast.Node) (api.DocumentNode, bool) {
	block := api.DocumentNode{Object: "block", Data: map[string]any{}}
	if node.Kind() != ast.KindList {
		block.Key = b.key(node)
	}
	switch n := node.(type) {
	case *ast.Heading:
		block.Type = fmt.Sprintf("heading-%d", min(n.Level, 3))
		block.Data["level"] = n.Level
		block.Nodes = orText(inlines(b.source, n))
	case *ast.List:
		b.list(&block, n)
	case *ast.Blockquote:
		block.Type, block.Nodes = "blockquote", orText(b.children(n))
	case *ast.ThematicBreak:
		block.Type, block.IsVoid, block.Nodes = "divider", true, orText(nil)
	case *ast.FencedCodeBlock:
		block.Data = codeData(n, b.source)
		block.Type, block.Nodes = "code", codeLines(n.Lines().Value(b.source))
	case *ast.CodeBlock:
		block.Type, block.Nodes = "code", codeLines(n.Lines().Value(b.source))
	case *ast.HTMLBlock:
		block.Data["syntax"] = "html"
		block.Type, block.Nodes = "code", codeLines(htmlOf(n, b.source))
	case *extast.Table:
		block.Type, block.Nodes = "table", b.rows(n)
	case *ast.LinkReferenceDefinition:
		return block, false
	default:
		b.paragraph(&block, n)
	}
	return block, true
}

// paragraph writes a paragraph: a tag, images, or text.
func (b *blockWriter) paragraph(block *api.DocumentNode, n ast.Node) {
	if lines := n.Lines(); lines != nil {
		if t, ok := tag(lines.Value(b.source)); ok {
			t.Key = block.Key
			*block = t
			return
		}
	}
	block.Type, block.Nodes = "paragraph", orText(inlines(b.source, n))
	if !onlyImages(block.Nodes) {
		return
	}
	block.Type = "images"
	images := block.Nodes[:0]
	for _, node := range block.Nodes {
		if node.Type == "inline-image" {
			node.Object, node.Type = "block", "image"
			images = append(images, node)
		}
	}
	block.Nodes = images
}

// onlyImages reports whether a paragraph has images and nothing else but white space.
func onlyImages(nodes []api.DocumentNode) bool {
	some := false
	for _, node := range nodes {
		switch {
		case node.Type == "inline-image":
			some = true
		case node.Object != "text":
			return false
		}
		for _, leaf := range node.Leaves {
			if len(bytes.TrimSpace([]byte(leaf.Text))) > 0 {
				return false
			}
		}
	}
	return some
}

func (b *blockWriter) list(block *api.DocumentNode, n *ast.List) {
	block.Type = "list-unordered"
	if n.IsOrdered() {
		block.Type = "list-ordered"
		block.Data["start"] = n.Start
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		written := api.DocumentNode{Object: "block", Type: "list-item", Key: b.key(item), Data: map[string]any{}}
		if box := checkBox(item); box != nil {
			block.Type, written.Data["checked"] = "list-tasks", box.IsChecked
		}
		written.Nodes = orText(b.children(item))
		block.Nodes = append(block.Nodes, written)
	}
}

// checkBox is the box at the start of an item of a list of tasks.
func checkBox(item ast.Node) *extast.TaskCheckBox {
	if first := item.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			return box
		}
	}
	return nil
}

// rows are the rows of a table, the first of them with the titles of the columns.
func (b *blockWriter) rows(table *extast.Table) []api.DocumentNode {
	var rows []api.DocumentNode
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		written := api.DocumentNode{Object: "block", Type: "table-row", Data: map[string]any{"header": row.Kind() == extast.KindTableHeader}}
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			data := map[string]any{}
			if column < len(table.Alignments) && table.Alignments[column] != extast.AlignNone {
				data["textAlignment"] = table.Alignments[column].String()
			}
			written.Nodes = append(written.Nodes, api.DocumentNode{Object: "block", Type: "table-cell", Data: data, Nodes: orText(inlines(b.source, cell))})
			column++
		}
		rows = append(rows, written)
	}
	return rows
}

// codeData is what the opening fence of code says: its language, and in info all of it where it says more.
func codeData(n *ast.FencedCodeBlock, source []byte) map[string]any {
	if n.Info == nil {
		return map[string]any{}
	}
	info, language := n.Info.Value(source), n.Language(source)
	data := tagData(info)
	if len(language) > 0 {
		data["syntax"] = string(language)
	}
	if len(info) > len(language) {
		data["info"] = string(info)
	}
	return data
}

// codeLines are lines of code as blocks.
func codeLines(code []byte) []api.DocumentNode {
	var nodes []api.DocumentNode
	for line := range bytes.Lines(code) {
		nodes = append(nodes, api.DocumentNode{
			Object: "block", Type: "code-line", Data: map[string]any{}, Nodes: []api.DocumentNode{textNode(leaf(string(bytes.TrimRight(line, "\r\n"))))},
		})
	}
	return orText(nodes)
}

func htmlOf(n *ast.HTMLBlock, source []byte) []byte {
	html := n.Lines().Value(source)
	if n.HasClosure() {
		html = append(slices.Clip(html), n.ClosureLine.Value(source)...)
	}
	return html
}

// orText gives a block that has nothing in it an empty text.
func orText(nodes []api.DocumentNode) []api.DocumentNode {
	if len(nodes) == 0 {
		return []api.DocumentNode{textNode(leaf(""))}
	}
	return nodes
}
