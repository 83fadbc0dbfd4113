package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// headingID matches an explicit id at the end of a heading, as in: # Text {#id}.
var headingID = regexp.MustCompile(`(?:^|[ \t])[ \t]*\{#([^\s{}#]{1,200})\}$`)

const headingIDAttribute = "id"

// takeHeadingID removes the explicit id from the text of a heading and stores it as an attribute.
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

// CutHeadingID splits an explicit id off the text of a heading; id is "" if there is none. It is for callers that do
// not parse the heading.
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

// HeadingID returns the explicit {#id} of a heading, or "". Outlines use it as the fragment of the heading.
func HeadingID(heading *ast.Heading) string {
	id, _ := heading.AttributeString(headingIDAttribute)
	name, _ := id.([]byte)
	return string(name)
}
