package content

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/client/api/markdown"
)

// Piece is a stretch of a text: plain Markdown, or one tag such as {% hint %} that fills a line.
type Piece struct {
	Tag   string // its name, "" for Markdown
	Start int    // byte offset in the text
	Text  []byte
}

// Pieces cuts a text at the tags that are not indented and not in code. Front matter is left out; everything else is
// in one of the pieces.
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

// syntax parses Markdown for what is said about it here.
func syntax(source []byte) ast.Node { return markdown.Parse(source, nil) }
