// Package names compares the names of resources as people type them.
//
// It is pure: no storage, no network, no clock.
package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a name without the differences that do not count: it is normalized (NFC) and case-folded, and each run
// of characters other than letters, their marks and digits is one hyphen, without hyphens at the ends. "Skylark Handbook",
// "skylark-handbook" and "SKYLARK_HANDBOOK" have the same folded form. It is empty for a name without letters and digits.
// Fold(Fold(name)) is Fold(name).
func Fold(name string) string {
	folded := norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
	var b strings.Builder
	b.Grow(len(folded))
	gap := false
	for _, r := range folded {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
