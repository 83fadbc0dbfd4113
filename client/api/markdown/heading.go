package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// headingID is an id that a heading gives itself behind its text, as in: # Text {#id}.
var headingID = regexp.MustCompile(`(?:^|[ \t])[ \t]*\{#([^\s{}#]{1,200})\}$`)

const headingIDAttribute = "id"

// takeHeadingID moves the id that stands behind a heading out of its text.
func takeHeadingID(heading *ast.Heading, source []byte) {
	lines := heading.Lines()
	last := lines.Len() - 1
	if last < 0 {
		return
	}
	line := lines.At(last)
	line = line.TrimRightSpace(source)
	if rest, id := CutHeadingID(string(line.Value(source))); id != "" {
		heading.SetAttributeString(headingIDAttribute, []byte(id))
		lines.Set(last, text.NewSegment(line.Start, line.Start+len(rest)))
	}
}

// CutHeadingID cuts the id off that stands behind a heading, "" without one. Importers call it with headings of Markdown
// that they do not parse.
func CutHeadingID(line string) (rest, id string) {
	if !strings.HasSuffix(line, "}") {
		return line, ""
	}
	at := headingID.FindStringSubmatchIndex(line)
	if at == nil {
		return line, ""
	}
	return line[:at[0]], line[at[2]:at[3]]
}

// HeadingID returns the id that a heading gives itself as {#id} behind its text, "" without one. Outlines take it as
// the heading's fragment.
func HeadingID(heading *ast.Heading) string {
	id, _ := heading.AttributeString(headingIDAttribute)
	name, _ := id.([]byte)
	return string(name)
}
