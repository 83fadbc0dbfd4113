package content

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"docspace.dev/wsd/client/api/markdown"
)

// maxTitleSource limits the bytes of a heading that are parsed for a title.
const maxTitleSource = 4 << 10

// Title returns the title of a page's text: that of the front matter, else the plain text of the first heading, else
// "".
func Title(markdown []byte) string {
	if title := FrontMatter(markdown, "title"); title != "" {
		return title
	}
	for _, block := range splitBlocks(markdown) {
		if block.Kind != KindHeading {
			continue
		}
		source := bytes.TrimPrefix(markdown[block.Start:block.End], []byte(byteOrderMark))
		if title := plainText(source[:min(len(source), maxTitleSource)]); title != "" {
			return title
		}
	}
	return ""
}

// WithoutHeadingID returns the line of a heading without a trailing {#id}. Importers use it to find a title without
// parsing the text.
func WithoutHeadingID(heading string) string {
	text, _ := markdown.CutHeadingID(heading)
	return text
}

// plainText returns the text of Markdown without its markup, in one line.
func plainText(markdown []byte) string {
	if prose := bytes.Trim(markdown, " \n"); isProse(prose) && !bytes.HasPrefix(bytes.TrimLeft(markdown, "\n"), []byte(" ")) {
		return strings.Join(strings.Fields(string(prose)), " ")
	}
	return parsedText(markdown)
}

// isProse reports whether a text is certainly one line without markup: it begins with an ASCII letter and contains no character
// of Markdown syntax.
func isProse(line []byte) bool {
	return len(line) > 0 && ('a' <= line[0]|0x20 && line[0]|0x20 <= 'z') && !bytes.ContainsAny(line, "`*_[]<>|#\\!&~=:@{}\r\n\t")
}

// parsedText is plainText for text that has to be parsed.
func parsedText(markdown []byte) string {
	var out strings.Builder
	root := parseSyntax(markdown)
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no error
		if !entering {
			if node.Type() == ast.TypeBlock {
				out.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			out.Write(n.Lines().Value(markdown))
		case *ast.Text:
			value := n.Value(markdown)
			if !n.IsRaw() && (n.Parent() == nil || n.Parent().Kind() != ast.KindCodeSpan) {
				value = unescape(value)
			}
			out.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.Label(markdown))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// unescape resolves backslash escapes and character references.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 && bytes.IndexByte(b, '&') < 0 {
		return b
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b)))
}

// Unescape resolves the backslash escapes and character references in Markdown.
func Unescape(b []byte) []byte { return unescape(b) }
