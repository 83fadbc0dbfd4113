package content

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown"
)

// byteOrderMark may precede the text, including its front matter.
const byteOrderMark = "\ufeff"

// splitBlocks cuts markdown into blocks without ids and hashes. Front matter and containers are found first; goldmark cuts
// the text between them.
func splitBlocks(markdown []byte) Table {
	var blocks Table
	from := bodyStart(markdown)
	if from > 0 && !isBOM(markdown[:from]) {
		blocks = append(blocks, Block{Kind: KindFrontMatter})
	}
	for _, c := range findContainers(markdown, from) {
		blocks = appendPlain(blocks, markdown, from, c.start)
		blocks = append(blocks, Block{Kind: c.kind, Start: c.start})
		from = c.end
	}
	blocks = appendPlain(blocks, markdown, from, len(markdown))
	if len(blocks) == 0 && len(markdown) > 0 {
		blocks = append(blocks, Block{Kind: KindBlank})
	}
	for i := range blocks {
		if i+1 < len(blocks) {
			blocks[i].End = blocks[i+1].Start
		} else {
			blocks[i].End = len(markdown)
		}
	}
	if len(blocks) > 0 {
		blocks[0].Start = 0
	}
	return blocks
}

func isBOM(b []byte) bool { return string(b) == byteOrderMark }

// appendPlain appends the blocks of markdown[from:to], which contains neither front matter nor containers.
func appendPlain(blocks Table, markdown []byte, from, to int) Table {
	stretch := markdown[from:to]
	if len(TrimEnd(stretch)) == 0 {
		return blocks
	}
	last := -1
	add := func(node ast.Node, kind string) {
		start, ok := StartOf(node)
		if !ok || start > len(stretch) {
			return
		}
		start = lineStart(stretch, start)
		if start > last {
			blocks = append(blocks, Block{Kind: kind, Start: from + start})
			last = start
		}
	}
	for node := parseStructure(stretch).FirstChild(); node != nil; node = node.NextSibling() {
		if node.Kind() != ast.KindList {
			add(node, blockKind(node))
			continue
		}
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			add(item, KindItem)
		}
	}
	if last < 0 {
		blocks = append(blocks, Block{Kind: KindParagraph, Start: from})
	}
	return blocks
}

// parseStructure parses the block structure.
func parseStructure(source []byte) ast.Node { return markdown.ParseBlocks(source) }

// StartOf returns an offset on the first line of a node; ok is false if the parser does not record it.
func StartOf(node ast.Node) (offset int, ok bool) {
	if lines := node.Lines(); node.Kind() == ast.KindLinkReferenceDefinition && lines.Len() > 0 {
		return lines.At(0).Start, true
	}
	for ; node != nil; node = node.FirstChild() {
		if pos := node.Pos(); pos >= 0 {
			return pos, true
		}
	}
	return 0, false
}

// lineStart returns the offset of the first byte of the line with offset at.
func lineStart(markdown []byte, at int) int {
	return bytes.LastIndexByte(markdown[:at], '\n') + 1
}

// blockKind maps goldmark's node kinds to kinds of blocks.
func blockKind(node ast.Node) string {
	switch node.Kind() {
	case ast.KindHeading:
		return KindHeading
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		return KindCode
	case ast.KindBlockquote:
		return KindQuote
	case ast.KindHTMLBlock:
		return KindHTML
	case ast.KindThematicBreak:
		return KindRule
	case ast.KindLinkReferenceDefinition:
		return KindDefinition
	case extast.KindTable:
		return KindTable
	default:
		return KindParagraph
	}
}
