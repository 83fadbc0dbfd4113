package content

import (
	"strings"

	"github.com/gosimple/slug"
)

// maxSlugBytes is the maximum length of a slug.
const maxSlugBytes = 100

// Slug returns the URL slug of a title: lower-case ASCII letters, digits and hyphens, at most 100 bytes, cut between
// words where possible, or "page" if nothing remains.
func Slug(title string) string {
	words := strings.FieldsFunc(slug.Make(title), func(r rune) bool { return r == '-' || r == '_' })
	s := strings.Join(words, "-")
	if len(s) > maxSlugBytes {
		cut := s[:maxSlugBytes]
		if i := strings.LastIndexByte(cut, '-'); s[maxSlugBytes] != '-' && i > 0 {
			cut = cut[:i]
		}
		s = strings.Trim(cut, "-")
	}
	if s == "" {
		return "page"
	}
	return s
}
