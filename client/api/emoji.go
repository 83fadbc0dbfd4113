package api

import (
	"regexp"
	"strings"
)

// isEmoji reports whether a text is one emoji in a form of Unicode Technical Standard 51: a flag, a key cap, or pictures
// that are joined, each with its skin tone, its presentation and the tags of a region; or its code points, which clients of
// the public API send.
func isEmoji(text string) bool {
	return codePoints.MatchString(text) || flagOrKey.MatchString(text) || pictures.MatchString(text) && !strings.ContainsFunc(text, isRegional)
}

var (
	flagOrKey  = regexp.MustCompile("^(?:[0-9#*]\uFE0F?\u20E3|[\U0001F1E6-\U0001F1FF]{2})$")
	codePoints = regexp.MustCompile("^[0-9a-fA-F]{4,6}(?:-[0-9a-fA-F]{4,6})*$")
	pictures   = regexp.MustCompile("^" + picture + "(?:\u200D" + picture + ")*$")
)

const picture = "[\\p{So}\u203C\u2049\u2139\u2190-\u21FF\u25A0-\u25FF\u2B00-\u2BFF\u3030\u303D\U0001F3FB-\U0001F3FF]" +
	"\uFE0F?[\U0001F3FB-\U0001F3FF]?(?:[\U000E0020-\U000E007E]+\U000E007F)?"

// isRegional reports whether a character is half of a flag.
func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
