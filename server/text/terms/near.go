package terms

import (
	"slices"
	"unicode/utf8"
)

// MinNear is the minimum number of letters of a word that may have a wrong one.
const MinNear = 5

// MayBeMisspelled reports whether a word without matches is searched with one wrong letter.
func (w QueryWord) MayBeMisspelled() bool {
	return !w.Optional && utf8.RuneCountInString(w.Folded) >= MinNear
}

// Halves returns the first and the second half of a word. A word that differs in one letter has either the same
// beginning or the same ending, unless the two middle letters are swapped; swapped is that variant.
func Halves(word string) (beginning, ending, swapped string) {
	letters := []rune(word)
	middle := len(letters) / 2
	beginning, ending = string(letters[:middle]), string(letters[middle:])
	if middle > 0 && middle < len(letters) {
		letters[middle-1], letters[middle] = letters[middle], letters[middle-1]
	}
	return beginning, ending, string(letters)
}

// DifferByOneLetter reports whether two words differ in exactly one letter: one is added, missing or replaced, or two
// adjacent letters are swapped.
func DifferByOneLetter(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	if len(x)-len(y) > 1 {
		return false
	}
	at := 0
	for at < len(y) && x[at] == y[at] {
		at++
	}
	if len(x) > len(y) {
		return slices.Equal(x[at+1:], y[at:])
	}
	if at == len(x) {
		return false // equal
	}
	if slices.Equal(x[at+1:], y[at+1:]) {
		return true
	}
	return at+1 < len(x) && x[at] == y[at+1] && x[at+1] == y[at] && slices.Equal(x[at+2:], y[at+2:])
}
