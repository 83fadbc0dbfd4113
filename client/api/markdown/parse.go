package markdown

import (
	"slices"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// References maps labels to link reference definitions, which apply to a whole document.
type References map[string]parser.Reference

// Parse parses a text. references are definitions from other parts of the document.
func Parse(source []byte, references References) ast.Node {
	return ParseWhile(nil, source, references)
}

// ParseWhile is like Parse but can be canceled: once canceled returns true, the rest of the text is quickly parsed as
// plain text and the result should be discarded.
func ParseWhile(canceled func() bool, source []byte, references References) ast.Node {
	node, _ := parse(canceled, fullParser(), source, references)
	return node
}

// ParseWords is like Parse for callers that need only the words of a text. It does not detect bare URLs, which would take
// a third of the time.
func ParseWords(source []byte) ast.Node {
	node, _ := parse(nil, wordParser(), source, nil)
	return node
}

// ParseBlocks parses only the block structure of a text. It skips inlines, which take most of the time.
func ParseBlocks(source []byte) ast.Node {
	node, _ := parse(nil, blockParser(), source, nil)
	return node
}

// ParseInlines parses a line as the content of a paragraph; it never becomes a heading, a list item or another block.
func ParseInlines(source []byte, references References) ast.Node {
	node, _ := parse(nil, paragraphParser(), source, references)
	return node
}

// ParseDefinitions returns the link reference definitions of a text.
func ParseDefinitions(source []byte) References {
	_, state := parse(nil, blockParser(), source, nil)
	references := References{}
	for _, definition := range state.References() {
		label := util.ToLinkReference(definition.Label())
		if _, have := references[label]; !have {
			references[label] = definition
		}
	}
	return references
}

func parse(canceled func() bool, p parser.Parser, source []byte, references References) (ast.Node, *parseState) {
	s := &parseState{Context: parser.NewContext(), canceled: canceled, references: references}
	node := p.Parse(text.NewReader(slices.Clip(source)), parser.WithContext(s))
	clearForcedNewline(node)
	return node, s
}

// clearForcedNewline keeps the lines of a code block at the end of a source as they are. The parser asks for a newline after the last
// one, and text.Segment.Value appends it in place: where the source is part of a longer text, it would replace the byte that follows.
// For the same reason, the parser gets a source without capacity for more.
func clearForcedNewline(node ast.Node) {
	for ; node != nil; node = node.LastChild() {
		if node.Kind() != ast.KindCodeBlock && node.Kind() != ast.KindFencedCodeBlock {
			continue
		}
		lines := node.Lines()
		if last := lines.Len() - 1; last >= 0 {
			line := lines.At(last)
			line.ForceNewline = false
			lines.Set(last, line)
		}
	}
}

// blockParser is the parser of block structure.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(boundedBlocks()...), parser.WithParagraphTransformers(boundedParagraphs()...))
})

// fullParser is the parser of GitHub Flavored Markdown.
var fullParser = sync.OnceValue(func() parser.Parser {
	return withInlines(append(inlines(), util.Prioritized(boundedInline{extension.NewLinkifyParser()}, 999)))
})

// wordParser is like fullParser but does not detect bare URLs.
var wordParser = sync.OnceValue(func() parser.Parser { return withInlines(inlines()) })

// paragraphParser is the parser of paragraph content.
var paragraphParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(append(inlines(), util.Prioritized(boundedInline{extension.NewLinkifyParser()}, 999))...),
	)
})

func withInlines(inlines []util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(boundedBlocks()...),
		parser.WithParagraphTransformers(boundedParagraphs()...),
		parser.WithInlineParsers(inlines...),
	)
}

func inlines() []util.PrioritizedValue {
	return []util.PrioritizedValue{
		util.Prioritized(boundedInline{spacedBox{extension.NewTaskCheckBoxParser()}}, 0),
		util.Prioritized(boundedCode{parser.NewCodeSpanParser()}, 100),
		util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
		util.Prioritized(boundedInline{parser.NewAutoLinkParser()}, 300),
		util.Prioritized(boundedInline{parser.NewRawHTMLParser()}, 400),
		util.Prioritized(boundedEmphasis{parser.NewEmphasisParser()}, 500),
		util.Prioritized(boundedEmphasis{extension.NewStrikethroughParser()}, 500),
	}
}

// parseState is the state of parsing a text, passed to every step as the parser.Context.
type parseState struct {
	parser.Context
	canceled   func() bool // nil if parsing cannot be canceled
	references References

	used       usage
	block      ast.Node // block whose inlines are being parsed
	brackets   int      // open brackets in block
	delimiters int      // delimiters in block
}

// Reference implements parser.Context.
func (s *parseState) Reference(label string) (parser.Reference, bool) {
	if definition, ok := s.references[label]; ok {
		return definition, true
	}
	return s.Context.Reference(label)
}

// isCanceled reports whether parsing was canceled.
func (s *parseState) isCanceled() bool { return s.canceled != nil && s.canceled() }

// enter resets the counters if block is not the current one.
func (s *parseState) enter(block ast.Node) {
	if s.block != block {
		s.block, s.brackets, s.delimiters = block, 0, 0
	}
}

// stateOf returns the state that a parser context contains.
func stateOf(pc parser.Context) *parseState { return pc.(*parseState) }
