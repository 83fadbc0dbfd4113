package content

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Excerpt returns about size bytes of a section's text without markup, from the
// first of the words that is in it, else from its start. A heading at the start
// is left out.
func Excerpt(section []byte, words []string, size int) string {
	if line, next := nextLine(section, 0); bytes.HasPrefix(line, []byte("#")) {
		section = section[next:]
	}
	from := max(0, firstWord(section, words)-size/4)
	if from > 0 {
		from += bytes.IndexAny(section[from:], " \t\r\n") + 1
	}
	to := min(from+size, len(section))
	for to < len(section) && !utf8.RuneStart(section[to]) {
		to--
	}
	if at := bytes.LastIndexAny(section[from:to], " \t\r\n"); to < len(section) && at > size/2 {
		to = from + at
	}
	for from < to && !utf8.RuneStart(section[from]) {
		from++
	}
	shown := section[from:to]
	if bytes.Count(section[:from], fence)%2 == 1 { // it begins inside a block of code
		shown = slices.Concat(fence, []byte("\n"), shown)
	}
	text := plainText(shown)
	if strings.ContainsRune(text, '%') {
		text = withoutCutTags(text)
	}
	if from > 0 && text != "" {
		text = "… " + text
	}
	if to < len(section) && len(bytes.TrimSpace(section[to:])) > 0 {
		text += " …"
	}
	return strings.TrimSpace(text)
}

var fence = []byte("```")

// wordWindow is how much of a section is looked at in one go for the words of an excerpt.
const wordWindow = 2 << 10

// firstWord returns the offset of the first of the words, 0 if there is none.
func firstWord(section []byte, words []string) int {
	longest := 0
	for _, word := range words {
		longest = max(longest, len(word))
	}
	for from := 0; from < len(section); from += wordWindow {
		window := section[from:min(from+wordWindow+longest, len(section))]
		if at := firstIn(window, words); at >= 0 {
			return from + at
		}
	}
	return 0
}

// firstIn is firstWord of a part of a section, -1 if there is none.
func firstIn(window []byte, words []string) int {
	lower := lowered(window, words)
	first := -1
	for _, word := range words {
		if at := bytes.Index(lower, []byte(word)); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// lowered is the window with the letters in lower case that the words are made of, at the same offsets.
func lowered(window []byte, words []string) []byte {
	for _, word := range words {
		if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
			continue
		}
		if lower := bytes.ToLower(window); len(lower) == len(window) {
			return lower
		}
	}
	lower := bytes.Clone(window)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	return lower
}
