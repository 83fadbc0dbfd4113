package content

import (
	"regexp"
	"strings"
)

// Patterns of tags and their titles. Of tags such as {% tab title="Linux" %} only the titles are text.
var (
	wholeTag = regexp.MustCompile(`\{%[^%]*%\}`)
	tagTitle = regexp.MustCompile(`\btitle="([^"]*)"`)
)

// withoutTags replaces the tags in a text with their titles.
func withoutTags(text string) string {
	if !strings.Contains(text, "{%") {
		return text
	}
	return wholeTag.ReplaceAllStringFunc(text, func(tag string) string {
		if title := tagTitle.FindStringSubmatch(tag); title != nil {
			return " " + title[1] + " "
		}
		return " "
	})
}

// withoutCutTags is like withoutTags for a text that may begin or end inside a tag. It returns the text in one line.
func withoutCutTags(text string) string {
	text = withoutTags(text)
	if _, rest, cut := strings.Cut(text, "%}"); cut {
		text = rest
	}
	if at := strings.LastIndex(text, "{%"); at >= 0 {
		text = text[:at]
	}
	return strings.Join(strings.Fields(text), " ")
}
