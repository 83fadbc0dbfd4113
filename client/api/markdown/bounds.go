package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The work budget of a text. Prose stays far below all limits, and a page of the maximum size is parsed in less than
// a second.
const (
	maxNesting        = 64      // quotes, lists and items around a block
	maxBrackets       = 256     // open at the same time in a block
	maxDelimiters     = 1024    // runs of *, _ and ~ in a block
	maxCells          = 1 << 17 // table cells added to short rows
	maxContinuedLines = 3 << 16 // lines that continue a container, times its depth
	maxMovedLines     = 1 << 24 // lines moved when definitions are removed
	maxRescannedBytes = 1 << 26 // bytes rescanned for the end of a link or code span

	lineCost = 64 // cost of rescanning a line, in bytes
)

// usage is the part of the budget that a text has used.
type usage struct{ cells, continuedLines, movedLines, rescannedBytes int }

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

// boundedBlock is a block parser that opens no blocks deeper than maxNesting; deeper blocks are parsed as text.
type boundedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node == nil || state&parser.HasChildren == 0 {
		return node, state
	}
	r := stateOf(pc)
	depth := 0
	for above := parent; above != nil; above = above.Parent() {
		depth++
	}
	if depth > maxNesting || r.used.continuedLines > maxContinuedLines || r.isCanceled() {
		return nil, parser.NoChildren
	}
	return node, state
}

// Continue implements parser.BlockParser. It counts each continued container, because the parser records all of them
// for every line.
func (b boundedBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := b.BlockParser.Continue(node, reader, pc)
	if state&parser.HasChildren == 0 || state&parser.Continue == 0 {
		return state
	}
	r := stateOf(pc)
	if r.used.continuedLines++; r.used.continuedLines > maxContinuedLines || r.isCanceled() {
		return parser.Close
	}
	return state
}

// Close implements parser.BlockParser. It takes the id of a heading here, because the text of a setext heading is complete only
// when the block is closed.
func (b boundedBlock) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	b.BlockParser.Close(node, reader, pc)
	if heading, ok := node.(*ast.Heading); ok {
		takeHeadingID(heading, reader.Source())
	}
}

// boundedParagraphs returns the standard paragraph transformers with bounded work.
func boundedParagraphs() []util.PrioritizedValue {
	transformers := parser.DefaultParagraphTransformers()
	for i, transformer := range transformers {
		if t, ok := transformer.Value.(parser.ParagraphTransformer); ok {
			transformers[i].Value = boundedDefinitions{t}
		}
	}
	return append(transformers, util.Prioritized(boundedTables{extension.NewTableParagraphTransformer()}, 200))
}

// boundedDefinitions removes link reference definitions from a paragraph. Each removal moves the lines after it.
type boundedDefinitions struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (b boundedDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	r, lines := stateOf(pc), node.Lines()
	begun := 0
	for i := range lines.Len() {
		segment := lines.At(i)
		if line := bytes.TrimLeft(segment.Value(reader.Source()), " "); len(line) > 0 && line[0] == '[' {
			begun++
		}
	}
	if moved := begun * lines.Len() / 2; begun > 0 && r.used.movedLines+moved <= maxMovedLines {
		r.used.movedLines += moved
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// boundedTables converts paragraphs to tables. A row shorter than the header is padded with cells.
type boundedTables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (b boundedTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	r, lines := stateOf(pc), node.Lines()
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
			widest = cells // the line may be the delimiter row of a table
		}
	}
	if widest == 0 {
		return
	}
	if filled := max(widest*lines.Len()-written, 0); r.used.cells+filled <= maxCells {
		r.used.cells += filled
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// boundedInline parses nothing once parsing is canceled.
type boundedInline struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if stateOf(pc).isCanceled() {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// spacedBox parses the check box of a task list item if a space or the end of the line follows it, as GitHub does:
// [x](y.md) is a link.
type spacedBox struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b spacedBox) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	const length = len("[x]")
	if line, _ := block.PeekLine(); len(line) > length && !util.IsSpace(line[length]) {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// boundedEmphasis limits the delimiters of a block, because each may be compared with all earlier ones.
type boundedEmphasis struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedEmphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := stateOf(pc)
	r.enter(parent)
	if r.delimiters++; r.delimiters > maxDelimiters || r.isCanceled() {
		return nil
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// boundedCode limits the scans of code spans: every unclosed opener is scanned to the end of the block.
type boundedCode struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedCode) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := stateOf(pc)
	if r.used.rescannedBytes > maxRescannedBytes || r.isCanceled() {
		return nil
	}
	rest := remainingCost(parent, block)
	node := b.InlineParser.Parse(parent, block, pc)
	if _, plain := node.(*ast.Text); plain {
		r.used.rescannedBytes += rest
	}
	return node
}

// boundedLinks is the link parser with limits on open brackets and on rescanning text.
type boundedLinks struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (b boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	r := stateOf(pc)
	r.enter(parent)
	if r.used.rescannedBytes > maxRescannedBytes || r.isCanceled() {
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
	line, _ := block.PeekLine()
	after, rest := linesAfter(parent, block), remainingCost(parent, block)
	node := b.InlineParser.Parse(parent, block, pc)
	r.used.rescannedBytes += after // the line of a label is searched from the end of the block
	switch {
	case node != nil:
	case bytes.HasPrefix(line, []byte("](")) && bytes.ContainsAny(line[2:], "\"'("):
		r.used.rescannedBytes += rest // a title may be searched up to the end of the block
	default:
		r.used.rescannedBytes += len(line)
	}
	return node
}

// CloseBlock implements parser.CloseBlocker.
func (b boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := b.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// linesAfter returns the number of lines from the current position to the end of a block.
func linesAfter(parent ast.Node, block text.Reader) int {
	lines := parent.Lines()
	if lines == nil {
		return 0
	}
	number, _ := block.Position()
	return max(lines.Len()-number, 0)
}

// remainingCost returns the cost of reading from the current position to the end of a block.
func remainingCost(parent ast.Node, block text.Reader) int {
	lines := parent.Lines()
	if lines == nil || lines.Len() == 0 {
		return 0
	}
	_, at := block.Position()
	return max(lines.At(lines.Len()-1).Stop-at.Start, 0) + lineCost*linesAfter(parent, block)
}
