package importer

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/server/content"
)

// The names of a document's elements are not written into its Markdown. To find where they stand in it, marks are put
// between two letters of the text that follows each, where they change nothing of how it is converted, and taken out
// of what was made of it. A mark is a number in noncharacters of Unicode, which are in no document.
const (
	markDigits = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9"
	markEnd    = "\ufdda"
	markBytes  = len(markEnd) // of each of the characters
)

// nameMarks are the marks of a document.
type nameMarks struct {
	names   [][]string // of each mark
	pending []string   // names whose text is still to come
}

// keepNames puts the names of links that clean removes into elements beside them.
func keepNames(main *goquery.Selection) {
	main.FindMatcher(permalinks).Each(func(_ int, a *goquery.Selection) {
		for _, name := range namesOf(a.Get(0)) {
			span := element("span")
			span.Attr = []html.Attribute{{Key: "id", Val: name}}
			a.BeforeNodes(span)
		}
	})
}

// markNames puts marks into an element's text for its own names, those around it, and those in it.
func markNames(main *goquery.Selection) *nameMarks {
	m := &nameMarks{}
	if strings.ContainsAny(main.Text(), markDigits+markEnd) {
		return m
	}
	for above := main.Get(0).Parent; above != nil; above = above.Parent {
		m.pending = append(m.pending, namesOf(above)...)
	}
	m.walk(main.Get(0))
	return m
}

// namesOf are the names by which an element can be linked to.
func namesOf(n *html.Node) (names []string) {
	if n.Type != html.ElementNode {
		return nil
	}
	for _, a := range n.Attr {
		if name := norm.NFC.String(strings.TrimSpace(a.Val)); name != "" && (a.Key == "id" || a.Key == "name" && n.Data == "a") {
			names = append(names, name)
		}
	}
	return names
}

func (m *nameMarks) walk(n *html.Node) {
	m.pending = append(m.pending, namesOf(n)...)
	switch {
	case len(m.pending) == 0:
	case n.Type == html.TextNode:
		n.Data = m.mark(n.Data)
	case n.Type == html.ElementNode && n.Data == "img":
		for i := range n.Attr {
			if n.Attr[i].Key == "alt" {
				n.Attr[i].Val = m.mark(n.Attr[i].Val)
			}
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		m.walk(child)
	}
}

// mark puts a mark of the pending names into a text, if it has a place for one.
func (m *nameMarks) mark(text string) string {
	at := markPlace(text)
	if at < 0 {
		return text
	}
	var mark strings.Builder
	for _, digit := range strconv.Itoa(len(m.names)) {
		mark.WriteString(markDigits[int(digit-'0')*markBytes:][:markBytes])
	}
	mark.WriteString(markEnd)
	m.names, m.pending = append(m.names, m.pending), nil
	return text[:at] + mark.String() + text[at:]
}

// markPlace is where a mark can stand in a text without a change of its meaning in Markdown: in the first plain word,
// else behind the first letter, else behind the last digit; -1 without such a place.
func markPlace(text string) int {
	letter, before := -1, ' '
	word := false // a letter that begins a word was before
	for at, r := range text {
		isLetter := unicode.IsLetter(r)
		if word && isLetter {
			return at
		}
		word = isLetter && unicode.IsSpace(before)
		if isLetter && letter < 0 && !strings.ContainsRune(`&<\`, before) {
			letter = at + utf8.RuneLen(r)
		}
		before = r
	}
	if letter >= 0 {
		return letter
	}
	const digits = "0123456789"
	last := strings.LastIndexAny(text, digits) + 1
	if rest := strings.TrimLeft(strings.TrimSpace(text), digits); last == 0 || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")") {
		return -1 // what begins an item of a list stays whole
	}
	return last
}

// take takes the marks out of Markdown. Names that no text follows are those of its end.
func (m *nameMarks) take(markdown []byte) (text []byte, aliases []content.Alias) {
	if len(m.names) == 0 && len(m.pending) == 0 {
		return markdown, nil
	}
	add := func(names []string, line int) {
		for _, name := range names {
			aliases = append(aliases, content.Alias{Name: name, Line: line})
		}
	}
	text = make([]byte, 0, len(markdown))
	line, number := 0, 0
	for at := 0; at < len(markdown); {
		char := ""
		if markdown[at] == markEnd[0] {
			char = string(markdown[at:min(at+markBytes, len(markdown))])
		}
		switch digit := strings.Index(markDigits, char); {
		case char == markEnd:
			if number < len(m.names) {
				add(m.names[number], line)
			}
			number, at = 0, at+markBytes
		case len(char) == markBytes && digit >= 0:
			number, at = min(10*number+digit/markBytes, len(m.names)), at+markBytes
		default:
			if markdown[at] == '\n' {
				line++
			}
			text, at = append(text, markdown[at]), at+1
		}
	}
	add(m.pending, bytes.Count(bytes.TrimSpace(text), []byte("\n")))
	return text, aliases
}
