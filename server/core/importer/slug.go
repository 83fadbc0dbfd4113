package importer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gosimple/slug"
)

const maxSlug = 100

// slugSet assigns unique slugs to a set of siblings. It holds the assigned ones.
type slugSet map[string]bool

// Take assigns the slug base, with a suffix -2, -3 and so on if it is taken, and returns the assigned slug.
func (s slugSet) Take(base string) string {
	made := base
	for n := 2; s[made]; n++ {
		suffix := "-" + strconv.Itoa(n)
		made = strings.TrimRight(truncate(base, maxSlug-len(suffix)), "-") + suffix
	}
	s[made] = true
	return made
}

// firstSlug returns the slug of the first candidate from which one can be made.
func firstSlug(candidates ...string) string {
	for _, candidate := range candidates {
		if made := makeSlug(candidate); made != "" {
			return made
		}
	}
	return "page"
}

func makeSlug(text string) string {
	return strings.TrimRight(truncate(slug.Make(strings.ReplaceAll(text, ".", "-")), maxSlug), "-")
}

// truncate truncates to at most n bytes at a character boundary.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
