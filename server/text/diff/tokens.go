package diff

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"docspace.dev/wsd/server/text/content"
)

// token is a word, a sign, or a run of one sign, with the white space before it.
type token struct {
	lead, text string
	space      string // what the lead means: leads that mean the same look the same
	key        string // tokens with the same key look the same
}

// The meanings of white space that are not white space themselves.
const (
	atStart   = "\x00start" // before the first token
	atEnd     = "\x00end"   // behind the last one: it only separates blocks
	hardBreak = "\x00break"
)

// sameNumber is the key of a list number that readers see whatever it says.
const sameNumber = "\x00#."

// lexer cuts the text of a block into tokens. The last token has no text and
// holds the white space behind the block.
type lexer struct {
	kind    string
	text    string
	marker  string // key of the number that the block begins with, "" as it stands
	tokens  []token
	fence   string // what opened the code that the lexer is in
	deep    bool   // in a stretch that is indented like code
	hard    bool   // after a line that ends where it ends, as a heading or the row of a table, until a blank one
	atLine  bool   // nothing but list markers came on this line
	empty   bool   // nothing else came on the line before
	rows    int    // lines so far
	numbers map[int]bool
}

// tokens cuts a text. Of a text that nobody waits for it cuts no more.
func (d *differ) tokens(kind, text, marker string) []token {
	l := lexer{kind: kind, text: text, marker: marker, atLine: true, numbers: map[int]bool{}}
	l.tokens = make([]token, 0, len(text)/4+1)
	for at := 0; ; {
		if d.ctx.Err() != nil {
			text, l.text = text[:at], text[:at]
		}
		lead := l.lead(at)
		rest := text[at+len(lead):]
		l.enter(lead, rest)
		size := l.size(rest)
		l.add(lead, rest[:size], rest)
		if rest == "" {
			return l.tokens
		}
		at += len(lead) + size
	}
}

// quoteLines is white space that goes on on the next line of a quote.
var quoteLines = regexp.MustCompile(`^[ \t]*(?:\r?\n[ \t]*>[ \t]?[ \t]*)+`)

// lead is the white space at an offset; in a quote, the marks at the starts of
// its lines are part of it.
func (l *lexer) lead(at int) string {
	rest := l.text[at:]
	if l.kind == content.KindQuote {
		if lines := quoteLines.FindString(rest); lines != "" {
			return bearing(lines, rest)
		}
	}
	return bearing(rest[:len(rest)-len(strings.TrimLeft(rest, blanks))], rest)
}

// bearing leaves the space that bears an accent out of the white space before it: both are one character.
func bearing(lead, rest string) string {
	if !strings.HasSuffix(lead, " ") {
		return lead
	}
	if last := len(lead) - 1; graphemeEnd(rest[last:], 1) > 1 {
		return lead[:last]
	}
	return lead
}

// blanks are the characters of white space; others, as those that do not break,
// are text.
const blanks = " \t\r\n"

// enter keeps track of lines, before the lead of the next token.
func (l *lexer) enter(lead, rest string) {
	if len(l.tokens) > 0 && !strings.Contains(lead, "\n") {
		return
	}
	if strings.Count(lead, "\n") > 1 {
		l.deep, l.hard = indent(lead) >= 4, false
	}
	if l.fence == "" {
		l.rows++
	}
	l.empty, l.atLine = l.atLine, true
	at := indent(lead)
	for n := range l.numbers {
		if n > at || n == at && !ordered.MatchString(rest) {
			delete(l.numbers, n)
		}
	}
}

// indent is the width of the white space before the first token of a line.
func indent(lead string) int {
	line := lead[strings.LastIndexByte(lead, '\n')+1:]
	return len(line) + 3*strings.Count(line, "\t")
}

// ordered matches the number of a list item.
var ordered = regexp.MustCompile(`^[0-9]{1,9}[.)](?:[ \t]|\r?$|\r?\n)`)

// size is the length of the token that a text begins with.
func (l *lexer) size(rest string) int {
	if rest == "" {
		return 0
	}
	if l.atLine && l.lists() {
		if n := len(strings.TrimRight(ordered.FindString(rest), " \t\r\n")); n > 0 {
			return n
		}
	}
	first, size := utf8.DecodeRuneInString(rest)
	class := classOf(first)
	if first == '|' && l.kind == content.KindTable {
		return size
	}
	for size < len(rest) && class != classAlone {
		r, n := utf8.DecodeRuneInString(rest[size:])
		if classOf(r) != class || class == classSign && r != first {
			break
		}
		size += n
	}
	return graphemeEnd(rest, size)
}

