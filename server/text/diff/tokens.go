package diff

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"docspace.dev/wsd/server/text/content"
)

// token is a word, a punctuation character, or a run of one, with the white space before it.
type token struct {
	lead, text string
	space      string // meaning of the lead: leads with the same meaning are rendered alike
	key        string // tokens with the same key are rendered alike
}

// Values of token.space other than white space.
const (
	atStart   = "\x00start" // before the first token
	atEnd     = "\x00end"   // after the last token, where it only separates blocks
	hardBreak = "\x00break"
)

// sameNumber is the key of a list number that is not displayed as written.
const sameNumber = "\x00#."

// lexer cuts the text of a block into tokens. The last token has no text and holds the white space after the block.
type lexer struct {
	kind          string
	text          string
	marker        string // key of the block's list number, "" to use it as written
	tokens        []token
	fence         string // opening fence of the current code block
	indented      bool   // the lines are indented like code
	lineEnded     bool   // after a line that ends its construct, such as a heading or a table row, until a blank line
	atLineStart   bool   // only list markers so far on this line
	prevLineEmpty bool   // only list markers on the previous line
	rows          int    // number of lines so far
	numbers       map[int]bool
}

// tokens cuts a text into tokens. If the context is cancelled, the result is incomplete.
func (d *differ) tokens(kind, text, marker string) []token {
	l := lexer{kind: kind, text: text, marker: marker, atLineStart: true, numbers: map[int]bool{}}
	l.tokens = make([]token, 0, len(text)/4+1)
	for at := 0; ; {
		if d.ctx.Err() != nil {
			text, l.text = text[:at], text[:at]
		}
		lead := l.lead(at)
		rest := text[at+len(lead):]
		l.trackLine(lead, rest)
		size := l.size(rest)
		l.add(lead, rest[:size], rest)
		if rest == "" {
			return l.tokens
		}
		at += len(lead) + size
	}
}

// quoteLines matches white space that continues on the next line of a quote.
var quoteLines = regexp.MustCompile(`^[ \t]*(?:\r?\n[ \t]*>[ \t]?[ \t]*)+`)

// lead returns the white space at an offset, including the marks at line starts of a quote.
func (l *lexer) lead(at int) string {
	rest := l.text[at:]
	if l.kind == content.KindQuote {
		if lines := quoteLines.FindString(rest); lines != "" {
			return excludeCombined(lines, rest)
		}
	}
	return excludeCombined(rest[:len(rest)-len(strings.TrimLeft(rest, blanks))], rest)
}

// excludeCombined excludes a space with a combining character from the white space before it: both form one character.
func excludeCombined(lead, rest string) string {
	if !strings.HasSuffix(lead, " ") {
		return lead
	}
	if last := len(lead) - 1; graphemeEnd(rest[last:], 1) > 1 {
		return lead[:last]
	}
	return lead
}

// blanks are the white space characters; others, such as non-breaking spaces, are text.
const blanks = " \t\r\n"

// trackLine updates the line state before the lead of the next token.
func (l *lexer) trackLine(lead, rest string) {
	if len(l.tokens) > 0 && !strings.Contains(lead, "\n") {
		return
	}
	if strings.Count(lead, "\n") > 1 {
		l.indented, l.lineEnded = indent(lead) >= 4, false
	}
	if l.fence == "" {
		l.rows++
	}
	l.prevLineEmpty, l.atLineStart = l.atLineStart, true
	at := indent(lead)
	for n := range l.numbers {
		if n > at || n == at && !orderedMarker.MatchString(rest) {
			delete(l.numbers, n)
		}
	}
}

// indent returns the width of the white space before the first token of a line.
func indent(lead string) int {
	line := lead[strings.LastIndexByte(lead, '\n')+1:]
	return len(line) + 3*strings.Count(line, "\t")
}

// orderedMarker matches the number of a list item.
var orderedMarker = regexp.MustCompile(`^[0-9]{1,9}[.)](?:[ \t]|\r?$|\r?\n)`)

// size returns the length of the first token of a text.
func (l *lexer) size(rest string) int {
	if rest == "" {
		return 0
	}
	if l.atLineStart && l.allowsLists() {
		if n := len(strings.TrimRight(orderedMarker.FindString(rest), " \t\r\n")); n > 0 {
			return n
		}
	}
	first, size := utf8.DecodeRuneInString(rest)
	class := classOf(first)
	if first == '|' && l.kind == content.KindTable {
		return size
	}
	for size < len(rest) && class != classCJK {
		r, n := utf8.DecodeRuneInString(rest[size:])
		if classOf(r) != class || class == classSymbol && r != first {
			break
		}
		size += n
	}
	return graphemeEnd(rest, size)
}

// graphemeEnd returns the end of the user-perceived character that contains the cut.
func graphemeEnd(text string, cut int) int {
	if cut == len(text) || text[cut] < utf8.RuneSelf {
		return cut
	}
	end := 0
	for cluster := graphemes.FromString(text); end < cut && cluster.Next(); {
		end += len(cluster.Value())
	}
	return end
}

