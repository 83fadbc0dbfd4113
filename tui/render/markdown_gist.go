package render

import (
	"regexp"
	"strings"
)

// oneLine is a width in which no text of a line is wrapped.
const oneLine = 1000

// Gist is the beginning of what a text says, as it is read; where its links lead is left out.
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
	linkWords  = regexp.MustCompile(`!?\[([^\]\[]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	linkOrCode = regexp.MustCompile("(`+[^`]*`+)|!?\\[([^\\]\\[]*)\\]\\([^()\\s]*(?:\\s+\"[^\"]*\")?\\)")
	linkCut    = regexp.MustCompile(`!?\[([^\]\[]*)(?:\](?:\([^()]*)?)?…$`)
	headingRow = regexp.MustCompile(`^#{1,6} `)
	tableRule  = regexp.MustCompile(`^:?-+:?…?$`)
)

// Preview is the line that begins a block, as it is read: links are their words, a heading looks like one, a table is its
// cells. It may have been cut, in the midst of what it says.
func Preview(line string) Line {
	if strings.HasPrefix(line, "|") {
		return previewOfTable(line)
	}
	line = linkCut.ReplaceAllString(linkWords.ReplaceAllString(line, "$1"), "$1…")
	if cut, ok := strings.CutSuffix(line, "…"); ok {
		for _, sign := range []string{"**", "`", "*"} { // one that is not shut any more
			at := strings.LastIndex(cut, sign)
			if strings.Count(cut, sign)%2 == 1 && at > 0 {
				cut = cut[:at] + cut[at+len(sign):]
			}
		}
		line = cut + "…"
	}
	heading := headingRow.FindString(line)
	drawn := Render(line, oneLine)
	if len(drawn) == 0 {
		return Line{Plain(line)}
	}
	if heading == "" || len(drawn[0]) == 0 {
		return Join(drawn...)
	}
	return drawn[0][1:].Restyle(func(s Style) Style { s.Underline = false; return s })
}

func previewOfTable(line string) Line {
	var cells []string
	for cell := range strings.SplitSeq(line, "|") {
		if cell = strings.TrimSpace(cell); cell != "" && !tableRule.MatchString(cell) {
			cells = append(cells, Preview(cell).String())
		}
	}
	return Line{Plain(strings.Join(cells, " │ "))}
}
