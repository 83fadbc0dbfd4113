package api

import (
	"regexp"
	"strings"
)

// isEmoji reports whether text is a single emoji as defined by Unicode Technical Standard 51: a flag, a keycap, or
// joined pictographs with optional skin tone, presentation and region tags. It also accepts the hexadecimal code
// points of an emoji, which clients of the public API send.
func isEmoji(text string) bool {
	return codePoints.MatchString(text) || flagOrKeycap.MatchString(text) || pictographs.MatchString(text) &&
		!strings.ContainsFunc(text, isRegionalIndicator)
}

var (
	flagOrKeycap = regexp.MustCompile("^(?:[0-9#*]\uFE0F?\u20E3|[\U0001F1E6-\U0001F1FF]{2})$")
	codePoints   = regexp.MustCompile("^[0-9a-fA-F]{4,6}(?:-[0-9a-fA-F]{4,6})*$")
	pictographs  = regexp.MustCompile("^" + pictograph + "(?:\u200D" + pictograph + ")*$")
)

const pictograph = "[\\p{So}\u203C\u2049\u2139\u2190-\u21FF\u25A0-\u25FF\u2B00-\u2BFF\u3030\u303D\U0001F3FB-\U0001F3FF]" +
	"\uFE0F?[\U0001F3FB-\U0001F3FF]?(?:[\U000E0020-\U000E007E]+\U000E007F)?"

// isRegionalIndicator reports whether r is a regional indicator, half of a flag.
func isRegionalIndicator(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
