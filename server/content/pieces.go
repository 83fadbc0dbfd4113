package content

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Piece is a stretch of a text: plain Markdown, or one tag such as {% hint %} that fills a line.
type Piece struct {
	Tag  string // its name, "" for Markdown
	Text []byte
}

// Pieces cuts a text at the tags that are not indented and not in code. Front matter is left out; everything else is
// in one of the pieces.
func Pieces(markdown []byte) []Piece {
	var pieces []Piece
	var fence codeFence
	from := bodyStart(markdown)
	plain := func(to int) {
		if len(bytes.TrimSpace(markdown[from:to])) > 0 {
			pieces = append(pieces, Piece{Text: markdown[from:to]})
		}
	}
	for at := from; at < len(markdown); {
		line, next := nextLine(markdown, at)
		if name, ok := tagName(line); !fence.advance(line) && ok && line[0] == '{' {
			plain(at)
			pieces = append(pieces, Piece{Tag: name, Text: line})
			from = next
		}
		at = next
	}
	plain(len(markdown))
	return pieces
}

// Syntax parses Markdown, as GitHub flavours it, for those who write it out in another form.
func Syntax(markdown []byte) ast.Node { return fullParser().Parse(text.NewReader(markdown)) }