// graphemeEnd is where the character ends that a cut would go through: what people see as one stays one.
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

// lists reports whether the lines of the block may be items of lists.
func (l *lexer) lists() bool {
	switch l.kind {
	case content.KindItem, content.KindQuote, content.KindHint, content.KindTabs, content.KindStepper, content.KindColumns, content.KindContainer:
		return l.fence == "" && !l.deep
	}
	return false
}

const (
	classAlone = iota // a word in a script that does not separate them
	classSign
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
		return classAlone
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '\'', r == '’':
		return classWord
	default:
		return classSign
	}
}

// add appends a token and keeps track of what it opens and closes.
func (l *lexer) add(lead, text, rest string) {
	l.tokens = append(l.tokens, token{lead: lead, text: text, space: l.space(lead, rest), key: l.key(lead, text)})
	if !l.atLine {
		return
	}
	switch {
	case l.fence != "":
		if strings.HasPrefix(text, l.fence) && lineIsOver.MatchString(rest[len(text):]) {
			l.fence = ""
		}
	case len(text) >= 3 && (text[0] == '`' || text[0] == '~'):
		l.fence = text
	case l.isMarker(text, rest):
		return
	}
	l.atLine = false
	l.hard = l.hard || startsLine.MatchString(rest)
}

// lineIsOver matches where a line ends.
var lineIsOver = regexp.MustCompile(`^[ \t]*(?:$|\r?\n)`)

// isMarker reports whether a token opens a list item or a quote: a line goes on
// behind it as if it began there.
func (l *lexer) isMarker(text, rest string) bool {
	switch text {
	case ">":
		return l.kind == content.KindQuote
	case "-", "*", "+":
		return len(rest) > 1 && strings.Contains(blanks, rest[1:2])
	}
	return ordered.MatchString(text)
}

// startsLine matches the start of a line that is something of its own inside a
// block: no line may be joined with it without changing what it is.
var startsLine = regexp.MustCompile(`^(?:[-*+](?:[ \t]|\r?$|\r?\n)|[0-9]{1,9}[.)](?:[ \t]|\r?$|\r?\n)|#{1,6}(?:[ \t]|\r?$|\r?\n)|[>|<:]|\{%|=+[ \t]*(?:$|\r?\n)|-+[ \t]*(?:$|\r?\n)|[-*_][ \t]*[-*_][ \t]*[-*_]|` + "```|~~~" + `|\[[^\]\n]+\]:|\$\$)`)

// space says what white space before a token means.
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
	case l.deep && lines > 0, lines > 1, l.atLine && lines == 0:
		return plain
	case lines == 0 && lead != "":
		return " "
	case lines == 0:
		return ""
	}
	before := lead[:strings.IndexAny(lead, "\r\n")]
	last := l.tokens[len(l.tokens)-1].text
	switch {
	case l.empty || l.hard || startsLine.MatchString(rest) || before == "" && strings.HasSuffix(last, `\`):
		return plain
	case strings.HasSuffix(before, "  "):
		return hardBreak
	}
	return " "
}

// cellSpace is the meaning of white space in a table: beside the bars that
// separate cells there is none.
func (l *lexer) cellSpace(lead, rest string, lines int) string {
	n := len(l.tokens)
	afterBar := strings.HasPrefix(l.tokens[n-1].text, "|") && (n < 2 || l.tokens[n-1].lead != "" || !strings.HasSuffix(l.tokens[n-2].text, `\`))
	switch {
	case lines > 0:
		return "\n"
	case afterBar, rest[0] == '|' && (lead != "" || !strings.HasSuffix(l.tokens[n-1].text, `\`)), lead == "":
		return ""
	}
	return " "
}

// key is what a token is compared by.
func (l *lexer) key(lead, text string) string {
	switch {
	case len(l.tokens) == 0 && l.marker != "" && ordered.MatchString(text):
		return l.marker + text[len(text)-1:]
	case l.kind == content.KindTable && l.rows == 2 && strings.Trim(text, "-") == "" && text != "":
		return "-"
	case l.atLine && l.lists() && ordered.MatchString(text):
		return l.number(lead, text)
	}
	return text
}

// number is the key of the number of a nested item: only that of the first of
// its list is seen.
func (l *lexer) number(lead, text string) string {
	at := indent(lead)
	if len(l.tokens) == 0 || !l.numbers[at] {
		l.numbers[at] = true
		return text
	}
	return sameNumber + text[len(text)-1:]
}
