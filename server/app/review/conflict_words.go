package review

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/server/core/revision"
)

// excerptRunes is how long the texts around a conflict are at most, each.
const excerptRunes = 160

// excerptBytes is how much of a text is looked at for an excerpt: white space does not count.
const excerptBytes = 8 * excerptRunes

// sentence makes words a sentence: with a capital and a full stop.
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(first)) + words[size:]
	if strings.HasSuffix(words, ".") || strings.HasSuffix(words, ".”") {
		return words
	}
	return words + "."
}

// capital is words with a capital.
func capital(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// Quoted is a title in a sentence.
func Quoted(title string) string { return "“" + title + "”" }

// oneLine is a text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstRunes is the beginning of a text, in one line.
func firstRunes(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), excerptBytes)], "")
	line := []rune(oneLine(text))
	if len(line) <= excerptRunes {
		return string(line)
	}
	return string(line[:excerptRunes-1]) + "…"
}

// lastRunes is the end of a text, in one line.
func lastRunes(text string) string {
	text = strings.ToValidUTF8(text[max(len(text)-excerptBytes, 0):], "")
	line := []rune(oneLine(text))
	if len(line) <= excerptRunes {
		return string(line)
	}
	return "…" + string(line[len(line)-excerptRunes+1:])
}

// pagesBelow is that a page has so many pages below it, "" for none; the is an article, or nothing.
func pagesBelow(the string, n int) string {
	switch {
	case n == 0:
		return ""
	case n == 1 && the != "":
		return ", with the page below it"
	case n == 1:
		return ", with 1 page below it"
	}
	return ", with " + the + strconv.Itoa(n) + " pages below it"
}

// named is a list of titles in a sentence.
func named(titles []string) string {
	const most = 3
	more := len(titles) - most
	if more > 0 {
		titles = titles[:most]
	}
	list := make([]string, len(titles))
	for i, title := range titles {
		list[i] = Quoted(title)
	}
	if more > 0 {
		return strings.Join(list, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return joined(list)
}

// joined is a list in a sentence.
func joined(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// titlePath is where a page stands, by the titles of the pages above it and its own; "" for the top level.
func titlePath(t *revision.Tree, id string) string {
	var titles []string
	for p, depth := t.Page(id), 0; p != nil && depth < revision.MaxPageDepth; p, depth = t.Page(p.Parent), depth+1 {
		titles = append([]string{p.Name()}, titles...)
	}
	return strings.Join(titles, " › ")
}

// standing says where a page stands in a version of the tree: below what, and behind which neighbour.
func standing(t *revision.Tree, id string) string {
	p := t.Page(id)
	if p == nil {
		return "deleted"
	}
	where := "at the top level"
	if above := titlePath(t, p.Parent); above != "" {
		where = "in " + Quoted(above)
	}
	before := ""
	for _, sibling := range t.Children(p.Parent) {
		if sibling == id {
			break
		}
		before = t.Page(sibling).Name()
	}
	if before == "" {
		return where + ", first"
	}
	return where + ", after " + Quoted(before)
}
