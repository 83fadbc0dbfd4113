package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachWord cuts a text into words as Words with singles does. Words in Latin letters, the most frequent case, are found
// without Unicode segmentation: plain is called with each of them folded, valid during the call. Other text is cut by
// the rules of Unicode.
func eachWord(text string, plain func(folded []byte), other func(Word)) {
	var folded [maxWordBytes + 2]byte
	for len(text) > 0 {
		end, isPlain := fieldEnd(text)
		if isPlain {
			eachPlainWord(text[:end], folded[:0], plain)
		} else {
			for _, w := range Words(text[:end], true) {
				other(w)
			}
		}
		text = text[end:]
	}
}

// fieldEnd returns the end of a run of plain text, or of a run with other letters, which extends to white space
// followed by plain text.
func fieldEnd(text string) (end int, isPlain bool) {
	at := plainEnd(text, 0)
	if at == len(text) {
		return at, true
	}
	if space := strings.LastIndexAny(text[:at], " \n\t"); space > 0 {
		return space, true
	}
	for at < len(text) {
		next := strings.IndexAny(text[at:], " \n\t")
		if next < 0 {
			return len(text), false
		}
		at += next
		for at < len(text) && isBlank(text[at]) {
			at++
		}
		if at == len(text) || plainEnd(text[at:], 1) > 0 {
			return at, false
		}
	}
	return len(text), false
}

// plainEnd returns the end of the leading plain text, or an offset after most if it is longer; 0 without plain text.
func plainEnd(text string, most int) (at int) {
	for at < len(text) && (most == 0 || at < most) {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := plainRune(text, at)
		if size == 0 {
			break
		}
		at += size
	}
	return at
}

func isBlank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

// eachPlainWord cuts plain text. Words consist of letters and digits, with an apostrophe between letters or digits, or a
// comma or semicolon between digits.
func eachPlainWord(text string, folded []byte, plain func(folded []byte)) {
	word, length := folded, 0
	end := func() {
		if length > 0 && length <= maxWordBytes { // longer runs are data, not words
			plain(word)
		}
		word, length = folded, 0
	}
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b >= utf8.RuneSelf {
			letters, size := plainRune(text, i)
			if letters == "" || letters == "'" && !isJoined(text, i, size) {
				end()
			} else if length += size; length <= maxWordBytes {
				word = append(word, letters...)
			}
			i += size - 1
			continue
		}
		switch kind := kinds[b]; {
		case kind == 0 || kind == joiner && !isJoined(text, i, 1):
			if length > 0 {
				end()
			}
		default:
			if length++; length <= maxWordBytes {
				word = append(word, b|kind&upperLetter)
			}
		}
	}
	end()
}

// Kinds of ASCII characters; upperLetter is also the bit that turns an upper-case letter into lower case.
const (
	upperLetter = 0x20
	lowerLetter = 1
	digit       = 2
	joiner      = 4
)

var kinds = asciiKinds()

func asciiKinds() (kinds [utf8.RuneSelf]byte) {
	for b := range kinds {
		switch {
		case b >= 'a' && b <= 'z':
			kinds[b] = lowerLetter
		case b >= 'A' && b <= 'Z':
			kinds[b] = upperLetter
		case b >= '0' && b <= '9':
			kinds[b] = digit
		case b == '\'' || b == ',' || b == ';':
			kinds[b] = joiner
		}
	}
	return kinds
}

// isJoined reports whether the mark at i joins the characters on both sides.
func isJoined(text string, i, size int) bool {
	before, after := kindBefore(text, i), kindAt(text, i+size)
	if before == digit && after == digit {
		return true
	}
	letters := byte(upperLetter | lowerLetter)
	return text[i] != ',' && text[i] != ';' && before&letters != 0 && after&letters != 0
}

// kindAt returns the kind of the character at an offset of plain text, 0 at its end.
func kindAt(text string, at int) byte {
	switch {
	case at >= len(text):
		return 0
	case text[at] < utf8.RuneSelf:
		return kinds[text[at]]
	}
	letters, _ := plainRune(text, at)
	return kindOf(letters)
}

// kindBefore returns the kind of the character that ends at an offset.
func kindBefore(text string, at int) byte {
	_, size := utf8.DecodeLastRuneInString(text[:at])
	return kindAt(text, at-size)
}

func kindOf(letters string) byte {
	switch letters {
	case "":
		return 0
	case "'":
		return joiner
	}
	return lowerLetter
}

// latin has the folded letters of the plain characters from U+0080 to U+017F, "" for characters that are not part of
// a word.
var latin, isLatin = plainLatin()

const (
	latinFirst = 0x80
	latinEnd   = 0x180
)

func plainLatin() (folded [latinEnd - latinFirst]string, plain [latinEnd - latinFirst]bool) {
	for r := rune(latinFirst); r < latinEnd; r++ {
		switch {
		case r >= 'À' && r != '×' && r != '÷' && r != 'ŉ':
			folded[r-latinFirst], plain[r-latinFirst] = fold(string(r)), true
		case r == '×' || r == '÷' || r >= 0xa0 && unicode.In(r, unicode.Sc, unicode.Sm, unicode.Zs, unicode.Ps, unicode.Pe, unicode.Pi,
			unicode.Pf, unicode.So):
			plain[r-latinFirst] = true
		}
	}
	return folded, plain
}

// plainRune returns the folded letters of the non-ASCII character at an offset: an apostrophe for a typographic one,
// "" for a character that is not part of a word. size is 0 if the character is not plain and needs the rules of
// Unicode.
func plainRune(text string, at int) (letters string, size int) {
	r, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case r >= latinFirst && r < latinEnd:
		if isLatin[r-latinFirst] {
			return latin[r-latinFirst], size
		}
	case r == '’':
		return "'", size
	case r == '‘':
		if (at == 0 || text[at-1] < utf8.RuneSelf && kinds[text[at-1]] == 0) && (at+size == len(text) || text[at+size] < utf8.RuneSelf) {
			return "", size
		}
	case r >= '‐' && r <= '―', r >= '“' && r <= '•', r == '…', r == '€', r == '™', r >= '←' && r <= '⋿', r >= '─' && r <= '◿':
		return "", size
	}
	return "", 0
}

// plainWord stems a word of plain letters, without a possessive 's.
func plainWord(folded string) Word {
	folded = strings.TrimSuffix(folded, "'s")
	return Word{folded, TermOf(folded)}
}
