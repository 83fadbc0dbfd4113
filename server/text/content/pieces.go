package content

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/client/api/markdown"
)

// Piece is a part of a text: plain Markdown, or one tag such as {% hint %} that fills a line.
type Piece struct {
	Tag   string // name of the tag, "" for Markdown
	Start int    // byte offset in the text
	Text  []byte
}

// Pieces cuts a text at the tags that are neither indented nor in code. The pieces cover the text except for its
// front matter.
func Pieces(markdown []byte) []Piece {
	var pieces []Piece
	var fence codeFence
	from := bodyStart(markdown)
	plain := func(to int) {
		if len(bytes.TrimSpace(markdown[from:to])) > 0 {
			pieces = append(pieces, Piece{Start: from, Text: markdown[from:to]})
		}
	}
	for at := from; at < len(markdown); {
		line, next := nextLine(markdown, at)
		if name, ok := tagName(line); !fence.advance(line) && ok && line[0] == '{' {
			plain(at)
			pieces = append(pieces, Piece{Tag: name, Start: at, Text: line})
			from = next
		}
		at = next
	}
	plain(len(markdown))
	return pieces
}

// parseSyntax parses Markdown, including inline syntax.
func parseSyntax(source []byte) ast.Node { return markdown.Parse(source, nil) }
