package review

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/server/core/revision"
)

// excerptRunes is the maximum length of the text before and after a conflict.
const excerptRunes = 160

// excerptBytes bounds the bytes examined for an excerpt, since white space is collapsed.
const excerptBytes = 8 * excerptRunes

// toSentence capitalizes the text and adds a full stop if it has none.
func toSentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(first)) + words[size:]
	if strings.HasSuffix(words, ".") || strings.HasSuffix(words, ".”") {
		return words
	}
	return words + "."
}

// capitalize returns the text with its first letter in upper case.
func capitalize(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// Quote returns a title in quotation marks.
func Quote(title string) string { return "“" + title + "”" }

// collapseSpace replaces all white space, including line breaks, with single spaces.
func collapseSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstRunes returns the beginning of a text as one line of at most excerptRunes.
func firstRunes(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), excerptBytes)], "")
	line := []rune(collapseSpace(text))
	if len(line) <= excerptRunes {
		return string(line)
	}
	return string(line[:excerptRunes-1]) + "…"
}

// lastRunes returns the end of a text as one line of at most excerptRunes.
func lastRunes(text string) string {
	text = strings.ToValidUTF8(text[max(len(text)-excerptBytes, 0):], "")
	line := []rune(collapseSpace(text))
	if len(line) <= excerptRunes {
		return string(line)
	}
	return "…" + string(line[len(line)-excerptRunes+1:])
}

// pagesBelowClause returns a clause about n pages below a page, or "" for none. article is "the " or empty.
func pagesBelowClause(article string, n int) string {
	switch {
	case n == 0:
		return ""
	case n == 1 && article != "":
		return ", with the page below it"
	case n == 1:
		return ", with 1 page below it"
	}
	return ", with " + article + strconv.Itoa(n) + " pages below it"
}

// quotedList joins quoted titles, at most three, for a sentence.
func quotedList(titles []string) string {
	const most = 3
	more := len(titles) - most
	if more > 0 {
		titles = titles[:most]
	}
	list := make([]string, len(titles))
	for i, title := range titles {
		list[i] = Quote(title)
	}
	if more > 0 {
		return strings.Join(list, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return joinList(list)
}

// joinList joins a list with commas and "and".
func joinList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// titlePath returns the titles of a page and the pages above it, joined by ›, or "" for the top level.
func titlePath(t *revision.Tree, id string) string {
	var titles []string
	for p, depth := t.Page(id), 0; p != nil && depth < revision.MaxPageDepth; p, depth = t.Page(p.Parent), depth+1 {
		titles = append([]string{p.Name()}, titles...)
	}
	return strings.Join(titles, " › ")
}

// describePosition describes the position of a page in a tree by the path of its parent and its previous sibling.
func describePosition(t *revision.Tree, id string) string {
	p := t.Page(id)
	if p == nil {
		return "deleted"
	}
	where := "at the top level"
	if above := titlePath(t, p.Parent); above != "" {
		where = "in " + Quote(above)
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
	return where + ", after " + Quote(before)
}
