package documents

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
)

// plainBlocks writes the blocks of source[from:to], which contains neither front matter nor regions.
func (w *writer) plainBlocks(s *sequence, source []byte, from, to, depth int) {
	stretch := source[from:to]
	if len(content.TrimEnd(stretch)) == 0 {
		return
	}
	masked := maskFormulas(stretch)
	b := blockWriter{w: w, source: stretch, masked: masked, shift: from, end: len(stretch), depth: depth}
	if masked == nil {
		b.masked = stretch
	}
	root := markdown.Parse(b.masked, w.references)
	if masked != nil && hasMaskedDestination(root) {
		b.masked = stretch
		root = markdown.Parse(stretch, w.references)
	}
	b.children(s, root)
}

// blockWriter writes the blocks of one parsed part of the text.
type blockWriter struct {
	w      *writer
	source []byte
	masked []byte // source with formulas and variables masked
	shift  int    // offset of the part in the text
	end    int    // end of the enclosing block
	depth  int
}

// startOf returns the offset of a node's first line in the part.
func (b *blockWriter) startOf(node ast.Node) int {
	start, ok := content.StartOf(node)
	if !ok {
		return 0
	}
	return lineStart(b.source, min(start, len(b.source)))
}

func (b *blockWriter) children(s *sequence, parent ast.Node) {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		b.block(s, node)
	}
}

// key returns the key of the block that begins at a node.
func (b *blockWriter) key(s *sequence, node ast.Node) string {
	at := b.shift + b.startOf(node)
	key := s.key(at)
	s.recordStart(at, key)
	return key
}

// block writes one block. Link reference definitions are skipped.
func (b *blockWriter) block(s *sequence, node ast.Node) {
	block := api.DocumentNode{Object: "block"}
	if node.Kind() != ast.KindList && node.Kind() != ast.KindLinkReferenceDefinition && node.Kind() != ast.KindHeading &&
		node.Kind() != ast.KindHTMLBlock {
		block.Key = b.key(s, node)
	}
	switch n := node.(type) {
	case *ast.Heading:
		b.heading(s, n)
		return
	case *ast.List:
		b.list(s, n)
		return
	case *ast.HTMLBlock:
		b.html(s, n)
		return
	case *ast.LinkReferenceDefinition:
		s.recordStart(b.shift+b.startOf(n), "")
		return
	case *ast.Blockquote:
		block.Type = "blockquote"
		inside := b.w.sequence(block.Key, "blockquote", false)
		b.nestedBlocks(inside, n, b.extent(n), stripQuoteMark)
		block.Nodes = nonNil(inside.nodes)
	case *ast.ThematicBreak:
		block.Type, block.IsVoid, block.Data = "divider", new(true), map[string]any{}
	case *ast.FencedCodeBlock:
		block.Type, block.Data, block.Nodes = "code", codeData(n, b.source), codeLines(n.Lines().Value(b.source))
	case *ast.CodeBlock:
		block.Type, block.Data, block.Nodes = "code", map[string]any{}, codeLines(n.Lines().Value(b.source))
	case *extast.Table:
		b.table(&block, n)
	default:
		if !b.paragraph(&block, n) {
			return
		}
	}
	s.add(block)
}

// heading writes a heading: level 2 is heading-1, and levels without an equivalent use the nearest. A leading level-1
// heading with the title of the page is omitted.
func (b *blockWriter) heading(s *sequence, n *ast.Heading) {
	inside := b.inlines(n)
	title := strings.Join(strings.Fields(PlainText(inside)), " ")
	id, explicit := b.w.fragments.Next(title), markdown.HeadingID(n)
	if b.w.title != "" && n.Level == 1 && s.parentKind == "top" && len(s.nodes) == 0 && len(b.w.layout.BlockStarts[s.parent]) == 0 &&
		title == strings.Join(strings.Fields(b.w.title), " ") {
		s.recordStart(b.shift+b.startOf(n), "")
		b.w.claimID(b.shift + b.startOf(n))
		b.w.titleOmitted = true
		return
	}
	block := api.DocumentNode{
		Object: "block", Type: headingType(n.Level), Key: b.key(s, n), Data: map[string]any{}, Nodes: inside,
	}
	if explicit != "" {
		id = explicit
		if headingID.MatchString(explicit) {
			block.Data["id"] = explicit
		}
	}
	block.Nodes = nonNil(block.Nodes)
	block.Meta = metaOf(id)
	s.add(block)
}

