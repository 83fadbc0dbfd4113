package content

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Excerpt returns about size bytes of a section's text without markup, starting at the first of the words that occurs
// in it, else at the beginning. A leading heading is skipped.
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
	if bytes.Count(section[:from], fence)%2 == 1 { // the excerpt begins inside a code block
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

// wordWindow is the number of bytes of a section that are searched at once.
const wordWindow = 2 << 10

// firstWord returns the offset of the first occurrence of any of the words, or 0 if there is none.
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

// firstIn is like firstWord for a part of a section, but returns -1 if no word occurs in it.
func firstIn(window []byte, words []string) int {
	lower := lowerLetters(window, words)
	first := -1
	for _, word := range words {
		if at := bytes.Index(lower, []byte(word)); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// lowerLetters returns window in lower case with unchanged offsets: all letters if a word has non-ASCII letters and the length
// stays the same, else only ASCII letters.
func lowerLetters(window []byte, words []string) []byte {
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
