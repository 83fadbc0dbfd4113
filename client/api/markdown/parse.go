package markdown

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// References are link reference definitions, which count everywhere in a text.
type References map[string]parser.Reference

// Parse reads a text. Definitions that stand elsewhere in it come as references.
func Parse(source []byte, references References) ast.Node {
	return ParseWhile(nil, source, references)
}

// ParseWhile is Parse for somebody who may leave, which left reports: the rest of the text is read as plain text then,
// quickly, and the answer is of no use.
func ParseWhile(left func() bool, source []byte, references References) ast.Node {
	node, _ := parse(left, full(), source, references)
	return node
}

// Words is Parse for somebody who wants the words of a text alone: addresses that are not marked as links stay text, as
// looking for them at every space takes a third of the time.
func Words(source []byte) ast.Node {
	node, _ := parse(nil, words(), source, nil)
	return node
}

// Blocks reads the block structure of a text alone, without what is inside of its lines: most of the time goes there.
func Blocks(source []byte) ast.Node {
	node, _ := parse(nil, blocks(), source, nil)
	return node
}

// Inlines reads a line for what is inside of it alone: it is never a heading, an item or anything but a paragraph.
func Inlines(source []byte, references References) ast.Node {
	node, _ := parse(nil, line(), source, references)
	return node
}

// Definitions returns the link reference definitions of a text.
func Definitions(source []byte) References {
	_, r := parse(nil, blocks(), source, nil)
	found := References{}
	for _, definition := range r.References() {
		label := util.ToLinkReference(definition.Label())
		if _, have := found[label]; !have {
			found[label] = definition
		}
	}
	return found
}

func parse(gone func() bool, p parser.Parser, source []byte, references References) (ast.Node, *reading) {
	r := &reading{Context: parser.NewContext(), gone: gone, references: references}
	return p.Parse(text.NewReader(source), parser.WithContext(r)), r
}

// blocks knows block structure only.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(boundedBlocks()...), parser.WithParagraphTransformers(boundedParagraphs()...))
})

// full knows GitHub Flavored Markdown.
var full = sync.OnceValue(func() parser.Parser {
	return withInlines(append(inlines(), util.Prioritized(boundedInline{extension.NewLinkifyParser()}, 999)))
})

// words knows it but for addresses that nothing marks as links.
var words = sync.OnceValue(func() parser.Parser { return withInlines(inlines()) })

// line knows everything that is inside of a paragraph, and no other block.
var line = sync.OnceValue(func() parser.Parser {
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
		util.Prioritized(boundedInline{extension.NewTaskCheckBoxParser()}, 0),
		util.Prioritized(boundedCode{parser.NewCodeSpanParser()}, 100),
		util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
		util.Prioritized(boundedInline{parser.NewAutoLinkParser()}, 300),
		util.Prioritized(boundedInline{parser.NewRawHTMLParser()}, 400),
		util.Prioritized(boundedEmphasis{parser.NewEmphasisParser()}, 500),
		util.Prioritized(boundedEmphasis{extension.NewStrikethroughParser()}, 500),
	}
}

// reading is what is known while one text is read: the parser hands it to each of its steps.
type reading struct {
	parser.Context
	gone       func() bool // nil for who never leaves
	references References

	spent      spending
	block      ast.Node // whose inside is being read
	brackets   int      // of the block that are open
	delimiters int      // of the block
}

// Reference implements parser.Context.
func (r *reading) Reference(label string) (parser.Reference, bool) {
	if definition, ok := r.references[label]; ok {
		return definition, true
	}
	return r.Context.Reference(label)
}

// left reports whether nobody waits any more.
func (r *reading) left() bool { return r.gone != nil && r.gone() }

// enter begins to count anew where another block begins.
func (r *reading) enter(block ast.Node) {
	if r.block != block {
		r.block, r.brackets, r.delimiters = block, 0, 0
	}
}

// of returns the reading that a step belongs to.
func of(pc parser.Context) *reading { return pc.(*reading) }