// metaOf returns the meta data of a block with a link target id, or nil without an id.
func metaOf(id string) *api.DocumentMeta {
	if id == "" {
		return nil
	}
	return &api.DocumentMeta{ID: id}
}

// headingType returns the type of a heading of a Markdown level.
func headingType(level int) string { return fmt.Sprintf("heading-%d", min(max(level-1, 1), 3)) }

// paragraph writes a paragraph: a tag, images, or text. It returns false if the paragraph has no visible content.
func (b *blockWriter) paragraph(block *api.DocumentNode, n ast.Node) bool {
	if lines := n.Lines(); lines != nil && lines.Len() == 1 {
		if t, ok := b.w.tag(lines.Value(b.source)); ok {
			t.Key = block.Key
			*block = t
			return true
		}
	}
	block.Type, block.Nodes = "paragraph", b.inlines(n)
	if len(block.Nodes) == 0 {
		if checkBox(n.Parent()) != nil && n.PreviousSibling() == nil {
			return false
		}
		block.Nodes = []api.DocumentNode{text("")}
	}
	if !hasOnlyImages(n) || !slices.ContainsFunc(block.Nodes, isImage) {
		return true
	}
	images := imagesBlock()
	images.Key = block.Key
	for _, node := range block.Nodes {
		if isImage(node) {
			images.Nodes = append(images.Nodes, imageBlock(node.Data, nil))
		}
	}
	*block = images
	return true
}

func isImage(n api.DocumentNode) bool { return n.Type == "inline-image" }

// hasOnlyImages reports whether a paragraph consists of Markdown images and white space.
func hasOnlyImages(n ast.Node) bool {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		t, isText := child.(*ast.Text)
		if child.Kind() != ast.KindImage && (!isText || t.Segment.Len() > 0) {
			return false
		}
	}
	return n.FirstChild() != nil
}

func imagesBlock() api.DocumentNode {
	return api.DocumentNode{Object: "block", Type: "images", IsVoid: new(false), Data: map[string]any{}}
}

// imageBlock converts an inline image to an image of an images block.
func imageBlock(inline map[string]any, caption []api.DocumentNode) api.DocumentNode {
	data := map[string]any{"ref": inline["ref"]}
	if alt, ok := inline["caption"]; ok {
		data["alt"] = alt
	}
	for _, name := range []string{"refDark", "width", "height"} {
		if value, ok := inline[name]; ok {
			data[name] = value
		}
	}
	image := api.DocumentNode{Object: "block", Type: "image", IsVoid: new(true), Data: data, Fragments: []api.DocumentNode{}}
	if caption != nil {
		image.Fragments = []api.DocumentNode{
			{Object: "fragment", Fragment: "caption", Type: "caption", Nodes: []api.DocumentNode{paragraph(caption...)}},
		}
	}
	return image
}

func (b *blockWriter) list(s *sequence, n *ast.List) {
	items := make([]api.DocumentNode, 0, n.ChildCount())
	kind, extent := "list-unordered", b.extent(n)
	var data map[string]any
	if n.IsOrdered() {
		kind, data = "list-ordered", map[string]any{"start": n.Start}
	}
	list := s.parent + "." + fmt.Sprint(len(s.nodes))
	if block, ok := b.w.unclaimedID(b.shift + extent[0]); ok && s.direct {
		list = block + ".list"
	}
	at := b.w.sequence(list, "list", s.direct)
	s.recordStart(b.shift+extent[0], list)
	at.recordContentSpan(list, b.shift+extent[0], b.shift+extent[1])
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		written := api.DocumentNode{Object: "block", Type: "list-item", Key: b.key(at, item)}
		if box := checkBox(item); box != nil {
			kind, data, written.Data = "list-tasks", nil, map[string]any{"checked": box.IsChecked}
		}
		inside := b.w.sequence(written.Key, "list-item", false)
		end := extent[1]
		if next := item.NextSibling(); next != nil {
			end = b.startOf(next)
		}
		b.nestedBlocks(inside, item, [2]int{b.startOf(item), end}, itemMarkStripper(item.(*ast.ListItem)))
		written.Nodes = nonNil(inside.nodes)
		items = append(items, written)
		at.nodes = items
	}
	s.add(api.DocumentNode{Object: "block", Type: kind, Key: list, Data: data, Nodes: items})
}

