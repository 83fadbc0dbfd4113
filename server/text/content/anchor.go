package content

import (
	"bytes"
	"unicode/utf8"
)

// Bounds of what an anchor remembers, in characters.
const (
	MaxQuote    = 1000 // of the text that is commented on
	QuoteMargin = 32   // of the text on either side of it
)

// Anchor is what a comment on a block remembers of it, so that it finds its
// place in every later text.
type Anchor struct {
	Block  string `json:"block"`           // id
	Start  int    `json:"start"`           // of the quote in the block, in bytes
	Quote  string `json:"quote"`           // what is commented on, as it stands in the text
	Before string `json:"before,omitzero"` // the text before it, runs of white space as one space
	After  string `json:"after,omitzero"`  // and behind it
}

// NewAnchor makes an anchor on a block, or on the one place in it where quote
// stands. It returns how often quote stands there: only once gives an anchor.
func NewAnchor(text Text, block Block, quote string) (a Anchor, found int) {
	body := text.Bytes(block)
	start, end := LeadingBlank(body), len(TrimEnd(body))
	if quote != "" {
		inBlock := squeeze(body)
		spots := inBlock.find(squeeze([]byte(quote)).text)
		if len(spots) != 1 {
			return Anchor{}, len(spots)
		}
		start, end = inBlock.span(spots[0], len(squeeze([]byte(quote)).text))
	}
	start = min(start, end)
	end = start + len(firstRunes(body[start:end], MaxQuote))
	return Anchor{
		Block: block.ID, Start: start, Quote: string(body[start:end]),
		Before: before(text.Markdown[:block.Start+start]), After: after(text.Markdown[block.Start+end:]),
	}, 1
}

// NewAnchorAt makes an anchor on the part of a block that begins at the byte start of it and is quote, byte for byte. ok is
// false if that is not so.
func NewAnchorAt(text Text, block Block, start int, quote string) (a Anchor, ok bool) {
	body := text.Bytes(block)
	end := start + len(quote)
	if quote == "" || utf8.RuneCountInString(quote) > MaxQuote || start < 0 || end > len(body) || string(body[start:end]) != quote {
		return Anchor{}, false
	}
	return Anchor{
		Block: block.ID, Start: start, Quote: quote,
		Before: before(text.Markdown[:block.Start+start]), After: after(text.Markdown[block.Start+end:]),
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

// marginBytes is enough text to find QuoteMargin characters in.
const marginBytes = 4 * utf8.UTFMax * QuoteMargin

// before is the margin of text at its end, after the one at its start.
func before(text []byte) string {
	runes := []rune(string(squeeze(text[max(0, len(text)-marginBytes):]).text))
	return string(runes[max(0, len(runes)-QuoteMargin):])
}

func after(text []byte) string {
	return string(firstRunes(squeeze(text[:min(marginBytes, len(text))]).text, QuoteMargin))
}

// squeezed is a text without white space at its ends and with one space for each
// run of it inside: two texts that differ only in how their lines are broken are
// equal.
type squeezed struct {
	text []byte
	at   []int // offset of each byte in the text that it was made of
}

func squeeze(text []byte) squeezed {
	s := squeezed{text: make([]byte, 0, len(text)), at: make([]int, 0, len(text))}
	space := false
	for i, b := range text {
		if isSpace(b) {
			space = len(s.text) > 0
			continue
		}
		if space {
			s.text, s.at, space = append(s.text, ' '), append(s.at, i-1), false
		}
		s.text, s.at = append(s.text, b), append(s.at, i)
	}
	return s
}

// span is the span in the text of size bytes from at.
func (s squeezed) span(at, size int) (start, end int) { return s.at[at], s.at[at+size-1] + 1 }

// find returns where quote stands, in whole words.
func (s squeezed) find(quote []byte) []int { return findAll(s.text, quote) }

// findAll returns where quote stands in text as whole words, each place once.
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
		if !joined(text[:i], quote) && !joined(text[:i+len(quote)], text[i+len(quote):]) {
			at = append(at, i)
			from = i + len(quote)
		} else {
			from = i + 1
		}
	}
}

// joined reports whether the end of a and the start of b are parts of one word.
func joined(a, b []byte) bool {
	last, _ := utf8.DecodeLastRune(a)
	first, _ := utf8.DecodeRune(b)
	return len(a) > 0 && len(b) > 0 && inWord(last) && inWord(first)
}
