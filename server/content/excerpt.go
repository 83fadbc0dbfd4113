package content

import (
	"bytes"
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
	text := plainText(section[from:to])
	if from > 0 && text != "" {
		text = "… " + text
	}
	if to < len(section) && len(bytes.TrimSpace(section[to:])) > 0 {
		text += " …"
	}
	return strings.TrimSpace(text)
}

// firstWord returns the offset of the first of the words, 0 if there is none.
func firstWord(section []byte, words []string) int {
	lower := bytes.ToLower(section)
	if len(lower) != len(section) {
		return 0
	}
	first := len(section)
	for _, word := range words {
		if at := bytes.Index(lower, []byte(word)); at >= 0 {
			first = min(first, at)
		}
	}
	if first == len(section) {
		return 0
	}
	return first
}