// extent returns the range from the first line of a node to its next sibling or, without one, to the end of the enclosing
// block.
func (b *blockWriter) extent(n ast.Node) [2]int {
	end := b.end
	if next := n.NextSibling(); next != nil {
		end = b.startOf(next)
	}
	return [2]int{b.startOf(n), end}
}

// nestedBlocks writes the blocks in an item or a quote. If they may contain regions, which are found by lines, the lines are
// stripped and parsed again.
func (b *blockWriter) nestedBlocks(s *sequence, n ast.Node, extent [2]int, strip func(line []byte, first bool) []byte) {
	source := b.source[extent[0]:max(extent[0], extent[1])]
	if !mayHaveRegions(source) || b.depth >= MaxDepth {
		in := *b
		in.end = extent[1]
		in.children(s, n)
		return
	}
	var lines []byte
	first := true
	for line := range bytes.Lines(source) {
		lines = append(lines, strip(line, first)...)
		first = false
	}
	b.w.blocks(s, lines, 0, len(lines), b.depth+1)
}

// stripQuoteMark returns a line of a quote without its mark; a line that has no mark is unchanged.
func stripQuoteMark(line []byte, _ bool) []byte {
	rest := bytes.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || len(rest) == 0 || rest[0] != '>' {
		return line
	}
	return bytes.TrimPrefix(rest[1:], []byte(" "))
}

// itemMarkStripper returns a function that strips the mark from the first line of an item, and the indentation from its other
// lines.
func itemMarkStripper(item *ast.ListItem) func(line []byte, first bool) []byte {
	boxed := checkBox(item) != nil
	return func(line []byte, first bool) []byte {
		rest, indent := line, 0
		if first {
			rest = bytes.TrimLeft(rest, " \t")
			rest = bytes.TrimLeft(rest, "0123456789")
			rest = bytes.TrimLeft(rest[min(1, len(rest)):], " \t")
			if boxed && len(rest) > 2 {
				return bytes.TrimLeft(rest[3:], " \t")
			}
			return rest
		}
		for len(rest) > 0 && indent < item.Offset && (rest[0] == ' ' || rest[0] == '\t') {
			if indent++; rest[0] == '\t' {
				indent += 3
			}
			rest = rest[1:]
		}
		return rest
	}
}

// checkBox returns the check box at the start of a task item, or nil if there is none.
func checkBox(item ast.Node) *extast.TaskCheckBox {
	if item == nil || item.Kind() != ast.KindListItem {
		return nil
	}
	if first := item.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			return box
		}
	}
	return nil
}

// codeLines returns lines of code as blocks.
func codeLines(code []byte) []api.DocumentNode {
	nodes := []api.DocumentNode{}
	for line := range bytes.Lines(code) {
		nodes = append(nodes, codeLine(string(bytes.TrimRight(line, "\r\n"))))
	}
	return nodes
}

func codeLine(s string) api.DocumentNode {
	return api.DocumentNode{Object: "block", Type: "code-line", Data: map[string]any{}, Nodes: []api.DocumentNode{text(s)}}
}

// linesOf returns the lines of a code block.
func linesOf(n api.DocumentNode) []string {
	lines := make([]string, len(n.Nodes))
	for i, line := range n.Nodes {
		lines[i] = PlainText(line.Nodes)
	}
	return lines
}
