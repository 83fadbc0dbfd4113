package render

import (
	"regexp"
	"strings"
)

// unwrappedWidth is a width at which lines are not wrapped.
const unwrappedWidth = 1000

// Gist returns the beginning of a Markdown text as rendered, without link targets.
func Gist(source string) string {
	const wide = 200
	var said []string
	for _, line := range Render(linkOrCode.ReplaceAllString(source, "$1$2"), wide) {
		if strings.Trim(line.String(), "─┼ ") != "" {
			said = append(said, line.String())
		}
	}
	return Excerpt(strings.Join(said, " "))
}

var (
	linkWords     = regexp.MustCompile(`!?\[([^\]\[]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	linkOrCode    = regexp.MustCompile("(`+[^`]*`+)|!?\\[([^\\]\\[]*)\\]\\([^()\\s]*(?:\\s+\"[^\"]*\")?\\)")
	truncatedLink = regexp.MustCompile(`!?\[([^\]\[]*)(?:\](?:\([^()]*)?)?…$`)
	headingPrefix = regexp.MustCompile(`^#{1,6} `)
	tableRule     = regexp.MustCompile(`^:?-+:?…?$`)
)

// Preview renders the first line of a block: links are reduced to their text, headings are styled, and a table row to
// its cells. The line may be truncated anywhere.
func Preview(line string) Line {
	if strings.HasPrefix(line, "|") {
		return previewTable(line)
	}
	line = truncatedLink.ReplaceAllString(linkWords.ReplaceAllString(line, "$1"), "$1…")
	if cut, ok := strings.CutSuffix(line, "…"); ok {
		for _, sign := range []string{"**", "`", "*"} { // a delimiter without its closing counterpart
			at := strings.LastIndex(cut, sign)
			if strings.Count(cut, sign)%2 == 1 && at > 0 {
				cut = cut[:at] + cut[at+len(sign):]
			}
		}
		line = cut + "…"
	}
	heading := headingPrefix.FindString(line)
	drawn := Render(line, unwrappedWidth)
	if len(drawn) == 0 {
		return Line{Plain(line)}
	}
	if heading == "" || len(drawn[0]) == 0 {
		return Join(drawn...)
	}
	return drawn[0][1:].Restyle(func(s Style) Style { s.Underline = false; return s })
}

func previewTable(line string) Line {
	var cells []string
	for cell := range strings.SplitSeq(line, "|") {
		if cell = strings.TrimSpace(cell); cell != "" && !tableRule.MatchString(cell) {
			cells = append(cells, Preview(cell).String())
		}
	}
	return Line{Plain(strings.Join(cells, " │ "))}
}
