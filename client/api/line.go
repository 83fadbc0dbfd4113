package api

import (
	"slices"
	"strings"
)

// Characters that turn the direction of what follows, and those that end it. Marks and joiners are not among them:
// scripts need those.
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

// lineFault is a character that a text of one line must not have: on a terminal, or beside other texts, it changes more
// than the text that it stands in.
type lineFault struct {
	at   int // byte
	char rune
	why  string
}

// lineFaults finds the control characters U+0080 to U+009F, overrides of direction, and what opens or closes a
// direction without its other half.
func lineFaults(text string) (faults []lineFault) {
	var open []lineFault
	for at, char := range text {
		fault := lineFault{at: at, char: char}
		switch char {
		case overrideLTR, overrideRTL:
			fault.why = "it turns the direction of all that follows"
		case startEmbeddingLTR, startEmbeddingRTL, startIsolateLTR, startIsolateRTL, startIsolateAny:
			fault.why = "it opens a direction that is not closed"
			open = append(open, fault)
			continue
		case endEmbedding:
			if n := len(open); n > 0 && !isIsolate(open[n-1].char) {
				open = open[:n-1]
				continue
			}
			fault.why = "it closes a direction that is not open"
		case endIsolate:
			if n := lastIsolate(open); n >= 0 {
				open = open[:n] // and the embeddings in it
				continue
			}
			fault.why = "it closes a direction that is not open"
		default:
			if char < 0x80 || char > 0x9F {
				continue
			}
			fault.why = "it is a control character"
		}
		faults = append(faults, fault)
	}
	faults = append(faults, open...)
	slices.SortFunc(faults, func(a, b lineFault) int { return a.at - b.at })
	return faults
}

func isIsolate(char rune) bool { return char >= startIsolateLTR && char <= startIsolateAny }

func lastIsolate(open []lineFault) int {
	for i, f := range slices.Backward(open) {
		if isIsolate(f.char) {
			return i
		}
	}
	return -1
}

// CleanLine is a text of one line without what CheckLine refuses, for what comes in and cannot be sent back; control
// characters become spaces.
func CleanLine(text string) string {
	faults := lineFaults(text)
	if len(faults) == 0 && strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for at, char := range text {
		switch {
		case len(faults) > 0 && faults[0].at == at:
			faults = faults[1:]
		case isControl(char):
			b.WriteByte(' ')
		default:
			b.WriteRune(char)
		}
	}
	return b.String()
}

// CheckLine holds a new text of one line, such as a title, against what it must not have.
func CheckLine(path, text string) []FieldError {
	var v violations
	v.checkLine(path, text)
	return v.list
}

func (v *violations) checkLine(path, text string) {
	if faults := lineFaults(text); len(faults) > 0 {
		v.add(path, "must not hold %U at byte %d: %s", faults[0].char, faults[0].at, words{faults[0].why})
	}
}