// allowsLists reports whether the lines of the block may be list items.
func (l *lexer) allowsLists() bool {
	switch l.kind {
	case content.KindItem, content.KindQuote, content.KindHint, content.KindTabs, content.KindStepper, content.KindColumns,
		content.KindContainer:
		return l.fence == "" && !l.indented
	}
	return false
}

const (
	classCJK = iota // a word in a script without word separators
	classSymbol
	classWord
	classSpace
)

func classOf(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return classWord
	case strings.ContainsRune(blanks, r):
		return classSpace
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return classCJK
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '\'', r == '’':
		return classWord
	default:
		return classSymbol
	}
}

// add appends a token and updates the state of open constructs.
func (l *lexer) add(lead, text, rest string) {
	l.tokens = append(l.tokens, token{lead: lead, text: text, space: l.space(lead, rest), key: l.key(lead, text)})
	if !l.atLineStart {
		return
	}
	switch {
	case l.fence != "":
		if strings.HasPrefix(text, l.fence) && lineEndPattern.MatchString(rest[len(text):]) {
			l.fence = ""
		}
	case len(text) >= 3 && (text[0] == '`' || text[0] == '~'):
		l.fence = text
	case l.isMarker(text, rest):
		return
	}
	l.atLineStart = false
	l.lineEnded = l.lineEnded || lineStartPattern.MatchString(rest)
}

// lineEndPattern matches the end of a line.
var lineEndPattern = regexp.MustCompile(`^[ \t]*(?:$|\r?\n)`)

// isMarker reports whether a token opens a list item or a quote, after which the line continues as if it began there.
func (l *lexer) isMarker(text, rest string) bool {
	switch text {
	case ">":
		return l.kind == content.KindQuote
	case "-", "*", "+":
		return len(rest) > 1 && strings.Contains(blanks, rest[1:2])
	}
	return orderedMarker.MatchString(text)
}

// lineStartPattern matches the start of a line with a structure of its own within a block, which must not be joined with
// the line before it.
var lineStartPattern = regexp.MustCompile(
	`^(?:[-*+](?:[ \t]|\r?$|\r?\n)|[0-9]{1,9}[.)](?:[ \t]|\r?$|\r?\n)|#{1,6}(?:[ \t]|\r?$|\r?\n)|[>|<:]|\{%|=+[ \t]*(?:$|\r?\n)|-+[ \t]*(?:$|\r?\n)|[-*_][ \t]*[-*_][ \t]*[-*_]|` + "```|~~~" + `|\[[^\]\n]+\]:|\$\$)`)

// space returns the meaning of the white space before a token.
func (l *lexer) space(lead, rest string) string {
	switch {
	case len(l.tokens) == 0:
		return atStart + lead[strings.LastIndexByte(lead, '\n')+1:]
	case rest == "":
		return atEnd
	}
	lines := strings.Count(lead, "\n")
	plain := strings.ReplaceAll(lead, "\r\n", "\n")
	switch {
	case content.Verbatim(l.kind) || l.fence != "":
		return plain
	case l.kind == content.KindTable:
		return l.cellSpace(lead, rest, lines)
	case l.indented && lines > 0, lines > 1, l.atLineStart && lines == 0:
		return plain
	case lines == 0 && lead != "":
		return " "
	case lines == 0:
		return ""
	}
	before := lead[:strings.IndexAny(lead, "\r\n")]
	last := l.tokens[len(l.tokens)-1].text
	switch {
	case l.prevLineEmpty || l.lineEnded || lineStartPattern.MatchString(rest) || before == "" && strings.HasSuffix(last, `\`):
		return plain
	case strings.HasSuffix(before, "  "):
		return hardBreak
	}
	return " "
}

// cellSpace returns the meaning of white space in a table; it is insignificant next to the bars that separate cells.
func (l *lexer) cellSpace(lead, rest string, lines int) string {
	n := len(l.tokens)
	afterBar := strings.HasPrefix(l.tokens[n-1].text, "|") &&
		(n < 2 || l.tokens[n-1].lead != "" || !strings.HasSuffix(l.tokens[n-2].text, `\`))
	switch {
	case lines > 0:
		return "\n"
	case afterBar, rest[0] == '|' && (lead != "" || !strings.HasSuffix(l.tokens[n-1].text, `\`)), lead == "":
		return ""
	}
	return " "
}

// key returns the key by which a token is compared.
func (l *lexer) key(lead, text string) string {
	switch {
	case len(l.tokens) == 0 && l.marker != "" && orderedMarker.MatchString(text):
		return l.marker + text[len(text)-1:]
	case l.kind == content.KindTable && l.rows == 2 && strings.Trim(text, "-") == "" && text != "":
		return "-"
	case l.atLineStart && l.allowsLists() && orderedMarker.MatchString(text):
		return l.listNumber(lead, text)
	}
	return text
}

// listNumber returns the key of the number of a nested item. Only the first number of a list is displayed as written.
func (l *lexer) listNumber(lead, text string) string {
	at := indent(lead)
	if len(l.tokens) == 0 || !l.numbers[at] {
		l.numbers[at] = true
		return text
	}
	return sameNumber + text[len(text)-1:]
}
