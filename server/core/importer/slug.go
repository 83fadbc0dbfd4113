package importer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gosimple/slug"
)

const maxSlug = 100

// Slugs gives each name of one set of siblings its own slug.
type Slugs map[string]bool

// Take returns the slug with -2, -3 and so on behind it where a sibling has it already.
func (s Slugs) Take(base string) string {
	made := base
	for n := 2; s[made]; n++ {
		suffix := "-" + strconv.Itoa(n)
		made = strings.TrimRight(cut(base, maxSlug-len(suffix)), "-") + suffix
	}
	s[made] = true
	return made
}

// SlugOf is the slug that the first candidate makes which makes one.
func SlugOf(candidates ...string) string {
	for _, candidate := range candidates {
		if made := makeSlug(candidate); made != "" {
			return made
		}
	}
	return "page"
}

func makeSlug(text string) string {
	return strings.TrimRight(cut(slug.Make(strings.ReplaceAll(text, ".", "-")), maxSlug), "-")
}

// cut shortens to at most n bytes at a character's edge.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
