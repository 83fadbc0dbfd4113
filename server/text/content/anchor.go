package content

import (
	"bytes"
	"unicode/utf8"
)

// Limits of the text stored in an anchor, in characters.
const (
	MaxQuote    = 1000 // of the quote
	QuoteMargin = 32   // of the text on each side of the quote
)

// Anchor is the position of a comment in a block, with the quoted text and its surroundings, from which the position
// is found in every later version of the text.
type Anchor struct {
	Block  string `json:"block"`           // block id
	Start  int    `json:"start"`           // byte offset of the quote in the block
	Quote  string `json:"quote"`           // the commented text as it is in the source
	Before string `json:"before,omitzero"` // the text before the quote, runs of white space as one space
	After  string `json:"after,omitzero"`  // the text after the quote
}

// NewAnchor returns an anchor on the only occurrence of quote in a block, or on the whole block if quote is empty. found is the
// number of occurrences; the anchor is valid only if it is 1.
func NewAnchor(text Text, block Block, quote string) (a Anchor, found int) {
	body := text.Bytes(block)
	start, end := LeadingBlank(body), len(TrimEnd(body))
	if quote != "" {
		inBlock := compact(body)
		spots := inBlock.find(compact([]byte(quote)).text)
		if len(spots) != 1 {
			return Anchor{}, len(spots)
		}
		start, end = inBlock.span(spots[0], len(compact([]byte(quote)).text))
	}
	start = min(start, end)
	end = start + len(firstRunes(body[start:end], MaxQuote))
	return Anchor{
		Block: block.ID, Start: start, Quote: string(body[start:end]),
		Before: textBefore(text.Markdown[:block.Start+start]), After: textAfter(text.Markdown[block.Start+end:]),
	}, 1
}

// NewAnchorAt returns an anchor on the bytes of a block from offset start. ok is false if they do not equal quote.
func NewAnchorAt(text Text, block Block, start int, quote string) (a Anchor, ok bool) {
	body := text.Bytes(block)
	end := start + len(quote)
	if quote == "" || utf8.RuneCountInString(quote) > MaxQuote || start < 0 || end > len(body) || string(body[start:end]) != quote {
		return Anchor{}, false
	}
	return Anchor{
		Block: block.ID, Start: start, Quote: quote,
		Before: textBefore(text.Markdown[:block.Start+start]), After: textAfter(text.Markdown[block.Start+end:]),
	}, true
}

func firstRunes(b []byte, n int) []byte {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return b[:at]
}

// marginBytes is the number of bytes that contain at least QuoteMargin characters.
const marginBytes = 4 * utf8.UTFMax * QuoteMargin

// textBefore returns the last QuoteMargin characters of text, with runs of white space replaced by one space.
func textBefore(text []byte) string {
	runes := []rune(string(compact(text[max(0, len(text)-marginBytes):]).text))
	return string(runes[max(0, len(runes)-QuoteMargin):])
}

func textAfter(text []byte) string {
	return string(firstRunes(compact(text[:min(marginBytes, len(text))]).text, QuoteMargin))
}

// compactText is a text without white space at its ends and with runs of white space replaced by one space, so that
// texts that differ only in their line breaks are equal.
type compactText struct {
	text    []byte
	offsets []int // offset of each byte in the original text
}

func compact(text []byte) compactText {
	s := compactText{text: make([]byte, 0, len(text)), offsets: make([]int, 0, len(text))}
	space := false
	for i, b := range text {
		if isSpace(b) {
			space = len(s.text) > 0
			continue
		}
		if space {
			s.text, s.offsets, space = append(s.text, ' '), append(s.offsets, i-1), false
		}
		s.text, s.offsets = append(s.text, b), append(s.offsets, i)
	}
	return s
}

// span returns the span in the original text of size bytes of the compact text.
func (s compactText) span(at, size int) (start, end int) {
	return s.offsets[at], s.offsets[at+size-1] + 1
}

// find returns the offsets at which quote occurs in the compact text as whole words.
func (s compactText) find(quote []byte) []int { return findAll(s.text, quote) }

// findAll returns the offsets of quote in text as whole words, without overlaps.
func findAll(text, quote []byte) (at []int) {
	if len(quote) == 0 {
		return nil
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], quote)
		if i < 0 {
			return at
		}
		i += from
		if !splitsWord(text[:i], quote) && !splitsWord(text[:i+len(quote)], text[i+len(quote):]) {
			at = append(at, i)
			from = i + len(quote)
		} else {
			from = i + 1
		}
	}
}

// splitsWord reports whether the end of a and the start of b are parts of one word.
func splitsWord(a, b []byte) bool {
	last, _ := utf8.DecodeLastRune(a)
	first, _ := utf8.DecodeRune(b)
	return len(a) > 0 && len(b) > 0 && isWordRune(last) && isWordRune(first)
}
