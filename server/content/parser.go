package content

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The Markdown parser is quick on prose, but some of its steps are quadratic on
// text made for that. These bounds keep a page of the greatest size at about a
// second; prose does not come near them.
const (
	maxNesting  = 64      // quotes, lists and items around a block
	linkReading = 1 << 26 // bytes and lines read again in search of links, per text
)

// blockParser knows block structure only: cutting a page needs no inline syntax,
// which is where most of the time goes.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(boundedBlocks()...),
		parser.WithParagraphTransformers(paragraphTransformers()...),
	)
})

// fullParser knows GitHub Flavored Markdown.
var fullParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(boundedBlocks()...),
		parser.WithParagraphTransformers(paragraphTransformers()...),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
	)
})

func paragraphTransformers() []util.PrioritizedValue {
	return append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))
}

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

// boundedBlock is a block parser that opens nothing below maxNesting; what is
// deeper is text.
type boundedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for node := parent; node != nil; node = node.Parent() {
		depth++
	}
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node != nil && depth > maxNesting && state&parser.HasChildren != 0 {
		return nil, parser.NoChildren
	}
	return node, state
}

// boundedLinks is the link parser with a limit on reading the same text again.
type boundedLinks struct{ parser.InlineParser }

var linkReadingKey = parser.NewContextKey()

// Parse implements parser.InlineParser.
func (b boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if block.Peek() != ']' {
		return b.InlineParser.Parse(parent, block, pc)
	}
	spent, _ := pc.Get(linkReadingKey).(int)
	if spent > linkReading {
		return nil
	}
	number, at := block.Position()
	line, _ := block.PeekLine()
	node := b.InlineParser.Parse(parent, block, pc)
	spent += number
	switch {
	case node != nil:
	case bytes.HasPrefix(line, []byte("](")) && bytes.ContainsAny(line[2:], "\"'("):
		spent += len(block.Source()) - at.Start // a title may be sought to the end of the block
	default:
		spent += len(line)
	}
	pc.Set(linkReadingKey, spent)
	return node
}

// CloseBlock implements parser.CloseBlocker.
func (b boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := b.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}
