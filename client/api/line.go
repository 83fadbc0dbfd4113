package api

import (
	"slices"
	"strings"
)

// Directional formatting characters. Marks and joiners are not among them, because some scripts need those.
const (
	startEmbeddingLTR = '\u202A'
	startEmbeddingRTL = '\u202B'
	endEmbedding      = '\u202C'
	overrideLTR       = '\u202D'
	overrideRTL       = '\u202E'
	startIsolateLTR   = '\u2066'
	startIsolateRTL   = '\u2067'
	startIsolateAny   = '\u2068'
	endIsolate        = '\u2069'
)

// lineViolation is a character that a single-line text must not have, because it affects the display of other text.
type lineViolation struct {
	offset int // byte offset
	char   rune
	reason string
}

// findLineViolations returns the control characters U+0080 to U+009F, directional overrides, and unpaired embeddings and
// isolates.
func findLineViolations(text string) (faults []lineViolation) {
	var open []lineViolation
	for at, char := range text {
		fault := lineViolation{offset: at, char: char}
		switch char {
		case overrideLTR, overrideRTL:
			fault.reason = "it turns the direction of all that follows"
		case startEmbeddingLTR, startEmbeddingRTL, startIsolateLTR, startIsolateRTL, startIsolateAny:
			fault.reason = "it opens a direction that is not closed"
			open = append(open, fault)
			continue
		case endEmbedding:
			if n := len(open); n > 0 && !isIsolate(open[n-1].char) {
				open = open[:n-1]
				continue
			}
			fault.reason = "it closes a direction that is not open"
		case endIsolate:
			if n := lastIsolate(open); n >= 0 {
				open = open[:n] // also closes the embeddings inside
				continue
			}
			fault.reason = "it closes a direction that is not open"
		default:
			if char < 0x80 || char > 0x9F {
				continue
			}
			fault.reason = "it is a control character"
		}
		faults = append(faults, fault)
	}
	faults = append(faults, open...)
	slices.SortFunc(faults, func(a, b lineViolation) int { return a.offset - b.offset })
	return faults
}

func isIsolate(char rune) bool { return char >= startIsolateLTR && char <= startIsolateAny }

func lastIsolate(open []lineViolation) int {
	for i, f := range slices.Backward(open) {
		if isIsolate(f.char) {
			return i
		}
	}
	return -1
}

// CleanLine removes from a single-line text what CheckLine rejects, for input that cannot be rejected. Control
// characters are replaced by spaces.
func CleanLine(text string) string {
	faults := findLineViolations(text)
	if len(faults) == 0 && strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for at, char := range text {
		switch {
		case len(faults) > 0 && faults[0].offset == at:
			faults = faults[1:]
		case isControl(char):
			b.WriteByte(' ')
		default:
			b.WriteRune(char)
		}
	}
	return b.String()
}

// CheckLine validates a new single-line text, such as a title.
func CheckLine(path, text string) []FieldError {
	var v violations
	v.checkLine(path, text)
	return v.list
}

func (v *violations) checkLine(path, text string) {
	if faults := findLineViolations(text); len(faults) > 0 {
		v.add(path, "must not hold %U at byte %d: %s", faults[0].char, faults[0].offset, words{faults[0].reason})
	}
}
