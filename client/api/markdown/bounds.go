package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The budget of one text. Prose does not come near any of it; a page of the greatest size stays below a second.
const (
	maxNesting    = 64      // quotes, lists and items around a block
	maxBrackets   = 256     // that are open at the same time in a block
	maxDelimiters = 1024    // runs of *, _ and ~ in a block
	maxCells      = 1 << 17 // cells of tables beyond those that are written
	maxContinued  = 3 << 16 // lines that go on with a container, times its depth
	maxMoved      = 1 << 24 // lines that are moved because definitions are taken out
	maxAgain      = 1 << 26 // bytes that are read again in search of the end of a link or of code

	lineCost = 64 // what a line costs that is read again, in bytes
)

// spending is what one text has used of its budget.
type spending struct{ cells, continued, moved, again int }

// boundedBlocks returns the standard block parsers with bounded nesting.
func boundedBlocks() []util.PrioritizedValue {
	blocks := parser.DefaultBlockParsers()
	for i, block := range blocks {
		if p, ok := block.Value.(parser.BlockParser); ok {
			blocks[i].Value = boundedBlock{p}
		}
	}
	return blocks
}

// boundedBlock is a block parser that opens nothing below maxNesting; what is deeper is text.
type boundedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node == nil || state&parser.HasChildren == 0 {
		return node, state
	}
	r := of(pc)
	depth := 0
	for above := parent; above != nil; above = above.Parent() {
		depth++
	}
	if depth > maxNesting || r.spent.continued > maxContinued || r.left() {
		return nil, parser.NoChildren
	}
	return node, state
}

// Continue implements parser.BlockParser. For every line the parser remembers every container that goes on.
func (b boundedBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := b.BlockParser.Continue(node, reader, pc)
	if state&parser.HasChildren == 0 || state&parser.Continue == 0 {
		return state
	}
	r := of(pc)
	if r.spent.continued++; r.spent.continued > maxContinued || r.left() {
		return parser.Close
	}
	return state
}

// Close implements parser.BlockParser. A heading that is underlined has its text only now.
func (b boundedBlock) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	b.BlockParser.Close(node, reader, pc)
	if heading, ok := node.(*ast.Heading); ok {
		takeHeadingID(heading, reader.Source())
	}
}

// boundedParagraphs returns what may become of a paragraph, with bounds.
func boundedParagraphs() []util.PrioritizedValue {
	transformers := parser.DefaultParagraphTransformers()
	for i, transformer := range transformers {
		if t, ok := transformer.Value.(parser.ParagraphTransformer); ok {
			transformers[i].Value = boundedDefinitions{t}
		}
	}
	return append(transformers, util.Prioritized(boundedTables{extension.NewTableParagraphTransformer()}, 200))
}

// boundedDefinitions takes definitions out of a paragraph. Each moves the lines behind it.
type boundedDefinitions struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (b boundedDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	r, lines := of(pc), node.Lines()
	begun := 0
	for i := range lines.Len() {
		segment := lines.At(i)
		if line := bytes.TrimLeft(segment.Value(reader.Source()), " "); len(line) > 0 && line[0] == '[' {
			begun++
		}
	}
	if moved := begun * lines.Len() / 2; begun > 0 && r.spent.moved+moved <= maxMoved {
		r.spent.moved += moved
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// boundedTables makes tables of paragraphs. A row that is shorter than the first one is filled up with cells.
type boundedTables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (b boundedTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	r, lines := of(pc), node.Lines()
	if lines.Len() < 2 {
		return
	}
	widest, written := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(reader.Source())
		cells := bytes.Count(line, []byte("|")) + 1
		written += cells
		if cells > widest && len(bytes.Trim(line, "|-: \t\r\n")) == 0 {
			widest = cells // may be the line below the head
		}
	}
	if widest == 0 {
		return
	}
	if filled := max(widest*lines.Len()-written, 0); r.spent.cells+filled <= maxCells {
		r.spent.cells += filled
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// boundedInline finds nothing any more when nobody waits.
type boundedInline struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if of(pc).left() {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// boundedEmphasis takes so many delimiters in a block: each may be compared with all before it.
type boundedEmphasis struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedEmphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := of(pc)
	r.enter(parent)
	if r.delimiters++; r.delimiters > maxDelimiters || r.left() {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// boundedCode reads to the end of the block for every opener that nothing closes.
type boundedCode struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedCode) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := of(pc)
	if r.spent.again > maxAgain || r.left() {
		return nil
	}
	rest := behind(parent, block)
	node := b.InlineParser.Parse(parent, block, pc)
	if _, plain := node.(*ast.Text); plain {
		r.spent.again += rest
	}
	return node
}

// boundedLinks is the link parser with a limit on brackets that are open, and on reading the same text again.
type boundedLinks struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := of(pc)
	r.enter(parent)
	if r.spent.again > maxAgain || r.left() {
		return nil
	}
	if block.Peek() != ']' {
		if r.brackets >= maxBrackets {
			return nil
		}
		node := b.InlineParser.Parse(parent, block, pc)
		if node != nil {
			r.brackets++
		}
		return node
	}
	r.brackets = max(r.brackets-1, 0)
	number, _ := block.Position()
	line, _ := block.PeekLine()
	rest := behind(parent, block)
	node := b.InlineParser.Parse(parent, block, pc)
	r.spent.again += number
	switch {
	case node != nil:
	case bytes.HasPrefix(line, []byte("](")) && bytes.ContainsAny(line[2:], "\"'("):
		r.spent.again += rest // a title may be sought to the end of the block
	default:
		r.spent.again += len(line)
	}
	return node
}

// CloseBlock implements parser.CloseBlocker.
func (b boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := b.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// behind is what it costs to read from here to the end of a block.
func behind(parent ast.Node, block text.Reader) int {
	lines := parent.Lines()
	if lines == nil || lines.Len() == 0 {
		return 0
	}
	number, at := block.Position()
	return max(lines.At(lines.Len()-1).Stop-at.Start, 0) + lineCost*max(lines.Len()-number, 0)
}
