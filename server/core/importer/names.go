package importer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/server/text/content"
)

// The names of a document's elements are not part of its Markdown. To find their positions, marks are inserted
// between two letters of the text after each name, where they do not affect the conversion, and removed from the
// result. A mark is a number encoded in Unicode noncharacters, which no document contains.
const (
	markDigits = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9"
	markEnd    = "\ufdda"
	markBytes  = len(markEnd) // of each character
)

// nameMarks holds the marks of a document.
type nameMarks struct {
	names   [][]pendingName // names by mark
	before  []int           // number of letters and digits of the text node before each mark
	pending []pendingName   // names whose mark is not yet inserted
}

// pendingName is a name for which no mark could be inserted yet, with the letters and digits between the name and the present
// position.
type pendingName struct {
	name, precedingLetters string
}

// addPending adds pending names.
func (m *nameMarks) addPending(names []string) {
	for _, name := range names {
		m.pending = append(m.pending, pendingName{name: name})
	}
}

// keepNames inserts elements with the names of permalinks before these, because clean removes permalinks.
func keepNames(main *goquery.Selection) {
	main.FindMatcher(permalinks).Each(func(_ int, a *goquery.Selection) {
		for _, name := range namesOf(a.Get(0)) {
			span := element("span")
			span.Attr = []html.Attribute{{Key: "id", Val: name}}
			a.BeforeNodes(span)
		}
	})
}

// markNames inserts marks into an element's text for its own names, those of its ancestors, and those of its
// descendants.
func markNames(main *goquery.Selection) *nameMarks {
	m := &nameMarks{}
	if strings.ContainsAny(main.Text(), markDigits+markEnd) {
		return m
	}
	for above := main.Get(0).Parent; above != nil; above = above.Parent {
		m.addPending(namesOf(above))
	}
	m.markTree(main.Get(0))
	return m
}

// namesOf returns the names by which an element can be linked to.
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

func (m *nameMarks) markTree(n *html.Node) {
	m.addPending(namesOf(n))
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
		m.markTree(child)
	}
}

// mark returns text with a mark for the pending names. If text has no place for a mark, it is returned unchanged and the names
// remain pending.
func (m *nameMarks) mark(text string) string {
	at := markOffset(text)
	if at < 0 {
		for i := range m.pending {
			m.pending[i].precedingLetters += lettersOf(text)
		}
		return text
	}
	var mark strings.Builder
	for _, digit := range strconv.Itoa(len(m.names)) {
		mark.WriteString(markDigits[int(digit-'0')*markBytes:][:markBytes])
	}
	mark.WriteString(markEnd)
	m.names, m.pending = append(m.names, m.pending), nil
	m.before = append(m.before, len([]rune(lettersOf(text[:at]))))
	return text[:at] + mark.String() + text[at:]
}

// markOffset returns an offset at which a mark does not change the meaning of a text in Markdown: in the first plain
// word, else after the first letter, else after the last digit; -1 if there is none.
func markOffset(text string) int {
	letter, before := -1, ' '
	word := false // whether the previous character is the first letter of a word
	for at, r := range text {
		letterHere := unicode.IsLetter(r)
		if word && letterHere {
			return at
		}
		word = letterHere && unicode.IsSpace(before)
		if letterHere && letter < 0 && !strings.ContainsRune(`&<\`, before) {
			letter = at + utf8.RuneLen(r)
		}
		before = r
	}
	if letter >= 0 {
		return letter
	}
	const digits = "0123456789"
	last := strings.LastIndexAny(text, digits) + 1
	if rest := strings.TrimLeft(strings.TrimSpace(text), digits); last == 0 || strings.HasPrefix(rest, ".") ||
		strings.HasPrefix(rest, ")") {
		return -1 // do not split the marker of a list item
	}
	return last
}

// remove removes the marks from Markdown. Names without text after them refer to the end of the text.
func (m *nameMarks) remove(markdown []byte) (text []byte, aliases []content.Alias) {
	if len(m.names) == 0 && len(m.pending) == 0 {
		return markdown, nil
	}
	text = make([]byte, 0, len(markdown))
	var found []foundName
	number := 0
	for at := 0; at < len(markdown); {
		char := ""
		if markdown[at] == markEnd[0] {
			char = string(markdown[at:min(at+markBytes, len(markdown))])
		}
		switch digit := strings.Index(markDigits, char); {
		case char == markEnd:
			if number < len(m.names) {
				at := offsetBefore(text, m.before[number])
				for _, pending := range m.names[number] {
					found = append(found, foundName{pending.name, offsetOf(text[:at], pending.precedingLetters)})
				}
			}
			number, at = 0, at+markBytes
		case len(char) == markBytes && digit >= 0:
			number, at = min(10*number+digit/markBytes, len(m.names)), at+markBytes
		default:
			text, at = append(text, markdown[at]), at+1
		}
	}
	aliases = namesToAliases(text, found)
	for _, pending := range m.pending {
		aliases = append(aliases, content.Alias{Name: pending.name, Line: bytes.Count(bytes.TrimSpace(text), []byte("\n"))})
	}
	return text, aliases
}

// foundName is a name with its position in a text.
type foundName struct {
	name   string
	offset int
}

// offsetBefore returns the start of the word that contains the count-th letter or digit from the end of a text.
func offsetBefore(text []byte, count int) (at int) {
	at = len(text)
	for end := len(text); end > 0 && count > 0; {
		r, size := utf8.DecodeLastRune(text[:end])
		if end -= size; isLetter(r) {
			at, count = end, count-1
		}
	}
	for at > 0 {
		r, size := utf8.DecodeLastRune(text[:at])
		if !isLetter(r) {
			break
		}
		at -= size
	}
	return at
}

// offsetOf returns the offset at which the letters and digits of passed begin at the end of a text, or the length of the text
// if it ends with others.
func offsetOf(text []byte, passed string) (at int) {
	at = len(text)
	for end := len(text); end > 0 && passed != ""; {
		r, size := utf8.DecodeLastRune(text[:end])
		if end -= size; !isLetter(r) {
			continue
		}
		last, n := utf8.DecodeLastRuneInString(passed)
		if last != r {
			return len(text)
		}
		at, passed = end, passed[:len(passed)-n]
	}
	return at
}

// namesToAliases returns the aliases of names with the lines and spots of their positions.
func namesToAliases(text []byte, found []foundName) (aliases []content.Alias) {
	slices.SortStableFunc(found, func(a, b foundName) int { return a.offset - b.offset })
	line, start := 0, 0
	for from := 0; from < len(found); {
		line, start = line+bytes.Count(text[start:found[from].offset], []byte("\n")), bytes.LastIndexByte(text[:found[from].offset], '\n')+1
		end := start + len(text[start:])
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		to := from
		var offsets []int
		for ; to < len(found) && found[to].offset <= end; to++ {
			offsets = append(offsets, found[to].offset-start)
		}
		spots := content.TextPositions(text[start:end], offsets)
		for _, f := range found[from:to] {
			aliases = append(aliases, content.Alias{Name: f.name, Line: line, Position: spots[f.offset-start]})
		}
		from = to
	}
	return aliases
}

// lettersOf returns the letters and digits of a text.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if !isLetter(r) {
			return -1
		}
		return r
	}, text)
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
