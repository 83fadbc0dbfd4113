package terms

import (
	"slices"
	"unicode/utf8"
)

// MinNear is the least number of letters of a word that may have a wrong one.
const MinNear = 5

// MayBeMisspelt reports whether a word is looked up with one wrong letter where it is
// not found as it stands.
func (w QueryWord) MayBeMisspelt() bool {
	return !w.Optional && utf8.RuneCountInString(w.Folded) >= MinNear
}

// Halves are what a word begins and ends with. A word that differs from it in one
// letter begins with the one or ends with the other, unless the two letters in the
// middle are swapped.
func Halves(word string) (beginning, ending, swapped string) {
	letters := []rune(word)
	middle := len(letters) / 2
	beginning, ending = string(letters[:middle]), string(letters[middle:])
	if middle > 0 && middle < len(letters) {
		letters[middle-1], letters[middle] = letters[middle], letters[middle-1]
	}
	return beginning, ending, string(letters)
}

// OneLetter reports whether one letter makes the difference between two words: one
// that is too many, is missing, is another, or two neighbours that are swapped.
func OneLetter(a, b string) bool {
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
