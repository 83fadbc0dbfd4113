package terms

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	tokenizer "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"golang.org/x/text/unicode/norm"
)

// maxWordBytes is the maximum length of a word; longer runs are data.
const maxWordBytes = 64

// Word is one word of a text: its folded form for prefix search, and the term that its inflected forms share.
type Word struct {
	Folded string
	Term   string
}

// Words cuts a text into words, at the word boundaries of Unicode and within identifiers. Case and accents are
// folded; English and Russian words are stemmed; Chinese, Japanese and Korean text becomes pairs of characters, in
// addition to single ones if singles is set.
func Words(text string, singles bool) []Word {
	stream := tokenizer.NewUnicodeTokenizer().Tokenize(separateParts([]byte(text)))
	stream = cjk.NewCJKWidthFilter().Filter(stream)
	stream = cjk.NewCJKBigramFilter(singles).Filter(stream)
	words := make([]Word, 0, len(stream))
	for _, token := range stream {
		if len(token.Term) <= maxWordBytes {
			if w := word(token); w.Term != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// separateParts replaces characters that join the parts of identifiers, or that Unicode considers part of a word, with
// spaces. It composes letters with their marks and removes invisible characters.
func separateParts(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch r {
		case '\u00ad', '\u200b', '\u2060', '\ufeff': // soft hyphen, zero width space, word joiner, byte order mark
			return -1
		case '.', '_', ':':
			return ' '
		case '’':
			return '\''
		}
		return r
	}, norm.NFC.Bytes(text))
}

// word folds and stems a token.
func word(token *analysis.Token) Word {
	folded := strings.TrimSuffix(fold(string(token.Term)), "'s")
	if token.Type == analysis.Ideographic || token.Type == analysis.Double || token.Type == analysis.Single {
		return Word{folded, folded}
	}
	return Word{folded, TermOf(folded)}
}

// TermOf returns the term of a folded word.
func TermOf(folded string) string {
	first, _ := utf8.DecodeRuneInString(folded)
	switch {
	case unicode.Is(unicode.Latin, first):
		return stem(folded, english)
	case unicode.Is(unicode.Cyrillic, first):
		return stem(folded, russian)
	}
	return folded
}

var (
	english analysis.TokenFilter = en.NewEnglishStemmerFilter()
	russian analysis.TokenFilter = ru.NewRussianStemmerFilter()
)

func stem(word string, stemmer analysis.TokenFilter) string {
	return string(stemmer.Filter(analysis.TokenStream{{Term: []byte(word)}})[0].Term)
}

// fold converts to lower case and removes accents from letters that are used without them.
func fold(word string) string {
	word = strings.ToLower(word)
	if isASCII(word) {
		return word
	}
	var out strings.Builder
	for _, r := range word {
		switch {
		case r == 'ß':
			out.WriteString("ss")
		case r == 'ё':
			out.WriteRune('е')
		case r == 'ς':
			out.WriteRune('σ')
		case unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Greek, r):
			for _, part := range norm.NFKD.String(string(r)) {
				if !unicode.Is(unicode.Mn, part) {
					out.WriteRune(part)
				}
			}
		case unicode.Is(unicode.Mn, r) && out.Len() > 0 && endsAccented(out.String()):
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// endsAccented reports whether a word ends with a letter whose marks are removed. Single letters with marks are
// already composed.
func endsAccented(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.In(last, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
